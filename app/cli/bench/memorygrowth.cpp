// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "memorygrowth.h"

#include <QFile>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

qint64 statusBytes(const QByteArray &key)
{
    QFile file(u"/proc/self/status"_s);
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    for (const QByteArray &line : file.readAll().split('\n')) {
        if (line.startsWith(key))
            return line.simplified().split(' ').value(1).toLongLong() * 1024;
    }
    return 0;
}

} // namespace

MemoryGrowth::MemoryGrowth()
    : m_before(statusBytes("VmRSS:"))
{
    QFile file(u"/proc/self/clear_refs"_s);
    if (file.open(QIODevice::WriteOnly))
        file.write("5"); // forgets the peak
}

qint64 MemoryGrowth::bytes() const
{
    return qMax<qint64>(0, statusBytes("VmHWM:") - m_before);
}

} // namespace Sandboxio::Cli
