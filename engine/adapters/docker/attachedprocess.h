// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "guestinput.h"

#include <sandboxio/core/task.h>
#include <sandboxio/ports/processport.h>

#include <QObject>

#include <array>
#include <chrono>
#include <optional>

namespace Sandboxio::Docker {

class DockerSandbox;

/*! Reads a background run, which the guest keeps, from a byte of each stream on. Where the connection is lost it connects
    again and goes on from where it was. */
class AttachedProcess final : public QObject, public ProcessPort
{
    Q_OBJECT
public:
    AttachedProcess(std::shared_ptr<DockerSandbox> sandbox, AttachRequest request, ProcessEvents *events);
    ~AttachedProcess() override;

    /*! Attaches; what happens is reported later, never inline. */
    void begin();

    void acknowledge(OutputStream stream, qint64 bytes) override;
    Operation<void> write(const QByteArray &data) override;
    Operation<void> closeWrite() override;
    Operation<void> resize(TerminalSize size) override;
    Operation<void> signal(int signal) override;
    Operation<void> killTree() override;

private:
    struct Stream
    {
        qint64 offset = 0;
        bool ended = false;
    };
    static QCoro::Task<> attachSteps(QPointer<AttachedProcess> self, std::shared_ptr<DockerSandbox> sandbox);
    void attach();
    Guest::RunHandlers handlers();
    void attached(const Guest::Attached &how);
    void output(OutputStream stream, const QByteArray &data);
    void outputLost(OutputStream stream, qint64 bytes);
    void streamEnded(OutputStream stream);
    void exited(const Guest::ExitStatus &status);
    void lost();
    void refused(int errorNumber, Guest::SpawnStage stage);
    void fail(const ErrorInfo &error);
    void stopWaiting();
    bool isComplete() const { return m_exited && m_streams[0].ended && m_streams[1].ended; }
    Stream &streamOf(OutputStream stream) { return m_streams[stream == OutputStream::StandardError ? 1 : 0]; }

    const std::shared_ptr<DockerSandbox> m_sandbox;
    const AttachRequest m_request;
    ProcessEvents *const m_events;
    QPointer<Guest::Client> m_client; //!< of m_run
    Guest::RunId m_run = 0;
    quint64 m_wait = 0;     //!< for the answer to the attach
    int m_idleAttempts = 0; //!< connections since something came
    std::array<Stream, 2> m_streams;
    GuestInput m_input;
    QList<int> m_earlySignals;
    std::optional<Guest::WindowSize> m_windowSize;
    std::optional<bool> m_terminal;                       //!< whether it is one, once attached
    std::optional<std::chrono::nanoseconds> m_attachedAt; //!< since when it is; absent: it is not now
    bool m_exited = false;
    bool m_failed = false;
};

} // namespace Sandboxio::Docker
