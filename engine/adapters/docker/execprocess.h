// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "dockerexec.h"
#include "execoutput.h"
#include "execrecords.h"
#include "execscripts.h"

#include <sandboxio/ports/processport.h>

#include <QObject>
#include <QPointer>
#include <QSet>

#include <deque>
#include <memory>

namespace Sandboxio::Docker {

class DockerSandbox;

/*! One run as an exec of Docker, without a guest: a small script in the container's own shell marks it, starts the
    program and tells how it ended. Its marks are how it is killed: by another exec that looks for them. */
class ExecProcess final : public QObject, public ProcessPort
{
    Q_OBJECT
public:
    ExecProcess(std::shared_ptr<DockerSandbox> sandbox, ProcessRequest request, ProcessEvents *events);
    ~ExecProcess() override;

    /*! Starts it; what happens is reported later, never inline. */
    void begin();

    void acknowledge(OutputStream stream, qint64 bytes) override;
    Operation<void> write(const QByteArray &data) override;
    Operation<void> closeWrite() override;
    Operation<void> resize(TerminalSize size) override;
    /*! By an exec of its own, so it takes as long as one. */
    Operation<void> signal(int signal) override;
    /*! Tries until nothing is left, for at most a minute. */
    Operation<void> killTree() override;

private:
    enum class Phase { Preparing, Starting, Started, Exited, Failed };
    using Self = QPointer<ExecProcess>;
    using Sandbox = std::shared_ptr<DockerSandbox>;

    static QCoro::Task<> prepare(Self self, Sandbox sandbox);
    static QCoro::Task<> start(Self self, Sandbox sandbox);
    static QCoro::Task<QString> writeCode(Sandbox sandbox, QByteArray code, QString user);
    static QCoro::Task<> judgeEnd(Self self, Sandbox sandbox, QString exec);
    void explainLoss();

    bool isPreparing() const { return m_phase == Phase::Preparing && !m_endRequested; }
    Operation<void> sendSignal(int signal);
    void attach(const StartedExec &exec);
    void receive(OutputStream stream, const QByteArray &data);
    void forward(OutputStream stream, const QByteArray &data);
    void takeRecord(const QByteArray &text);
    void programStarted(qint64 pid);
    void programEnded();
    void outputEnded(bool complete);
    void endStreams();
    void judged(const ExecState &state);
    void failToStart(const std::optional<int> &exitCode);
    void fail(const ErrorInfo &error);
    void pumpInput();
    void inputClosed();
    Operation<void> enqueue(std::optional<QByteArray> data);
    void letGoOfOutput();
    void removeCode();

    /*! One piece of input, or its end when there is no data. */
    struct Input
    {
        std::optional<QByteArray> data;
        std::optional<OperationPromise<void>> promise;
    };

    const Sandbox m_sandbox;
    const ProcessRequest m_request;
    ProcessEvents *const m_events;
    const RunMark m_mark = makeRunMark();
    ExecRecords m_records[2];
    Guest::Spawn m_spawn;
    Phase m_phase = Phase::Preparing;
    bool m_endRequested = false;
    QString m_exec;                        //!< id; empty while nothing can run
    OperationPromise<void> m_startSettled; //!< the daemon has answered the start, one way or the other
    std::shared_ptr<UpgradedStream> m_stream;
    std::unique_ptr<ExecOutput> m_output;
    QByteArray m_refusal; //!< what came instead of the word that the program runs
    std::optional<qint64> m_pid;
    std::optional<Guest::ExitStatus> m_exit;
    bool m_outputDone = false; //!< everything the program wrote to standard output has come
    QSet<int> m_sentSignals;
    QList<int> m_earlySignals;
    std::deque<Input> m_input;
    bool m_inputClosed = false;
    QString m_codeFile;
    std::optional<Operation<void>> m_kill;
};

} // namespace Sandboxio::Docker
