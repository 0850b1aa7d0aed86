// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "logs.h"

#include "../exitcode.h"
#include "../format.h"
#include "../json.h"
#include "../programrun.h"
#include "../sandboxchoice.h"
#include "../translation.h"

#include <QJsonArray>

#include <array>
#include <cerrno>
#include <csignal>

#include <unistd.h>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

CommandSyntax logsSyntax()
{
    return {
        u"logs"_s,
        Text::tr(
            "Show the output of a background run, which `sandboxio run --detach` started, or list those runs."),
        u"[options] ID [RUN]"_s,
        {u"logs 4f2a"_s, u"logs 4f2a 9c01 --follow"_s, u"logs 4f2a 9c01 --since-offset 4096,0"_s,
         u"logs 4f2a 9c01 --remove"_s},
        Text::tr("The sandbox keeps the newest output of each stream, bounded; what is not kept any longer is\n"
                 "told on standard error. Ctrl+C stops showing and leaves the run alone.\n\n") +
            exitCodeHelp()};
}

/*! Reads "OUT" or "OUT,ERR". */
AttachOptions readOffsets(ArgumentParser &parser)
{
    AttachOptions from;
    if (!parser.isSet(u"since-offset"_s))
        return from;
    const QStringList parts = parser.text(u"since-offset"_s).split(u',');
    bool isOutput = false;
    bool isError = parts.size() == 1;
    from.standardOutputOffset = parts.value(0).toLongLong(&isOutput);
    if (parts.size() == 2)
        from.standardErrorOffset = parts.value(1).toLongLong(&isError);
    if (!isOutput || !isError || from.standardOutputOffset < 0 || from.standardErrorOffset < 0)
        parser.reject(Text::tr("--since-offset is no number of bytes: %1").arg(parser.text(u"since-offset"_s)),
                      Text::tr("Write one for standard output, or one for each stream: --since-offset 4096,0"));
    return from;
}

LogsArguments::Action readAction(ArgumentParser &parser, bool hasRun)
{
    using Action = LogsArguments::Action;
    Action action = Action::Show;
    int count = 0;
    for (const auto &[name, meaning] :
         {std::pair{u"follow"_s, Action::Follow}, std::pair{u"kill"_s, Action::Kill},
          std::pair{u"remove"_s, Action::Remove}}) {
        if (!parser.isSet(name))
            continue;
        action = meaning;
        ++count;
    }
    if (count > 1)
        parser.reject(Text::tr("--follow, --kill and --remove exclude each other."),
                      Text::tr("Give one of them."));
    if (action == Action::Follow && parser.isSet(u"json"_s))
        parser.reject(Text::tr("--follow and --json exclude each other."),
                      Text::tr("Ask again with --since-offset for what came meanwhile."));
    if (!hasRun && (count > 0 || parser.isSet(u"since-offset"_s)))
        parser.reject(Text::tr("The background run is missing."),
                      Text::tr("Write its id after that of the sandbox; `sandboxio logs ID` lists them."));
    return action;
}

/*! The output of a run on its way to ours, or into a payload. */
struct Log
{
    BackgroundRun run;
    AttachOptions place; //!< of what comes next
    QByteArray output;   //!< with JSON
    QByteArray errors;
    qint64 lost = 0;
    bool hasEnded = false;

    bool isComplete() const
    {
        return place.standardOutputOffset >= run.standardOutput.written &&
               place.standardErrorOffset >= run.standardError.written;
    }
};

/*! 0, or why \a chunk could not be written. */
QCoro::Task<int> take(Session &session, Log &log, OutputChunk chunk)
{
    const bool isError = chunk.stream == OutputStream::StandardError;
    (isError ? log.place.standardErrorOffset : log.place.standardOutputOffset) =
        chunk.offset + chunk.data.size();
    log.lost += chunk.lostBefore;
    if (chunk.lostBefore > 0 && !session.console().isJson())
        session.console().notice(
            isError ? Text::tr("%1 bytes of standard error are not kept any longer.").arg(chunk.lostBefore)
                    : Text::tr("%1 bytes of standard output are not kept any longer.").arg(chunk.lostBefore));
    if (session.console().isJson()) {
        (isError ? log.errors : log.output) += chunk.data;
        co_return 0;
    }
    const int error =
        co_await session.console().writer().write(isError ? STDERR_FILENO : STDOUT_FILENO, chunk.data);
    co_return error;
}

