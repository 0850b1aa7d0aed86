// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <functional>
#include <memory>

#include <QIODevice>
#include <QString>

#include <sandboxio/core/export.h>

QT_BEGIN_NAMESPACE
class QSslConfiguration;
QT_END_NAMESPACE

namespace Sandboxio {

/// Makes one device per connection: a QLocalSocket, QTcpSocket or QSslSocket on which connecting has already
/// begun. Called in the I/O thread.
using DeviceFactory = std::function<std::unique_ptr<QIODevice>()>;

/// Connects to the local socket at @p path (absolute).
SANDBOXIO_CORE_EXPORT DeviceFactory localSocketFactory(const QString &path);
/// Connects to @p host : @p port in the clear.
SANDBOXIO_CORE_EXPORT DeviceFactory tcpSocketFactory(const QString &host, quint16 port);
/// Connects to @p host : @p port by TLS. The peer must present a certificate for @p host that @p configuration
/// trusts.
SANDBOXIO_CORE_EXPORT DeviceFactory tlsSocketFactory(const QString &host, quint16 port,
                                                     const QSslConfiguration &configuration);

} // namespace Sandboxio
