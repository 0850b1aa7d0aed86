// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "pause.h"

#include "../format.h"
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

QCoro::Task<> change(Session &session, ManagedSandbox row, bool pause, QJsonObject &entry)
{
    const SandboxPtr sandbox = co_await session.interruptible(session.engine().connectTo(row.target, row.id));
    co_await session.interruptible(pause ? sandbox->pause() : sandbox->resume());
    const ManagedSandbox now = co_await session.interruptible(sandbox->info());
    entry.insert(u"state"_s, sandboxStateName(now.state));
}

QCoro::Task<> pauseSandbox(Session &session, ManagedSandbox row, QJsonObject &entry)
{
    co_await change(session, row, true, entry);
}

QCoro::Task<> resumeSandbox(Session &session, ManagedSandbox row, QJsonObject &entry)
{
    co_await change(session, row, false, entry);
}

} // namespace

Parsed<SandboxNames> parsePause(const QStringList &arguments)
{
    return parseSandboxNames(pauseSyntax(), arguments);
}

Parsed<SandboxNames> parseResume(const QStringList &arguments)
{
    return parseSandboxNames(resumeSyntax(), arguments);
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
    co_return co_await forEachSandbox(session, parsePause(arguments), pauseSandbox,
                                      Text::tr("%1 was not paused."), renderPause);
}

QCoro::Task<int> executeResume(Session &session, QStringList arguments)
{
    co_return co_await forEachSandbox(session, parseResume(arguments), resumeSandbox,
                                      Text::tr("%1 was not resumed."), renderPause);
}

} // namespace Sandboxio::Cli
