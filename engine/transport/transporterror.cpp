// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "transporterror.h"

using namespace Qt::StringLiterals;

namespace Sandboxio {

QString kindName(TransportError::Kind kind)
{
    switch (kind) {
    case TransportError::Kind::ConnectFailed:
        return u"ConnectFailed"_s;
    case TransportError::Kind::NoSuchSocket:
        return u"NoSuchSocket"_s;
    case TransportError::Kind::PermissionDenied:
        return u"PermissionDenied"_s;
    case TransportError::Kind::Refused:
        return u"Refused"_s;
    case TransportError::Kind::TlsFailed:
        return u"TlsFailed"_s;
    case TransportError::Kind::ClosedBeforeReply:
        return u"ClosedBeforeReply"_s;
    case TransportError::Kind::ClosedMidBody:
        return u"ClosedMidBody"_s;
    case TransportError::Kind::Malformed:
        return u"Malformed"_s;
    case TransportError::Kind::TimedOut:
        return u"TimedOut"_s;
    case TransportError::Kind::TooLarge:
        return u"TooLarge"_s;
    case TransportError::Kind::InvalidRequest:
        return u"InvalidRequest"_s;
    case TransportError::Kind::Cancelled:
        return u"Cancelled"_s;
    }
    Q_UNREACHABLE_RETURN({});
}

QString kindName(DecodeError::Kind kind)
{
    switch (kind) {
    case DecodeError::Kind::Malformed:
        return u"Malformed"_s;
    case DecodeError::Kind::TooLarge:
        return u"TooLarge"_s;
    case DecodeError::Kind::Truncated:
        return u"Truncated"_s;
    }
    Q_UNREACHABLE_RETURN({});
}

} // namespace Sandboxio
