// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <expected>

#include <QByteArrayView>

#include <sandboxio/core/export.h>

#include "httpmessage.h"

namespace Sandboxio {

/// Decodes the head of an HTTP/1.1 reply from bytes that arrive in any pieces. Pure: no sockets, no globals;
/// one object is used by one thread at a time.
///
/// Strict: lines end in CRLF, header folding and control characters are refused, the whole head is at most
/// maximumSize.
///
/// @code
/// HttpHeadDecoder decoder;
/// auto consumed = decoder.feed(bytes);            // bytes behind *consumed belong to the body
/// if (consumed && decoder.isComplete())
///     HttpHead head = decoder.takeHead();
/// @endcode
class SANDBOXIO_CORE_EXPORT HttpHeadDecoder
{
public:
    static constexpr qsizetype maximumSize = 64 * 1024; ///< Bytes.

    /// Takes bytes up to the end of the head and returns how many were taken: all of them while the head is not
    /// complete, 0 once it is. Errors: Malformed, TooLarge; the decoder is of no use afterwards.
    std::expected<qsizetype, DecodeError> feed(QByteArrayView bytes);

    bool isComplete() const { return m_complete; }
    /// True when not a single byte has been taken.
    bool isEmpty() const { return m_buffer.isEmpty() && !m_complete; }
    /// The decoded head; resets the decoder for the next one. Only when isComplete().
    HttpHead takeHead();

private:
    QByteArray m_buffer;
    HttpHead m_head;
    bool m_complete = false;
};

/// Decodes header lines `name: value CRLF …` without the empty line at their end; used for heads and trailers.
/// Errors: Malformed.
SANDBOXIO_CORE_EXPORT std::expected<QHttpHeaders, DecodeError> decodeHeaderLines(QByteArrayView lines);

} // namespace Sandboxio
