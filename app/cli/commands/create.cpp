// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "create.h"

#include "../exitcode.h"
#include "../json.h"
#include "../translation.h"

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

CommandSyntax createSyntax()
{
    return {u"create"_s,
            Text::tr("Create a sandbox that stays until its lifetime ends, and print its id."),
            u"[options]"_s,
            {u"create"_s, u"create --image debian:13 --timeout 3600 --label task=42"_s,
             u"create --network open --memory 2g --require-isolation gvisor"_s, u"kill $(sandboxio create)"_s},
            {}};
}

} // namespace

Parsed<CreateArguments> parseCreate(const QStringList &arguments)
{
    ArgumentParser parser(createSyntax());
    addCreateArguments(parser, u"timeout"_s);
    CreateArguments result;
    if (!parser.parse(arguments))
        return parser.finish(result);
    parser.expectPositional(0, 0);
    result = readCreateArguments(parser, u"timeout"_s);
    return parser.finish(result);
}

QCoro::Task<int> executeCreate(Session &session, QStringList arguments)
{
    const Parsed<CreateArguments> parsed = parseCreate(arguments);
    if (!parsed)
        co_return session.stop(parsed.error());
    session.setKeepsSandboxes();
    const SandboxPtr sandbox = co_await createSandbox(session, *parsed);
    session.console().show(
        detailsJson(sandbox->details(), QDateTime::currentDateTimeUtc()),
        [](const QJsonObject &payload, const Style &) { return payload.value("id"_L1).toString() + u'\n'; });
    co_return ExitCode::success;
}

} // namespace Sandboxio::Cli
