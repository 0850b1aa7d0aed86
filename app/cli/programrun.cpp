// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "programrun.h"

#include "exitcode.h"
#include "inputreader.h"
#include "json.h"
#include "translation.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <unistd.h>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

// Ends with the program: once nobody takes the input any more, writing fails.
QCoro::Task<> forwardStandardInput(std::shared_ptr<Process> process, std::shared_ptr<InputReader> reader)
{
    try {
        while (true) {
            const QByteArray piece = co_await reader->read();
            if (piece.isEmpty())
                break;
            co_await process->write(piece);
        }
        co_await process->closeWrite();
    } catch (const QException &) {
        // The program ended or closed its input; what it says about that is in its result.
    }
}

// Writes everything that comes. 0, or why it stopped early.
QCoro::Task<int> copyOutput(Session &session, std::shared_ptr<Process> process)
{
    while (true) {
        const std::optional<OutputChunk> chunk = co_await process->nextChunk();
        if (!chunk)
            break;
        const int descriptor = chunk->stream == OutputStream::StandardError ? STDERR_FILENO : STDOUT_FILENO;
        const int error = co_await session.console().writer().write(descriptor, chunk->data);
        if (error != 0)
            co_return error;
    }
    const int error = co_await session.console().writer().flush(STDOUT_FILENO);
    co_return error;
}

} // namespace

QCoro::Task<int> runProgram(Session &session, std::unique_ptr<Process> started, bool forwardInput)
{
    const std::shared_ptr<Process> process = std::move(started);
    QObject guard;
    QObject::connect(&session.interruption(), &Interruption::interrupted, &guard, [process] {
        const Operation<void> kill = process->kill();
        Q_UNUSED(kill)
    });
    co_await session.interruptible(process->start(Process::ConsumerMode::Pull));
    const auto reader = std::make_shared<InputReader>(STDIN_FILENO);
    if (forwardInput)
        forwardStandardInput(process, reader);
    const int error = co_await copyOutput(session, process);
    reader->stop();
    if (error != 0) {
        co_await process->close();
        if (session.interruption().signal())
            throw OperationCancelled();
        if (error == EPIPE)
            co_return exitCodeOfSignal(SIGPIPE);
        outputNotWritten(error).raise();
    }
    const ExecResult result = co_await process->wait();
    co_return exitCodeOf(result);
}

ErrorInfo outputNotWritten(int error)
{
    return makeError(
        ErrorKind::SandboxError,
        Text::tr("The output cannot be written: %1").arg(QString::fromLocal8Bit(std::strerror(error))),
        Text::tr("Make room for the output, or send it elsewhere."));
}

QCoro::Task<QByteArray> readStandardInput(Session &session)
{
    InputReader reader(STDIN_FILENO);
    QByteArray all;
    while (true) {
        const QByteArray piece = co_await session.interruptible(reader.read());
        if (piece.isEmpty())
            break;
        all += piece;
    }
    co_return all;
}

QJsonObject runPayload(const ExecResult &result, const Sandbox &sandbox)
{
    QJsonObject payload = execResultJson(result);
    payload.insert(u"sandbox"_s, sandbox.id());
    payload.insert(u"target"_s, sandbox.target().identity());
    return payload;
}

} // namespace Sandboxio::Cli
