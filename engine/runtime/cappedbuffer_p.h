// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QByteArray>

namespace Sandboxio::Detail {

/*! Keeps the first and the last half of a limit of what is appended and counts the rest. */
class CappedBuffer
{
public:
    explicit CappedBuffer(qint64 limit);
    void append(const QByteArray &data);
    /*! Head and tail joined. */
    QByteArray content() const;
    qint64 total() const { return m_total; }
    bool isTruncated() const;

private:
    qint64 m_headLimit;
    qint64 m_tailLimit;
    QByteArray m_head;
    QByteArray m_tail; // grows to twice its limit, then is cut
    qint64 m_total = 0;
};

} // namespace Sandboxio::Detail
