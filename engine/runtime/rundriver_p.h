// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "recorder_p.h"

#include <sandboxio/core/clock.h>
#include <sandboxio/ports/enginecontext.h>
#include <sandboxio/ports/sandboxport.h>

#include <QObject>

#include <array>

namespace Sandboxio::Detail {

/*! The record of reading the background run \a id, as it begins. */
OperationRecord attachRecord(const QString &id);

/*! What to run, checked; one of command, code and a background run. */
struct RunRequest
{
    ProcessRequest process;
    std::optional<AttachRequest> attach; //!< instead: read this background run
    std::optional<std::chrono::milliseconds> limit() const
    {
        return process.code ? process.codeOptions.timeout : process.options.timeout;
    }
};

/*! Takes what a RunDriver reports, in the I/O thread. */
class RunObserver
{
public:
    virtual ~RunObserver();
    virtual void runStarted() = 0;
    virtual void runOutput(const OutputChunk &chunk) = 0;
    /*! The one end. \a result is absent when how it ended is an error. */
    virtual void runEnded(const RunOutcome &outcome, const std::optional<ExecResult> &result,
                          const std::optional<ErrorInfo> &error) = 0;
};

/*! Drives one run over a ProcessPort: the run limit, cancelling, the kill of its tree, the end when the main
    process has ended and its streams are at their end or silent. Lives in the I/O thread and removes itself. */
class RunDriver final : public QObject, private ProcessEvents
{
    Q_OBJECT
public:
    RunDriver(EngineContext &context, Recorder &recorder, std::shared_ptr<SandboxPort> sandbox,
              RunRequest request, std::shared_ptr<RunObserver> observer, QObject *parent);
    ~RunDriver() override;

    void start();
    /*! The consumer is done with \a bytes of \a stream. */
    void acknowledge(OutputStream stream, qint64 bytes);
    /*! Kills the tree and ends as \a intent (TimedOut, Cancelled or Killed). The first intent counts. Detached, and
        Cancelled for a background run, lets go of it instead. */
    void requestEnd(RunOutcome::Kind intent);
    /*! Null before start and after the end. */
    ProcessPort *process() const { return m_process.get(); }
    bool hasEnded() const { return m_ended; }
    /*! \a bytes were given to the program's input. */
    void countInput(qint64 bytes) { m_draft->record.bytesIn += bytes; }
    /*! Ends a run whose record is still on its way. */
    void stopWaitingForRecord();

Q_SIGNALS:
    /*! After the observer was told. */
    void finished();

private:
    struct Stream
    {
        qint64 position = 0; //!< of the next byte
        qint64 received = 0;
        qint64 lost = 0;
        bool ended = false;
    };
    void started(std::optional<qint64> pid) override;
    void output(OutputStream stream, const QByteArray &data) override;
    void outputLost(OutputStream stream, qint64 bytes) override;
    void streamEnded(OutputStream stream) override;
    void exited(const ExitStatus &status) override;
    void failed(const ErrorInfo &error) override;
    void richOutput(const RichOutput &output) override;

    Stream &streamOf(OutputStream stream) { return m_streams[stream == OutputStream::StandardError ? 1 : 0]; }
    bool streamsEnded() const { return m_streams[0].ended && m_streams[1].ended; }
    void finishWhenQuiet();
    void letGo();
    /*! What ends well: by itself, or let go of. */
    bool hasValue() const { return m_result || m_outcome.kind == RunOutcome::Kind::Detached; }
    void killConfirmed();
    void finishByIntent();
    RunOutcome outcomeByStatus() const;
    void finishByStatus();
    void finishByLoss(const ErrorInfo &error);
    void end(const RunOutcome &outcome, const std::optional<ErrorInfo> &error);
    ExecResult makeResult() const;
    std::optional<Operation<void>> record();
    void deliver();

    EngineContext &m_context;
    Recorder &m_recorder;
    std::shared_ptr<SandboxPort> m_sandbox;
    RunRequest m_request;
    std::shared_ptr<RunObserver> m_observer;
    std::unique_ptr<ProcessPort> m_process;
    std::unique_ptr<ArmedTimer> m_limitTimer;
    std::unique_ptr<ArmedTimer> m_quietTimer;
    std::unique_ptr<ArmedTimer> m_graceTimer;
    std::chrono::nanoseconds m_startedAt{0};
    std::array<Stream, 2> m_streams;
    qint64 m_unacknowledged = 0;
    std::optional<ExitStatus> m_status;
    std::optional<RunOutcome::Kind> m_intent;
    std::optional<ErrorInfo> m_endProblem; // what failed() said after m_intent
    bool m_exitedBefore = false;           // m_status was there before m_intent
    std::optional<QList<RichOutput>> m_results;
    RecordDraftPtr m_draft;
    RunOutcome m_outcome; // these three once ended
    std::optional<ExecResult> m_result;
    std::optional<ErrorInfo> m_error;
    bool m_ended = false;
};

} // namespace Sandboxio::Detail
