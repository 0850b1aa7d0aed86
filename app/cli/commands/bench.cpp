// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench.h"

#include "../bench/benchmarks.h"
#include "../exitcode.h"
#include "../format.h"
#include "../translation.h"

#include <QJsonArray>
#include <QThread>

#include <algorithm>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto benchLifetime = 30min;
constexpr auto benchBackend = "docker"_L1; // whose tools are the peers

CommandSyntax benchSyntax()
{
    return {
        u"bench"_s,
        Text::tr("Measure sandboxes beside the tools of Docker, at the same daemon and by turns."),
        u"[options]"_s,
        {u"bench"_s, u"bench --only 'run true'"_s, u"bench --only upload --rounds 3 --json"_s},
        Text::tr(
            "A ratio is our median to the peer's, below 1 is faster; in brackets its 95 % bootstrap\n"
            "interval. Needs the docker command line; rows with another peer are skipped where it is missing.\n"
            "The rows: %1.\n")
            .arg(Benchmarks::names().join(u", "_s))};
}

QString figure(const QJsonValue &value, const QString &unit)
{
    if (value.isNull())
        return u"-"_s;
    const double number = value.toDouble();
    return (number < 1000 ? QString::number(number, 'g', 3) : QString::number(number, 'f', 0)) + u' ' + unit;
}

QString ratioText(const QJsonObject &row)
{
    if (row.value("ratio"_L1).isNull())
        return u"-"_s;
    return u"%1 [%2, %3]"_s.arg(row.value("ratio"_L1).toDouble(), 0, 'g', 3)
        .arg(row.value("ratioLow"_L1).toDouble(), 0, 'g', 3)
        .arg(row.value("ratioHigh"_L1).toDouble(), 0, 'g', 3);
}

void refuseOtherBackends(const Target &target)
{
    if (target.backend != benchBackend)
        makeError(ErrorKind::ConfigurationError,
                  Text::tr("There is nothing to measure '%1' beside.").arg(target.backend),
                  Text::tr("Use --target docker://."))
            .raise();
}

QCoro::Task<int> measureRows(Session &session, BenchArguments arguments, SandboxPtr sandbox)
{
    Benchmarks benchmarks(session, sandbox, arguments.create, arguments.rounds);
    QJsonArray rows;
    for (const QString &name : arguments.rows)
        rows.append((co_await benchmarks.measure(name)).toJson());
    session.console().show({{u"target"_s, sandbox->target().identity()}, {u"rows"_s, rows}}, renderBench);
    co_return ExitCode::success;
}

} // namespace

Parsed<BenchArguments> parseBench(const QStringList &arguments)
{
    ArgumentParser parser(benchSyntax());
    addCreateArguments(parser, u"lifetime"_s);
    parser.addValue({u"only"_s}, Text::tr("text"),
                    Text::tr("Only the rows whose name contains this; repeatable."));
    parser.addValue({u"rounds"_s}, Text::tr("count"), Text::tr("How often each row is measured."));
    BenchArguments result;
    if (!parser.parse(arguments))
        return parser.finish(result);
    parser.expectPositional(0, 0);
    result.create = readCreateArguments(parser, u"lifetime"_s);
    if (!parser.isSet(u"lifetime"_s))
        result.create.options.timeout = benchLifetime;
    if (!parser.isSet(u"cpu"_s)) // the peers have no cap, and what streams has two ends
        result.create.options.resources.cpu = std::min(2, QThread::idealThreadCount());
    result.rounds = parser.count(u"rounds"_s);
    const QStringList parts = parser.texts(u"only"_s);
    for (const QString &name : Benchmarks::names()) {
        const auto isIn = [&](const QString &part) {
            return name.contains(part, Qt::CaseInsensitive);
        };
        if (parts.isEmpty() || std::ranges::any_of(parts, isIn))
            result.rows.append(name);
    }
    if (result.rows.isEmpty())
        parser.reject(Text::tr("No row is called like that."),
                      Text::tr("The rows: %1.").arg(Benchmarks::names().join(u", "_s)));
    return parser.finish(result);
}

QString renderBench(const QJsonObject &payload, const Style &style)
{
    Table table({Text::tr("WHAT"), Text::tr("OURS"), Text::tr("PEER"), Text::tr("RATIO"), Text::tr("GOAL"),
                 Text::tr("ROUNDS"), Text::tr("BESIDE"), Text::tr("HOW")});
    for (const QJsonValue value : payload.value("rows"_L1).toArray()) {
        const QJsonObject row = value.toObject();
        const QString unit = row.value("unit"_L1).toString();
        const bool isSkipped = !row.value("skipped"_L1).isNull();
        const QString how = isSkipped ? Text::tr("skipped: %1").arg(row.value("skipped"_L1).toString())
                                      : row.value("how"_L1).toString();
        const Tone tone = isSkipped                              ? Tone::Faint
                          : row.value("goalReached"_L1).toBool() ? Tone::Good
                                                                 : Tone::Caution;
        table.addRow({{row.value("name"_L1).toString(), Tone::Strong},
                      {figure(row.value("ours"_L1), unit)},
                      {figure(row.value("peer"_L1), unit)},
                      {ratioText(row), tone},
                      {QString::number(row.value("goal"_L1).toDouble(), 'g', 3)},
                      {QString::number(row.value("rounds"_L1).toInt())},
                      {row.value("peerName"_L1).toString()},
                      {how, isSkipped ? Tone::Faint : Tone::Plain}});
    }
    return table.toText(style);
}

QCoro::Task<int> executeBench(Session &session, QStringList arguments)
{
    const Parsed<BenchArguments> parsed = parseBench(arguments);
    if (!parsed)
        co_return session.stop(parsed.error());
    const BenchArguments &wanted = *parsed;
    refuseOtherBackends(wanted.create.target.value_or(session.engine().defaultTarget()));
    const auto body = [&session, wanted](const SandboxPtr &sandbox) {
        return measureRows(session, wanted, sandbox);
    };
    co_return co_await withSandbox(session, {.id = {}, .create = wanted.create, .keep = false}, body);
}

} // namespace Sandboxio::Cli
