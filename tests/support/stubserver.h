// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <QByteArray>
#include <QHash>
#include <QList>
#include <QLocalServer>
#include <QLocalSocket>
#include <QObject>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryDir>

namespace Sandboxio {

/// One request as the stub read it.
struct StubRequest
{
    QByteArray method;
    QByteArray target;
    QByteArray head; ///< Everything before the body, as it came.
    QByteArray body;
    int connection = 0; ///< 1 for the first connection that the stub accepted.
};

/// What the stub does when a request has arrived.
struct StubAnswer
{
    QByteArray bytes = {};              ///< Literal bytes of the reply, head and body.
    std::chrono::milliseconds delay{0}; ///< Before the first byte.
    std::optional<qsizetype> cutAt =
        {};                  ///< Close the connection after so many of the bytes; 0 closes without a reply.
    qint64 zeros = 0;        ///< So many zero bytes follow the bytes, at most 1 MiB of them queued at a time.
    bool closeAfter = false; ///< Close once all is written.
    bool silent = false;     ///< Never answer and keep the connection open.
    bool raw = false;  ///< What the client sends from now on is kept in rawBytes() instead of being parsed.
    bool echo = false; ///< As raw, and sent back.

    /// A reply with Content-Length.
    static StubAnswer ok(const QByteArray &body, int status = 200);
    /// A reply in the chunked transfer coding, one chunk for each of @p chunks.
    static StubAnswer chunked(const QList<QByteArray> &chunks);
    /// Status 101, then @p firstBytes in the same write, then an echo.
    static StubAnswer upgrade(const QByteArray &firstBytes);
};

/// A scripted HTTP/1.1 server for tests; see LocalStubServer and TcpStubServer. Lives in the thread of the
/// test.
class StubServerBase : public QObject
{
public:
    ~StubServerBase() override;

    /// Answers requests for @p route ("GET /path?query", exact) with @p answer. Answers for the same route are
    /// used in the order they were given, the last one for all later requests. A route without answer gets an
    /// empty 404.
    void answer(const QByteArray &route, const StubAnswer &answer);

    const QList<StubRequest> &requests() const { return m_requests; }
    int requestCount(const QByteArray &route) const;
    int connectionCount() const { return m_connectionCount; } ///< Accepted so far.
    int openConnectionCount() const { return static_cast<int>(m_peers.size()); }
    QByteArray rawBytes() const { return m_rawBytes; }
    qint64 zerosSent() const { return m_zerosSent; } ///< Taken from the stub by the system.
    /// Closes every open connection.
    void dropConnections();

protected:
    struct Peer
    {
        QIODevice *device = nullptr;
        std::function<void()> close; // flushes first
        int number = 0;
        QByteArray input;
        qint64 zerosLeft = 0;
        qint64 queuedZeros = 0;
        bool closeAfter = false;
        bool raw = false;
        bool echo = false;
    };

    Peer *adopt(QIODevice *device, std::function<void()> close);
    void remove(QIODevice *device);

private:
    Peer *find(QIODevice *device);
    void read(QIODevice *device);
    bool takeRequest(Peer &peer);
    void reply(QIODevice *device, const StubAnswer &answer);
    void feedZeros(Peer &peer);

    QHash<QByteArray, QList<StubAnswer>> m_answers;
    QList<StubRequest> m_requests;
    std::vector<std::unique_ptr<Peer>> m_peers;
    QByteArray m_rawBytes;
    qint64 m_zerosSent = 0;
    int m_connectionCount = 0;
};

/// The part that differs between QLocalServer and QTcpServer.
template <typename Server, typename Socket>
class StubServer : public StubServerBase
{
public:
    bool isListening() const { return m_server.isListening(); }
    void stopListening() { m_server.close(); }

protected:
    StubServer()
    {
        connect(&m_server, &Server::newConnection, this, [this] { accept(); });
    }

    Server m_server;

private:
    void accept()
    {
        while (auto *socket = static_cast<Socket *>(m_server.nextPendingConnection())) {
            socket->setParent(this);
            connect(socket, &Socket::disconnected, this, [this, socket] {
                remove(socket);
                socket->deleteLater();
            });
            adopt(socket, [socket] { closeAfterFlush(socket); });
        }
    }

    static void closeAfterFlush(QLocalSocket *socket) { socket->disconnectFromServer(); }
    static void closeAfterFlush(QTcpSocket *socket) { socket->disconnectFromHost(); }
};

/// Listens on a local socket in a temporary directory of its own.
class LocalStubServer : public StubServer<QLocalServer, QLocalSocket>
{
public:
    LocalStubServer();
    QString path() const { return m_path; }
    /// Listens again after stopListening(), as a restarted daemon does.
    bool listenAgain();

private:
    QTemporaryDir m_directory;
    QString m_path;
};

/// Listens on a free port of the loopback interface.
class TcpStubServer : public StubServer<QTcpServer, QTcpSocket>
{
public:
    TcpStubServer();
    quint16 port() const { return m_server.serverPort(); }
};

} // namespace Sandboxio
