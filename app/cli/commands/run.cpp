// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "run.h"

#include "../exitcode.h"
#include "../programrun.h"
#include "../translation.h"

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

CommandSyntax runSyntax()
{
    return {u"run"_s,
            Text::tr("Run a program in a sandbox and pass on its output and exit code."),
            u"[options] [--] PROGRAM [ARGUMENT...]"_s,
            {u"run -- python3 -c 'print(6 * 7)'"_s,
             u"run --image debian:13 --timeout 60 -- sh -c 'echo out; exit 3'"_s,
             u"run --sandbox 4f2a -i -- sort < names.txt"_s, u"run --keep -- touch /tmp/here"_s,
             u"run --detach --sandbox 4f2a -- make -j4"_s},
            exitCodeHelp()};
}

RunOptions runOptions(const RunArguments &arguments)
{
    RunOptions options;
    options.timeout = arguments.timeout;
    options.env = arguments.env;
    options.workingDirectory = arguments.workingDirectory;
    return options;
}

QCoro::Task<int> runBuffered(Session &session, RunArguments arguments, SandboxPtr sandbox)
{
    RunOptions options = runOptions(arguments);
    if (arguments.interactive)
        options.standardInput = co_await readStandardInput(session);
    const Operation<ExecResult> operation = sandbox->run(Command(arguments.program), options);
    const ExecResult result = co_await session.interruptible(operation);
    session.console().show(runPayload(result, *sandbox), {});
    co_return exitCodeOf(result);
}

QCoro::Task<int> runDetached(Session &session, RunArguments arguments, SandboxPtr sandbox)
{
    RunOptions options = runOptions(arguments);
    if (arguments.interactive)
        options.standardInput = co_await readStandardInput(session);
    const Operation<QString> start = sandbox->startBackground(Command(arguments.program), options);
    const QString id = co_await session.interruptible(start);
    session.console().show(
        {{u"run"_s, id}, {u"sandbox"_s, sandbox->id()}, {u"target"_s, sandbox->target().identity()}},
        [](const QJsonObject &payload, const Style &) { return payload.value("run"_L1).toString() + u'\n'; });
    co_return ExitCode::success;
}

void rejectDetach(ArgumentParser &parser, const RunArguments &arguments)
{
    if (!arguments.detach)
        return;
    if (arguments.sandbox.id.isEmpty() && !arguments.sandbox.keep)
        parser.reject(Text::tr("--detach needs a sandbox that stays."),
                      Text::tr("Name one with --sandbox ID, or let the new one live on with --keep."));
    if (arguments.timeout)
        parser.reject(
            Text::tr("--detach and --timeout exclude each other."),
            Text::tr("The lifetime of the sandbox ends the run, and so does `sandboxio logs ID RUN --kill`."));
}

QCoro::Task<int> runStreamed(Session &session, RunArguments arguments, SandboxPtr sandbox)
{
    RunOptions options = runOptions(arguments);
    if (!arguments.interactive)
        options.standardInput = QByteArray();
    std::unique_ptr<Process> process = sandbox->stream(Command(arguments.program), options);
    co_return co_await runProgram(session, std::move(process), arguments.interactive);
}

} // namespace

std::chrono::milliseconds lifetimeFor(std::chrono::milliseconds lifetime,
                                      std::optional<std::chrono::milliseconds> timeout)
{
    return timeout ? std::max(lifetime, *timeout + 60s) : lifetime;
}

Parsed<RunArguments> parseRun(const QStringList &arguments)
{
    ArgumentParser parser(runSyntax());
    parser.setProgramFollows();
    parser.addValue({u"timeout"_s}, u"SECONDS"_s, Text::tr("Kill the run after this time (exit code 124)."));
    parser.addValue({u"env"_s}, u"KEY=VALUE"_s, Text::tr("Environment variable; can be repeated."));
    parser.addValue({u"workdir"_s}, u"PATH"_s, Text::tr("Directory to start in."));
    parser.addFlag({u"i"_s, u"interactive"_s}, Text::tr("Pass standard input on to the program."));
    parser.addFlag({u"detach"_s},
                   Text::tr("Leave the run in the sandbox and print its id for `sandboxio logs`."));
    addSandboxChoice(parser);
    RunArguments result;
    if (!parser.parse(arguments))
        return parser.finish(result);
    result.sandbox = readSandboxChoice(parser);
    result.program = parser.positional();
    result.timeout = parser.seconds(u"timeout"_s);
    result.env = parser.pairs(u"env"_s);
    result.workingDirectory = parser.text(u"workdir"_s);
    result.interactive = parser.isSet(u"interactive"_s);
    result.json = parser.isSet(u"json"_s);
    result.detach = parser.isSet(u"detach"_s);
    rejectDetach(parser, result);
    if (!parser.isSet(u"lifetime"_s))
        result.sandbox.create.options.timeout =
            lifetimeFor(result.sandbox.create.options.timeout, result.timeout);
    if (result.program.isEmpty() || result.program.first().isEmpty())
        parser.reject(Text::tr("The program to run is missing."),
                      Text::tr("Write it after `--`: sandboxio run -- ls -l"));
    return parser.finish(result);
}

QCoro::Task<int> executeRun(Session &session, QStringList arguments)
{
    const Parsed<RunArguments> parsed = parseRun(arguments);
    if (!parsed)
        co_return session.stop(parsed.error());
    const RunArguments &run = *parsed;
    session.console().setJson(run.json);
    const auto body = [&session, run](const SandboxPtr &sandbox) {
        if (run.detach)
            return runDetached(session, run, sandbox);
        return session.console().isJson() ? runBuffered(session, run, sandbox)
                                          : runStreamed(session, run, sandbox);
    };
    co_return co_await withSandbox(session, run.sandbox, body);
}

} // namespace Sandboxio::Cli
