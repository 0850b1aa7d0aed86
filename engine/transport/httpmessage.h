// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <chrono>
#include <expected>

#include <QByteArray>
#include <QHttpHeaders>
#include <QList>

#include <sandboxio/core/export.h>

#include "transporterror.h"

namespace Sandboxio {

/// One HTTP/1.1 request. A plain value, any thread.
///
/// @code
/// HttpRequest request{.method = "POST"_ba, .target = "/v1.44/containers/create?name=x"_ba, .body = json};
/// request.headers.append(QHttpHeaders::WellKnownHeader::ContentType, "application/json"_ba);
/// @endcode
struct HttpRequest
{
    QByteArray method = QByteArrayLiteral("GET");
    QByteArray target =
        QByteArrayLiteral("/"); ///< Path and query as they go on the wire, already percent-encoded.
    QHttpHeaders headers =
        {}; ///< Host, User-Agent and Connection are added where absent; Content-Length always comes from body.
    QByteArray body = {};
    std::chrono::milliseconds idleLimit{0}; ///< TimedOut when no byte moved in either direction for so long; 0:
                                            ///< no limit. Does not run while the consumer has paused.
    bool upgrade = false; ///< Asks for a raw byte stream: adds `Connection: Upgrade` and `Upgrade: tcp`, and
                          ///< accepts status 101.
    bool longLived =
        false; ///< Does not count towards the limit of connections: event streams, waits, followed logs.
};

/// The head of a reply: everything before the body. A plain value, any thread.
struct SANDBOXIO_CORE_EXPORT HttpHead
{
    int minorVersion = 1;      ///< 1 for HTTP/1.1, 0 for HTTP/1.0.
    int status = 0;            ///< 100 to 999.
    QByteArray reason = {};    ///< May be empty.
    QHttpHeaders headers = {}; ///< Names compare case-insensitively; repeated names are kept in their order.

    /// True where header @p name lists @p token in one of its comma-separated values, without regard to case.
    bool hasToken(QByteArrayView name, QByteArrayView token) const;

    bool operator==(const HttpHead &other) const;
};

/// A whole buffered reply. A plain value, any thread.
struct HttpResponse
{
    HttpHead head = {};
    QByteArray body = {};

    bool operator==(const HttpResponse &) const = default;
};

/// True for the methods that may be repeated on another connection without harm and that change nothing: GET,
/// HEAD.
SANDBOXIO_CORE_EXPORT bool isSafeMethod(QByteArrayView method);

/// The bytes of @p request, head and body. Adds Host (@p host) and Content-Length (wherever there is a body,
/// and for POST, PUT and PATCH). Errors: InvalidRequest where method, target, a header's name or value could
/// inject a line or is not what RFC 9112 allows.
SANDBOXIO_CORE_EXPORT std::expected<QByteArray, TransportError> encodeRequest(const HttpRequest &request,
                                                                              QByteArrayView host);

} // namespace Sandboxio
