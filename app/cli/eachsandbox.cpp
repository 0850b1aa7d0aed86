// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "eachsandbox.h"

#include "exitcode.h"
#include "json.h"
#include "sandboxchoice.h"

#include <QJsonArray>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

Parsed<SandboxNames> parseSandboxNames(const CommandSyntax &syntax, const QStringList &arguments)
{
    ArgumentParser parser(syntax);
    addTargets(parser);
    SandboxNames result;
    if (!parser.parse(arguments))
        return parser.finish(result);
    constexpr qsizetype many = 100000;
    parser.expectPositional(1, many);
    result.ids = parser.positional();
    result.targets = parser.targets(u"target"_s);
    return parser.finish(result);
}

QCoro::Task<QJsonObject> sandboxEntry(Session &session, ManagedSandbox row, SandboxAction act, QString failure)
{
    QJsonObject entry{{u"id"_s, row.id}, {u"target"_s, row.target.identity()}, {u"error"_s, QJsonValue()}};
    try {
        co_await act(session, row, entry);
    } catch (const SandboxError &error) {
        entry.insert(u"error"_s, errorJson(error.info()));
        session.console().warn(failure.arg(row.id), error.info());
    }
    co_return entry;
}

QCoro::Task<int> forEachSandbox(Session &session, Parsed<SandboxNames> names, SandboxAction act,
                                QString failure,
                                QString (*render)(const QJsonObject &payload, const Style &style))
{
    if (!names)
        co_return session.stop(names.error());
    const QList<ManagedSandbox> rows = co_await findSandboxes(session, names->ids, names->targets);
    QJsonArray entries;
    bool failed = false;
    for (const ManagedSandbox &row : rows) {
        if (session.interruption().signal())
            throw OperationCancelled();
        const QJsonObject entry = co_await sandboxEntry(session, row, act, failure);
        failed = failed || !entry.value("error"_L1).isNull();
        entries.append(entry);
    }
    session.console().show({{u"sandboxes"_s, entries}}, render);
    co_return failed ? ExitCode::engineFailure : ExitCode::success;
}

} // namespace Sandboxio::Cli
