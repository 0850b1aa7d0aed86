// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "writerthread_p.h"

#include <sandboxio/ports/enginecontext.h>
#include <sandboxio/ports/processport.h>
#include <sandboxio/runtime/recordsink.h>

#include <QCoroTask>

#include <deque>

namespace Sandboxio::Detail {

class SinkWriter;

/*! A record that is being made while its operation goes on. */
struct RecordDraft
{
    OperationRecord record;
    std::chrono::nanoseconds startedAt{0};
    bool handedOver = false;
};
using RecordDraftPtr = std::shared_ptr<RecordDraft>;

/*! Takes the records of an engine's operations to its sinks. Lives in the I/O thread. */
class Recorder final : public QObject
{
    Q_OBJECT
public:
    Recorder(const EngineContext &context, const RecordOptions &options, std::chrono::milliseconds limit,
             WriterThread &writer);
    ~Recorder() override;

    /*! The record of an operation that begins now in the sandbox \a managed; \a begun says what it does. */
    RecordDraftPtr begin(const ManagedSandbox &managed, OperationRecord begun) const;
    /*! The same for a run. */
    RecordDraftPtr begin(const ManagedSandbox &managed, const ProcessRequest &request) const;

    /*! Hands the record over, the first time: the operation ended as \a outcome, with \a error, which is redacted.
        What to wait for before the operation may end; absent where it need not wait. */
    std::optional<Operation<void>> end(const RecordDraftPtr &draft, OperationOutcome outcome,
                                       const std::optional<ErrorInfo> &error);
    /*! The record of an operation that was refused with \a error before it began. */
    void refuse(const RecordDraftPtr &draft, const ErrorInfo &error);
    /*! Ends when the sinks have answered for every record so far, or with their time limit. */
    QCoro::Task<void> drain();

private:
    struct Waiting
    {
        quint64 number = 0;
        std::chrono::nanoseconds deadline{0};
        OperationPromise<void> written;
        bool expired = false;
    };

    bool isActive() const { return m_sinkWriter; }
    Q_SIGNAL void drained();
    Operation<void> post(const OperationRecord &record);
    void answered(quint64 number, const std::optional<ErrorInfo> &problem);
    void expire();
    void armTimer();
    void report(const ErrorInfo &problem);
    void reportRecovery();

    const EngineContext &m_context;
    const RecordOptions m_options;
    const std::chrono::milliseconds m_limit;
    SinkWriter *m_sinkWriter = nullptr; // in the writer thread; null without sinks
    std::deque<Waiting> m_waiting;      // in the order of their numbers
    std::unique_ptr<ArmedTimer> m_timer;
    quint64 m_lastNumber = 0;
    qint64 m_lost = 0; // since the last record that was written
};

} // namespace Sandboxio::Detail
