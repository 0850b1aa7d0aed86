// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kill.h"

#include "../format.h"
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

QCoro::Task<> removeSandbox(Session &session, ManagedSandbox row, QJsonObject &entry)
{
    entry.insert(u"removed"_s, false);
    const bool removed = co_await session.engine().killManaged(row.target, row.id);
    entry.insert(u"removed"_s, removed);
}

QString failure()
{
    return Text::tr("%1 was not removed.");
}

} // namespace

Parsed<SandboxNames> parseKill(const QStringList &arguments)
{
    return parseSandboxNames(killSyntax(), arguments);
}

QCoro::Task<QJsonObject> killRow(Session &session, ManagedSandbox row)
{
    co_return co_await sandboxEntry(session, row, removeSandbox, failure());
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
    co_return co_await forEachSandbox(session, parseKill(arguments), removeSandbox, failure(), renderKill);
}

} // namespace Sandboxio::Cli
