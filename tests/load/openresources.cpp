// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "openresources.h"

#include <QDir>
#include <QFileInfo>

namespace Sandboxio::Load {

using namespace Qt::StringLiterals;

namespace {

QStringList entries(const QString &folder)
{
    return QDir(folder).entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot);
}

} // namespace

qsizetype threadCount()
{
    return entries(u"/proc/self/task"_s).size();
}

QStringList openDescriptors()
{
    QStringList open;
    for (const QString &number : entries(u"/proc/self/fd"_s)) {
        const QString target = QFileInfo(u"/proc/self/fd/"_s + number).readSymLink(); // not made a path
        if (!target.isEmpty() && !target.endsWith(u"/fd"_s)) // the folder that is being read is none of ours
            open.append(target.contains(u":["_s) ? target.section(u':', 0, 0) : target);
    }
    open.sort();
    return open;
}

} // namespace Sandboxio::Load