/*! Everything until the end, or until what there was when it began. 0, or why it stopped early. */
QCoro::Task<int> copyLog(Session &session, std::shared_ptr<Process> process, Log &log, bool untilEnd)
{
    while (untilEnd || !log.isComplete()) {
        const std::optional<OutputChunk> chunk = co_await process->nextChunk();
        if (!chunk) {
            log.hasEnded = true;
            break;
        }
        const int error = co_await take(session, log, *chunk);
        if (error != 0)
            co_return error;
    }
    if (session.console().isJson())
        co_return 0;
    const int error = co_await session.console().writer().flush(STDOUT_FILENO);
    co_return error;
}

QJsonObject logPayload(const Log &log)
{
    QJsonObject payload = backgroundRunJson(log.run);
    insertBytes(payload, u"stdout"_s, log.output);
    insertBytes(payload, u"stderr"_s, log.errors);
    payload.insert(u"nextStdoutOffset"_s, log.place.standardOutputOffset);
    payload.insert(u"nextStderrOffset"_s, log.place.standardErrorOffset);
    payload.insert(u"lostBytes"_s, log.lost);
    return payload;
}

QCoro::Task<int> showLog(Session &session, SandboxPtr sandbox, BackgroundRun run, LogsArguments arguments)
{
    const std::shared_ptr<Process> process = sandbox->attach(run.id, arguments.from);
    QObject guard;
    QObject::connect(&session.interruption(), &Interruption::interrupted, &guard,
                     [process] { std::ignore = process->detach(); });
    co_await session.interruptible(process->start(Process::ConsumerMode::Pull));
    Log log{.run = run, .place = arguments.from};
    const bool untilEnd = arguments.action == LogsArguments::Action::Follow || run.end;
    const int error = co_await copyLog(session, process, log, untilEnd);
    std::optional<ExecResult> result;
    if (error == 0 && log.hasEnded)
        result = co_await process->wait();
    else
        co_await process->detach();
    if (error == EPIPE)
        co_return exitCodeOfSignal(SIGPIPE);
    if (error != 0)
        outputNotWritten(error).raise();
    if (session.console().isJson())
        session.console().show(logPayload(log), {});
    co_return result ? exitCodeOf(*result) : ExitCode::success;
}

QCoro::Task<> killRun(Session &session, SandboxPtr sandbox, BackgroundRun run)
{
    const std::unique_ptr<Process> process =
        sandbox->attach(run.id, {run.standardOutput.written, run.standardError.written});
    co_await session.interruptible(process->start(Process::ConsumerMode::Discard));
    co_await process->kill();
}

QString stateText(const QJsonObject &run)
{
    if (run.value("running"_L1).toBool())
        return Text::tr("running");
    if (const QJsonValue code = run.value("exitCode"_L1); code.isDouble())
        return Text::tr("exited %1").arg(code.toInt());
    if (const QJsonValue signal = run.value("signal"_L1); signal.isDouble())
        return Text::tr("signal %1").arg(signal.toInt());
    return Text::tr("ended");
}

QString commandText(const QJsonArray &arguments)
{
    constexpr qsizetype longest = 60;
    QStringList words;
    for (const QJsonValue word : arguments)
        words.append(word.toString());
    const QString text = words.join(u' ');
    return text.size() <= longest ? text : text.first(longest - 1) + u'…';
}

} // namespace

Parsed<LogsArguments> parseLogs(const QStringList &arguments)
{
    ArgumentParser parser(logsSyntax());
    parser.addFlag({u"f"_s, u"follow"_s}, Text::tr("Go on until the run ends."));
    parser.addValue({u"since-offset"_s}, u"OUT[,ERR]"_s,
                    Text::tr("Begin at this byte of standard output, and of standard error."));
    parser.addFlag({u"kill"_s}, Text::tr("Kill the run instead; its output stays."));
    parser.addFlag({u"remove"_s},
                   Text::tr("Kill what still runs of it instead, and forget it with its output."));
    addTargets(parser);
    LogsArguments result;
    if (!parser.parse(arguments))
        return parser.finish(result);
    parser.expectPositional(1, 2);
    result.sandbox = parser.positional().value(0);
    result.run = parser.positional().value(1);
    result.action = readAction(parser, !result.run.isEmpty());
    result.from = readOffsets(parser);
    result.targets = parser.targets(u"target"_s);
    return parser.finish(result);
}

