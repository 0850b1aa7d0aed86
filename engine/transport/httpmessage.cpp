// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "httpmessage.h"

#include <algorithm>

#include "httpsyntax_p.h"

using namespace Qt::StringLiterals;

namespace Sandboxio {

namespace {

bool isTarget(QByteArrayView target)
{
    return !target.isEmpty() && target.front() == '/' &&
           std::ranges::all_of(target, [](char c) { return c > 0x20 && c < 0x7f; });
}

std::unexpected<TransportError> invalid(const QString &text)
{
    return std::unexpected(TransportError{TransportError::Kind::InvalidRequest, text, {}});
}

} // namespace

bool HttpHead::hasToken(QByteArrayView name, QByteArrayView token) const
{
    for (const QByteArray &value : headers.values(QLatin1StringView(name))) {
        for (const QByteArray &part : value.split(',')) {
            if (part.trimmed().compare(token, Qt::CaseInsensitive) == 0)
                return true;
        }
    }
    return false;
}

bool HttpHead::operator==(const HttpHead &other) const
{
    return minorVersion == other.minorVersion && status == other.status && reason == other.reason &&
           headers.toListOfPairs() == other.headers.toListOfPairs();
}

bool isSafeMethod(QByteArrayView method)
{
    return method == "GET" || method == "HEAD";
}

std::expected<QByteArray, TransportError> encodeRequest(const HttpRequest &request, QByteArrayView host)
{
    if (!isHttpToken(request.method))
        return invalid(u"The method is not an HTTP token."_s);
    if (!isTarget(request.target))
        return invalid(u"The request target must start with '/' and be percent-encoded."_s);
    if (!isHttpFieldValue(host))
        return invalid(u"The host name has a control character."_s);

    QByteArray head;
    head.reserve(512);
    head.append(request.method).append(' ').append(request.target).append(" HTTP/1.1\r\n");
    const auto append = [&head](QByteArrayView name, QByteArrayView value) {
        head.append(name).append(": ").append(value).append("\r\n");
    };
    if (!request.headers.contains(QHttpHeaders::WellKnownHeader::Host))
        append("Host", host);
    for (const auto &[name, value] : request.headers.toListOfPairs()) {
        if (!isHttpToken(name) || !isHttpFieldValue(value))
            return invalid(u"A header has a character that HTTP does not allow."_s);
        if (name.compare("content-length", Qt::CaseInsensitive) != 0)
            append(name, value);
    }
    if (request.upgrade && !request.headers.contains(QHttpHeaders::WellKnownHeader::Upgrade)) {
        append("Connection", "Upgrade");
        append("Upgrade", "tcp");
    }
    const bool sendsBody = request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
    if (sendsBody || !request.body.isEmpty())
        append("Content-Length", QByteArray::number(request.body.size()));
    head.append("\r\n");
    return head.append(request.body);
}

} // namespace Sandboxio
