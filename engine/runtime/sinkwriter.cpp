// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "sinkwriter_p.h"

#include <QCoreApplication>

namespace Sandboxio::Detail {

using namespace Qt::StringLiterals;

namespace {

QString sinkText(const char *text)
{
    return QCoreApplication::translate("Sandboxio::Records", text);
}

Operation<void> guardedWrite(RecordSink &sink, const OperationRecord &record)
{
    try {
        return sink.write(record);
    } catch (const SandboxError &error) {
        return failedOperation<void>(error.info());
    }
}

} // namespace

ErrorInfo auditSinkError(const QString &reason)
{
    return makeError(
        ErrorKind::AuditSinkError,
        sinkText(QT_TRANSLATE_NOOP("Sandboxio::Records", "The record of the operation was not written: %1"))
            .arg(reason));
}

SinkWriter::SinkWriter(QList<std::shared_ptr<RecordSink>> sinks, std::chrono::milliseconds limit,
                       WriterThread::Host *host)
    : m_sinks(std::move(sinks))
    , m_limit(limit)
    , m_host(host)
    , m_timer(this)
{
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        for (const QString &sink : std::as_const(m_current->missing))
            m_current->problems.append(
                sinkText(QT_TRANSLATE_NOOP("Sandboxio::Records", "%1: no answer within %2 ms"))
                    .arg(sink)
                    .arg(m_limit.count()));
        endJob();
        startNext();
    });
}

SinkWriter::~SinkWriter() = default;

void SinkWriter::write(const OperationRecord &record, const OperationPromise<void> &written)
{
    m_host->hold();
    m_queue.push_back(std::make_shared<Job>(record, written, QStringList(), QStringList()));
    startNext();
}

void SinkWriter::startNext()
{
    while (!m_current && !m_queue.empty()) {
        const JobPtr job = m_queue.front();
        m_queue.pop_front();
        m_current = job;
        for (const auto &sink : m_sinks)
            job->missing.append(sink->name());
        for (const auto &sink : m_sinks)
            give(job, sink);
        if (m_current)
            m_timer.start(m_limit);
    }
}

void SinkWriter::give(const JobPtr &job, const std::shared_ptr<RecordSink> &sink)
{
    const Operation<void> writing = guardedWrite(*sink, job->record);
    const QString name = sink->name();
    const auto failed = [this, job, name](const ErrorInfo &error) {
        answered(job, name, name + u": "_s + error.message);
    };
    if (writing.outcome() == OperationOutcome::Value) {
        answered(job, name, {});
    } else if (writing.outcome() == OperationOutcome::Error) {
        failed(writing.error());
    } else {
        writing.then(this, [this, job, name] { answered(job, name, {}); });
        writing.onError(this, failed);
        writing.onCancelled(this, [this, job, name] {
            answered(job, name,
                     name + u": "_s + sinkText(QT_TRANSLATE_NOOP("Sandboxio::Records", "cancelled")));
        });
    }
}

void SinkWriter::answered(const JobPtr &job, const QString &sink, const QString &problem)
{
    if (job != m_current)
        return; // too late
    job->missing.removeOne(sink);
    if (!problem.isEmpty())
        job->problems.append(problem);
    if (!job->missing.isEmpty())
        return;
    const bool waited = m_timer.isActive();
    endJob();
    if (waited)
        startNext();
}

void SinkWriter::endJob()
{
    m_timer.stop();
    const JobPtr job = std::exchange(m_current, nullptr);
    if (job->problems.isEmpty())
        job->written.finish();
    else
        job->written.fail(auditSinkError(job->problems.join(u"; "_s)));
    m_host->release();
}

} // namespace Sandboxio::Detail
