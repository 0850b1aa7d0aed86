// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "interpreter.h"

#include <csignal>

namespace Sandboxio::Guest {

namespace {

// A little more than the interpreters themselves allow.
constexpr qsizetype mostResults = 80 * 1024 * 1024;

size_t indexOf(StreamId stream)
{
    return stream == StreamId::Stderr ? 1 : 0;
}

} // namespace

Interpreter::Interpreter(Client *client, Spawn request, InterpreterProgram program, Handlers handlers,
                         QObject *parent)
    : QObject(parent)
    , m_client(client)
    , m_request(std::move(request))
    , m_program(std::move(program))
    , m_handlers(std::move(handlers))
{
    constexpr auto pause = std::chrono::milliseconds(250);
    m_interruptAgain.setSingleShot(true);
    m_interruptAgain.setInterval(pause);
    connect(&m_interruptAgain, &QTimer::timeout, this, [this] { interrupt(); });
}

Interpreter::~Interpreter()
{
    if (!m_client || m_run == 0)
        return;
    m_client->killTree(m_run, {});
    m_client->release(m_run);
}

void Interpreter::start()
{
    Spawn spawn = m_request;
    spawn.argv = m_program.argv;
    spawn.stdinMode = StdinMode::Control;
    m_run = m_client->spawn(spawn, runHandlers());
    m_input = QByteArray::number(m_program.source.size()) + '\n' + m_program.source;
}

// The client may still hold these when this is gone.
RunHandlers Interpreter::runHandlers()
{
    const QPointer<Interpreter> self(this);
    RunHandlers handlers;
    handlers.spawned = [self](qint64) {
        if (self)
            self->pumpInput();
    };
    handlers.failed = [self](int errorNumber, SpawnStage stage) {
        if (self)
            self->finish({.notStarted = errorNumber, .stage = stage});
    };
    handlers.output = [self](StreamId stream, quint64, const QByteArray &data) {
        if (self)
            self->received(stream, data);
    };
    handlers.eof = [self](StreamId stream) {
        if (self)
            self->eof(stream);
    };
    handlers.exited = [self](const ExitStatus &status) {
        if (self)
            self->finish({.status = status});
    };
    handlers.stdinCredit = [self](qint64) {
        if (self)
            self->pumpInput();
    };
    handlers.lost = [self] {
        if (self)
            self->finish({.connectionLost = true});
    };
    return handlers;
}

void Interpreter::send(const QByteArray &bytes)
{
    m_input += bytes;
    pumpInput();
}

void Interpreter::pumpInput()
{
    if (m_client && !m_input.isEmpty())
        m_input.remove(0, m_client->writeStdin(m_run, m_input));
}

Interpreter::CellId Interpreter::run(const QByteArray &code, CellHandlers handlers)
{
    Q_ASSERT(!m_end);
    Cell cell;
    cell.id = ++m_lastCell;
    cell.code = code;
    cell.handlers = std::move(handlers);
    m_waiting.push_back(std::move(cell));
    QMetaObject::invokeMethod(this, &Interpreter::startNext, Qt::QueuedConnection);
    return m_lastCell;
}

void Interpreter::startNext()
{
    if (!m_ready || m_running || m_waiting.empty() || m_end)
        return;
    m_running = std::move(m_waiting.front());
    m_waiting.pop_front();
    const QByteArray code = std::exchange(m_running->code, {});
    send("run " + QByteArray::number(m_running->id) + ' ' + QByteArray::number(code.size()) + '\n' + code);
    const QPointer<Interpreter> self(this);
    for (const StreamId stream : {StreamId::Stdout, StreamId::Stderr}) {
        if (const QByteArray held = std::exchange(m_held.at(indexOf(stream)), {}); !held.isEmpty())
            received(stream, held);
        if (!self)
            return;
    }
}

void Interpreter::received(StreamId stream, const QByteArray &data)
{
    if (stream == StreamId::Control) {
        m_client->credit(m_run, stream, data.size());
        if (m_end || !m_problem.isEmpty())
            return; // it was held back until then, and is about nothing any more
        m_decoder.append(data);
        readControl();
    } else if (!m_running) {
        m_held.at(indexOf(stream)) += data;
    } else if (m_running->forgotten) {
        m_client->credit(m_run, stream, data.size());
    } else {
        m_running->unacknowledged.at(indexOf(stream)) += data.size();
        if (const auto output = m_running->handlers.output)
            output(stream, data);
    }
}

void Interpreter::readControl()
{
    const QPointer<Interpreter> self(this);
    while (self && m_problem.isEmpty()) {
        const InterpreterDecoder::Result message = m_decoder.next();
        if (message && !*message)
            return;
        if (!message)
            breakOff(message.error());
        else if (!handle(**message) && self)
            breakOff(tr("its message is out of turn"));
    }
}

bool Interpreter::handle(const InterpreterMessage &message)
{
    if (message.kind == InterpreterMessage::Kind::Ready) {
        if (std::exchange(m_ready, true))
            return false;
        const QPointer<Interpreter> self(this);
        if (m_handlers.ready)
            m_handlers.ready();
        if (self)
            startNext();
        return true;
    }
    if (!isRunning(message.cell))
        return false;
    if (message.kind == InterpreterMessage::Kind::Started) {
        if (std::exchange(m_running->started, true))
            return false;
        if (m_running->interruptWanted)
            sendInterrupt(message.cell);
        if (const auto started = m_running->handlers.started)
            started();
        return true;
    }
    if (!m_running->started)
        return false;
    if (message.kind == InterpreterMessage::Kind::Output)
        return handleOutput(message);
    handleEnd(message.code);
    return true;
}

bool Interpreter::handleOutput(const InterpreterMessage &message)
{
    m_running->resultBytes += message.text.size();
    const std::optional<RichOutput> output = richOutputOf(message.text);
    if (!output || m_running->resultBytes > mostResults)
        return false;
    if (const auto result = m_running->handlers.result)
        result(*output);
    return true;
}

void Interpreter::handleEnd(int code)
{
    m_interruptAgain.stop();
    Cell cell = *std::exchange(m_running, {});
    giveBack(cell);
    const QPointer<Interpreter> self(this);
    if (cell.handlers.ended)
        cell.handlers.ended(code);
    if (self)
        startNext();
}

// The consumer of an ended cell gives nothing back any more; what it holds is at most the window.
void Interpreter::giveBack(Cell &cell)
{
    for (const StreamId stream : {StreamId::Stdout, StreamId::Stderr}) {
        if (const qint64 bytes = std::exchange(cell.unacknowledged.at(indexOf(stream)), 0);
            bytes > 0 && m_client)
            m_client->credit(m_run, stream, bytes);
    }
}

void Interpreter::credit(CellId cell, StreamId stream, qint64 bytes)
{
    if (!isRunning(cell) || !m_client)
        return;
    qint64 &left = m_running->unacknowledged.at(indexOf(stream));
    const qint64 given = std::min(bytes, left);
    left -= given;
    m_client->credit(m_run, stream, given);
}

void Interpreter::forget(CellId cell)
{
    std::erase_if(m_waiting, [cell](const Cell &waiting) { return waiting.id == cell; });
    if (!isRunning(cell))
        return;
    m_running->handlers = {};
    m_running->forgotten = true;
    giveBack(*m_running);
}

void Interpreter::interrupt(CellId cell)
{
    if (!isRunning(cell))
        return;
    if (m_running->started)
        sendInterrupt(cell);
    else
        m_running->interruptWanted = true;
}

void Interpreter::sendInterrupt(CellId cell)
{
    if (!isRunning(cell) || m_end || !m_client)
        return;
    m_client->signal(m_run, SIGINT, SignalTarget::Group);
    if (m_program.hearsInterrupts)
        send("interrupt " + QByteArray::number(cell) + " 0\n");
    if (m_program.repeatsInterrupts)
        m_interruptAgain.start();
}

void Interpreter::interrupt()
{
    if (m_running)
        interrupt(m_running->id);
}

void Interpreter::signal(int number)
{
    if (m_client)
        m_client->signal(m_run, number);
}

void Interpreter::kill(Reply<void> reply)
{
    m_killed = true;
    if (m_client) {
        m_client->killTree(m_run, std::move(reply));
    } else if (reply) {
        QMetaObject::invokeMethod(
            this, [reply] { reply(std::unexpected(FileError{0, true})); }, Qt::QueuedConnection);
    }
}

// Its end closes the control stream too, and the news of that end comes a little later.
void Interpreter::eof(StreamId stream)
{
    constexpr auto endLimit = std::chrono::seconds(1);
    if (stream == StreamId::Control) {
        QTimer::singleShot(endLimit, this, [this] { breakOff(tr("it closed its control stream")); });
    } else if (stream != StreamId::Stdin) {
        m_streamsEnded.at(indexOf(stream)) = true;
        if (m_end && m_running && m_running->handlers.eof)
            m_running->handlers.eof(stream);
    }
}

void Interpreter::breakOff(const QString &problem)
{
    if (m_end || !m_problem.isEmpty())
        return;
    m_problem = problem;
    if (m_client)
        m_client->killTree(m_run, {});
}

void Interpreter::finish(InterpreterEnd end)
{
    if (m_end)
        return;
    end.killed = m_killed;
    end.problem = m_problem;
    m_end = end;
    const QPointer<Interpreter> self(this);
    std::vector<std::function<void()>> told;
    if (m_running)
        told.push_back(m_running->handlers.died);
    for (const Cell &cell : std::exchange(m_waiting, {}))
        told.push_back(cell.handlers.died);
    for (const auto &died : told) {
        if (self && died)
            died();
    }
    for (const StreamId stream : {StreamId::Stdout, StreamId::Stderr}) {
        if (self && m_running && m_running->handlers.eof && m_streamsEnded.at(indexOf(stream)))
            m_running->handlers.eof(stream);
    }
    if (self && m_handlers.ended)
        m_handlers.ended();
}

} // namespace Sandboxio::Guest
