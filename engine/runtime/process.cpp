// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "process.h"

#include "enginecore_p.h"
#include "processmailbox_p.h"
#include "sandboxhandle_p.h"

#include <sandboxio/core/error.h>
#include <sandboxio/core/handover.h>

#include <QAbstractEventDispatcher>
#include <QCoreApplication>
#include <QPointer>
#include <QThread>

namespace Sandboxio {

using namespace Qt::StringLiterals;

namespace {

ErrorInfo misuse(const char *message, const char *hint)
{
    return makeError(ErrorKind::ConfigurationError, QCoreApplication::translate("Sandboxio::Process", message),
                     QCoreApplication::translate("Sandboxio::Process", hint));
}

// A member of the live run, as one operation.
template <typename Call>
QCoro::Task<void> onProcess(Detail::EngineCore &core, std::shared_ptr<Detail::ProcessMailbox> mailbox,
                            Call call)
{
    Detail::RunDriver *run = core.runOf(mailbox.get());
    if (!run || !run->process())
        makeError(ErrorKind::ConfigurationError,
                  QCoreApplication::translate("Sandboxio::Process", "The run has ended or was not started."),
                  QCoreApplication::translate("Sandboxio::Process", "Call this between started() and ended()."))
            .raise();
    co_await call(run);
}

} // namespace

Process::Process(std::shared_ptr<Detail::SandboxHandle> handle, const Detail::RunRequest &request)
    : m_mailbox(std::make_shared<Detail::ProcessMailbox>(this))
    , m_handle(std::move(handle))
    , m_request(std::make_unique<Detail::RunRequest>(request))
    , m_isBackground(request.attach.has_value())
{}

Process::~Process()
{
    if (m_request)
        qWarning("A Process was destroyed that was never started.");
    else if (isRunning())
        m_handle->link->post([mailbox = m_mailbox, isBackground = m_isBackground](Detail::EngineCore &core) {
            if (Detail::RunDriver *run = core.runOf(mailbox.get()))
                run->requestEnd(isBackground ? RunOutcome::Kind::Detached : RunOutcome::Kind::Killed);
        });
    m_mailbox->detachHandle();
}

Operation<void> Process::start(ConsumerMode mode)
{
    if (!m_request)
        misuse(
            QT_TRANSLATE_NOOP("Sandboxio::Process", "The process was started before."),
            QT_TRANSLATE_NOOP("Sandboxio::Process", "Make a new one with stream(), streamCode() or attach()."))
            .raise();
    if (mode == ConsumerMode::Signals && !QAbstractEventDispatcher::instance(QThread::currentThread()))
        misuse(QT_TRANSLATE_NOOP("Sandboxio::Process", "Signals need a thread with an event loop."),
               QT_TRANSLATE_NOOP("Sandboxio::Process", "Start with ConsumerMode::Pull in this thread."))
            .raise();
    Detail::RunRequest request = *m_request;
    m_request.reset();
    request.process.interactiveInput = request.process.code ? !request.process.codeOptions.standardInput
                                                            : !request.process.options.standardInput;
    std::weak_ptr<Detail::EngineLink> link = m_handle->link;
    const Detail::ProcessMailbox *key = m_mailbox.get();
    const auto acknowledge = [link, key](OutputStream stream, qint64 bytes) {
        if (const auto open = link.lock())
            open->post([key, stream, bytes](Detail::EngineCore &core) {
                if (Detail::RunDriver *run = core.runOf(key))
                    run->acknowledge(stream, bytes);
            });
    };
    m_mailbox->open(mode, acknowledge,
                    [](Process *process) { postCall(process, [process] { process->drain(); }); });
    const bool posted =
        m_handle->link->post([handle = m_handle, request, mailbox = m_mailbox](Detail::EngineCore &core) {
            core.startRun(handle->key, request, mailbox, mailbox.get());
        });
    if (!posted)
        m_mailbox->runEnded({}, std::nullopt, Detail::EngineLink::closedError());
    return m_mailbox->startedOperation();
}

void Process::drain()
{
    const Detail::ProcessMailbox::Contents contents = m_mailbox->take();
    const std::shared_ptr<Detail::ProcessMailbox> mailbox = m_mailbox;
    const QPointer<Process> alive = this; // a slot may destroy this object
    if (contents.started)
        Q_EMIT started();
    qint64 done[2] = {0, 0};
    for (const OutputChunk &chunk : contents.chunks) {
        if (!alive)
            break;
        Q_EMIT outputReceived(chunk);
        done[chunk.stream == OutputStream::StandardError ? 1 : 0] += chunk.data.size();
    }
    if (done[0] > 0)
        mailbox->acknowledge(OutputStream::StandardOutput, done[0]);
    if (done[1] > 0)
        mailbox->acknowledge(OutputStream::StandardError, done[1]);
    if (alive && contents.end)
        Q_EMIT ended(contents.end->outcome, contents.end->result, contents.end->error);
}

Operation<std::optional<OutputChunk>> Process::nextChunk()
{
    return m_mailbox->pull();
}

Operation<void> Process::write(const QByteArray &data)
{
    return m_handle->submit<void>([mailbox = m_mailbox, data](Detail::EngineCore &core, auto, auto) {
        return onProcess(core, mailbox, [data](Detail::RunDriver *run) {
            run->countInput(data.size());
            return run->process()->write(data);
        });
    });
}

Operation<void> Process::closeWrite()
{
    return m_handle->submit<void>([mailbox = m_mailbox](Detail::EngineCore &core, auto, auto) {
        return onProcess(core, mailbox, [](Detail::RunDriver *run) { return run->process()->closeWrite(); });
    });
}

Operation<void> Process::resize(TerminalSize size)
{
    return m_handle->submit<void>(
        Capability::Pty, [mailbox = m_mailbox, size](Detail::EngineCore &core, auto, auto) {
            return onProcess(core, mailbox,
                             [size](Detail::RunDriver *run) { return run->process()->resize(size); });
        });
}

Operation<void> Process::signal(int signal)
{
    return m_handle->submit<void>([mailbox = m_mailbox, signal](Detail::EngineCore &core, auto, auto) {
        return onProcess(core, mailbox,
                         [signal](Detail::RunDriver *run) { return run->process()->signal(signal); });
    });
}

namespace {
// Kills or lets go, and waits for the end of the run, however it ends.
QCoro::Task<void> endAndWait(Detail::EngineCore &core, std::shared_ptr<Detail::ProcessMailbox> mailbox,
                             RunOutcome::Kind intent)
{
    Detail::RunDriver *run = core.runOf(mailbox.get());
    if (!run)
        co_return;
    run->requestEnd(intent);
    try {
        co_await mailbox->endOperation();
    } catch (const QException &) {
        // Ended with an error or cancelled: ended all the same.
    }
}
} // namespace

Operation<void> Process::kill()
{
    return m_handle->submit<void>([mailbox = m_mailbox](Detail::EngineCore &core, auto, auto) {
        return endAndWait(core, mailbox, RunOutcome::Kind::Killed);
    });
}

Operation<void> Process::detach()
{
    if (!m_isBackground)
        return failedOperation<void>(misuse(
            QT_TRANSLATE_NOOP("Sandboxio::Process", "Only a background run goes on without its handle."),
            QT_TRANSLATE_NOOP("Sandboxio::Process", "Start it with startBackground() and attach() to it.")));
    return m_handle->submit<void>([mailbox = m_mailbox](Detail::EngineCore &core, auto, auto) {
        return endAndWait(core, mailbox, RunOutcome::Kind::Detached);
    });
}

Operation<ExecResult> Process::wait()
{
    if (m_request)
        return failedOperation<ExecResult>(
            misuse(QT_TRANSLATE_NOOP("Sandboxio::Process", "The process was not started."),
                   QT_TRANSLATE_NOOP("Sandboxio::Process", "Call start() before wait().")));
    return m_mailbox->endOperation();
}

Operation<void> Process::close()
{
    return kill();
}

std::optional<int> Process::exitCode() const
{
    const auto end = m_mailbox->end();
    return end && end->result ? end->result->exitCode : std::nullopt;
}

bool Process::isRunning() const
{
    return m_mailbox->isRunning();
}

} // namespace Sandboxio
