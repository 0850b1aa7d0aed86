// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "spawnrequest.h"

#include "fileerror.h"
#include "texts.h"

#include <sandboxio/core/path.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

// What a shell reports for a child that signal 9 ended.
constexpr int killedInShell = 128 + SIGKILL;

void insertAll(QMap<QByteArray, QByteArray> &variables, const QMap<QString, QString> &added)
{
    for (const auto &[name, value] : added.asKeyValueRange())
        variables.insert(encodePath(name), encodePath(value));
}

std::vector<std::string> environmentOf(const ProcessRequest &request, const RunDefaults &defaults)
{
    QMap<QByteArray, QByteArray> variables;
    insertAll(variables, defaults.env);
    for (const auto &[name, secret] : defaults.secrets.asKeyValueRange())
        variables.insert(encodePath(name), secret.reveal());
    insertAll(variables, request.options.env);
    if (request.code)
        insertAll(variables, request.codeOptions.env);
    std::vector<std::string> environment;
    for (const auto &[name, value] : variables.asKeyValueRange())
        environment.push_back((name + '=' + value).toStdString());
    return environment;
}

bool isOwnUser(const QString &user, quint32 uid)
{
    return user == QString::number(uid) || (uid == 0 && user == u"root"_s);
}

std::optional<ErrorInfo> problemOf(const ProcessRequest &request, const RunDefaults &defaults)
{
    const QString user = request.options.user;
    if (!user.isEmpty() && defaults.uid && !isOwnUser(user, *defaults.uid)) {
        return makeError(
            ErrorKind::ConfigurationError,
            Text::tr("Runs in this sandbox belong to its own user (%1), not to \"%2\".")
                .arg(*defaults.uid)
                .arg(user),
            Text::tr("Leave the user out, or create the sandbox from an image whose USER is \"%1\".")
                .arg(user));
    }
    if (!request.code && (!request.command || request.command->isEmpty()))
        return makeError(ErrorKind::ConfigurationError, Text::tr("There is no command to run."),
                         Text::tr("Give at least a program."));
    return {};
}

std::vector<std::string> argumentsOf(const Command &command)
{
    std::vector<std::string> arguments;
    for (const QString &argument : command.arguments())
        arguments.push_back(encodePath(argument).toStdString());
    return arguments;
}

QString programOf(const Guest::Spawn &spawn)
{
    return spawn.argv.empty() ? QString()
                              : displayPath(decodePath(QByteArray::fromStdString(spawn.argv.front())));
}

ErrorInfo executionError(int errorNumber, const QString &program)
{
    const ErrorCause cause{.status = errorNumber, .text = errorNumberText(errorNumber)};
    switch (errorNumber) {
    case ENOENT:
        return makeError(
            ErrorKind::ConfigurationError, Text::tr("There is no program \"%1\" in the sandbox.").arg(program),
            Text::tr("Correct its name, use an image that has it, or install it in the sandbox. A script also "
                     "needs the interpreter of its first line."),
            cause);
    case EACCES:
        return makeError(ErrorKind::ConfigurationError,
                         Text::tr("\"%1\" cannot be executed in the sandbox.").arg(program),
                         Text::tr("Make it executable (chmod +x), or run it by its interpreter."), cause);
    case E2BIG:
        return makeError(ErrorKind::ConfigurationError,
                         Text::tr("The arguments and the environment are too long."),
                         Text::tr("Pass large data through the standard input or a file."), cause);
    default:
        return makeError(ErrorKind::ConfigurationError,
                         Text::tr("\"%1\" cannot be executed in the sandbox: %2.").arg(program, cause.text),
                         Text::tr("Use a program made for the image and for the architecture of the host."),
                         cause);
    }
}

ErrorInfo capError(const QString &cap, std::optional<qint64> value, const QString &message, const QString &hint,
                   const ErrorCause &cause)
{
    ErrorInfo error = makeError(ErrorKind::ResourceLimitExceeded, message, hint, cause);
    error.limit = cap;
    error.limitValue = value;
    return error;
}

ErrorInfo memoryExceeded(const Resources &resources, const ErrorCause &cause)
{
    std::optional<qint64> bytes;
    QString size = Text::tr("not capped");
    if (resources.memoryMb) {
        bytes = *resources.memoryMb * 1024 * 1024;
        size = Text::tr("%1 MB").arg(*resources.memoryMb);
    }
    return capError(u"memory"_s, bytes, Text::tr("The sandbox's memory (%1) was not enough.").arg(size),
                    Text::tr("Create the sandbox with more memory, or let the program use less."), cause);
}

