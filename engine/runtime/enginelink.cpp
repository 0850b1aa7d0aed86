// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "enginelink_p.h"

#include "enginecore_p.h"

#include <sandboxio/core/handover.h>

#include <QCoreApplication>

namespace Sandboxio::Detail {

using namespace Qt::StringLiterals;

namespace {

/*! Deletes its core itself and then what that let go. At the end of a plain QThread the deletions that destructors ask
    for there are never done: each teardown with a connection leaked a socket and the thread's own data. */
class IoThread final : public QThread
{
public:
    explicit IoThread(EngineCore *core)
        : m_core(core)
    {}

protected:
    void run() override
    {
        forbidBlockingInThisThread("the engine's I/O thread");
        exec();
        delete m_core;
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        const HandOver over(this);
    }

private:
    EngineCore *m_core;
};

} // namespace

EngineLink::EngineLink(std::function<EngineCore *()> makeCore)
    : m_makeCore(std::move(makeCore))
{}

EngineLink::~EngineLink() = default;

bool EngineLink::post(std::function<void(EngineCore &)> function)
{
    const std::lock_guard lock(m_mutex);
    if (m_closed)
        return false;
    if (!m_core) {
        m_core = m_makeCore();
        m_thread = std::make_unique<IoThread>(m_core);
        m_thread->setObjectName(u"sandboxio-io"_s);
        m_core->moveToThread(m_thread.get());
        m_thread->start();
    }
    postCall(m_core, [core = m_core, function = std::move(function)] { function(*core); });
    return true;
}

void EngineLink::close()
{
    std::unique_ptr<QThread> thread;
    {
        const std::lock_guard lock(m_mutex);
        m_closed = true;
        m_core = nullptr;
        thread = std::move(m_thread);
    }
    if (thread) {
        thread->quit();
        thread->wait();
        takeOver(thread.get());
    }
}

bool EngineLink::isStarted() const
{
    const std::lock_guard lock(m_mutex);
    return m_core != nullptr;
}

ErrorInfo EngineLink::closedError()
{
    return makeError(ErrorKind::ConfigurationError,
                     QCoreApplication::translate("Sandboxio::Engine", "The engine has been shut down."),
                     QCoreApplication::translate("Sandboxio::Engine",
                                                 "Keep the Engine alive while its sandboxes are used."));
}

} // namespace Sandboxio::Detail