std::expected<BackgroundRun, ErrorInfo> matchBackgroundRun(const QList<BackgroundRun> &runs, const QString &id)
{
    QList<BackgroundRun> found;
    for (const BackgroundRun &run : runs) {
        if (run.id == id)
            return run;
        if (run.id.startsWith(id))
            found.append(run);
    }
    if (found.size() == 1)
        return found.first();
    if (found.isEmpty())
        return std::unexpected(
            makeError(ErrorKind::ConfigurationError, Text::tr("There is no background run '%1'.").arg(id),
                      Text::tr("`sandboxio logs ID` lists the background runs of a sandbox.")));
    QStringList ids;
    for (const BackgroundRun &run : std::as_const(found))
        ids.append(run.id);
    return std::unexpected(makeError(ErrorKind::ConfigurationError,
                                     Text::tr("More than one background run begins with '%1'.").arg(id),
                                     Text::tr("Write more of the id: %1.").arg(ids.join(u", "_s))));
}

QJsonObject backgroundRunJson(const BackgroundRun &run)
{
    const bool hasExited = run.end && run.end->kind == RunOutcome::Kind::Exited;
    const bool hasSignal = run.end && run.end->kind == RunOutcome::Kind::Signalled;
    return {{u"id"_s, run.id},
            {u"arguments"_s, QJsonArray::fromStringList(run.arguments)},
            {u"startedAt"_s, timeJson(run.startedAt)},
            {u"running"_s, !run.end},
            {u"exitCode"_s, hasExited ? QJsonValue(run.end->value) : QJsonValue()},
            {u"signal"_s, hasSignal ? QJsonValue(run.end->value) : QJsonValue()},
            {u"terminal"_s, run.isTerminal},
            {u"attachments"_s, run.attachments},
            {u"stdoutBytes"_s, run.standardOutput.written},
            {u"stdoutKept"_s, run.standardOutput.kept},
            {u"stderrBytes"_s, run.standardError.written},
            {u"stderrKept"_s, run.standardError.kept}};
}

QString renderBackgroundRuns(const QJsonObject &payload, const Style &style)
{
    const QJsonArray runs = payload.value("runs"_L1).toArray();
    if (runs.isEmpty())
        return Text::tr("No background runs.") + u'\n';
    Table table({Text::tr("RUN"), Text::tr("STATE"), Text::tr("STARTED"), Text::tr("OUTPUT"),
                 Text::tr("ERRORS"), Text::tr("COMMAND")});
    for (const QJsonValue value : runs) {
        const QJsonObject run = value.toObject();
        table.addRow({{run.value("id"_L1).toString()},
                      {stateText(run)},
                      {run.value("startedAt"_L1).toString().left(19).replace(u'T', u' ')},
                      {formatBytes(run.value("stdoutBytes"_L1).toDouble())},
                      {formatBytes(run.value("stderrBytes"_L1).toDouble())},
                      {commandText(run.value("arguments"_L1).toArray())}});
    }
    return table.toText(style);
}

QCoro::Task<int> executeLogs(Session &session, QStringList arguments)
{
    const Parsed<LogsArguments> parsed = parseLogs(arguments);
    if (!parsed)
        co_return session.stop(parsed.error());
    const LogsArguments &logs = *parsed;
    const SandboxPtr sandbox = co_await connectSandbox(session, logs.sandbox, logs.targets);
    const QList<BackgroundRun> runs = co_await session.interruptible(sandbox->backgroundRuns());
    QJsonObject payload{{u"sandbox"_s, sandbox->id()}, {u"target"_s, sandbox->target().identity()}};
    if (logs.run.isEmpty()) {
        QJsonArray rows;
        for (const BackgroundRun &run : runs)
            rows.append(backgroundRunJson(run));
        payload.insert(u"runs"_s, rows);
        session.console().show(payload, renderBackgroundRuns);
        co_return ExitCode::success;
    }
    const auto run = matchBackgroundRun(runs, logs.run);
    if (!run)
        run.error().raise();
    if (logs.action == LogsArguments::Action::Show || logs.action == LogsArguments::Action::Follow)
        co_return co_await showLog(session, sandbox, *run, logs);
    if (logs.action == LogsArguments::Action::Kill)
        co_await killRun(session, sandbox, *run);
    else
        co_await session.interruptible(sandbox->removeBackgroundRun(run->id));
    payload.insert(u"run"_s, run->id);
    session.console().show(payload, [](const QJsonObject &, const Style &) { return QString(); });
    co_return ExitCode::success;
}

} // namespace Sandboxio::Cli
