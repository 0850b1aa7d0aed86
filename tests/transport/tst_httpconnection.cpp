// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "support/testprogram.h"

#include <QFile>
#include <QSignalSpy>
#include <QTest>

#include <sandboxio/transport/httpconnection.h>
#include <support/localsocket.h>
#include <support/stubserver.h>

#include <sys/socket.h>
#include <unistd.h>

using namespace Qt::StringLiterals;
using namespace Sandboxio;
using namespace std::chrono_literals;

Q_DECLARE_METATYPE(Sandboxio::TransportError::Kind)

namespace {

/// Everything that one connection reports, in order.
struct Recorder : QObject
{
    explicit Recorder(HttpConnection &connection)
    {
        connect(&connection, &HttpConnection::headReceived, this, [this](const HttpHead &received) {
            head = received;
            events += 'h';
        });
        connect(&connection, &HttpConnection::bodyReceived, this, [this](const QByteArray &data) {
            body += data;
            longestPiece = std::max(longestPiece, data.size());
            if (!events.endsWith('b'))
                events += 'b';
        });
        connect(&connection, &HttpConnection::finished, this, [this] { events += 'f'; });
        connect(&connection, &HttpConnection::upgraded, this, [this] { events += 'u'; });
        connect(&connection, &HttpConnection::failed, this, [this](const TransportError &failure) {
            error = failure;
            events += 'e';
        });
    }

    bool ended() const { return events.endsWith('f') || events.endsWith('e') || events.endsWith('u'); }

    QByteArray events;
    std::optional<HttpHead> head;
    QByteArray body;
    qsizetype longestPiece = 0;
    std::optional<TransportError> error;
};

qint64 residentBytes()
{
    QFile file(u"/proc/self/statm"_s);
    return file.open(QIODevice::ReadOnly) ? file.readAll().split(' ').value(1).toLongLong() * 4096 : 0;
}

} // namespace

class TestHttpConnection : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void receivesReplies_data();
    void receivesReplies();
    void carriesSeveralRequests();
    void isNotReusable_data();
    void isNotReusable();
    void tellsFailuresToConnectApart_data();
    void tellsFailuresToConnectApart();
    void tellsWhereTheReplyWasCut_data();
    void tellsWhereTheReplyWasCut();
    void refusesWhatIsNotHttp();
    void failsLaterOnInvalidRequests();
    void timesOut_data();
    void timesOut();
    void doesNotTimeOutWhileBytesMove();
    void doesNotTimeOutWhilePaused();
    void pausedConsumerBlocksTheServer();
    void readsTheRestAfterTheServerClosed();
    void pausingInTheHeadHoldsTheBodyBack();
    void abortEndsWithoutSignal();
    void survivesDeletionInEverySignal_data();
    void survivesDeletionInEverySignal();
    void readsTheEarlyAnswerToALongUpload();
    void reportsBytesWhileIdle();
    void worksOverTcp();
};

void TestHttpConnection::receivesReplies_data()
{
    QTest::addColumn<StubAnswer>("answer");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("events");
    QTest::newRow("content length") << StubAnswer::ok("hello"_ba) << 200 << "hello"_ba << "hbf"_ba;
    QTest::newRow("chunked") << StubAnswer::chunked({"he"_ba, "llo"_ba}) << 200 << "hello"_ba << "hbf"_ba;
    QTest::newRow("until close") << StubAnswer{.bytes = "HTTP/1.1 200 OK\r\n\r\nhello"_ba, .closeAfter = true}
                                 << 200 << "hello"_ba << "hbf"_ba;
    QTest::newRow("no body") << StubAnswer{.bytes = "HTTP/1.1 204 No Content\r\n\r\n"_ba} << 204 << ""_ba
                             << "hf"_ba;
    QTest::newRow("an error status is a reply") << StubAnswer::ok("no"_ba, 500) << 500 << "no"_ba << "hbf"_ba;
    QTest::newRow("an interim reply first")
        << StubAnswer{.bytes =
                          "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"_ba}
        << 201 << ""_ba << "hf"_ba;
}

void TestHttpConnection::receivesReplies()
{
    QFETCH(const StubAnswer, answer);
    LocalStubServer server;
    server.answer("GET /"_ba, answer);
    HttpConnection connection(localSocketFactory(server.path()));
    Recorder recorder(connection);
    connection.send({});
    QCOMPARE(recorder.events, ""_ba);
    QTRY_VERIFY(recorder.ended());
    QTEST(recorder.events, "events");
    QTEST(recorder.head->status, "status");
    QTEST(recorder.body, "body");
}

