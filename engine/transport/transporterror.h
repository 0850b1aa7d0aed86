// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <QString>

#include <sandboxio/core/export.h>

namespace Sandboxio {

/// Why bytes could not be decoded. Thread: a plain value, any thread.
struct DecodeError
{
    enum class Kind {
        Malformed, ///< The bytes break the format.
        TooLarge,  ///< A limit of the decoder was passed.
        Truncated, ///< The input ended inside an element.
    };

    Kind kind = Kind::Malformed;
    QString text; ///< English, for logs and for the cause of an error; never contains the decoded bytes.

    bool operator==(const DecodeError &) const = default;
};

/// Why an HTTP exchange ended without its reply. Thread: a plain value, any thread. Adapters map it to the
/// error tree of core; it never reaches users as it is.
struct TransportError
{
    enum class Kind {
        ConnectFailed,     ///< No connection, for a reason that no other kind names.
        NoSuchSocket,      ///< The local socket's path does not exist, or the host name is unknown.
        PermissionDenied,  ///< The local socket exists and this user may not open it.
        Refused,           ///< Nobody listens at the address.
        TlsFailed,         ///< The TLS handshake failed.
        ClosedBeforeReply, ///< The peer closed before the first byte of the reply; the request may have been
                           ///< executed.
        ClosedMidBody,     ///< The peer closed inside the head or the body of the reply.
        Malformed,         ///< The reply is not HTTP/1.1 as this library understands it.
        TimedOut,          ///< No byte moved for longer than the idle limit of the request.
        TooLarge,          ///< The reply is longer than the limit of the caller.
        InvalidRequest,    ///< The request cannot be encoded (CR or LF in a header); nothing was sent.
        Cancelled,         ///< HttpReply::cancel() or HttpClient::abortAll(); not a failure.
    };

    Kind kind = Kind::ConnectFailed;
    QString text;         ///< English, composed here.
    QString providerText; ///< The socket's own words, empty where it had none.

    bool operator==(const TransportError &) const = default;
};

/// The name of @p kind as it is written in the enumeration, for logs and test output.
SANDBOXIO_CORE_EXPORT QString kindName(TransportError::Kind kind);
SANDBOXIO_CORE_EXPORT QString kindName(DecodeError::Kind kind);

} // namespace Sandboxio
