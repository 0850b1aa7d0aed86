// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "steprunner.h"

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

void Script::start()
{
    m_elapsed.start();
    m_stepElapsed.start();
    m_poll->start();
    prepare();
}

void Script::addStep(const QString &name, std::function<void()> action, std::function<bool()> isDone)
{
    m_steps.append({name, std::move(action), std::move(isDone)});
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
        const QString seen = situation();
        fail(u"%1 did not come to its end in time%2"_s.arg(step.name,
                                                           seen.isEmpty() ? QString() : u"\n"_s + seen));
        return;
    }
    if (!std::exchange(m_acted, true)) {
        Q_EMIT stepStarted(step.name);
        if (step.action)
            step.action();
    }
    if (m_ended || (step.isDone && !step.isDone()))
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