void TestHttpConnection::carriesSeveralRequests()
{
    LocalStubServer server;
    server.answer("GET /"_ba, StubAnswer::ok("x"_ba));
    server.answer("HEAD /"_ba, {.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n"_ba});
    HttpConnection connection(localSocketFactory(server.path()));
    for (int i = 0; i < 3; ++i) {
        Recorder recorder(connection);
        connection.send({.method = i == 1 ? "HEAD"_ba : "GET"_ba});
        QTRY_COMPARE(recorder.events, i == 1 ? "hf"_ba : "hbf"_ba);
        QVERIFY(connection.isReusable());
    }
    QCOMPARE(server.connectionCount(), 1);
    QCOMPARE(server.requests().size(), 3);
    QVERIFY(server.requests().first().head.contains("Host: localhost\r\n"));
}

void TestHttpConnection::isNotReusable_data()
{
    QTest::addColumn<QByteArray>("reply");
    QTest::addColumn<bool>("closes");
    QTest::newRow("the server says close")
        << "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"_ba << false;
    QTest::newRow("HTTP/1.0") << "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n"_ba << false;
    QTest::newRow("bytes behind the reply") << "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nx"_ba << false;
    QTest::newRow("a body until close") << "HTTP/1.1 200 OK\r\n\r\n"_ba << true;
}

void TestHttpConnection::isNotReusable()
{
    QFETCH(const QByteArray, reply);
    QFETCH(const bool, closes);
    LocalStubServer server;
    server.answer("GET /"_ba, {.bytes = reply, .closeAfter = closes});
    HttpConnection connection(localSocketFactory(server.path()));
    Recorder recorder(connection);
    connection.send({});
    QTRY_COMPARE(recorder.events, "hf"_ba);
    QVERIFY(!connection.isReusable());
    QTRY_COMPARE(server.openConnectionCount(), 0);
}

void TestHttpConnection::tellsFailuresToConnectApart_data()
{
    QTest::addColumn<QString>("situation");
    QTest::addColumn<TransportError::Kind>("kind");
    QTest::newRow("no socket file") << u"missing"_s << TransportError::Kind::NoSuchSocket;
    QTest::newRow("nobody listens any more") << u"stale"_s << TransportError::Kind::Refused;
    QTest::newRow("no permission on the socket") << u"forbidden"_s << TransportError::Kind::PermissionDenied;
    QTest::newRow("nobody listens on the port") << u"port"_s << TransportError::Kind::Refused;
    QTest::newRow("a path too long for a socket") << u"long"_s << TransportError::Kind::NoSuchSocket;
}

void TestHttpConnection::tellsFailuresToConnectApart()
{
    QFETCH(const QString, situation);
    QFETCH(const TransportError::Kind, kind);
    QTemporaryDir directory;
    QVERIFY(QFile::setPermissions(directory.path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner |
                                                        QFile::ReadOther | QFile::ExeOther | QFile::ExeGroup));
    QString path = directory.filePath(u"s"_s);
    DeviceFactory factory = localSocketFactory(path);
    FileDescriptor listener;
    const bool asRoot = ::geteuid() == 0;
    if (situation == u"stale"_s || situation == u"forbidden"_s)
        listener = listenOnLocalSocket(path);
    if (situation == u"stale"_s)
        listener.reset();
    if (situation == u"forbidden"_s) {
        QVERIFY(QFile::setPermissions(path, {}));
        if (asRoot)
            QCOMPARE(::seteuid(65534), 0);
    }
    const auto restore = qScopeGuard([asRoot] {
        if (asRoot && ::geteuid() != 0 && ::seteuid(0) != 0)
            qFatal("cannot become root again");
    });
    if (situation == u"port"_s) {
        TcpStubServer server;
        factory = tcpSocketFactory(u"127.0.0.1"_s, server.port());
    }
    if (situation == u"long"_s)
        factory = localSocketFactory(u"/"_s + QString(200, u'x'));
    HttpConnection connection(factory);
    Recorder recorder(connection);
    connection.send({.method = "POST"_ba});
    QCOMPARE(recorder.events, ""_ba);
    QTRY_COMPARE(recorder.events, "e"_ba);
    QCOMPARE(kindName(recorder.error->kind), kindName(kind));
    QVERIFY(!recorder.error->providerText.isEmpty());
}

void TestHttpConnection::tellsWhereTheReplyWasCut_data()
{
    QTest::addColumn<qsizetype>("size");
    QTest::addColumn<TransportError::Kind>("kind");
    const qsizetype whole = StubAnswer::ok("ab"_ba).bytes.size();
    QTest::newRow("before the first byte") << qsizetype(0) << TransportError::Kind::ClosedBeforeReply;
    QTest::newRow("after the first byte") << qsizetype(1) << TransportError::Kind::ClosedMidBody;
    QTest::newRow("in the head") << qsizetype(20) << TransportError::Kind::ClosedMidBody;
    QTest::newRow("before the body") << whole - 2 << TransportError::Kind::ClosedMidBody;
    QTest::newRow("before the last byte") << whole - 1 << TransportError::Kind::ClosedMidBody;
}

void TestHttpConnection::tellsWhereTheReplyWasCut()
{
    QFETCH(const qsizetype, size);
    QFETCH(const TransportError::Kind, kind);
    LocalStubServer server;
    StubAnswer answer = StubAnswer::ok("ab"_ba);
    answer.cutAt = size;
    server.answer("GET /"_ba, answer);
    HttpConnection connection(localSocketFactory(server.path()));
    Recorder recorder(connection);
    connection.send({});
    QTRY_VERIFY(recorder.ended());
    QVERIFY(recorder.error);
    QCOMPARE(kindName(recorder.error->kind), kindName(kind));
    QCOMPARE(server.requests().size(), 1);
}

void TestHttpConnection::refusesWhatIsNotHttp()
{
    LocalStubServer server;
    server.answer("GET /"_ba, {.bytes = "SSH-2.0-OpenSSH\r\n"_ba});
    HttpConnection connection(localSocketFactory(server.path()));
    Recorder recorder(connection);
    connection.send({});
    QTRY_COMPARE(recorder.events, "e"_ba);
    QCOMPARE(kindName(recorder.error->kind), u"Malformed"_s);
    QTRY_COMPARE(server.openConnectionCount(), 0);
}

void TestHttpConnection::failsLaterOnInvalidRequests()
{
    LocalStubServer server;
    HttpConnection connection(localSocketFactory(server.path()));
    Recorder recorder(connection);
    connection.send({.target = "/\r\n"_ba});
    QCOMPARE(recorder.events, ""_ba);
    QTRY_COMPARE(recorder.events, "e"_ba);
    QCOMPARE(kindName(recorder.error->kind), u"InvalidRequest"_s);
    QCOMPARE(server.connectionCount(), 0);
}

void TestHttpConnection::timesOut_data()
{
    QTest::addColumn<StubAnswer>("answer");
    QTest::addColumn<QByteArray>("events");
    QTest::newRow("no reply") << StubAnswer{.silent = true} << "e"_ba;
    QTest::newRow("half a head") << StubAnswer{.bytes = "HTTP/1.1 200"_ba} << "e"_ba;
    QTest::newRow("half a body") << StubAnswer{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"_ba}
                                 << "hbe"_ba;
}

void TestHttpConnection::timesOut()
{
    QFETCH(const StubAnswer, answer);
    LocalStubServer server;
    server.answer("GET /"_ba, answer);
    HttpConnection connection(localSocketFactory(server.path()));
    Recorder recorder(connection);
    QElapsedTimer timer;
    timer.start();
    connection.send({.idleLimit = 150ms});
    QTRY_VERIFY(recorder.ended());
    QTEST(recorder.events, "events");
    QCOMPARE(kindName(recorder.error->kind), u"TimedOut"_s);
    QCOMPARE_GE(timer.elapsed(), 140);
    QTRY_COMPARE(server.openConnectionCount(), 0);
}

void TestHttpConnection::doesNotTimeOutWhileBytesMove()
{
    QTemporaryDir directory;
    const QString path = directory.filePath(u"s"_s);
    const FileDescriptor listener = listenOnLocalSocket(path);
    HttpConnection connection(localSocketFactory(path));
    Recorder recorder(connection);
    connection.send({.idleLimit = 1s});
    const FileDescriptor peer(::accept(listener.get(), nullptr, nullptr));
    QVERIFY(writeAll(peer.get(), "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"));
    QElapsedTimer timer;
    timer.start();
    for (int i = 0; i < 6; ++i) {
        QTest::qWait(200);
        QVERIFY(writeAll(peer.get(), "x"));
    }
    QTRY_COMPARE(recorder.events, "hbf"_ba);
    QCOMPARE_GT(timer.elapsed(), 1000);
}

void TestHttpConnection::doesNotTimeOutWhilePaused()
{
    LocalStubServer server;
    server.answer("GET /"_ba, StubAnswer::ok("x"_ba));
    HttpConnection connection(localSocketFactory(server.path()));
    Recorder recorder(connection);
    connection.send({.idleLimit = 50ms});
    connection.pause();
    QTest::qWait(200);
    QCOMPARE(recorder.events, ""_ba);
    connection.resume();
    QTRY_COMPARE(recorder.events, "hbf"_ba);
}

void TestHttpConnection::pausedConsumerBlocksTheServer()
{
    constexpr qint64 zeros = 64 * 1024 * 1024;
    LocalStubServer server;
    server.answer("GET /"_ba, {.bytes = "HTTP/1.1 200 OK\r\n\r\n"_ba, .zeros = zeros, .closeAfter = true});
    HttpConnection connection(localSocketFactory(server.path()));
    qint64 received = 0;
    qsizetype longest = 0;
    bool finished = false;
    connect(&connection, &HttpConnection::headReceived, this, [&] { connection.pause(); });
    connect(&connection, &HttpConnection::bodyReceived, this, [&](const QByteArray &data) {
        received += data.size();
        longest = std::max(longest, data.size());
    });
    connect(&connection, &HttpConnection::finished, this, [&] { finished = true; });
    const qint64 before = residentBytes();
    connection.send({});
    QTRY_COMPARE_GT(server.zerosSent(), 1024 * 1024);
    QTest::qWait(200);
    QVERIFY(connection.isPaused());
    QCOMPARE(received, 0);
    QCOMPARE_LT(server.zerosSent(), 8 * 1024 * 1024);
    QCOMPARE_LT(residentBytes() - before, 24 * 1024 * 1024);
    connection.resume();
    QTRY_VERIFY(finished);
    QCOMPARE(received, zeros);
    QCOMPARE_LE(longest, HttpConnection::pieceSize);
}

void TestHttpConnection::readsTheRestAfterTheServerClosed()
{
    constexpr qint64 zeros = 3 * 1024 * 1024;
    LocalStubServer server;
    server.answer("GET /"_ba, {.bytes = "HTTP/1.1 200 OK\r\n\r\n"_ba, .zeros = zeros, .closeAfter = true});
    HttpConnection connection(localSocketFactory(server.path()));
    Recorder recorder(connection);
    connection.send({});
    connection.pause();
    QTRY_COMPARE(server.openConnectionCount(), 0);
    QTRY_COMPARE(server.zerosSent(), zeros);
    QTest::qWait(50);
    QCOMPARE(recorder.events, ""_ba);
    connection.resume();
    QTRY_COMPARE(recorder.events, "hbf"_ba);
    QCOMPARE(recorder.body.size(), zeros);
}

void TestHttpConnection::pausingInTheHeadHoldsTheBodyBack()
{
    LocalStubServer server;
    server.answer("GET /"_ba, StubAnswer::ok("hello"_ba));
    HttpConnection connection(localSocketFactory(server.path()));
    Recorder recorder(connection);
    connect(&connection, &HttpConnection::headReceived, this, [&connection] { connection.pause(); });
    connection.send({});
    QTRY_COMPARE(recorder.events, "h"_ba);
    QTest::qWait(50);
    QCOMPARE(recorder.events, "h"_ba);
    connection.resume();
    QCOMPARE(recorder.events, "h"_ba);
    QTRY_COMPARE(recorder.events, "hbf"_ba);
    QCOMPARE(recorder.body, "hello"_ba);
}

void TestHttpConnection::abortEndsWithoutSignal()
{
    LocalStubServer server;
    server.answer("GET /"_ba, {.silent = true});
    HttpConnection connection(localSocketFactory(server.path()));
    Recorder recorder(connection);
    connection.send({.idleLimit = 1s});
    QTRY_COMPARE(server.requests().size(), 1);
    connection.abort();
    QTRY_COMPARE(server.openConnectionCount(), 0);
    QTest::qWait(1100);
    QCOMPARE(recorder.events, ""_ba);
    QVERIFY(!connection.isReusable());
}

void TestHttpConnection::survivesDeletionInEverySignal_data()
{
    QTest::addColumn<char>("signal");
    QTest::addColumn<StubAnswer>("answer");
    QTest::newRow("headReceived") << 'h' << StubAnswer::ok("body"_ba);
    QTest::newRow("bodyReceived") << 'b' << StubAnswer::ok("body"_ba);
    QTest::newRow("finished") << 'f' << StubAnswer::ok("body"_ba);
    QTest::newRow("failed after bytes") << 'e' << StubAnswer{.bytes = "nonsense"_ba};
    QTest::newRow("failed before bytes") << 'e' << StubAnswer{.bytes = ""_ba, .cutAt = 0};
    QTest::newRow("upgraded") << 'u' << StubAnswer::upgrade("x"_ba);
}

void TestHttpConnection::survivesDeletionInEverySignal()
{
    QFETCH(const char, signal);
    QFETCH(const StubAnswer, answer);
    LocalStubServer server;
    server.answer("GET /"_ba, answer);
    auto *connection = new HttpConnection(localSocketFactory(server.path()));
    bool deleted = false;
    const auto remove = [&connection, &deleted] {
        deleted = true;
        delete connection;
    };
    if (signal == 'h')
        connect(connection, &HttpConnection::headReceived, this, remove);
    if (signal == 'b')
        connect(connection, &HttpConnection::bodyReceived, this, remove);
    if (signal == 'f')
        connect(connection, &HttpConnection::finished, this, remove);
    if (signal == 'e')
        connect(connection, &HttpConnection::failed, this, remove);
    if (signal == 'u')
        connect(connection, &HttpConnection::upgraded, this, remove);
    connection->send({.upgrade = signal == 'u'});
    QTRY_VERIFY(deleted);
    QTRY_COMPARE(server.openConnectionCount(), 0);
}

void TestHttpConnection::readsTheEarlyAnswerToALongUpload()
{
    QTemporaryDir directory;
    const QString path = directory.filePath(u"s"_s);
    const FileDescriptor listener = listenOnLocalSocket(path);
    HttpConnection connection(localSocketFactory(path));
    Recorder recorder(connection);
    connection.send({.method = "PUT"_ba, .body = QByteArray(32 * 1024 * 1024, 'x')});
    FileDescriptor peer(::accept(listener.get(), nullptr, nullptr));
    QTest::qWait(20);
    QVERIFY(writeAll(peer.get(), "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone"));
    peer.reset(); // has read nothing of the body
    QTRY_VERIFY(recorder.ended());
    QCOMPARE(recorder.events, "hbf"_ba);
    QCOMPARE(recorder.head->status, 404);
    QCOMPARE(recorder.body, "gone"_ba);
}

void TestHttpConnection::reportsBytesWhileIdle()
{
    LocalStubServer server;
    server.answer("GET /"_ba, StubAnswer::ok("x"_ba));
    HttpConnection connection(localSocketFactory(server.path()));
    Recorder recorder(connection);
    QSignalSpy closed(&connection, &HttpConnection::closedWhileIdle);
    connection.send({});
    QTRY_COMPARE(recorder.events, "hbf"_ba);
    QVERIFY(connection.isReusable());
    server.dropConnections();
    QTRY_COMPARE(closed.size(), 1);
    QVERIFY(!connection.isReusable());
    QCOMPARE(recorder.events, "hbf"_ba);
}

void TestHttpConnection::worksOverTcp()
{
    TcpStubServer server;
    server.answer("GET /"_ba, StubAnswer::chunked({QByteArray(100'000, 'a'), "b"_ba}));
    HttpConnection connection(tcpSocketFactory(u"127.0.0.1"_s, server.port()));
    Recorder recorder(connection);
    connection.send({});
    QTRY_COMPARE(recorder.events, "hbf"_ba);
    QCOMPARE(recorder.body.size(), 100'001);
    QVERIFY(connection.isReusable());
}

SANDBOXIO_TEST(TestHttpConnection)
#include "tst_httpconnection.moc"
