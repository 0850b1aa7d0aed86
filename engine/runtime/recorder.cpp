// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "recorder_p.h"

#include "redaction_p.h"
#include "sinkwriter_p.h"

#include <sandboxio/core/handover.h>

#include <QCoreApplication>
#include <QCryptographicHash>

#include <algorithm>

namespace Sandboxio::Detail {

namespace {

QString recordText(const char *text)
{
    return QCoreApplication::translate("Sandboxio::Records", text);
}

bool isDenial(ErrorKind kind)
{
    return kind == ErrorKind::CapabilityNotSupported || kind == ErrorKind::NetworkPolicyViolation ||
           kind == ErrorKind::ResourceLimitExceeded;
}

OperationRecord recordOf(const ProcessRequest &request, bool includeCode)
{
    OperationRecord record;
    if (request.code) {
        record.event = request.streamed ? RecordEvent::StreamCode : RecordEvent::RunCode;
        record.language = request.codeOptions.language;
        record.codeSha256 =
            QString::fromLatin1(QCryptographicHash::hash(*request.code, QCryptographicHash::Sha256).toHex());
        if (includeCode)
            record.code = QString::fromUtf8(*request.code);
    } else {
        record.event = request.streamed ? RecordEvent::Stream : RecordEvent::Run;
        record.argv = request.command->arguments();
    }
    const auto &input = request.code ? request.codeOptions.standardInput : request.options.standardInput;
    record.bytesIn = input ? input->size() : 0;
    return record;
}

} // namespace

Recorder::Recorder(const EngineContext &context, const RecordOptions &options, std::chrono::milliseconds limit,
                   WriterThread &writer)
    : m_context(context)
    , m_options(options)
    , m_limit(limit)
{
    if (options.sinks.isEmpty())
        return;
    m_sinkWriter = new SinkWriter(options.sinks, limit, writer.host());
    writer.adopt(m_sinkWriter);
}

Recorder::~Recorder() = default;

RecordDraftPtr Recorder::begin(const ManagedSandbox &managed, OperationRecord begun) const
{
    begun.time = m_context.clock->wallTime();
    begun.sandboxId = managed.id;
    begun.target = managed.target;
    begun.tier = managed.tier;
    begun.metadata = managed.metadata;
    return std::make_shared<RecordDraft>(std::move(begun), m_context.clock->now(), false);
}

RecordDraftPtr Recorder::begin(const ManagedSandbox &managed, const ProcessRequest &request) const
{
    return begin(managed, isActive() ? recordOf(request, m_options.includeCode) : OperationRecord());
}

std::optional<Operation<void>> Recorder::end(const RecordDraftPtr &draft, OperationOutcome outcome,
                                             const std::optional<ErrorInfo> &error)
{
    if (!draft || !isActive() || std::exchange(draft->handedOver, true))
        return std::nullopt;
    OperationRecord &record = draft->record;
    record.outcome = outcome;
    record.error = error;
    record.duration = m_context.clock->now() - draft->startedAt;
    if (error && isDenial(error->kind))
        record.denials.append(error->message);
    Operation<void> written = post(redacted(*m_context.redactor, std::move(record)));
    if (m_options.failureMode == RecordOptions::FailureMode::Warn)
        return std::nullopt;
    return written;
}

void Recorder::refuse(const RecordDraftPtr &draft, const ErrorInfo &error)
{
    std::ignore = end(draft, OperationOutcome::Error, error);
}

Operation<void> Recorder::post(const OperationRecord &record)
{
    if (std::ssize(m_waiting) >= m_options.queueLimit) {
        const ErrorInfo full = auditSinkError(
            recordText(QT_TRANSLATE_NOOP("Sandboxio::Records", "%1 records wait for the sinks already."))
                .arg(m_options.queueLimit));
        report(full);
        return failedOperation<void>(full);
    }
    const quint64 number = ++m_lastNumber;
    const OperationPromise<void> promise;
    m_waiting.push_back({number, m_context.clock->now() + m_limit, {}, false});
    Operation<void> accepted = m_waiting.back().written.operation();
    const Operation<void> written = promise.operation();
    written.then(this, [this, number] { answered(number, std::nullopt); });
    written.onError(this, [this, number](const ErrorInfo &error) { answered(number, error); });
    written.onCancelled(this, [this, number] {
        answered(number,
                 auditSinkError(recordText(QT_TRANSLATE_NOOP("Sandboxio::Records", "The writer has ended."))));
    });
    postCall(m_sinkWriter, [writer = m_sinkWriter, record, promise] { writer->write(record, promise); });
    if (!m_timer)
        armTimer();
    return accepted;
}

void Recorder::answered(quint64 number, const std::optional<ErrorInfo> &problem)
{
    const auto entry = std::ranges::find(m_waiting, number, &Waiting::number);
    const Waiting waiting = std::move(*entry);
    m_waiting.erase(entry);
    if (m_waiting.empty())
        Q_EMIT drained();
    if (waiting.expired)
        return;
    if (problem) {
        const ErrorInfo safe = redacted(*m_context.redactor, *problem);
        report(safe);
        waiting.written.fail(safe);
    } else {
        reportRecovery();
        waiting.written.finish();
    }
}

QCoro::Task<void> Recorder::drain()
{
    if (m_waiting.empty())
        co_return;
    QObject scope;
    const OperationPromise<void> over;
    const Operation<void> end = over.operation();
    connect(this, &Recorder::drained, &scope, [over] { over.finish(); });
    const std::unique_ptr<ArmedTimer> timer = m_context.clock->arm(&scope, m_limit, [over] { over.finish(); });
    co_await end;
}

void Recorder::expire()
{
    m_timer.reset();
    const std::chrono::nanoseconds now = m_context.clock->now();
    for (Waiting &waiting : m_waiting) {
        if (waiting.expired || waiting.deadline > now)
            continue;
        waiting.expired = true;
        const ErrorInfo late = auditSinkError(
            recordText(QT_TRANSLATE_NOOP("Sandboxio::Records", "The sinks took longer than %1 ms."))
                .arg(m_limit.count()));
        report(late);
        waiting.written.fail(late);
    }
    armTimer();
}

// One timer for the record that waits longest; a sink that keeps up never lets it fire.
void Recorder::armTimer()
{
    const auto oldest = std::ranges::find(m_waiting, false, &Waiting::expired);
    if (oldest == m_waiting.end())
        return;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(oldest->deadline - m_context.clock->now());
    m_timer = m_context.clock->arm(this, std::max(left, std::chrono::milliseconds(0)), [this] { expire(); });
}

void Recorder::report(const ErrorInfo &problem)
{
    if (m_lost++ == 0)
        m_context.warn({EngineWarning::Kind::AuditSink, problem.message, {}, {}, {}});
}

void Recorder::reportRecovery()
{
    const qint64 lost = std::exchange(m_lost, 0);
    if (lost > 0)
        m_context.warn({EngineWarning::Kind::AuditSink,
                        recordText(QT_TRANSLATE_NOOP("Sandboxio::Records",
                                                     "Records are written again; lost or late in between: %1."))
                            .arg(lost),
                        {},
                        {},
                        {}});
}

} // namespace Sandboxio::Detail
