// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <memory>
#include <optional>

#include <QByteArray>
#include <QIODevice>
#include <QObject>

#include "transporterror.h"

QT_BEGIN_NAMESPACE
class QAbstractSocket;
class QLocalSocket;
QT_END_NAMESPACE

namespace Sandboxio {

/// One view on QLocalSocket, QTcpSocket and QSslSocket: opened, readable, written, closed. Thread: the I/O
/// thread. What arrived before closed() stays readable after it. Signals are emitted from the event loop or
/// from within read() and write(), where Qt does so; closed() never from the constructor.
class SocketChannel : public QObject
{
    Q_OBJECT

public:
    SocketChannel(std::unique_ptr<QIODevice> device, qint64 readBufferSize);
    ~SocketChannel() override;

    qint64 bytesAvailable() const;
    /// At most @p maximum bytes; empty where nothing is there.
    QByteArray read(qint64 maximum);
    /// Queues @p bytes; they wait where the connection is not open yet.
    void write(const QByteArray &bytes);
    qint64 bytesToWrite() const;
    bool canCloseWrite() const;
    void closeWrite();
    /// Closes at once; no signal follows.
    void abort();

    bool isOpened() const { return m_opened; }
    bool isClosed() const { return m_closed; }
    /// Why the connection could not be opened or broke; nothing after an orderly close.
    const std::optional<TransportError> &error() const { return m_error; }

Q_SIGNALS:
    void readable();
    void written(qint64 bytes);
    void closed();

private:
    void watchLocalSocket();
    void watchAbstractSocket();
    void onOpened();
    void onLocalError();
    void onSocketError();
    void onError(TransportError::Kind kind);
    void onDisconnected();
    void rescueUnread();
    void shutdownIfWritten();
    bool isConnecting() const;
    qintptr descriptor() const;

    std::unique_ptr<QIODevice> m_device;
    QLocalSocket *m_localSocket = nullptr;
    QAbstractSocket *m_socket = nullptr;
    std::optional<TransportError> m_error;
    QByteArray m_pending;
    QByteArray m_rescued;
    bool m_opened = false;
    bool m_closed = false;
    bool m_closeWriteAsked = false;
    bool m_writeClosed = false;
};

} // namespace Sandboxio
