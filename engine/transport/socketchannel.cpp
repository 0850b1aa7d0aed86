// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "socketchannel_p.h"

#include <array>
#include <utility>

#include <QLocalSocket>
#include <QSslSocket>

#include <sys/socket.h>

using namespace Qt::StringLiterals;

namespace Sandboxio {

namespace {

constexpr qsizetype maximumRescue = 8 * 1024 * 1024;

TransportError::Kind kindOf(QLocalSocket::LocalSocketError error)
{
    switch (error) {
    case QLocalSocket::ServerNotFoundError:
        return TransportError::Kind::NoSuchSocket;
    case QLocalSocket::SocketAccessError:
        return TransportError::Kind::PermissionDenied;
    case QLocalSocket::ConnectionRefusedError:
        return TransportError::Kind::Refused;
    case QLocalSocket::SocketTimeoutError:
        return TransportError::Kind::TimedOut;
    default:
        return TransportError::Kind::ConnectFailed;
    }
}

TransportError::Kind kindOf(QAbstractSocket::SocketError error)
{
    switch (error) {
    case QAbstractSocket::HostNotFoundError:
        return TransportError::Kind::NoSuchSocket;
    case QAbstractSocket::SocketAccessError:
        return TransportError::Kind::PermissionDenied;
    case QAbstractSocket::ConnectionRefusedError:
        return TransportError::Kind::Refused;
    case QAbstractSocket::SocketTimeoutError:
        return TransportError::Kind::TimedOut;
    case QAbstractSocket::SslHandshakeFailedError:
    case QAbstractSocket::SslInternalError:
    case QAbstractSocket::SslInvalidUserDataError:
        return TransportError::Kind::TlsFailed;
    default:
        return TransportError::Kind::ConnectFailed;
    }
}

} // namespace

SocketChannel::SocketChannel(std::unique_ptr<QIODevice> device, qint64 readBufferSize)
    : m_device(std::move(device))
    , m_localSocket(qobject_cast<QLocalSocket *>(m_device.get()))
    , m_socket(qobject_cast<QAbstractSocket *>(m_device.get()))
{
    Q_ASSERT_X(m_localSocket || m_socket, "SocketChannel", "the factory must make a local, TCP or TLS socket");
    connect(m_device.get(), &QIODevice::readyRead, this, &SocketChannel::readable);
    connect(m_device.get(), &QIODevice::bytesWritten, this, [this](qint64 bytes) {
        shutdownIfWritten();
        Q_EMIT written(bytes);
    });
    if (m_localSocket) {
        m_localSocket->setReadBufferSize(readBufferSize);
        watchLocalSocket();
    } else {
        m_socket->setReadBufferSize(readBufferSize);
        watchAbstractSocket();
    }
}

SocketChannel::~SocketChannel()
{
    abort();
    m_device.release()->deleteLater(); // may be the sender of the signal that led here
}

void SocketChannel::watchLocalSocket()
{
    connect(m_localSocket, &QLocalSocket::connected, this, &SocketChannel::onOpened);
    connect(m_localSocket, &QLocalSocket::errorOccurred, this, &SocketChannel::onLocalError);
    connect(m_localSocket, &QLocalSocket::disconnected, this, &SocketChannel::onDisconnected);
    if (m_localSocket->state() == QLocalSocket::ConnectedState)
        onOpened();
    else if (m_localSocket->state() ==
             QLocalSocket::UnconnectedState) // a local socket fails inside connectToServer()
        QMetaObject::invokeMethod(this, &SocketChannel::onLocalError, Qt::QueuedConnection);
}

void SocketChannel::watchAbstractSocket()
{
    const auto *tlsSocket = qobject_cast<QSslSocket *>(m_socket);
    if (tlsSocket)
        connect(tlsSocket, &QSslSocket::encrypted, this, &SocketChannel::onOpened);
    else
        connect(m_socket, &QAbstractSocket::connected, this, &SocketChannel::onOpened);
    connect(m_socket, &QAbstractSocket::errorOccurred, this, &SocketChannel::onSocketError);
    connect(m_socket, &QAbstractSocket::disconnected, this, &SocketChannel::onDisconnected);
    const bool ready =
        m_socket->state() == QAbstractSocket::ConnectedState && (!tlsSocket || tlsSocket->isEncrypted());
    if (ready)
        onOpened();
    else if (m_socket->state() == QAbstractSocket::UnconnectedState)
        QMetaObject::invokeMethod(this, &SocketChannel::onSocketError, Qt::QueuedConnection);
}

void SocketChannel::onOpened()
{
    m_opened = true;
    if (!m_pending.isEmpty())
        m_device->write(std::exchange(m_pending, {}));
    shutdownIfWritten();
}

/// After a failed write Qt drops what is unread, which may be the peer's early answer.
void SocketChannel::rescueUnread()
{
    m_rescued.append(m_device->readAll());
    if (qobject_cast<QSslSocket *>(m_device.get()))
        return;
    std::array<char, 64 * 1024> piece;
    const auto fd = static_cast<int>(descriptor());
    while (m_rescued.size() < maximumRescue) {
        const ssize_t size = fd < 0 ? 0 : ::recv(fd, piece.data(), piece.size(), MSG_DONTWAIT);
        if (size <= 0)
            return;
        m_rescued.append(piece.data(), size);
    }
}

void SocketChannel::onLocalError()
{
    if (m_opened)
        rescueUnread();
    const bool orderly = m_opened && m_localSocket->error() == QLocalSocket::PeerClosedError;
    if (!orderly)
        onError(kindOf(m_localSocket->error()));
}

void SocketChannel::onSocketError()
{
    if (m_opened)
        rescueUnread();
    const bool orderly = m_opened && m_socket->error() == QAbstractSocket::RemoteHostClosedError;
    if (!orderly)
        onError(kindOf(m_socket->error()));
}

void SocketChannel::onError(TransportError::Kind kind)
{
    if (m_closed || m_error)
        return;
    m_error = TransportError{m_opened ? TransportError::Kind::ClosedMidBody : kind,
                             m_opened ? u"The connection broke."_s : u"The connection could not be opened."_s,
                             m_device->errorString()};
    // A socket that was never connected emits no disconnected().
    if (!isConnecting())
        QMetaObject::invokeMethod(this, &SocketChannel::onDisconnected, Qt::QueuedConnection);
}

void SocketChannel::onDisconnected()
{
    if (std::exchange(m_closed, true))
        return;
    Q_EMIT closed();
}

bool SocketChannel::isConnecting() const
{
    return m_localSocket ? m_localSocket->state() != QLocalSocket::UnconnectedState
                         : m_socket->state() != QAbstractSocket::UnconnectedState;
}

qint64 SocketChannel::bytesAvailable() const
{
    return m_device->bytesAvailable() + m_rescued.size();
}

QByteArray SocketChannel::read(qint64 maximum)
{
    if (m_device->bytesAvailable() > 0)
        return m_device->read(maximum);
    if (m_rescued.size() <= maximum)
        return std::exchange(m_rescued, {});
    const QByteArray piece = m_rescued.first(maximum);
    m_rescued.remove(0, maximum);
    return piece;
}

void SocketChannel::write(const QByteArray &bytes)
{
    if (m_closed || m_closeWriteAsked || bytes.isEmpty())
        return;
    if (m_opened)
        m_device->write(bytes);
    else
        m_pending.append(bytes);
}

qint64 SocketChannel::bytesToWrite() const
{
    return m_device->bytesToWrite() + m_pending.size();
}

bool SocketChannel::canCloseWrite() const
{
    return !qobject_cast<QSslSocket *>(m_device.get());
}

void SocketChannel::closeWrite()
{
    if (!canCloseWrite())
        return;
    m_closeWriteAsked = true;
    shutdownIfWritten();
}

void SocketChannel::shutdownIfWritten()
{
    if (!m_closeWriteAsked || m_writeClosed || m_closed || !m_opened || m_device->bytesToWrite() > 0)
        return;
    m_writeClosed = ::shutdown(static_cast<int>(descriptor()), SHUT_WR) == 0;
}

qintptr SocketChannel::descriptor() const
{
    return m_localSocket ? m_localSocket->socketDescriptor() : m_socket->socketDescriptor();
}

void SocketChannel::abort()
{
    m_closed = true;
    m_device->disconnect(this);
    if (m_localSocket)
        m_localSocket->abort();
    else
        m_socket->abort();
}

} // namespace Sandboxio
