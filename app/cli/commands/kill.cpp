// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kill.h"

#include "../exitcode.h"
#include "../format.h"
#include "../json.h"
#include "../sandboxchoice.h"
#include "../translation.h"

#include <QJsonArray>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

CommandSyntax killSyntax()
{
    return {u"kill"_s,
            Text::tr("End sandboxes and remove everything that belongs to them, whoever created them."),
            u"[options] ID..."_s,
            {u"kill 4f2a"_s, u"kill $(sandboxio list --json --label task=42 | jq -r '.sandboxes[].id')"_s},
            {}};
}

} // namespace

Parsed<KillArguments> parseKill(const QStringList &arguments)
{
    ArgumentParser parser(killSyntax());
    addTargets(parser);
    KillArguments result;
    if (!parser.parse(arguments))
        return parser.finish(result);
    constexpr qsizetype many = 100000;
    parser.expectPositional(1, many);
    result.ids = parser.positional();
    result.targets = parser.targets(u"target"_s);
    return parser.finish(result);
}

QCoro::Task<QJsonObject> killRow(Session &session, ManagedSandbox row)
{
    QJsonObject entry{{u"id"_s, row.id},
                      {u"target"_s, row.target.identity()},
                      {u"removed"_s, false},
                      {u"error"_s, QJsonValue()}};
    try {
        const bool removed = co_await session.engine().killManaged(row.target, row.id);
        entry.insert(u"removed"_s, removed);
    } catch (const SandboxError &error) {
        entry.insert(u"error"_s, errorJson(error.info()));
        session.console().warn(Text::tr("%1 was not removed.").arg(row.id), error.info());
    }
    co_return entry;
}

QString renderKill(const QJsonObject &payload, const Style &style)
{
    QString text;
    for (const QJsonValue value : payload.value("sandboxes"_L1).toArray()) {
        const QJsonObject entry = value.toObject();
        if (!entry.value("error"_L1).isNull())
            continue;
        const bool removed = entry.value("removed"_L1).toBool();
        text += entry.value("id"_L1).toString() + u' ' +
                (removed ? style.paint(Text::tr("removed"), Tone::Good) : Text::tr("was gone already")) + u'\n';
    }
    return text;
}

QCoro::Task<int> executeKill(Session &session, QStringList arguments)
{
    const Parsed<KillArguments> parsed = parseKill(arguments);
    if (!parsed)
        co_return session.stop(parsed.error());
    const QList<ManagedSandbox> rows = co_await findSandboxes(session, parsed->ids, parsed->targets);
    QJsonArray entries;
    bool failed = false;
    for (const ManagedSandbox &row : rows) {
        if (session.interruption().signal())
            throw OperationCancelled();
        const QJsonObject entry = co_await killRow(session, row);
        failed = failed || !entry.value("error"_L1).isNull();
        entries.append(entry);
    }
    session.console().show({{u"sandboxes"_s, entries}}, renderKill);
    co_return failed ? ExitCode::engineFailure : ExitCode::success;
}

} // namespace Sandboxio::Cli
