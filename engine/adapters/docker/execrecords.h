// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QByteArray>
#include <QList>

namespace Sandboxio::Docker {

/*! Takes the records of our own out of what comes on a stream: a prefix that nobody else knows, a space, a text,
    a line break, anywhere in the bytes. Pure and incremental; holds back no more than the longest record. */
class ExecRecords
{
public:
    explicit ExecRecords(QByteArray prefix);

    /*! One piece of the stream: output of the program, or the text of a record. */
    struct Piece
    {
        QByteArray bytes;
        bool isRecord = false;
        qsizetype size = 0; //!< in the stream
        bool operator==(const Piece &) const = default;
    };
    /*! The pieces that \a bytes completes; none is empty. */
    QList<Piece> feed(const QByteArray &bytes);
    /*! What was held back when the stream ends: it was no record. */
    QByteArray takeRest() { return std::exchange(m_held, {}); }

private:
    static constexpr qsizetype longestText = 64;
    qsizetype heldSize(QByteArrayView bytes) const;

    const QByteArray m_prefix; //!< with the space
    QByteArray m_held;
};

} // namespace Sandboxio::Docker
