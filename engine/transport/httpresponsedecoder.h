// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <expected>

#include <QByteArrayView>

#include <sandboxio/core/export.h>

#include "chunkeddecoder.h"
#include "httpheaddecoder.h"

namespace Sandboxio {

/// Decodes a whole HTTP/1.1 reply, head and body, from bytes that arrive in any pieces. Pure.
///
/// Interim replies (1xx but 101) are skipped. The body's framing follows RFC 9112: none for HEAD, 204 and 304;
/// chunked; Content-Length; else until the peer closes. Refused: other transfer codings, Transfer-Encoding
/// together with Content-Length, contradicting lengths, a 101 that nobody asked for.
class SANDBOXIO_CORE_EXPORT HttpResponseDecoder
{
public:
    struct Step
    {
        enum class Kind {
            NeedMore, ///< All input was consumed.
            Head,     ///< head() is valid from now on.
            Body,     ///< @c body is payload.
            End,      ///< The reply is complete.
            Upgraded, ///< Status 101: every byte behind @c consumed belongs to the raw stream.
        };

        Kind kind = Kind::NeedMore;
        qsizetype consumed = 0;
        QByteArrayView body = {}; ///< A view into the input of decode().
    };

    /// @p method is the request's; @p upgradeRequested says whether a 101 is acceptable.
    explicit HttpResponseDecoder(QByteArrayView method, bool upgradeRequested = false);

    /// Decodes one step from the start of @p input; call again with the rest, also with an empty rest after
    /// Head (a reply without body ends with no further byte), until NeedMore, End or Upgraded. Errors:
    /// Malformed, TooLarge.
    std::expected<Step, DecodeError> decode(QByteArrayView input);

    /// The peer closed. Success where that completes the reply (a body without other framing, or already
    /// complete). Errors: Truncated.
    std::expected<void, DecodeError> finish();

    bool isComplete() const { return m_state == State::Complete; }
    /// True until the first byte of any reply, interim ones included, was taken.
    bool isUntouched() const { return m_untouched; }
    bool isUntilClose() const { return m_state == State::UntilClose; }
    const HttpHead &head() const { return m_head; }

private:
    enum class State { Head, NoBody, Length, Chunked, UntilClose, Upgraded, Complete };

    std::expected<Step, DecodeError> decodeHead(QByteArrayView input);
    std::expected<Step, DecodeError> decodeChunked(QByteArrayView input);
    Step decodeLength(QByteArrayView input);
    std::expected<State, DecodeError> framing();

    State m_state = State::Head;
    bool m_headMethod = false;
    bool m_upgradeRequested = false;
    bool m_untouched = true;
    int m_interimReplies = 0;
    qint64 m_remaining = 0;
    HttpHeadDecoder m_headDecoder;
    ChunkedDecoder m_chunked;
    HttpHead m_head;
};

} // namespace Sandboxio
