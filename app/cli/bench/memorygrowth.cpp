// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "memorygrowth.h"

#include <QFile>

#include <algorithm>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

std::optional<qint64> statusBytes(const QString &process, const QByteArray &key)
{
    QFile file(process + u"/status"_s);
    if (!file.open(QIODevice::ReadOnly))
        return std::nullopt;
    for (const QByteArray &line : file.readAll().split('\n')) {
        if (line.startsWith(key))
            return line.simplified().split(' ').value(1).toLongLong() * 1024;
    }
    return std::nullopt;
}

bool forgetPeak(const QString &process)
{
    QFile file(process + u"/clear_refs"_s);
    return file.open(QIODevice::WriteOnly | QIODevice::ExistingOnly | QIODevice::Unbuffered) &&
           file.write("5") == 1;
}

} // namespace

MemoryGrowth::MemoryGrowth(const QString &process)
    : m_process(process)
{
    if (forgetPeak(process))
        m_before = statusBytes(process, "VmRSS:");
}

std::optional<qint64> MemoryGrowth::bytes() const
{
    const std::optional<qint64> peak = statusBytes(m_process, "VmHWM:");
    if (!m_before || !peak)
        return std::nullopt;
    return std::max<qint64>(0, *peak - *m_before);
}

} // namespace Sandboxio::Cli
