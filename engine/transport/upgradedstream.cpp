// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "upgradedstream.h"

#include <utility>

#include <QPointer>

#include "httpconnection.h"
#include "socketchannel_p.h"

namespace Sandboxio {

UpgradedStream::UpgradedStream(std::unique_ptr<SocketChannel> channel, QByteArray firstBytes)
    : m_channel(std::move(channel))
    , m_firstBytes(std::move(firstBytes))
    , m_peerClosed(m_channel->isClosed())
{
    connect(m_channel.get(), &SocketChannel::readable, this, [this] {
        if (!m_pumpPosted)
            pump();
    });
    connect(m_channel.get(), &SocketChannel::written, this, &UpgradedStream::bytesWritten);
    connect(m_channel.get(), &SocketChannel::closed, this, [this] {
        m_peerClosed = true;
        schedulePump();
    });
}

UpgradedStream::~UpgradedStream() = default;

void UpgradedStream::write(const QByteArray &bytes)
{
    if (m_channel)
        m_channel->write(bytes);
}

qint64 UpgradedStream::bytesToWrite() const
{
    return m_channel ? m_channel->bytesToWrite() : 0;
}

bool UpgradedStream::canCloseWrite() const
{
    return m_channel && m_channel->canCloseWrite();
}

void UpgradedStream::closeWrite()
{
    if (m_channel)
        m_channel->closeWrite();
}

void UpgradedStream::pause()
{
    m_paused = true;
}

void UpgradedStream::resume()
{
    m_paused = false;
    schedulePump();
}

bool UpgradedStream::isPaused() const
{
    return m_paused;
}

void UpgradedStream::abort()
{
    m_closed = true;
    m_firstBytes.clear();
    m_channel.reset();
}

bool UpgradedStream::isClosed() const
{
    return m_closed;
}

std::optional<TransportError> UpgradedStream::error() const
{
    return m_error;
}

void UpgradedStream::schedulePump()
{
    if (!std::exchange(m_pumpPosted, true))
        QMetaObject::invokeMethod(this, &UpgradedStream::pump, Qt::QueuedConnection);
}

void UpgradedStream::pump()
{
    m_pumpPosted = false;
    const QPointer<UpgradedStream> self(this);
    if (!m_paused && !m_closed && !m_firstBytes.isEmpty())
        Q_EMIT dataReceived(std::exchange(m_firstBytes, {}));
    while (self && !m_paused && !m_closed && m_channel->bytesAvailable() > 0)
        Q_EMIT dataReceived(m_channel->read(HttpConnection::pieceSize));
    if (!self || m_paused || m_closed || !m_peerClosed)
        return;
    m_closed = true;
    m_error = m_channel->error();
    m_channel.reset();
    Q_EMIT closed();
}

} // namespace Sandboxio
