// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "linesplitter.h"

#include <utility>

using namespace Qt::StringLiterals;

namespace Sandboxio {

LineSplitter::LineSplitter(qsizetype maximumLineLength)
    : m_maximumLineLength(maximumLineLength)
{}

void LineSplitter::feed(QByteArrayView bytes)
{
    if (m_start > 0) {
        m_buffer.remove(0, m_start);
        m_searched -= m_start;
        m_start = 0;
    }
    m_buffer.append(bytes);
}

std::expected<std::optional<QByteArray>, DecodeError> LineSplitter::next()
{
    const qsizetype end = m_buffer.indexOf('\n', m_searched);
    const QByteArrayView line =
        QByteArrayView(m_buffer).sliced(m_start, (end < 0 ? m_buffer.size() : end) - m_start);
    const QByteArrayView text = line.endsWith('\r') ? line.chopped(1) : line;
    if (text.size() > m_maximumLineLength) {
        m_searched = m_start;
        return std::unexpected(DecodeError{DecodeError::Kind::TooLarge, u"A line is too long."_s});
    }
    if (end < 0) {
        m_searched = m_buffer.size();
        return std::nullopt;
    }
    m_start = end + 1;
    m_searched = m_start;
    return text.toByteArray();
}

std::optional<QByteArray> LineSplitter::takeRest()
{
    QByteArray rest = m_buffer.sliced(m_start);
    m_buffer.clear();
    m_start = 0;
    m_searched = 0;
    if (rest.isEmpty())
        return std::nullopt;
    return rest;
}

} // namespace Sandboxio
