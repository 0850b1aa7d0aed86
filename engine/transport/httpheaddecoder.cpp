// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "httpheaddecoder.h"

#include <algorithm>
#include <utility>

#include "httpsyntax_p.h"

using namespace Qt::StringLiterals;

namespace Sandboxio {

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isTokenCharacter(char c)
{
    if (isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
        return true;
    return QByteArrayView("!#$%&'*+-.^_`|~").contains(c);
}

constexpr QByteArrayView versionPrefix = "HTTP/1.";

/// A status line is `HTTP/1.x SSS[ reason]`.
std::expected<HttpHead, DecodeError> decodeStatusLine(QByteArrayView line)
{
    constexpr qsizetype statusStart = 9;
    constexpr qsizetype statusEnd = 12;
    if (line.size() < statusEnd || !line.startsWith(versionPrefix) || (line[7] != '0' && line[7] != '1') ||
        line[8] != ' ')
        return malformed(u"The reply does not start with an HTTP/1.1 status line."_s);
    const QByteArrayView digits = line.sliced(statusStart, 3);
    if (!std::ranges::all_of(digits, isDigit) || digits[0] == '0')
        return malformed(u"The status of the reply is not a number of three digits."_s);
    if (line.size() > statusEnd && line[statusEnd] != ' ')
        return malformed(u"The status of the reply is not a number of three digits."_s);
    const QByteArrayView reason = line.size() > statusEnd ? line.sliced(statusEnd + 1) : QByteArrayView();
    if (!isHttpFieldValue(reason))
        return malformed(u"The status line of the reply has a control character."_s);
    return HttpHead{.minorVersion = line[7] - '0', .status = digits.toInt(), .reason = reason.toByteArray()};
}

} // namespace

bool isHttpToken(QByteArrayView text)
{
    return !text.isEmpty() && std::ranges::all_of(text, isTokenCharacter);
}

bool isHttpFieldValue(QByteArrayView text)
{
    return std::ranges::all_of(text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
    });
}

std::expected<QHttpHeaders, DecodeError> decodeHeaderLines(QByteArrayView lines)
{
    QHttpHeaders headers;
    while (!lines.isEmpty()) {
        const qsizetype end = lines.indexOf("\r\n");
        if (end < 0)
            return malformed(u"A header line does not end in CRLF."_s);
        const QByteArrayView line = lines.first(end);
        lines = lines.sliced(end + 2);
        const qsizetype colon = line.indexOf(':');
        if (colon < 0 || !isHttpToken(line.first(colon)))
            return malformed(u"A header line has no valid name."_s);
        const QByteArrayView value = line.sliced(colon + 1).trimmed();
        if (!isHttpFieldValue(value))
            return malformed(u"The value of a header has a control character."_s);
        headers.append(QLatin1StringView(line.first(colon)), QLatin1StringView(value));
    }
    return headers;
}

std::expected<qsizetype, DecodeError> HttpHeadDecoder::feed(QByteArrayView bytes)
{
    constexpr QByteArrayView terminator = "\r\n\r\n";
    if (m_complete)
        return 0;
    const qsizetype before = m_buffer.size();
    m_buffer.append(bytes.first(std::min(bytes.size(), maximumSize + 1 - before)));
    const QByteArrayView start =
        QByteArrayView(m_buffer).first(std::min(m_buffer.size(), versionPrefix.size()));
    if (!versionPrefix.startsWith(start))
        return malformed(u"The reply does not start with an HTTP/1.1 status line."_s);
    const qsizetype end = m_buffer.indexOf(terminator, std::max<qsizetype>(0, before - 3));
    if (end < 0 || end + terminator.size() > maximumSize) {
        if (m_buffer.size() > maximumSize)
            return std::unexpected(
                DecodeError{DecodeError::Kind::TooLarge, u"The head of the reply is too long."_s});
        return bytes.size();
    }
    const QByteArrayView head = QByteArrayView(m_buffer).first(end + 2);
    const qsizetype lineEnd = head.indexOf("\r\n");
    auto decoded = decodeStatusLine(head.first(lineEnd));
    if (!decoded)
        return std::unexpected(decoded.error());
    auto headers = decodeHeaderLines(head.sliced(lineEnd + 2));
    if (!headers)
        return std::unexpected(headers.error());
    m_head = *std::move(decoded);
    m_head.headers = *std::move(headers);
    m_complete = true;
    return end + terminator.size() - before;
}

HttpHead HttpHeadDecoder::takeHead()
{
    Q_ASSERT(m_complete);
    m_complete = false;
    m_buffer.clear();
    return std::exchange(m_head, {});
}

} // namespace Sandboxio
