// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <expected>

#include <QByteArray>
#include <QByteArrayView>
#include <QHttpHeaders>

#include <sandboxio/core/export.h>

#include "transporterror.h"

namespace Sandboxio {

/// One step of a body decoder: @c consumed bytes of the input were used and @c body, a view into that input, is
/// payload.
struct BodyStep
{
    enum class Kind {
        NeedMore, ///< All input was consumed and the body goes on.
        Body,     ///< @c body holds payload, at least one byte.
        End,      ///< The body is complete; bytes behind @c consumed belong to somebody else.
    };

    Kind kind = Kind::NeedMore;
    qsizetype consumed = 0;
    QByteArrayView body = {};
};

/// Decodes the chunked transfer coding from bytes that arrive in any pieces. Pure. Extensions are skipped,
/// trailers are kept. Limits: a chunk's size line maximumLineLength, all trailers HttpHeadDecoder::maximumSize.
///
/// @code
/// while (!input.isEmpty()) {
///     auto step = decoder.decode(input);
///     if (!step) return step.error();
///     use(step->body);
///     input = input.sliced(step->consumed);
/// }
/// @endcode
class SANDBOXIO_CORE_EXPORT ChunkedDecoder
{
public:
    static constexpr qsizetype maximumLineLength = 4096; ///< Bytes, extensions included.

    /// Decodes one step from the start of @p input; call again with the rest. Errors: Malformed, TooLarge; the
    /// decoder is of no use afterwards.
    std::expected<BodyStep, DecodeError> decode(QByteArrayView input);

    bool isComplete() const { return m_state == State::Complete; }
    const QHttpHeaders &trailers() const { return m_trailers; }

private:
    enum class State { SizeLine, Data, DataEnd, Trailers, Complete };

    std::expected<bool, DecodeError> takeLine(QByteArrayView input, qsizetype limit, qsizetype &consumed);
    std::expected<bool, DecodeError> takeSizeLine(QByteArrayView input, qsizetype &consumed);
    std::expected<bool, DecodeError> takeDataEnd(QByteArrayView input, qsizetype &consumed);
    std::expected<bool, DecodeError> takeTrailerLine(QByteArrayView input, qsizetype &consumed);

    State m_state = State::SizeLine;
    qint64 m_remaining = 0;
    QByteArray m_line;
    QByteArray m_trailerLines;
    QHttpHeaders m_trailers;
};

} // namespace Sandboxio
