// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "writerthread_p.h"

#include <sandboxio/runtime/recordsink.h>

#include <QTimer>

#include <deque>

namespace Sandboxio::Detail {

/*! Hands records to the sinks, one record at a time, each to all sinks at once. Lives in the writer thread. */
class SinkWriter final : public QObject
{
public:
    SinkWriter(QList<std::shared_ptr<RecordSink>> sinks, std::chrono::milliseconds limit,
               WriterThread::Host *host);
    ~SinkWriter() override;

    /*! Ends \a written when every sink has \a record, with AuditSinkError when one has not. */
    void write(const OperationRecord &record, const OperationPromise<void> &written);

private:
    struct Job
    {
        OperationRecord record;
        OperationPromise<void> written;
        QStringList missing; //!< names of the sinks that have not answered
        QStringList problems;
    };
    using JobPtr = std::shared_ptr<Job>;

    void startNext();
    void give(const JobPtr &job, const std::shared_ptr<RecordSink> &sink);
    void answered(const JobPtr &job, const QString &sink, const QString &problem);
    void endJob();

    const QList<std::shared_ptr<RecordSink>> m_sinks;
    const std::chrono::milliseconds m_limit;
    WriterThread::Host *m_host;
    QTimer m_timer;
    std::deque<JobPtr> m_queue;
    JobPtr m_current;
};

/*! The error of a record that was not written for \a reason. */
ErrorInfo auditSinkError(const QString &reason);

} // namespace Sandboxio::Detail
