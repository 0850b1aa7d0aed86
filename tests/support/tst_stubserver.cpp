// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "support/testprogram.h"

#include <QSignalSpy>
#include <QTest>

#include <support/localsocket.h>
#include <support/stubserver.h>

#include <sys/socket.h>

using namespace Qt::StringLiterals;
using namespace Sandboxio;

namespace {

/// Sends @p bytes and collects until the stub closes or @p expected bytes came.
template <typename Socket>
QByteArray exchange(Socket &socket, const QByteArray &bytes, qsizetype expected)
{
    QByteArray received;
    socket.write(bytes);
    const bool came = QTest::qWaitFor([&] {
        received += socket.readAll();
        return received.size() >= expected || !socket.isValid();
    });
    return came ? received : QByteArray();
}

} // namespace

class TestStubServer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void answersInOrderOverLocalSocket();
    void answersOverTcp();
    void readsBodiesInPieces();
    void cutsAtEveryByte();
    void delays();
    void blocksWhenTheClientDoesNotRead();
    void echoesAfterAnUpgrade();
    void answersUnknownRoutesWith404();
    void localSocketHelpersHalfClose();
};

void TestStubServer::answersInOrderOverLocalSocket()
{
    LocalStubServer server;
    QVERIFY(server.isListening());
    server.answer("GET /a"_ba, StubAnswer::ok("1"_ba));
    server.answer("GET /a"_ba, StubAnswer::chunked({"ab"_ba, "c"_ba}));
    QLocalSocket socket;
    socket.connectToServer(server.path());
    const QByteArray first = "HTTP/1.1 200 Stub\r\nContent-Length: 1\r\n\r\n1"_ba;
    const QByteArray later =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"_ba;
    const QByteArray request = "GET /a HTTP/1.1\r\n\r\n"_ba;
    QCOMPARE(exchange(socket, request, first.size()), first);
    QCOMPARE(exchange(socket, request, later.size()), later);
    QCOMPARE(exchange(socket, request, later.size()), later);
    QCOMPARE(server.requestCount("GET /a"_ba), 3);
    QCOMPARE(server.connectionCount(), 1);
    server.dropConnections();
    QTRY_COMPARE(socket.state(), QLocalSocket::UnconnectedState);
    QCOMPARE(server.openConnectionCount(), 0);
}

void TestStubServer::answersOverTcp()
{
    TcpStubServer server;
    server.answer("GET /"_ba, StubAnswer::ok("tcp"_ba));
    QTcpSocket socket;
    socket.connectToHost(QHostAddress::LocalHost, server.port());
    QVERIFY(exchange(socket, "GET / HTTP/1.1\r\n\r\n"_ba, 40).endsWith("tcp"));
}

void TestStubServer::readsBodiesInPieces()
{
    LocalStubServer server;
    QLocalSocket socket;
    socket.connectToServer(server.path());
    for (const char byte : "POST /b HTTP/1.1\r\ncontent-length: 5\r\n\r\nhello"_ba) {
        QCOMPARE(server.requests().size(), 0);
        socket.write(&byte, 1);
        socket.flush();
        QCoreApplication::processEvents();
    }
    QTRY_COMPARE(server.requests().size(), 1);
    QCOMPARE(server.requests().first().body, "hello"_ba);
    QCOMPARE(server.requests().first().method, "POST"_ba);
    QCOMPARE(server.requests().first().target, "/b"_ba);
}

void TestStubServer::cutsAtEveryByte()
{
    const StubAnswer whole = StubAnswer::ok("ab"_ba);
    for (qsizetype size = 0; size < whole.bytes.size(); ++size) {
        LocalStubServer server;
        server.answer("GET /"_ba, {.bytes = whole.bytes, .cutAt = size});
        QLocalSocket socket;
        socket.connectToServer(server.path());
        socket.write("GET / HTTP/1.1\r\n\r\n");
        QTRY_COMPARE(socket.state(), QLocalSocket::UnconnectedState);
        QCOMPARE(socket.readAll(), whole.bytes.first(size));
    }
}

