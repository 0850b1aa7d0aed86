// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "rundriver_p.h"

#include "redaction_p.h"
#include "sinkwriter_p.h"

#include <QCoreApplication>

#include <csignal>
#include <tuple>

namespace Sandboxio::Detail {

using namespace std::chrono_literals;

namespace {

// A child that keeps a stream open must not keep the run open: see "What every adapter owes" in the design.
constexpr auto quietTime = 250ms;
// Nobody is left who could hold a stream open, so its end is on the way; only a stalled transport keeps it.
constexpr auto stalledTime = 30s;

// What the kill cost beyond the run, a context's state, is part of the news.
ErrorInfo timeoutError(std::chrono::milliseconds limit, const std::optional<ErrorInfo> &problem)
{
    ErrorInfo error =
        makeError(ErrorKind::ExecutionTimeout,
                  QCoreApplication::translate("Sandboxio::Run", "The run took longer than its limit of %1 s.")
                      .arg(static_cast<double>(limit.count()) / 1000));
    if (problem && problem->kind == ErrorKind::ExecutionError) {
        error.message += u' ' + problem->message;
        error.hint += u' ' + problem->hint;
    }
    return error;
}

ErrorInfo stalledError()
{
    return makeError(
        ErrorKind::ConnectError,
        QCoreApplication::translate("Sandboxio::Run",
                                    "The program has ended, but the end of its output did not come for %1 s.")
            .arg(stalledTime.count()),
        QCoreApplication::translate("Sandboxio::Run", "Look whether the provider hangs, then run it again."));
}

RecordDraftPtr beginRecord(const Recorder &recorder, const ManagedSandbox &managed, const RunRequest &request)
{
    return request.attach ? recorder.begin(managed, attachRecord(request.attach->id))
                          : recorder.begin(managed, request.process);
}

} // namespace

OperationRecord attachRecord(const QString &id)
{
    OperationRecord record;
    record.event = RecordEvent::Attach;
    record.backgroundRun = id;
    return record;
}

RunObserver::~RunObserver() = default;

RunDriver::RunDriver(EngineContext &context, Recorder &recorder, std::shared_ptr<SandboxPort> sandbox,
                     RunRequest request, std::shared_ptr<RunObserver> observer, QObject *parent)
    : QObject(parent)
    , m_context(context)
    , m_recorder(recorder)
    , m_sandbox(std::move(sandbox))
    , m_request(std::move(request))
    , m_observer(std::move(observer))
    , m_draft(beginRecord(recorder, m_sandbox->details().managed, m_request))
{
    if (m_request.attach) {
        m_streams[0].position = m_request.attach->from.standardOutputOffset;
        m_streams[1].position = m_request.attach->from.standardErrorOffset;
    }
}

RunDriver::~RunDriver() = default;

void RunDriver::start()
{
    m_startedAt = m_context.clock->now();
    if (const auto limit = m_request.limit())
        m_limitTimer = m_context.clock->arm(this, *limit, [this] { requestEnd(RunOutcome::Kind::TimedOut); });
    m_process = m_request.attach ? m_sandbox->attach(*m_request.attach, this)
                                 : m_sandbox->start(m_request.process, this);
    if (!m_process)
        failed(capabilityNotSupported(Capability::Detach));
}

void RunDriver::started(std::optional<qint64>)
{
    if (!m_ended)
        m_observer->runStarted();
}

void RunDriver::output(OutputStream stream, const QByteArray &data)
{
    if (m_ended)
        return;
    Stream &state = streamOf(stream);
    const OutputChunk chunk{stream, data, state.position, m_context.clock->now() - m_startedAt};
    state.position += data.size();
    state.received += data.size();
    m_unacknowledged += data.size();
    m_observer->runOutput(chunk);
    if (m_status && !m_ended)
        finishWhenQuiet();
}

void RunDriver::outputLost(OutputStream stream, qint64 bytes)
{
    if (m_ended || bytes <= 0)
        return;
    Stream &state = streamOf(stream);
    state.position += bytes;
    state.lost += bytes;
    m_observer->runOutput({stream, {}, state.position, m_context.clock->now() - m_startedAt, bytes});
}

void RunDriver::acknowledge(OutputStream stream, qint64 bytes)
{
    if (m_ended || !m_process)
        return;
    m_unacknowledged -= bytes;
    m_process->acknowledge(stream, bytes);
    if (m_status)
        finishWhenQuiet();
}

void RunDriver::streamEnded(OutputStream stream)
{
    streamOf(stream).ended = true;
    if (m_status && !m_ended)
        finishWhenQuiet();
}

void RunDriver::exited(const ExitStatus &status)
{
    if (m_ended || m_status)
        return;
    m_status = status;
    m_limitTimer.reset();
    finishWhenQuiet();
}

void RunDriver::finishWhenQuiet()
{
    if (m_intent)
        return; // the confirmed kill ends it
    m_quietTimer.reset();
    if (streamsEnded()) {
        finishByStatus();
    } else if (m_unacknowledged <= 0) {
        // Silence counts only while we listen: with unconsumed output the adapter may have stopped reading.
        if (m_status->treeEmpty)
            m_quietTimer = m_context.clock->arm(this, stalledTime, [this] { failed(stalledError()); });
        else
            m_quietTimer = m_context.clock->arm(this, quietTime, [this] { finishByStatus(); });
    }
}

void RunDriver::failed(const ErrorInfo &error)
{
    if (m_ended)
        return;
    if (m_intent) {
        m_endProblem = error;
        finishByIntent();
        return;
    }
    if (m_status)
        finishByLoss(error);
    else
        end({error.kind == ErrorKind::SandboxGone ? RunOutcome::Kind::SandboxGone : RunOutcome::Kind::Unknown,
             0},
            error);
}

// How it ended is known, but output that was on its way is lost: no success.
void RunDriver::finishByLoss(const ErrorInfo &error)
{
    if (error.kind == ErrorKind::SandboxGone && !m_status->treeEmpty)
        finishByStatus(); // a child that held a stream went with the sandbox
    else
        end(outcomeByStatus(), error);
}

void RunDriver::richOutput(const RichOutput &output)
{
    if (!m_results)
        m_results.emplace();
    m_results->append(output);
}

void RunDriver::requestEnd(RunOutcome::Kind intent)
{
    if (m_ended || m_intent)
        return;
    if (intent == RunOutcome::Kind::Detached || (intent == RunOutcome::Kind::Cancelled && m_request.attach)) {
        letGo();
        return;
    }
    m_exitedBefore = m_status.has_value();
    m_intent = intent;
    m_limitTimer.reset();
    m_quietTimer.reset();
    if (!m_process) {
        finishByIntent();
        return;
    }
    const Operation<void> kill = m_process->killTree();
    kill.then(this, [this] { killConfirmed(); });
    kill.onCancelled(this, [this] { killConfirmed(); });
    kill.onError(this, [this](const ErrorInfo &) { killConfirmed(); });
    m_graceTimer = m_context.clock->arm(this, m_context.teardownGrace, [this] {
        const SandboxDetails details = m_sandbox->details();
        m_context.warn({EngineWarning::Kind::OrphanedSandbox,
                        QCoreApplication::translate("Sandboxio::Run",
                                                    "A run could not be confirmed dead within the grace."),
                        details.managed.target, details.managed.id, details.managed.metadata});
        finishByIntent();
    });
}

// Its end, known already or not, is for whoever attaches next.
void RunDriver::letGo()
{
    m_intent = RunOutcome::Kind::Detached;
    m_status.reset();
    m_limitTimer.reset();
    m_quietTimer.reset();
    end({RunOutcome::Kind::Detached, 0}, std::nullopt);
}

void RunDriver::killConfirmed()
{
    if (!m_ended)
        finishByIntent();
}

void RunDriver::finishByIntent()
{
    if (m_exitedBefore) { // its true status stands, only its children were left to kill
        m_endProblem ? finishByLoss(*m_endProblem) : finishByStatus();
        return;
    }
    switch (*m_intent) {
    case RunOutcome::Kind::TimedOut:
        end({RunOutcome::Kind::TimedOut, 0}, timeoutError(*m_request.limit(), m_endProblem));
        return;
    case RunOutcome::Kind::Killed:
        if (!m_status)
            m_status = ExitStatus{.code = {}, .signal = SIGKILL, .limit = {}};
        break;
    default:
        break;
    }
    end({*m_intent, 0}, std::nullopt);
}

RunOutcome RunDriver::outcomeByStatus() const
{
    if (m_status->limit)
        return {RunOutcome::Kind::Signalled, m_status->signal.value_or(SIGKILL)};
    if (m_status->signal)
        return {RunOutcome::Kind::Signalled, *m_status->signal};
    if (m_status->code)
        return {RunOutcome::Kind::Exited, *m_status->code};
    return {};
}

void RunDriver::finishByStatus()
{
    if (!m_ended)
        end(outcomeByStatus(), m_status->limit);
}

ExecResult RunDriver::makeResult() const
{
    ExecResult result;
    result.exitCode = m_status->code;
    result.signal = m_status->signal;
    result.results = m_results;
    result.streamed = m_request.process.streamed;
    result.streamsOpen = !streamsEnded();
    result.truncated = m_streams[0].lost > 0 || m_streams[1].lost > 0;
    result.standardOutputBytes = m_streams[0].position;
    result.standardErrorBytes = m_streams[1].position;
    result.duration = m_context.clock->now() - m_startedAt;
    return result;
}

void RunDriver::end(const RunOutcome &outcome, const std::optional<ErrorInfo> &error)
{
    if (std::exchange(m_ended, true))
        return;
    m_limitTimer.reset();
    m_quietTimer.reset();
    m_graceTimer.reset();
    m_outcome = outcome;
    if (error)
        m_error = redacted(*m_context.redactor, *error);
    else if (m_status && outcome.kind != RunOutcome::Kind::Cancelled)
        m_result = makeResult();
    const std::optional<Operation<void>> recorded = record();
    if (!recorded) {
        deliver();
        return;
    }
    recorded->then(this, [this] { deliver(); });
    recorded->onError(this, [this](const ErrorInfo &problem) {
        if (hasValue())
            m_error = problem;
        deliver();
    });
}

std::optional<Operation<void>> RunDriver::record()
{
    m_draft->record.end = m_outcome;
    m_draft->record.bytesOut = m_streams[0].received + m_streams[1].received;
    const OperationOutcome outcome = m_error      ? OperationOutcome::Error
                                     : hasValue() ? OperationOutcome::Value
                                                  : OperationOutcome::Cancelled;
    return m_recorder.end(m_draft, outcome, m_error);
}

void RunDriver::stopWaitingForRecord()
{
    if (!m_ended || !m_observer)
        return;
    if (hasValue())
        m_error =
            auditSinkError(QCoreApplication::translate("Sandboxio::Records", "The engine was shut down."));
    deliver();
}

void RunDriver::deliver()
{
    if (!m_observer)
        return;
    std::exchange(m_observer, nullptr)->runEnded(m_outcome, m_error ? std::nullopt : m_result, m_error);
    Q_EMIT finished();
    // Not in a call of the port itself: it may still be on the stack.
    deleteLater();
}

} // namespace Sandboxio::Detail
