// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "stats.h"

#include "../format.h"
#include "../translation.h"

#include <QCoroTimer>

#include <QJsonArray>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

// The processors that are busy show between two samples only.
constexpr std::chrono::milliseconds betweenSamples(500);

CommandSyntax statsSyntax()
{
    return {
        u"stats"_s,
        Text::tr("Show what sandboxes use now, from two samples half a second apart. Changes nothing in them."),
        u"[options] ID..."_s,
        {u"stats 4f2a"_s, u"stats --json 4f2a | jq '.sandboxes[].memoryUsed'"_s},
        Text::tr("Counters run since the sandbox started. What the backend does not say is left out.\n"
                 "Several sandboxes are sampled one after the other, each for half a second.\n")};
}

QJsonValue optionalJson(const std::optional<qint64> &number)
{
    return number ? QJsonValue(*number) : QJsonValue();
}

void insertSample(QJsonObject &entry, const SandboxStats &before, const SandboxStats &now)
{
    const auto busy = processorsBusy(before, now);
    entry.insert(u"time"_s, now.time.toString(Qt::ISODateWithMs));
    entry.insert(u"processorsBusy"_s, busy ? QJsonValue(*busy) : QJsonValue());
    entry.insert(u"cpuTimeNs"_s, now.cpuTime ? QJsonValue(qint64(now.cpuTime->count())) : QJsonValue());
    entry.insert(u"memoryUsed"_s, optionalJson(now.memoryUsed));
    entry.insert(u"memoryLimit"_s, optionalJson(now.memoryLimit));
    entry.insert(u"processes"_s, optionalJson(now.processes));
    entry.insert(u"processLimit"_s, optionalJson(now.processLimit));
    entry.insert(u"networkReceived"_s, optionalJson(now.networkReceived));
    entry.insert(u"networkSent"_s, optionalJson(now.networkSent));
    entry.insert(u"blockRead"_s, optionalJson(now.blockRead));
    entry.insert(u"blockWritten"_s, optionalJson(now.blockWritten));
}

QCoro::Task<> sampleSandbox(Session &session, ManagedSandbox row, QJsonObject &entry)
{
    const SandboxPtr sandbox = co_await session.interruptible(session.engine().connectTo(row.target, row.id));
    const SandboxStats before = co_await session.interruptible(sandbox->stats());
    co_await QCoro::sleepFor(betweenSamples);
    const SandboxStats now = co_await session.interruptible(sandbox->stats());
    insertSample(entry, before, now);
}

QString bytesText(const QJsonValue &value)
{
    return value.isDouble() ? formatBytes(value.toDouble()) : u"-"_s;
}

QString numberText(const QJsonValue &value)
{
    return value.isDouble() ? QString::number(value.toInteger()) : u"-"_s;
}

QString pairText(const QString &first, const QString &second)
{
    return first + u" / "_s + second;
}

QString busyText(const QJsonValue &value)
{
    return value.isDouble() ? QString::number(100 * value.toDouble(), 'f', 1) + u" %"_s : u"-"_s;
}

} // namespace

Parsed<SandboxNames> parseStats(const QStringList &arguments)
{
    return parseSandboxNames(statsSyntax(), arguments);
}

QString renderStats(const QJsonObject &payload, const Style &style)
{
    Table table({Text::tr("ID"), Text::tr("CPU"), Text::tr("MEMORY"), Text::tr("PROCESSES"),
                 Text::tr("NETWORK IN / OUT"), Text::tr("DISK READ / WRITTEN")});
    bool isEmpty = true;
    for (const QJsonValue value : payload.value("sandboxes"_L1).toArray()) {
        const QJsonObject entry = value.toObject();
        if (!entry.value("error"_L1).isNull())
            continue;
        isEmpty = false;
        table.addRow(
            {{shortId(entry.value("id"_L1).toString())},
             {busyText(entry.value("processorsBusy"_L1))},
             {pairText(bytesText(entry.value("memoryUsed"_L1)), bytesText(entry.value("memoryLimit"_L1)))},
             {pairText(numberText(entry.value("processes"_L1)), numberText(entry.value("processLimit"_L1)))},
             {pairText(bytesText(entry.value("networkReceived"_L1)), bytesText(entry.value("networkSent"_L1)))},
             {pairText(bytesText(entry.value("blockRead"_L1)), bytesText(entry.value("blockWritten"_L1)))}});
    }
    return isEmpty ? QString() : table.toText(style);
}

QCoro::Task<int> executeStats(Session &session, QStringList arguments)
{
    co_return co_await forEachSandbox(session, parseStats(arguments), sampleSandbox,
                                      Text::tr("%1 was not sampled."), renderStats);
}

} // namespace Sandboxio::Cli
