// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/clock.h>
#include <sandboxio/core/task.h>
#include <sandboxio/guest/client/interpreter.h>
#include <sandboxio/ports/processport.h>

#include <QObject>
#include <QPointer>

#include <memory>

namespace Sandboxio::Docker {

class DockerSandbox;

/*! One cell in a context, as a run. It waits while another cell runs there, and the time counts for its limit.

    Its kill is a ladder: SIGINT, which leaves the context its state; when the cell has not ended two seconds later (or
    half the engine's grace), the interpreter with all its children is killed, and the run's failed() says that the
    state is lost. Children that earlier cells left behind are no part of the cell. */
class CellProcess final : public QObject, public ProcessPort
{
    Q_OBJECT
public:
    CellProcess(std::shared_ptr<DockerSandbox> sandbox, ProcessRequest request, ProcessEvents *events);
    ~CellProcess() override;

    /*! Starts it; what happens is reported later, never inline. */
    void begin();

    void acknowledge(OutputStream stream, qint64 bytes) override;
    Operation<void> write(const QByteArray &data) override;
    Operation<void> closeWrite() override;
    Operation<void> resize(TerminalSize size) override;
    Operation<void> signal(int signal) override;
    Operation<void> killTree() override;

private:
    enum class Phase { Preparing, Submitted, Ended, Died, Failed };

    static QCoro::Task<> prepare(QPointer<CellProcess> self, std::shared_ptr<DockerSandbox> sandbox);
    std::optional<ErrorInfo> refusal() const;
    void submit();
    Guest::CellHandlers handlers();
    void ended(int code);
    void died(bool wasRunning);
    void interpreterGone();
    void streamEnded(OutputStream stream);
    void endStreams();
    void fail(const ErrorInfo &error);
    void killInterpreter();
    void finishKill();
    std::chrono::milliseconds patience() const;

    const std::shared_ptr<DockerSandbox> m_sandbox;
    const ProcessRequest m_request;
    ProcessEvents *const m_events;
    QPointer<Guest::Interpreter> m_interpreter;
    Guest::Interpreter::CellId m_cell = 0;
    Phase m_phase = Phase::Preparing;
    std::optional<OperationPromise<void>> m_kill;
    std::unique_ptr<ArmedTimer> m_patience;
    bool m_killing = false;      //!< the interpreter
    bool m_endRequested = false; //!< before it was submitted, or while it waits
    bool m_endedStreams[2] = {false, false};
};

} // namespace Sandboxio::Docker
