// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "cappedbuffer_p.h"

#include <algorithm>

namespace Sandboxio::Detail {

CappedBuffer::CappedBuffer(qint64 limit)
    : m_headLimit(limit - limit / 2)
    , m_tailLimit(limit / 2)
{}

void CappedBuffer::append(const QByteArray &data)
{
    m_total += data.size();
    const qint64 toHead = std::min<qint64>(m_headLimit - m_head.size(), data.size());
    m_head.append(data.constData(), toHead);
    m_tail.append(data.constData() + toHead, data.size() - toHead);
    if (m_tail.size() > 2 * m_tailLimit)
        m_tail.remove(0, m_tail.size() - m_tailLimit);
}

QByteArray CappedBuffer::content() const
{
    return m_head + m_tail.last(std::min<qint64>(m_tail.size(), m_tailLimit));
}

bool CappedBuffer::isTruncated() const
{
    return m_total > m_headLimit + m_tailLimit;
}

} // namespace Sandboxio::Detail
