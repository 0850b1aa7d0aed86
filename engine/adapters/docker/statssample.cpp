// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "statssample.h"

#include <QJsonArray>

#include <algorithm>
#include <limits>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

/*! "No limit" is written as the largest number of 64 bits without a sign, which is none of ours. */
std::optional<qint64> count(const QJsonValue &value)
{
    const qint64 number = value.toInteger(-1);
    return number >= 0 ? std::optional(number) : std::nullopt;
}

void add(std::optional<qint64> &sum, std::optional<qint64> number)
{
    if (number && sum.value_or(0) <= std::numeric_limits<qint64>::max() - *number)
        sum = sum.value_or(0) + *number;
}

// As the docker command counts: without the file cache that nobody has touched for a while.
void readMemory(const QJsonObject &memory, SandboxStats &stats)
{
    stats.memoryLimit = count(memory.value("limit"_L1));
    const std::optional<qint64> usage = count(memory.value("usage"_L1));
    if (!usage)
        return;
    const QJsonObject details = memory.value("stats"_L1).toObject();
    const auto firstVersion = count(details.value("total_inactive_file"_L1));
    const qint64 cache = firstVersion ? *firstVersion : count(details.value("inactive_file"_L1)).value_or(0);
    stats.memoryUsed = cache < *usage ? *usage - cache : *usage;
}

void readNetworks(const QJsonObject &networks, SandboxStats &stats)
{
    for (const QJsonValue network : networks) {
        add(stats.networkReceived, count(network["rx_bytes"_L1]));
        add(stats.networkSent, count(network["tx_bytes"_L1]));
    }
}

void readBlocks(const QJsonArray &entries, SandboxStats &stats)
{
    for (const QJsonValue entry : entries) {
        const QString operation = entry["op"_L1].toString();
        if (operation.compare("read"_L1, Qt::CaseInsensitive) == 0)
            add(stats.blockRead, count(entry["value"_L1]));
        else if (operation.compare("write"_L1, Qt::CaseInsensitive) == 0)
            add(stats.blockWritten, count(entry["value"_L1]));
    }
}

} // namespace

std::optional<SandboxStats> statsSample(const QJsonObject &answer)
{
    SandboxStats stats;
    stats.time = QDateTime::fromString(answer.value("read"_L1).toString(), Qt::ISODateWithMs).toUTC();
    if (!stats.time.isValid() || stats.time.date().year() <= 1)
        return std::nullopt;
    if (const auto cpu = count(answer["cpu_stats"_L1]["cpu_usage"_L1]["total_usage"_L1]))
        stats.cpuTime = std::chrono::nanoseconds(*cpu);
    stats.processes = count(answer["pids_stats"_L1]["current"_L1]);
    if (const auto limit = count(answer["pids_stats"_L1]["limit"_L1]); limit.value_or(0) > 0)
        stats.processLimit = limit;
    readMemory(answer.value("memory_stats"_L1).toObject(), stats);
    readNetworks(answer.value("networks"_L1).toObject(), stats);
    readBlocks(answer["blkio_stats"_L1]["io_service_bytes_recursive"_L1].toArray(), stats);
    return stats;
}

} // namespace Sandboxio::Docker
