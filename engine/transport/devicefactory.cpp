// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "devicefactory.h"

#include <QLocalSocket>
#include <QSslConfiguration>
#include <QSslSocket>
#include <QTcpSocket>

namespace Sandboxio {

DeviceFactory localSocketFactory(const QString &path)
{
    return [path]() -> std::unique_ptr<QIODevice> {
        auto socket = std::make_unique<QLocalSocket>();
        socket->connectToServer(path);
        return socket;
    };
}

DeviceFactory tcpSocketFactory(const QString &host, quint16 port)
{
    return [host, port]() -> std::unique_ptr<QIODevice> {
        auto socket = std::make_unique<QTcpSocket>();
        socket->connectToHost(host, port);
        return socket;
    };
}

DeviceFactory tlsSocketFactory(const QString &host, quint16 port, const QSslConfiguration &configuration)
{
    return [host, port, configuration]() -> std::unique_ptr<QIODevice> {
        auto socket = std::make_unique<QSslSocket>();
        socket->setSslConfiguration(configuration);
        socket->connectToHostEncrypted(host, port);
        return socket;
    };
}

} // namespace Sandboxio
