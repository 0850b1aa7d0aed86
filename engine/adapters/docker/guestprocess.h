// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "execoutput.h"
#include "guestinput.h"

#include <sandboxio/core/clock.h>
#include <sandboxio/core/task.h>
#include <sandboxio/guest/client/client.h>
#include <sandboxio/ports/processport.h>

#include <QObject>
#include <QPointer>

#include <memory>

namespace Sandboxio::Docker {

class DockerSandbox;

/*! One run under the guest's care: spawned, fed, signalled and killed over the link. Its output comes over the
    link too, or through an exec of its own when it is streamed (the program then writes directly into Docker's
    pipes). */
class GuestProcess final : public QObject, public ProcessPort
{
    Q_OBJECT
public:
    GuestProcess(std::shared_ptr<DockerSandbox> sandbox, ProcessRequest request, ProcessEvents *events);
    ~GuestProcess() override;

    /*! Starts it; what happens is reported later, never inline. */
    void begin();

    void acknowledge(OutputStream stream, qint64 bytes) override;
    Operation<void> write(const QByteArray &data) override;
    Operation<void> closeWrite() override;
    Operation<void> resize(TerminalSize size) override;
    Operation<void> signal(int signal) override;
    Operation<void> killTree() override;

private:
    enum class Phase { Preparing, Started, Exited, Failed };

    static QCoro::Task<> prepare(QPointer<GuestProcess> self, std::shared_ptr<DockerSandbox> sandbox);
    static QCoro::Task<> prepareCode(QPointer<GuestProcess> self, std::shared_ptr<DockerSandbox> sandbox);
    static QCoro::Task<> prepareOutput(QPointer<GuestProcess> self, std::shared_ptr<DockerSandbox> sandbox);
    static QCoro::Task<> judgeEnd(QPointer<GuestProcess> self, std::shared_ptr<DockerSandbox> sandbox,
                                  QString exec);
    bool isPreparing() const { return m_phase == Phase::Preparing && !m_endRequested; }
    bool hasOwnOutput() const { return m_request.streamed && !m_request.options.pty; }
    void spawn();
    Guest::RunHandlers handlers();
    void spawned(qint64 pid);
    void stopWaiting();
    void ended(const Guest::ExitStatus &status);
    void streamEnded(OutputStream stream);
    void outputEnded(bool complete);
    void endStreams();
    void linkLost();
    void lost();
    void fail(const ErrorInfo &error);
    void removeCode();

    const std::shared_ptr<DockerSandbox> m_sandbox;
    const ProcessRequest m_request;
    ProcessEvents *const m_events;
    Guest::Spawn m_spawn;
    QPointer<Guest::Client> m_client; //!< of m_run
    Guest::RunId m_run = 0;
    quint64 m_wait = 0; //!< for the answer to the spawn
    Phase m_phase = Phase::Preparing;
    std::unique_ptr<ExecOutput> m_output;
    QString m_outputExec; //!< that m_output reads from
    std::unique_ptr<ArmedTimer> m_exitTimer;
    std::string m_codeFile;
    GuestInput m_input;
    QList<int> m_earlySignals;
    bool m_endRequested = false;
    bool m_spawned = false;
    bool m_outputEnded = false; //!< whole, perhaps before the news of the exit
    bool m_endedStreams[2] = {false, false};
};

} // namespace Sandboxio::Docker
