// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <QByteArray>
#include <QList>

namespace Sandboxio {

/// The ways in which a test feeds @p bytes: whole, every two pieces, every three pieces (inputs up to 80
/// bytes), and one byte at a time.
inline QList<QList<QByteArray>> everySplit(const QByteArray &bytes)
{
    constexpr qsizetype longestForThreePieces = 80;
    QList<QList<QByteArray>> splits{{bytes}};
    for (qsizetype first = 0; first <= bytes.size(); ++first) {
        splits.append({bytes.first(first), bytes.sliced(first)});
        for (qsizetype second = first; bytes.size() <= longestForThreePieces && second <= bytes.size();
             ++second)
            splits.append({bytes.first(first), bytes.sliced(first, second - first), bytes.sliced(second)});
    }
    QList<QByteArray> singles;
    for (const char byte : bytes)
        singles.append(QByteArray(1, byte));
    splits.append(singles);
    return splits;
}

} // namespace Sandboxio