ErrorInfo setupError(int errorNumber, const Resources &resources)
{
    const ErrorCause cause{.status = errorNumber, .text = errorNumberText(errorNumber)};
    if (errorNumber == EAGAIN) {
        return capError(u"processes"_s, resources.processes,
                        Text::tr("The sandbox has as many processes as it may have (%1).")
                            .arg(resources.processes.value_or(0)),
                        Text::tr("End some of them, or create the sandbox with more."), cause);
    }
    if (errorNumber == ENOMEM)
        return memoryExceeded(resources, cause);
    if (errorNumber == E2BIG)
        return executionError(errorNumber, {});
    return makeError(ErrorKind::ConnectError,
                     Text::tr("The run could not be set up in the sandbox: %1.").arg(cause.text),
                     Text::tr("Try again; if it stays, create a new sandbox."), cause);
}

} // namespace

ErrorInfo endedBeforeStart()
{
    return makeError(ErrorKind::ConnectError, Text::tr("The run was ended before its program started."),
                     Text::tr("Run it again."));
}

std::optional<ErrorInfo> checkSignal(int signal)
{
    if (signal >= 1 && signal <= SIGRTMAX)
        return std::nullopt;
    return makeError(ErrorKind::ConfigurationError, Text::tr("%1 is no signal.").arg(signal),
                     Text::tr("Use a number from 1 to %1.").arg(SIGRTMAX));
}

std::optional<QByteArray> standardInput(const ProcessRequest &request)
{
    if (request.options.standardInput || !request.code)
        return request.options.standardInput;
    return request.codeOptions.standardInput;
}

std::expected<Guest::Spawn, ErrorInfo> spawnRequest(const ProcessRequest &request, const RunDefaults &defaults)
{
    if (const auto problem = problemOf(request, defaults))
        return std::unexpected(*problem);
    Guest::Spawn spawn;
    if (!request.code)
        spawn.argv = argumentsOf(*request.command);
    spawn.environment = environmentOf(request, defaults);
    spawn.workingDirectory = encodePath(request.options.workingDirectory).toStdString();
    if (request.interactiveInput || standardInput(request))
        spawn.stdinMode = Guest::StdinMode::Pipe;
    if (const std::optional<TerminalSize> size = request.options.pty) {
        spawn.pty = true;
        spawn.windowSize = windowSize(*size);
        spawn.term = "xterm-256color";
    }
    return spawn;
}

ErrorInfo spawnError(int errorNumber, Guest::SpawnStage stage, const Guest::Spawn &spawn,
                     const Resources &resources)
{
    switch (stage) {
    case Guest::SpawnStage::Exec:
        return executionError(errorNumber, programOf(spawn));
    case Guest::SpawnStage::WorkingDirectory:
        return fileError(errorNumber, Text::tr("start a run in"),
                         decodePath(QByteArray::fromStdString(spawn.workingDirectory)));
    case Guest::SpawnStage::Token:
        if (errorNumber == ECANCELED)
            return endedBeforeStart();
        return makeError(ErrorKind::ConnectError, Text::tr("The output of the run could not be connected."),
                         Text::tr("Try again; if it stays, run it without streaming."),
                         {.status = errorNumber, .text = errorNumberText(errorNumber)});
    case Guest::SpawnStage::Pty:
    case Guest::SpawnStage::Setup:
        break;
    }
    return setupError(errorNumber, resources);
}

ExitStatus exitStatus(const Guest::ExitStatus &status, const Resources &resources)
{
    ExitStatus result;
    result.treeEmpty = status.treeEmpty;
    bool killed = false;
    if (status.kind == Guest::ExitStatus::Kind::Exited) {
        result.code = status.value;
        killed = status.value == killedInShell;
    } else if (status.kind == Guest::ExitStatus::Kind::Signalled) {
        result.signal = status.value;
        killed = status.value == SIGKILL;
    }
    // The count is the sandbox's: another run's loss does not explain an end that signal 9 did not make.
    if (killed && status.outOfMemoryKills > 0)
        result.limit = memoryExceeded(resources, {.status = {}, .text = u"out of memory"_s});
    return result;
}

Guest::StreamId guestStream(OutputStream stream)
{
    return stream == OutputStream::StandardOutput ? Guest::StreamId::Stdout : Guest::StreamId::Stderr;
}

OutputStream outputStream(Guest::StreamId stream)
{
    return stream == Guest::StreamId::Stdout ? OutputStream::StandardOutput : OutputStream::StandardError;
}

Guest::WindowSize windowSize(TerminalSize size)
{
    return {static_cast<quint16>(std::clamp(size.rows, 1, 0xffff)),
            static_cast<quint16>(std::clamp(size.columns, 1, 0xffff))};
}

ErrorInfo noTerminal()
{
    return makeError(ErrorKind::ConfigurationError, Text::tr("This run has no terminal to resize."),
                     Text::tr("Set RunOptions::pty when starting it."));
}

} // namespace Sandboxio::Docker
