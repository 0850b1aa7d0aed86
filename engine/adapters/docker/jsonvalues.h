// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QJsonArray>
#include <QJsonValue>
#include <QStringList>

#include <optional>

namespace Sandboxio::Docker {

/*! The strings of a JSON array; empty for anything else. */
inline QStringList stringList(const QJsonValue &value)
{
    QStringList list;
    const QJsonArray array = value.toArray();
    for (const QJsonValue entry : array)
        list.append(entry.toString());
    return list;
}

/*! A whole number above 0; the daemon and our labels write 0, -1 or nothing for "none". */
inline std::optional<qint64> positiveNumber(const QJsonValue &value)
{
    const qint64 number = value.toInteger(0);
    return number > 0 ? std::optional(number) : std::nullopt;
}

} // namespace Sandboxio::Docker
