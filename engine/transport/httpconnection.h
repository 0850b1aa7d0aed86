// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <memory>
#include <optional>

#include <QObject>
#include <QTimer>

#include <sandboxio/core/export.h>

#include "devicefactory.h"
#include "httpmessage.h"
#include "httpresponsedecoder.h"

namespace Sandboxio {

class SocketChannel;
class UpgradedStream;

/// One HTTP/1.1 connection, one request at a time. Thread: lives in and is used from the I/O thread alone.
/// HttpClient is what adapters use; this class is for those that need the connection itself.
///
/// Each request ends by exactly one of finished(), failed(), upgraded(), never from inside send(). Nothing is
/// ever sent twice.
class SANDBOXIO_CORE_EXPORT HttpConnection : public QObject
{
    Q_OBJECT

public:
    static constexpr qint64 readBufferSize = 4 * 1024 * 1024; ///< Bytes held unread at most.
    static constexpr qint64 pieceSize = 256 * 1024;           ///< Bytes read and delivered at a time at most.

    /// @p factory is called once, by the first send(); @p host is the value of the Host header.
    explicit HttpConnection(DeviceFactory factory, QByteArray host = QByteArrayLiteral("localhost"),
                            QObject *parent = nullptr);
    ~HttpConnection() override;

    /// Sends @p request. Only when no other request is running, and only on a fresh or reusable connection.
    void send(const HttpRequest &request);

    /// Stops reading from the socket and stops the idle limit; at most readBufferSize and one piece are held.
    void pause();
    void resume();
    bool isPaused() const { return m_paused; }

    /// Closes at once; the running request ends without a signal.
    void abort();

    /// True after finished() while the connection is open and may carry another request.
    bool isReusable() const;
    /// True until the first byte of the current request's reply arrived.
    bool isReplyUntouched() const;
    /// The raw stream, once, after upgraded(). The connection is of no use afterwards.
    std::unique_ptr<UpgradedStream> takeUpgradedStream();

Q_SIGNALS:
    void headReceived(const Sandboxio::HttpHead &head);
    /// A piece of the body with its transfer coding removed.
    void bodyReceived(const QByteArray &data);
    void finished();
    void failed(const Sandboxio::TransportError &error);
    void upgraded();
    /// The peer closed while no request was running.
    void closedWhileIdle();

private:
    void openChannel();
    void schedulePump();
    void pump();
    bool deliver(const QByteArray &bytes);
    bool deliverBody(const QByteArray &body);
    bool deliverHead();
    void onReadable();
    void onClosed();
    void completeAtClose();
    void completeUpgrade(const QByteArray &firstBytes);
    void complete(bool leftover);
    void fail(const TransportError &error);
    void failLater(const TransportError &error);
    void restartIdleTimer();

    DeviceFactory m_factory;
    QByteArray m_host;
    std::unique_ptr<SocketChannel> m_channel;
    std::optional<HttpResponseDecoder> m_decoder;
    std::unique_ptr<UpgradedStream> m_upgradedStream;
    QTimer m_idleTimer;
    QByteArray m_held; // read from the socket, not decoded yet because the consumer paused
    bool m_keepAliveAsked = false;
    bool m_running = false;
    bool m_paused = false;
    bool m_pumpPosted = false;
    bool m_reusable = false;
};

} // namespace Sandboxio
