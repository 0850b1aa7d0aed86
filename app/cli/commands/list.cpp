// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "list.h"

#include "../exitcode.h"
#include "../format.h"
#include "../json.h"
#include "../translation.h"

#include <QJsonArray>

#include <algorithm>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

CommandSyntax listSyntax()
{
    return {
        u"list"_s,
        Text::tr("List the managed sandboxes of all targets."),
        u"[options]"_s,
        {u"list"_s, u"list --label task=42"_s, u"list --json | jq -r '.sandboxes[].id'"_s},
        Text::tr(
            "A target that does not answer is reported on standard error; the exit code is 0 when at least\n"
            "one answered, else 125.\n")};
}

Tone stateTone(const QString &state)
{
    if (state == "running"_L1)
        return Tone::Good;
    return state == "failed"_L1 ? Tone::Bad : Tone::Caution;
}

QString durationOrNothing(const QJsonValue &milliseconds)
{
    return milliseconds.isNull() ? u"-"_s : formatDuration(milliseconds.toDouble());
}

QString timeLeftText(const QJsonValue &milliseconds)
{
    return !milliseconds.isNull() && milliseconds.toDouble() <= 0 ? Text::tr("over")
                                                                  : durationOrNothing(milliseconds);
}

QString ownerText(const QJsonObject &owner)
{
    if (owner.value("foreign"_L1).toBool())
        return Text::tr("another program");
    const QString user = owner.value("user"_L1).toString();
    const QJsonValue pid = owner.value("pid"_L1);
    return pid.isNull() ? user : Text::tr("%1, process %2").arg(user).arg(pid.toInteger());
}

QString labelsText(const QJsonObject &labels)
{
    QStringList pairs;
    for (auto label = labels.begin(); label != labels.end(); ++label)
        pairs.append(label.key() + u'=' + label.value().toString());
    return pairs.join(u' ');
}

} // namespace

Parsed<ListArguments> parseList(const QStringList &arguments)
{
    ArgumentParser parser(listSyntax());
    addTargets(parser);
    parser.addValue({u"label"_s}, u"KEY=VALUE"_s, Text::tr("Only sandboxes with this label; can be repeated."));
    ListArguments result;
    if (!parser.parse(arguments))
        return parser.finish(result);
    parser.expectPositional(0, 0);
    result.targets = parser.targets(u"target"_s);
    result.labels = parser.pairs(u"label"_s);
    return parser.finish(result);
}

QJsonObject listPayload(const ManagedListing &listing, const QDateTime &now)
{
    QJsonArray sandboxes;
    for (const ManagedSandbox &row : listing.rows())
        sandboxes.append(managedJson(row, now));
    QJsonArray targets;
    for (const TargetListing &target : listing.targets) {
        targets.append(
            QJsonObject{{u"target"_s, target.target.identity()},
                        {u"answered"_s, !target.error},
                        {u"error"_s, target.error ? QJsonValue(errorJson(*target.error)) : QJsonValue()}});
    }
    return {{u"sandboxes"_s, sandboxes}, {u"targets"_s, targets}};
}

QString renderList(const QJsonObject &payload, const Style &style)
{
    Table table({Text::tr("ID"), Text::tr("STATE"), Text::tr("BACKEND"), Text::tr("TIER"), Text::tr("TEMPLATE"),
                 Text::tr("AGE"), Text::tr("LEFT"), Text::tr("OWNER"), Text::tr("LABELS")});
    const QJsonArray sandboxes = payload.value("sandboxes"_L1).toArray();
    for (const QJsonValue value : sandboxes) {
        const QJsonObject row = value.toObject();
        const QString state = row.value("state"_L1).toString();
        table.addRow({{shortId(row.value("id"_L1).toString())},
                      {state, stateTone(state)},
                      {row.value("backend"_L1).toString()},
                      {row.value("tier"_L1).toString()},
                      {row.value("template"_L1).toString()},
                      {durationOrNothing(row.value("ageMs"_L1))},
                      {timeLeftText(row.value("timeLeftMs"_L1))},
                      {ownerText(row.value("owner"_L1).toObject())},
                      {labelsText(row.value("labels"_L1).toObject()), Tone::Faint}});
    }
    return table.toText(style);
}

int reportTargets(Session &session, const ManagedListing &listing)
{
    for (const TargetListing &target : listing.targets) {
        if (target.error)
            session.console().warn(Text::tr("%1 did not answer.").arg(target.target.identity()), *target.error);
    }
    const bool answered =
        listing.targets.isEmpty() ||
        std::ranges::any_of(listing.targets, [](const TargetListing &target) { return !target.error; });
    return answered ? ExitCode::success : ExitCode::engineFailure;
}

QCoro::Task<int> executeList(Session &session, QStringList arguments)
{
    const Parsed<ListArguments> parsed = parseList(arguments);
    if (!parsed)
        co_return session.stop(parsed.error());
    ListOptions options;
    options.targets = parsed->targets;
    options.metadata = parsed->labels;
    const ManagedListing listing = co_await session.interruptible(session.engine().listManaged(options));
    session.console().show(listPayload(listing, QDateTime::currentDateTimeUtc()), renderList);
    co_return reportTargets(session, listing);
}

} // namespace Sandboxio::Cli
