// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QByteArray>
#include <QHostAddress>

namespace Sandboxio::Detail {

/*! A query (RFC 1035, section 4) for the IPv4 address of \a name, whose labels are at most 63 bytes long. */
QByteArray dnsQuery(QByteArrayView name, quint16 id);
/*! The reply of a name server that gives \a address to whatever \a query asks; empty when that is no query. */
QByteArray dnsReply(QByteArrayView query, const QHostAddress &address);
/*! Whether \a reply answers the query \a id with at least one record. */
bool isDnsReply(QByteArrayView reply, quint16 id);

} // namespace Sandboxio::Detail
