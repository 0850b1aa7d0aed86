// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "selftest/outputscript.h"
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

// What comes before the first event is reported apart from the events.
void reportStart(const Application &application, const QString &what)
{
    if (!application.isMeasuring())
        return;
    QTextStream(stdout)
        << QStringLiteral("%1 ms  %2").arg(double(threadCpuTime().count()) / 1e6, 6, 'f', 1).arg(what)
        << Qt::endl;
}

void reportEvents(Application &application)
{
    if (!application.isMeasuring())
        return;
    const EventTimes &times = application.eventTimes();
    QTextStream(stdout) << QStringLiteral("CPU time of the longest of %1 events:").arg(times.count())
                        << Qt::endl
                        << times.report() << Qt::flush;
}

int runScript(Application &application, Script &script)
{
    QObject::connect(&script, &Script::stepStarted, &application,
                     [&application](const QString &name) { application.eventTimes().setActivity(name); });
    QObject::connect(&script, &Script::ended, &application, [](int code) { QCoreApplication::exit(code); });
    reportStart(application, QStringLiteral("CPU time of the start until the application object is there"));
    script.start();
    reportStart(application, QStringLiteral("CPU time of the start until the event loop begins"));
    const int code = Application::exec();
    reportEvents(application);
    return code;
}

int runWindow(Application &application, Engine &engine, const DesktopOptions &options)
{
    MainWindow window(&engine, options);
    QObject::connect(&window, &MainWindow::finished, qApp, &QCoreApplication::quit);
    window.show();
    reportStart(application, QStringLiteral("CPU time of the start until the event loop begins"));
    const int code = Application::exec();
    reportEvents(application);
    return code;
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
    return runScript(application, test);
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
    if (options.outputMegabytes > 0) {
        application.measureEvents();
        OutputScript script(options);
        return runScript(application, script);
    }
    OutputSpool::removeStale(OutputLog::defaultDirectory(), staleDays);
    Engine engine;
    return runWindow(application, engine, options);
}
