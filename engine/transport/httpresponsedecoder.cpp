// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "httpresponsedecoder.h"
#include "httpsyntax_p.h"

#include <algorithm>
#include <optional>

using namespace Qt::StringLiterals;

namespace Sandboxio {

namespace {

constexpr int maximumInterimReplies = 32;

/// The one length that all Content-Length values agree on; nothing where there is none.
std::expected<std::optional<qint64>, DecodeError> contentLength(const QHttpHeaders &headers)
{
    std::optional<qint64> length;
    for (const QByteArray &value : headers.values(QHttpHeaders::WellKnownHeader::ContentLength)) {
        constexpr qsizetype maximumDigits = 18;
        const bool digits = std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
        if (value.isEmpty() || value.size() > maximumDigits || !digits)
            return malformed(u"Content-Length is not a length."_s);
        const qint64 number = value.toLongLong();
        if (length && *length != number)
            return malformed(u"The reply has two different lengths."_s);
        length = number;
    }
    return length;
}

} // namespace

HttpResponseDecoder::HttpResponseDecoder(QByteArrayView method, bool upgradeRequested)
    : m_headMethod(method == "HEAD")
    , m_upgradeRequested(upgradeRequested)
{}

std::expected<HttpResponseDecoder::Step, DecodeError> HttpResponseDecoder::decode(QByteArrayView input)
{
    switch (m_state) {
    case State::Head:
        return decodeHead(input);
    case State::NoBody:
    case State::Complete:
        m_state = State::Complete;
        return Step{Step::Kind::End, 0, {}};
    case State::Length:
        return decodeLength(input);
    case State::Chunked:
        return decodeChunked(input);
    case State::UntilClose:
        if (input.isEmpty())
            return Step{};
        return Step{Step::Kind::Body, input.size(), input};
    case State::Upgraded:
        return Step{Step::Kind::Upgraded, 0, {}};
    }
    Q_UNREACHABLE_RETURN(Step{});
}

std::expected<HttpResponseDecoder::Step, DecodeError> HttpResponseDecoder::decodeHead(QByteArrayView input)
{
    qsizetype consumed = 0;
    m_untouched = m_untouched && input.isEmpty();
    while (true) {
        const auto taken = m_headDecoder.feed(input.sliced(consumed));
        if (!taken)
            return std::unexpected(taken.error());
        consumed += *taken;
        if (!m_headDecoder.isComplete())
            return Step{Step::Kind::NeedMore, consumed, {}};
        m_head = m_headDecoder.takeHead();
        if (m_head.status >= 200 || m_head.status == 101)
            break;
        if (++m_interimReplies > maximumInterimReplies)
            return malformed(u"The peer sends interim replies without end."_s);
    }
    const auto state = framing();
    if (!state)
        return std::unexpected(state.error());
    m_state = *state;
    return Step{Step::Kind::Head, consumed, {}};
}

std::expected<HttpResponseDecoder::State, DecodeError> HttpResponseDecoder::framing()
{
    if (m_head.status == 101) {
        if (!m_upgradeRequested)
            return malformed(u"The peer switched protocols without being asked."_s);
        return State::Upgraded;
    }
    if (m_headMethod || m_head.status == 204 || m_head.status == 304)
        return State::NoBody;
    const auto length = contentLength(m_head.headers);
    if (!length)
        return std::unexpected(length.error());
    const QByteArray coding = m_head.headers.combinedValue(QHttpHeaders::WellKnownHeader::TransferEncoding);
    if (m_head.headers.contains(QHttpHeaders::WellKnownHeader::TransferEncoding)) {
        if (*length)
            return malformed(u"The reply has both Transfer-Encoding and Content-Length."_s);
        if (coding.compare("chunked", Qt::CaseInsensitive) != 0)
            return malformed(u"The reply has a transfer coding other than chunked."_s);
        return State::Chunked;
    }
    if (!*length)
        return State::UntilClose;
    m_remaining = **length;
    return m_remaining == 0 ? State::NoBody : State::Length;
}

HttpResponseDecoder::Step HttpResponseDecoder::decodeLength(QByteArrayView input)
{
    if (input.isEmpty())
        return Step{};
    const auto size = static_cast<qsizetype>(std::min<qint64>(input.size(), m_remaining));
    m_remaining -= size;
    if (m_remaining == 0)
        m_state = State::NoBody;
    return Step{Step::Kind::Body, size, input.first(size)};
}

std::expected<HttpResponseDecoder::Step, DecodeError> HttpResponseDecoder::decodeChunked(QByteArrayView input)
{
    const auto step = m_chunked.decode(input);
    if (!step)
        return std::unexpected(step.error());
    switch (step->kind) {
    case BodyStep::Kind::NeedMore:
        return Step{Step::Kind::NeedMore, step->consumed, {}};
    case BodyStep::Kind::Body:
        return Step{Step::Kind::Body, step->consumed, step->body};
    case BodyStep::Kind::End:
        m_state = State::Complete;
        return Step{Step::Kind::End, step->consumed, {}};
    }
    Q_UNREACHABLE_RETURN(Step{});
}

std::expected<void, DecodeError> HttpResponseDecoder::finish()
{
    if (m_state == State::UntilClose || m_state == State::NoBody)
        m_state = State::Complete;
    if (m_state == State::Complete || m_state == State::Upgraded)
        return {};
    return std::unexpected(
        DecodeError{DecodeError::Kind::Truncated, u"The reply ended before it was complete."_s});
}

} // namespace Sandboxio
