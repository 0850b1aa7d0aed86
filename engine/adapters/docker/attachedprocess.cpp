// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "attachedprocess.h"

#include "backgroundruns.h"
#include "dockersandbox.h"
#include "guestkill.h"
#include "spawnrequest.h"
#include "texts.h"

#include <cerrno>
#include <utility>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

// So often in a row without anything having come, or having held for a while: then the connection is no good.
constexpr int mostIdleAttempts = 3;
constexpr auto goodConnection = 10s;

} // namespace

AttachedProcess::AttachedProcess(std::shared_ptr<DockerSandbox> sandbox, AttachRequest request,
                                 ProcessEvents *events)
    : m_sandbox(std::move(sandbox))
    , m_request(std::move(request))
    , m_events(events)
{
    m_streams[0].offset = m_request.from.standardOutputOffset;
    m_streams[1].offset = m_request.from.standardErrorOffset;
}

AttachedProcess::~AttachedProcess()
{
    stopWaiting();
    if (m_client && m_run != 0)
        m_client->release(m_run);
}

void AttachedProcess::begin()
{
    QMetaObject::invokeMethod(this, [this] { attachSteps(this, m_sandbox); }, Qt::QueuedConnection);
}

QCoro::Task<> AttachedProcess::attachSteps(QPointer<AttachedProcess> self,
                                           std::shared_ptr<DockerSandbox> sandbox)
{
    ErrorInfo error;
    try {
        co_await sandbox->whenUsable();
        if (self && !self->m_failed)
            self->attach();
        co_return;
    } catch (const SandboxError &problem) {
        error = problem.info();
    } catch (const OperationCancelled &) {
        error = endedBeforeStart();
    }
    if (self)
        self->fail(error);
}

void AttachedProcess::attach()
{
    m_client = m_sandbox->guest();
    if (!m_client) { // lost since it was found usable
        lost();
        return;
    }
    ++m_idleAttempts;
    m_run = m_client->attach(
        Guest::Attach{m_request.id.toStdString(), quint64(m_streams[0].offset), quint64(m_streams[1].offset)},
        handlers());
    m_wait = m_sandbox->pauseWatch().begin([this](const ErrorInfo &error) { fail(error); });
}

void AttachedProcess::stopWaiting()
{
    m_sandbox->pauseWatch().end(std::exchange(m_wait, 0));
}

// The client may still hold these when this process is gone.
Guest::RunHandlers AttachedProcess::handlers()
{
    const QPointer<AttachedProcess> self(this);
    const auto guarded = [self](auto member) {
        return [self, member](auto &&...values) {
            if (self && !self->m_failed)
                (self.data()->*member)(std::forward<decltype(values)>(values)...);
        };
    };
    Guest::RunHandlers result;
    result.attached = guarded(&AttachedProcess::attached);
    result.failed = guarded(&AttachedProcess::refused);
    result.exited = guarded(&AttachedProcess::exited);
    result.lost = guarded(&AttachedProcess::lost);
    result.output = [self](Guest::StreamId stream, quint64, const QByteArray &data) {
        if (self && !self->m_failed)
            self->output(outputStream(stream), data);
    };
    result.outputLost = [self](Guest::StreamId stream, quint64 bytes) {
        if (self && !self->m_failed)
            self->outputLost(outputStream(stream), qint64(bytes));
    };
    result.eof = [self](Guest::StreamId stream) {
        if (self && !self->m_failed && stream != Guest::StreamId::Stdin)
            self->streamEnded(outputStream(stream));
    };
    result.stdinCredit = [self](qint64) {
        if (self)
            self->m_input.pump();
    };
    return result;
}

void AttachedProcess::attached(const Guest::Attached &how)
{
    stopWaiting();
    m_attachedAt = m_sandbox->engine().clock->now();
    const bool isFirst = !std::exchange(m_terminal, how.terminal);
    if (m_windowSize && how.terminal)
        m_client->resize(m_run, *m_windowSize);
    for (const int number : std::exchange(m_earlySignals, {}))
        m_client->signal(m_run, number);
    if (how.input)
        m_input.open(m_client, m_run);
    else
        m_input.close();
    if (isFirst)
        m_events->started(how.pid);
}

void AttachedProcess::output(OutputStream stream, const QByteArray &data)
{
    m_idleAttempts = 0;
    streamOf(stream).offset += data.size();
    m_events->output(stream, data);
}

void AttachedProcess::outputLost(OutputStream stream, qint64 bytes)
{
    streamOf(stream).offset += bytes;
    m_events->outputLost(stream, bytes);
}

void AttachedProcess::streamEnded(OutputStream stream)
{
    if (!std::exchange(streamOf(stream).ended, true))
        m_events->streamEnded(stream);
}

void AttachedProcess::exited(const Guest::ExitStatus &status)
{
    if (!std::exchange(m_exited, true))
        m_events->exited(exitStatus(status, m_sandbox->resources()));
}

// The run goes on, and so does this, from the bytes that have come.
void AttachedProcess::lost()
{
    stopWaiting();
    m_client.clear();
    m_run = 0;
    m_input.open(nullptr, 0); // what comes now waits for the next connection
    if (m_attachedAt && m_sandbox->engine().clock->now() - *m_attachedAt >= goodConnection)
        m_idleAttempts = 0;
    m_attachedAt.reset();
    if (isComplete())
        return;
    if (m_idleAttempts < mostIdleAttempts)
        begin();
    else
        m_sandbox->tellLoss(this, [this](const ErrorInfo &reason) { fail(reason); });
}

void AttachedProcess::refused(int errorNumber, Guest::SpawnStage stage)
{
    m_run = 0;
    if (errorNumber == ENOENT)
        fail(unknownBackgroundRun(m_request.id));
    else if (errorNumber == ERANGE)
        fail(makeError(ErrorKind::ConfigurationError,
                       Text::tr("The background run \"%1\" has not written so much yet.").arg(m_request.id),
                       Text::tr("Attach from an offset within what backgroundRuns() says was written.")));
    else
        fail(spawnError(errorNumber, stage, {}, m_sandbox->resources()));
}

void AttachedProcess::fail(const ErrorInfo &error)
{
    stopWaiting();
    if (std::exchange(m_failed, true))
        return;
    m_input.close();
    m_events->failed(error);
}

void AttachedProcess::acknowledge(OutputStream stream, qint64 bytes)
{
    if (m_client)
        m_client->credit(m_run, guestStream(stream), bytes);
}

Operation<void> AttachedProcess::write(const QByteArray &data)
{
    return m_input.enqueue(data);
}

Operation<void> AttachedProcess::closeWrite()
{
    return m_input.enqueue({});
}

Operation<void> AttachedProcess::resize(TerminalSize size)
{
    if (m_terminal == false)
        return failedOperation<void>(noTerminal());
    m_windowSize = windowSize(size);
    if (m_client && m_attachedAt)
        m_client->resize(m_run, *m_windowSize);
    return finishedOperation();
}

Operation<void> AttachedProcess::signal(int signal)
{
    if (const auto error = checkSignal(signal))
        return failedOperation<void>(*error);
    if (m_client && m_attachedAt)
        m_client->signal(m_run, signal);
    else if (!m_failed && !m_exited)
        m_earlySignals.append(signal);
    return finishedOperation();
}

Operation<void> AttachedProcess::killTree()
{
    if (m_client && m_run != 0)
        return killRun(m_sandbox, m_client, m_run);
    return killBackgroundRun(m_sandbox, m_request.id);
}

} // namespace Sandboxio::Docker
