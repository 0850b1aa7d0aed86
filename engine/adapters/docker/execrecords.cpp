// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "execrecords.h"

#include <algorithm>
#include <utility>

namespace Sandboxio::Docker {

ExecRecords::ExecRecords(QByteArray prefix)
    : m_prefix(std::move(prefix) + ' ')
{}

// How many of the last bytes may be the beginning of a record.
qsizetype ExecRecords::heldSize(QByteArrayView bytes) const
{
    const qsizetype begin = bytes.lastIndexOf(m_prefix.front());
    if (begin < 0)
        return 0;
    const QByteArrayView tail = bytes.sliced(begin);
    return QByteArrayView(m_prefix).startsWith(tail) ? tail.size() : 0;
}

QList<ExecRecords::Piece> ExecRecords::feed(const QByteArray &bytes)
{
    QList<Piece> pieces;
    const auto addOutput = [&pieces](QByteArray output) {
        if (!output.isEmpty())
            pieces.append({.bytes = output, .isRecord = false, .size = output.size()});
    };
    QByteArray data = m_held.isEmpty() ? bytes : std::exchange(m_held, {}) + bytes;
    qsizetype searchFrom = 0;
    while (true) {
        const qsizetype begin = data.indexOf(m_prefix, searchFrom);
        if (begin < 0)
            break;
        const QByteArrayView text = QByteArrayView(data).sliced(begin + m_prefix.size());
        const qsizetype length = text.first(std::min(text.size(), longestText + 1)).indexOf('\n');
        if (length < 0 && text.size() <= longestText) { // the rest is to come
            addOutput(data.first(begin));
            m_held = data.sliced(begin);
            return pieces;
        }
        if (length < 0) { // no record after all
            searchFrom = begin + 1;
            continue;
        }
        addOutput(data.first(begin));
        pieces.append({text.first(length).toByteArray(), true, m_prefix.size() + length + 1});
        data = data.sliced(begin + m_prefix.size() + length + 1);
        searchFrom = 0;
    }
    const qsizetype held = heldSize(QByteArrayView(data).sliced(searchFrom));
    m_held = data.last(held);
    addOutput(held == 0 ? data : data.first(data.size() - held));
    return pieces;
}

} // namespace Sandboxio::Docker
