// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "code.h"

#include "run.h"

#include "../exitcode.h"
#include "../programrun.h"
#include "../translation.h"

#include <QFile>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

CommandSyntax codeSyntax()
{
    return {
        u"code"_s,
        Text::tr("Run code in a sandbox; it travels as a file, never as an argument."),
        u"[options] FILE|-"_s,
        {u"code -c 'print(6 * 7)'"_s, u"code --sandbox 4f2a script.py"_s, u"code --timeout 10 - < script.py"_s},
        exitCodeHelp()};
}

QString decodeSource(const QByteArray &source, const QString &name)
{
    if (!source.isValidUtf8())
        makeError(ErrorKind::ConfigurationError, Text::tr("The code in '%1' is not UTF-8.").arg(name),
                  Text::tr("Convert it: iconv -t UTF-8 '%1'").arg(name))
            .raise();
    return QString::fromUtf8(source);
}

QCoro::Task<QString> readCode(Session &session, CodeArguments arguments)
{
    if (arguments.code)
        co_return *arguments.code;
    if (arguments.file == "-"_L1) {
        const QByteArray source = co_await readStandardInput(session);
        co_return decodeSource(source, Text::tr("standard input"));
    }
    QFile file(arguments.file);
    if (!file.open(QIODevice::ReadOnly))
        makeError(ErrorKind::ConfigurationError,
                  Text::tr("'%1' cannot be read: %2").arg(arguments.file, file.errorString()),
                  Text::tr("Name a file that can be read, `-` for standard input, or -c CODE."))
            .raise();
    const QByteArray source = file.readAll();
    co_return decodeSource(source, arguments.file);
}

QCoro::Task<int> runCodeIn(Session &session, CodeArguments arguments, QString code, SandboxPtr sandbox)
{
    RunCodeOptions options;
    options.timeout = arguments.timeout;
    options.language = arguments.language;
    options.env = arguments.env;
    if (session.console().isJson()) {
        if (arguments.interactive)
            options.standardInput = co_await readStandardInput(session);
        const Operation<ExecResult> operation = sandbox->runCode(code, options);
        const ExecResult result = co_await session.interruptible(operation);
        session.console().show(runPayload(result, *sandbox), {});
        co_return exitCodeOf(result);
    }
    if (!arguments.interactive)
        options.standardInput = QByteArray();
    std::unique_ptr<Process> process = sandbox->streamCode(code, options);
    co_return co_await runProgram(session, std::move(process), arguments.interactive);
}

} // namespace

Parsed<CodeArguments> parseCode(const QStringList &arguments)
{
    ArgumentParser parser(codeSyntax());
    parser.addValue({u"c"_s}, u"CODE"_s, Text::tr("The code itself."));
    parser.addValue({u"language"_s}, u"NAME"_s, Text::tr("Language of the code (python unless said)."));
    parser.addValue({u"timeout"_s}, u"SECONDS"_s, Text::tr("Kill the run after this time (exit code 124)."));
    parser.addValue({u"env"_s}, u"KEY=VALUE"_s, Text::tr("Environment variable; can be repeated."));
    parser.addFlag({u"i"_s, u"interactive"_s}, Text::tr("Pass standard input on to the code."));
    addSandboxChoice(parser);
    CodeArguments result;
    if (!parser.parse(arguments))
        return parser.finish(result);
    const bool inlineCode = parser.isSet(u"c"_s);
    parser.expectPositional(inlineCode ? 0 : 1, inlineCode ? 0 : 1);
    result.sandbox = readSandboxChoice(parser);
    if (inlineCode)
        result.code = parser.text(u"c"_s);
    else
        result.file = parser.positional().value(0);
    if (parser.isSet(u"language"_s))
        result.language = parser.text(u"language"_s);
    result.timeout = parser.seconds(u"timeout"_s);
    result.env = parser.pairs(u"env"_s);
    result.interactive = parser.isSet(u"interactive"_s);
    if (result.interactive && result.file == "-"_L1)
        parser.reject(Text::tr("Standard input cannot be both the code and the input of the code."),
                      Text::tr("Give the code as a file or with -c."));
    if (!parser.isSet(u"lifetime"_s))
        result.sandbox.create.options.timeout =
            lifetimeFor(result.sandbox.create.options.timeout, result.timeout);
    return parser.finish(result);
}

QCoro::Task<int> executeCode(Session &session, QStringList arguments)
{
    const Parsed<CodeArguments> parsed = parseCode(arguments);
    if (!parsed)
        co_return session.stop(parsed.error());
    const CodeArguments &run = *parsed;
    // Before anything is created: wrong code costs nothing.
    const QString code = co_await readCode(session, run);
    const auto body = [&session, run, code](const SandboxPtr &sandbox) {
        return runCodeIn(session, run, code, sandbox);
    };
    co_return co_await withSandbox(session, run.sandbox, body);
}

} // namespace Sandboxio::Cli
