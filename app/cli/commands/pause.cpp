// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "pause.h"

#include "../exitcode.h"
#include "../format.h"
#include "../json.h"
#include "../sandboxchoice.h"
#include "../translation.h"

#include <QJsonArray>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

CommandSyntax pauseSyntax()
{
    return {
        u"pause"_s,
        Text::tr("Freeze everything that runs in sandboxes, until `sandboxio resume`."),
        u"[options] ID..."_s,
        {u"pause 4f2a"_s, u"resume 4f2a"_s},
        Text::tr(
            "A paused sandbox uses no processor and keeps its memory. Its lifetime goes on, and ends it.\n")};
}

CommandSyntax resumeSyntax()
{
    return {u"resume"_s,
            Text::tr("Let everything in paused sandboxes go on where it stopped."),
            u"[options] ID..."_s,
            {u"resume 4f2a"_s},
            {}};
}

Parsed<PauseArguments> parse(const CommandSyntax &syntax, const QStringList &arguments)
{
    ArgumentParser parser(syntax);
    addTargets(parser);
    PauseArguments result;
    if (!parser.parse(arguments))
        return parser.finish(result);
    constexpr qsizetype many = 100000;
    parser.expectPositional(1, many);
    result.ids = parser.positional();
    result.targets = parser.targets(u"target"_s);
    return parser.finish(result);
}

QCoro::Task<QJsonObject> changeRow(Session &session, ManagedSandbox row, bool pause)
{
    QJsonObject entry{{u"id"_s, row.id}, {u"target"_s, row.target.identity()}, {u"error"_s, QJsonValue()}};
    try {
        const SandboxPtr sandbox =
            co_await session.interruptible(session.engine().connectTo(row.target, row.id));
        co_await session.interruptible(pause ? sandbox->pause() : sandbox->resume());
        const ManagedSandbox now = co_await session.interruptible(sandbox->info());
        entry.insert(u"state"_s, sandboxStateName(now.state));
    } catch (const SandboxError &error) {
        entry.insert(u"error"_s, errorJson(error.info()));
        session.console().warn(
            (pause ? Text::tr("%1 was not paused.") : Text::tr("%1 was not resumed.")).arg(row.id),
            error.info());
    }
    co_return entry;
}

QCoro::Task<int> change(Session &session, Parsed<PauseArguments> parsed, bool pause)
{
    if (!parsed)
        co_return session.stop(parsed.error());
    const QList<ManagedSandbox> rows = co_await findSandboxes(session, parsed->ids, parsed->targets);
    QJsonArray entries;
    bool failed = false;
    for (const ManagedSandbox &row : rows) {
        const QJsonObject entry = co_await changeRow(session, row, pause);
        failed = failed || !entry.value("error"_L1).isNull();
        entries.append(entry);
    }
    session.console().show({{u"sandboxes"_s, entries}}, renderPause);
    co_return failed ? ExitCode::engineFailure : ExitCode::success;
}

} // namespace

Parsed<PauseArguments> parsePause(const QStringList &arguments)
{
    return parse(pauseSyntax(), arguments);
}

Parsed<PauseArguments> parseResume(const QStringList &arguments)
{
    return parse(resumeSyntax(), arguments);
}

QString renderPause(const QJsonObject &payload, const Style &style)
{
    QString text;
    for (const QJsonValue value : payload.value("sandboxes"_L1).toArray()) {
        const QJsonObject entry = value.toObject();
        if (entry.value("error"_L1).isNull())
            text += entry.value("id"_L1).toString() + u' ' +
                    style.paint(entry.value("state"_L1).toString(), Tone::Good) + u'\n';
    }
    return text;
}

QCoro::Task<int> executePause(Session &session, QStringList arguments)
{
    co_return co_await change(session, parsePause(arguments), true);
}

QCoro::Task<int> executeResume(Session &session, QStringList arguments)
{
    co_return co_await change(session, parseResume(arguments), false);
}

} // namespace Sandboxio::Cli
