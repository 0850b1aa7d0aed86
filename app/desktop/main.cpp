// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "selftest/screenshotscript.h"
#include "selftest/selftest.h"
#include "session/outputviewaccessible.h"
#include "shell/application.h"
#include "shell/colorscheme.h"
#include "shell/desktopoptions.h"
#include "shell/icons.h"
#include "shell/mainwindow.h"

#include <sandboxio/models/outputlog.h>

#include <QTextStream>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

using namespace Sandboxio;
using namespace Sandboxio::Desktop;

namespace {

constexpr int staleDays = 7; // spools that a crashed program left

int runScript(Application &application, Script &script)
{
    QObject::connect(&script, &Script::ended, &application, [](int code) { QCoreApplication::exit(code); });
    script.start();
    return Application::exec();
}

int runWindow(Engine &engine, const DesktopOptions &options)
{
    MainWindow window(&engine, options);
    QObject::connect(&window, &MainWindow::finished, qApp, &QCoreApplication::quit);
    window.show();
    return Application::exec();
}

// Ends the program as failed when its event loop is stuck and cannot notice the limit of the script itself.
class Watchdog
{
public:
    explicit Watchdog(std::chrono::seconds limit)
        : m_thread([this, limit](const std::stop_token &stop) {
            std::unique_lock lock(m_mutex);
            if (!m_wake.wait_for(lock, stop, limit, [&] { return stop.stop_requested(); })) {
                std::fputs("FAILED: the event loop is stuck\n", stderr);
                std::_Exit(1);
            }
        })
    {}

private:
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::jthread m_thread;
};

int runSelfTest(Application &application)
{
    application.measureEvents();
    SelfTest test;
    const Watchdog watchdog(std::chrono::seconds(30));
    const int code = runScript(application, test);
    QTextStream(stdout) << QStringLiteral("longest event: %1 ms (%2)")
                               .arg(double(application.longestEvent().count()) / 1e6, 0, 'f', 1)
                               .arg(application.longestEventName())
                        << Qt::endl;
    return code;
}

int reportResult(const CommandLineResult &result)
{
    QTextStream(*result.exitCode == 0 ? stdout : stderr) << result.message << Qt::endl;
    return *result.exitCode;
}

} // namespace

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i) {
        // Asked for before there is an application: the self-test must work without a display.
        if (std::strcmp(argv[i], "--self-test") == 0)
            qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    Application application(argc, argv);
    const CommandLineResult commandLine = parseCommandLine(Application::arguments());
    if (commandLine.exitCode)
        return reportResult(commandLine);
    const DesktopOptions &options = commandLine.options;
    applyColorScheme(options.colorScheme);
    useFallbackTheme();
    installOutputViewAccessibility();
    if (options.selfTest)
        return runSelfTest(application);
    if (!options.screenshotDirectory.isEmpty()) {
        ScreenshotScript script(options);
        return runScript(application, script);
    }
    OutputSpool::removeStale(OutputLog::defaultDirectory(), staleDays);
    Engine engine;
    return runWindow(engine, options);
}
