// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "steprunner.h"

#include "create/createdialog.h"
#include "errors/messagearea.h"
#include "session/cellpane.h"
#include "session/outputview.h"
#include "session/sessionpage.h"
#include "shell/backendwatch.h"
#include "shell/mainwindow.h"

#include <QTextStream>
#include <QTimer>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

Script::Script(std::chrono::milliseconds limit, QObject *parent)
    : QObject(parent)
    , m_poll(new QTimer(this))
    , m_limit(limit)
{
    m_poll->setInterval(10ms);
    connect(m_poll, &QTimer::timeout, this, &Script::poll);
}

Script::~Script() = default;

void Script::start()
{
    EngineOptions options;
    options.stateDirectory = m_folder.filePath(u"state"_s);
    m_engine = std::make_unique<Engine>(options);
    m_elapsed.start();
    m_stepElapsed.start();
    m_poll->start();
    prepare();
}

void Script::addStep(const QString &name, std::function<void()> action, std::function<bool()> isDone)
{
    m_steps.append({name, std::move(action), std::move(isDone)});
}

void Script::addBackendStep()
{
    addStep(u"the window opens and the backend answers"_s, {}, [this] {
        const auto status = m_window->backends()->model()->targetStatus();
        return !status.isEmpty() && status.first().kind == SandboxListModel::TargetStatus::Kind::Live;
    });
}

void Script::openWindow(const DesktopOptions &options)
{
    DesktopOptions own = options;
    own.settingsFile = m_folder.filePath(u"settings.ini"_s);
    own.outputDirectory = m_folder.filePath(u"output"_s);
    m_window = std::make_unique<MainWindow>(m_engine.get(), own);
    m_window->show();
}

void Script::tearDown(std::function<void()> done)
{
    if (m_window)
        m_window->hide();
    m_engine->shutdown(true).then(this, done).onCancelled(this, done).onError(this, [done](const ErrorInfo &) {
        done();
    });
}

void Script::destroyWindow()
{
    m_window.reset();
    m_engine.reset();
}

// What is on screen when a step did not come to its end.
QString Script::situation() const
{
    if (!m_window)
        return u"there is no window"_s;
    QStringList lines;
    const auto areas = m_window->findChildren<MessageArea *>();
    for (const MessageArea *area : areas) {
        for (const MessageBar *bar : area->bars())
            lines += bar->plainText();
    }
    if (const auto *dialog = m_window->findChild<CreateDialog *>())
        lines += dialog->explanation();
    if (const SessionPage *session = m_window->currentSession())
        lines += session->cell()->statusText() + u'\n' + session->cell()->output()->visibleText();
    return lines.join(u'\n');
}

void Script::fail(const QString &reason)
{
    QTextStream(stderr) << u"FAILED: "_s << reason << Qt::endl;
    finish(1);
}

void Script::poll()
{
    if (m_current >= m_steps.size()) {
        finish(0);
        return;
    }
    const Step &step = m_steps.at(m_current);
    if (m_elapsed.durationElapsed() > m_limit) {
        fail(u"%1 did not come to its end in time\n%2"_s.arg(step.name, situation()));
        return;
    }
    if (!std::exchange(m_acted, true)) {
        Q_EMIT stepStarted(step.name);
        if (step.action)
            step.action();
    }
    if ((step.isDone && !step.isDone()) || m_ended)
        return;
    QTextStream(stdout) << u"ok  %1 (%2 ms)"_s.arg(step.name).arg(m_stepElapsed.restart()) << Qt::endl;
    ++m_current;
    m_acted = false;
}

void Script::finish(int code)
{
    if (std::exchange(m_ended, true))
        return;
    m_poll->stop();
    tearDown([this, code] {
        QMetaObject::invokeMethod(this, [this, code] { Q_EMIT ended(code); }, Qt::QueuedConnection);
    });
}

} // namespace Sandboxio::Desktop
