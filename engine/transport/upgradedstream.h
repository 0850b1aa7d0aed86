// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <memory>
#include <optional>

#include <QByteArray>
#include <QObject>

#include <sandboxio/core/export.h>

#include "transporterror.h"

namespace Sandboxio {

class SocketChannel;

/// The raw byte stream of a connection after status 101. Thread: lives in and is used from the I/O thread
/// alone; owned by whoever took it from the reply. Destroying it closes the connection.
///
/// It starts paused, so that nothing is lost before the receiver is connected: bytes that came in the same
/// packet as the head are delivered first, after resume(). No signal is emitted from inside a call of a member.
///
/// @code
/// auto stream = reply->takeUpgradedStream();
/// connect(stream.get(), &UpgradedStream::dataReceived, this, &Demultiplexer::feed);
/// connect(stream.get(), &UpgradedStream::closed, this, &Demultiplexer::finish);
/// stream->resume();
/// @endcode
class SANDBOXIO_CORE_EXPORT UpgradedStream : public QObject
{
    Q_OBJECT

public:
    UpgradedStream(std::unique_ptr<SocketChannel> channel, QByteArray firstBytes);
    ~UpgradedStream() override;

    /// Queues @p bytes without limit; watch bytesToWrite() and bytesWritten(). Ignored after closeWrite(),
    /// abort() and the end of the stream.
    void write(const QByteArray &bytes);
    /// Bytes that the system has not taken yet.
    qint64 bytesToWrite() const;
    /// False where the device cannot close one direction alone (TLS).
    bool canCloseWrite() const;
    /// Ends our direction once everything queued is written: the peer reads end of file and its answers still
    /// arrive. Nothing happens where canCloseWrite() is false.
    void closeWrite();

    /// Stops reading from the socket: at most the connection's read buffer (4 MiB) and one piece are held, then
    /// the peer's writes block. closed() waits for resume() as well.
    void pause();
    void resume();
    bool isPaused() const;

    /// Closes at once and drops what is unread and unwritten. No signal follows.
    void abort();
    bool isClosed() const;
    /// Why the stream ended, nothing after an orderly end. Valid when closed() is emitted.
    std::optional<TransportError> error() const;

Q_SIGNALS:
    /// A piece of at most 256 KiB, in order.
    void dataReceived(const QByteArray &data);
    /// @p bytes more were taken by the system.
    void bytesWritten(qint64 bytes);
    /// The peer closed or the connection broke; after the last dataReceived(), exactly once.
    void closed();

private:
    void schedulePump();
    void pump();

    std::unique_ptr<SocketChannel> m_channel;
    QByteArray m_firstBytes;
    std::optional<TransportError> m_error;
    bool m_paused = true;
    bool m_pumpPosted = false;
    bool m_peerClosed = false;
    bool m_closed = false;
};

} // namespace Sandboxio
