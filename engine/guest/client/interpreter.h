// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "client.h"
#include "interpreterdecoder.h"
#include "interpretersources.h"

#include <QPointer>
#include <QTimer>

#include <array>
#include <deque>

namespace Sandboxio::Guest {

/*! How an interpreter came to its end: by exactly one of status, notStarted and connectionLost. */
struct InterpreterEnd
{
    std::optional<ExitStatus> status;     //!< of its process
    std::optional<int> notStarted;        //!< the errno
    bool connectionLost = false;          //!< it went with the connection of its client
    SpawnStage stage = SpawnStage::Setup; //!< of notStarted
    bool killed = false;                  //!< by kill()
    QString problem;                      //!< it broke its protocol, and was killed for it
};

/*! What happens to a cell. `started` and then output and results in any order, then `ended`, which comes after all
    output that was written before the end. Or `died`, once, at any time; what the interpreter and its children had
    written may still follow. A handler may be empty. */
struct CellHandlers
{
    std::function<void()> started = {};
    /*! Give the bytes back by credit(). */
    std::function<void(StreamId stream, QByteArray data)> output = {};
    std::function<void(RichOutput output)> result = {};
    std::function<void(int code)> ended = {};
    std::function<void()> died = {};               //!< see Interpreter::end()
    std::function<void(StreamId stream)> eof = {}; //!< only after died
};

/*! A persistent interpreter in the sandbox: cells in, their output and results out, one after the other. A cell waits
    until those before it have ended. What is printed while none runs belongs to the next one.

    Lives in the client's thread; handlers are called from the client's or queued, never inside a call of this class,
    and may delete it. Destroying it kills its processes.

    \code
    auto *python = new Interpreter(client, {.environment = {"HOME=/tmp"}}, interpreterProgram(u"python"_s),
                                   {.ready = …, .ended = …});
    python->start();
    python->run("print(1)\n2", {.output = …, .result = …, .ended = …});
    \endcode */
class SANDBOXIO_CORE_EXPORT Interpreter final : public QObject
{
    Q_OBJECT
public:
    struct Handlers
    {
        std::function<void()> ready = {};
        std::function<void()> ended = {}; //!< instead of ready or after it, once; cells hear of it before
    };
    using CellId = quint32;

    /*! \a request gives environment and working directory of the process. */
    Interpreter(Client *client, Spawn request, InterpreterProgram program, Handlers handlers,
                QObject *parent = nullptr);
    ~Interpreter() override;

    /*! Call once. */
    void start();
    /*! Absent while it lives. */
    const std::optional<InterpreterEnd> &end() const { return m_end; }
    /*! What it has printed while no cell ran: why it did not start. */
    QByteArray heldErrors() const { return m_held[1]; }

    /*! Not when it has ended. */
    CellId run(const QByteArray &code, CellHandlers handlers);
    /*! \a bytes of output of \a cell were consumed. Without it the cell is stopped after 1 MiB of a stream. */
    void credit(CellId cell, StreamId stream, qint64 bytes);
    /*! Nothing of \a cell is told any more. One that waits is dropped, one that runs goes on. */
    void forget(CellId cell);
    /*! Whether \a cell is the one that runs; it may not have started yet. Also after the interpreter's end. */
    bool isRunning(CellId cell) const { return m_running && m_running->id == cell; }
    /*! Sends SIGINT to the process group for \a cell, and a message to an interpreter that wants one, once it has
        started and if it still runs. */
    void interrupt(CellId cell);
    /*! Sends SIGINT for the cell that runs, if there is one. */
    void interrupt();
    /*! Any other signal, to the process alone. */
    void signal(int number);
    /*! Kills the interpreter with all that it started. The reply comes when nothing is left. */
    void kill(Reply<void> reply);

private:
    struct Cell
    {
        CellId id = 0;
        QByteArray code;
        CellHandlers handlers;
        bool started = false;
        bool interruptWanted = false;
        bool forgotten = false;
        std::array<qint64, 2> unacknowledged{};
        qsizetype resultBytes = 0;
    };

    RunHandlers runHandlers();
    void sendInterrupt(CellId cell);
    void send(const QByteArray &bytes);
    void pumpInput();
    void startNext();
    void received(StreamId stream, const QByteArray &data);
    void readControl();
    /*! False when the message is out of turn. */
    bool handle(const InterpreterMessage &message);
    bool handleOutput(const InterpreterMessage &message);
    void handleEnd(int code);
    void eof(StreamId stream);
    void breakOff(const QString &problem);
    void finish(InterpreterEnd end);
    void giveBack(Cell &cell);

    const QPointer<Client> m_client;
    const Spawn m_request;
    const InterpreterProgram m_program;
    const Handlers m_handlers;
    RunId m_run = 0;
    bool m_ready = false;
    bool m_killed = false;
    std::array<bool, 2> m_streamsEnded{};
    QString m_problem;
    std::optional<InterpreterEnd> m_end;
    InterpreterDecoder m_decoder;
    QByteArray m_input; //!< not yet taken by the client
    std::deque<Cell> m_waiting;
    std::optional<Cell> m_running;
    CellId m_lastCell = 0;
    QTimer m_interruptAgain;
    std::array<QByteArray, 2> m_held; //!< printed between cells, at most the window
};

} // namespace Sandboxio::Guest
