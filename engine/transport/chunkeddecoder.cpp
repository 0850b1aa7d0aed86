// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "chunkeddecoder.h"
#include "httpsyntax_p.h"

#include <algorithm>

#include "httpheaddecoder.h"

using namespace Qt::StringLiterals;

namespace Sandboxio {

namespace {

int hexDigit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/// The size at the start of a chunk's first line; what follows must be an extension.
std::expected<qint64, DecodeError> decodeChunkSize(QByteArrayView line)
{
    constexpr qsizetype maximumDigits = 15; // 60 bits never overflow
    qint64 size = 0;
    qsizetype digits = 0;
    while (digits < line.size() && hexDigit(line[digits]) >= 0) {
        if (digits == maximumDigits)
            return malformed(u"The size of a chunk is too big a number."_s);
        size = size * 16 + hexDigit(line[digits]);
        ++digits;
    }
    if (digits == 0)
        return malformed(u"A chunk does not start with its size."_s);
    const QByteArrayView extension = line.sliced(digits).trimmed();
    if (!extension.isEmpty() && extension.front() != ';')
        return malformed(u"The size of a chunk is followed by something else than an extension."_s);
    return size;
}

} // namespace

std::expected<BodyStep, DecodeError> ChunkedDecoder::decode(QByteArrayView input)
{
    qsizetype consumed = 0;
    while (m_state != State::Complete) {
        const QByteArrayView rest = input.sliced(consumed);
        std::expected<bool, DecodeError> progress = true;
        switch (m_state) {
        case State::SizeLine:
            progress = takeSizeLine(rest, consumed);
            break;
        case State::Data: {
            if (rest.isEmpty())
                return BodyStep{BodyStep::Kind::NeedMore, consumed, {}};
            const auto size = static_cast<qsizetype>(std::min<qint64>(rest.size(), m_remaining));
            m_remaining -= size;
            if (m_remaining == 0)
                m_state = State::DataEnd;
            return BodyStep{BodyStep::Kind::Body, consumed + size, rest.first(size)};
        }
        case State::DataEnd:
            progress = takeDataEnd(rest, consumed);
            break;
        case State::Trailers:
            progress = takeTrailerLine(rest, consumed);
            break;
        case State::Complete:
            break;
        }
        if (!progress)
            return std::unexpected(progress.error());
        if (!*progress)
            return BodyStep{BodyStep::Kind::NeedMore, consumed, {}};
    }
    return BodyStep{BodyStep::Kind::End, consumed, {}};
}

/// Moves bytes into m_line up to CRLF and says whether the line is whole; m_line is then without the CRLF.
std::expected<bool, DecodeError> ChunkedDecoder::takeLine(QByteArrayView input, qsizetype limit,
                                                          qsizetype &consumed)
{
    const qsizetype end = input.indexOf('\n');
    const QByteArrayView part = end < 0 ? input : input.first(end);
    if (m_line.size() + part.size() > limit + 1)
        return std::unexpected(
            DecodeError{DecodeError::Kind::TooLarge, u"A line of the chunked body is too long."_s});
    m_line.append(part);
    consumed += part.size() + (end < 0 ? 0 : 1);
    if (end < 0)
        return false;
    if (!m_line.endsWith('\r'))
        return malformed(u"A line of the chunked body does not end in CRLF."_s);
    m_line.chop(1);
    return true;
}

std::expected<bool, DecodeError> ChunkedDecoder::takeSizeLine(QByteArrayView input, qsizetype &consumed)
{
    const auto whole = takeLine(input, maximumLineLength, consumed);
    if (!whole || !*whole)
        return whole;
    const auto size = decodeChunkSize(m_line);
    if (!size)
        return std::unexpected(size.error());
    m_line.resize(0);
    m_remaining = *size;
    m_state = *size == 0 ? State::Trailers : State::Data;
    return true;
}

std::expected<bool, DecodeError> ChunkedDecoder::takeDataEnd(QByteArrayView input, qsizetype &consumed)
{
    constexpr QByteArrayView terminator = "\r\n";
    const qsizetype size = std::min(terminator.size() - m_line.size(), input.size());
    if (terminator.sliced(m_line.size(), size) != input.first(size))
        return malformed(u"A chunk is longer than its size says."_s);
    m_line.append(input.first(size));
    consumed += size;
    if (m_line.size() < terminator.size())
        return false;
    m_line.resize(0);
    m_state = State::SizeLine;
    return true;
}

std::expected<bool, DecodeError> ChunkedDecoder::takeTrailerLine(QByteArrayView input, qsizetype &consumed)
{
    const auto whole = takeLine(input, HttpHeadDecoder::maximumSize - m_trailerLines.size(), consumed);
    if (!whole || !*whole)
        return whole;
    if (!m_line.isEmpty()) {
        m_trailerLines.append(m_line).append("\r\n");
        m_line.resize(0);
        return true;
    }
    auto trailers = decodeHeaderLines(m_trailerLines);
    if (!trailers)
        return std::unexpected(trailers.error());
    m_trailers = *std::move(trailers);
    m_state = State::Complete;
    return true;
}

} // namespace Sandboxio