void TestStubServer::delays()
{
    LocalStubServer server;
    StubAnswer answer = StubAnswer::ok("x"_ba);
    answer.delay = std::chrono::milliseconds(120);
    server.answer("GET /"_ba, answer);
    QLocalSocket socket;
    socket.connectToServer(server.path());
    QElapsedTimer timer;
    timer.start();
    QVERIFY(!exchange(socket, "GET / HTTP/1.1\r\n\r\n"_ba, 10).isEmpty());
    QCOMPARE_GE(timer.elapsed(), 115);
}

void TestStubServer::blocksWhenTheClientDoesNotRead()
{
    constexpr qint64 zeros = 16 * 1024 * 1024;
    LocalStubServer server;
    server.answer("GET /"_ba, {.bytes = "HTTP/1.1 200 OK\r\n\r\n"_ba, .zeros = zeros, .closeAfter = true});
    QLocalSocket socket;
    socket.setReadBufferSize(64 * 1024);
    socket.connectToServer(server.path());
    socket.write("GET / HTTP/1.1\r\n\r\n");
    QTRY_COMPARE_GT(server.zerosSent(), 0);
    QTest::qWait(100);
    QCOMPARE_LT(server.zerosSent(), 4 * 1024 * 1024);
    qint64 received = 0;
    const auto drain = [&] {
        received += socket.readAll().size();
    };
    connect(&socket, &QLocalSocket::readyRead, this, drain);
    drain();
    QTRY_COMPARE(socket.state(), QLocalSocket::UnconnectedState);
    drain();
    QCOMPARE(received, zeros + 19);
    QCOMPARE(server.zerosSent(), zeros);
}

void TestStubServer::echoesAfterAnUpgrade()
{
    LocalStubServer server;
    server.answer("POST /x"_ba, StubAnswer::upgrade("first"_ba));
    QLocalSocket socket;
    socket.connectToServer(server.path());
    QVERIFY(exchange(socket, "POST /x HTTP/1.1\r\n\r\nearly"_ba, 70).endsWith("\r\n\r\nfirstearly"));
    QCOMPARE(exchange(socket, "GET /no HTTP/1.1\r\n\r\n"_ba, 20), "GET /no HTTP/1.1\r\n\r\n"_ba);
    QCOMPARE(server.requests().size(), 1);
    QCOMPARE(server.rawBytes(), "earlyGET /no HTTP/1.1\r\n\r\n"_ba);
}

void TestStubServer::answersUnknownRoutesWith404()
{
    LocalStubServer server;
    QLocalSocket socket;
    socket.connectToServer(server.path());
    QVERIFY(exchange(socket, "GET /unknown HTTP/1.1\r\n\r\n"_ba, 30).startsWith("HTTP/1.1 404 "));
}

void TestStubServer::localSocketHelpersHalfClose()
{
    QTemporaryDir directory;
    const QString path = directory.filePath(u"s"_s);
    const FileDescriptor listener = listenOnLocalSocket(path);
    QVERIFY(listener.isValid());
    const FileDescriptor client = connectToLocalSocket(path);
    QVERIFY(client.isValid());
    FileDescriptor server(::accept(listener.get(), nullptr, nullptr));
    QVERIFY(writeAll(client.get(), "question"));
    ::shutdown(client.get(), SHUT_WR);
    QCOMPARE(readToEnd(server.get()), "question"_ba);
    QVERIFY(writeAll(server.get(), "answer"));
    server.reset();
    QCOMPARE(readToEnd(client.get()), "answer"_ba);
    QVERIFY(!connectToLocalSocket(directory.filePath(u"none"_s)).isValid());
    QVERIFY(!listenOnLocalSocket(QString(200, u'x')).isValid());
}

SANDBOXIO_TEST(TestStubServer)
#include "tst_stubserver.moc"
