// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "processmemory.h"

#include <QFile>

namespace Sandboxio {

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

qint64 residentMemory()
{
    return statusBytes("VmRSS:");
}

qint64 peakMemory()
{
    return statusBytes("VmHWM:");
}

bool forgetPeakMemory()
{
    QFile file(u"/proc/self/clear_refs"_s);
    return file.open(QIODevice::WriteOnly) && file.write("5") == 1;
}

} // namespace Sandboxio
