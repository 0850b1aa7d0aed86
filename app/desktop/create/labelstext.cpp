// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "labelstext.h"

#include <QCoreApplication>
#include <QStringList>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

std::variant<QMap<QString, QString>, QString> parseLabels(const QString &text)
{
    QMap<QString, QString> labels;
    const QStringList lines = text.split(u'\n');
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QString line = lines[i].trimmed();
        if (line.isEmpty())
            continue;
        const qsizetype equals = line.indexOf(u'=');
        const QString name = line.first(std::max<qsizetype>(equals, 0)).trimmed();
        if (name.isEmpty())
            return QCoreApplication::translate("Sandboxio::Desktop", "Line %1 of the labels is not name=value.")
                .arg(i + 1);
        if (labels.contains(name))
            return QCoreApplication::translate("Sandboxio::Desktop", "The label %1 is there twice.").arg(name);
        labels.insert(name, line.sliced(equals + 1).trimmed());
    }
    return labels;
}

} // namespace Sandboxio::Desktop
