// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "doctor.h"

#include "../exitcode.h"
#include "../translation.h"

#include <sandboxio/core/path.h>

#include <QJsonArray>

#include <algorithm>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

CommandSyntax doctorSyntax()
{
    return {u"doctor"_s,
            Text::tr("See what is installed and whether it can be used. Costs nothing and creates nothing."),
            u"[options]"_s,
            {u"doctor"_s, u"doctor --json | jq '.targets[] | select(.usable)'"_s},
            Text::tr("Exit codes: 0 when the targets asked for can be used (without --target: the default "
                     "one), else 1.\n")};
}

QString renderLine(const QJsonObject &line, const Style &style)
{
    const QString status = line.value("status"_L1).toString();
    QString mark = style.paint(Text::tr("good"), Tone::Good);
    if (status == "warning"_L1)
        mark = style.paint(Text::tr("look"), Tone::Caution);
    else if (status == "failed"_L1)
        mark = style.paint(Text::tr("FAIL"), Tone::Bad);
    QString text = u"  "_s + mark + u"  "_s + displayPath(line.value("subject"_L1).toString()) + u": "_s +
                   displayPath(line.value("finding"_L1).toString()) + u'\n';
    if (line.contains("fix"_L1))
        text += u"        "_s + Text::tr("Fix: %1").arg(line.value("fix"_L1).toString()) + u'\n';
    return text;
}

QString renderLines(const QJsonValue &lines, const Style &style)
{
    QString text;
    for (const QJsonValue line : lines.toArray())
        text += renderLine(line.toObject(), style);
    return text;
}

} // namespace

Parsed<QList<Target>> parseDoctor(const QStringList &arguments)
{
    ArgumentParser parser(doctorSyntax());
    addTargets(parser);
    if (!parser.parse(arguments))
        return parser.finish(QList<Target>());
    parser.expectPositional(0, 0);
    return parser.finish(parser.targets(u"target"_s));
}

QString renderDoctor(const QJsonObject &payload, const Style &style)
{
    QString text =
        style.paint(Text::tr("Engine"), Tone::Strong) + u'\n' + renderLines(payload.value("engine"_L1), style);
    for (const QJsonValue value : payload.value("targets"_L1).toArray()) {
        const QJsonObject target = value.toObject();
        text += u'\n' + style.paint(target.value("target"_L1).toString(), Tone::Strong) + u"  "_s +
                target.value("title"_L1).toString() + u' ' + target.value("version"_L1).toString() + u'\n' +
                renderLines(target.value("lines"_L1), style);
        const QStringList variables = target.value("credentialVariables"_L1).toVariant().toStringList();
        if (!variables.isEmpty())
            text += u"  "_s + Text::tr("Reads the variables %1.").arg(variables.join(u", "_s)) + u'\n';
    }
    return text;
}

bool areUsable(const DoctorReport &report, const QList<Target> &wanted)
{
    return std::ranges::all_of(wanted, [&](const Target &target) {
        return std::ranges::any_of(report.targets, [&](const TargetReport &candidate) {
            return candidate.target.identity() == target.identity() && candidate.isUsable();
        });
    });
}

QCoro::Task<int> executeDoctor(Session &session, QStringList arguments)
{
    const Parsed<QList<Target>> parsed = parseDoctor(arguments);
    if (!parsed)
        co_return session.stop(parsed.error());
    Engine &engine = session.engine();
    const DoctorReport report = co_await session.interruptible(engine.doctor(*parsed));
    session.console().show(report.toJson(), renderDoctor);
    const QList<Target> wanted = parsed->isEmpty() ? QList{engine.defaultTarget()} : *parsed;
    co_return areUsable(report, wanted) ? ExitCode::success : ExitCode::negative;
}

} // namespace Sandboxio::Cli
