// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "support/testprogram.h"

#include <thread>

#include <QSignalSpy>
#include <QTest>

#include <sandboxio/transport/httpclient.h>
#include <support/localsocket.h>
#include <support/stubserver.h>

#include <sys/socket.h>

using namespace Qt::StringLiterals;
using namespace Sandboxio;

namespace {

/// A peer with blocking calls in a thread of its own: reads the request, answers 101, then runs a script.
class ScriptedPeer
{
public:
    template <typename Script>
    explicit ScriptedPeer(Script script)
        : m_path(m_directory.filePath(u"s"_s))
        , m_listener(listenOnLocalSocket(m_path))
        , m_thread([this, script] {
            const FileDescriptor fd(::accept(m_listener.get(), nullptr, nullptr));
            QByteArray request;
            char byte = 0;
            while (!request.endsWith("\r\n\r\n") && ::recv(fd.get(), &byte, 1, 0) == 1)
                request += byte;
            script(fd.get());
        })
    {}
    ~ScriptedPeer() { m_thread.join(); }
    QString path() const { return m_path; }

private:
    QTemporaryDir m_directory;
    QString m_path;
    FileDescriptor m_listener;
    std::thread m_thread;
};

constexpr QByteArrayView switching = "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n";

std::unique_ptr<UpgradedStream> upgrade(HttpClient &client)
{
    HttpReply *reply = client.request({.method = "POST"_ba, .target = "/exec"_ba, .upgrade = true});
    QSignalSpy upgraded(reply, &HttpReply::upgraded);
    if (!upgraded.wait())
        return nullptr;
    auto stream = reply->takeUpgradedStream();
    reply->deleteLater();
    return stream;
}

} // namespace

class TestUpgradedStream : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void deliversBytesThatCameWithTheHead();
    void startsPausedAndNeverEmitsInline();
    void halfCloseLetsTheAnswerThrough_data();
    void halfCloseLetsTheAnswerThrough();
    void pausedConsumerBlocksThePeer();
    void readsTheRestAfterThePeerClosed();
    void reportsTheEndOnce();
    void abortIsSilent();
    void survivesDeletionInEverySignal_data();
    void survivesDeletionInEverySignal();
    void declinedUpgradeIsAReply();
    void reads1GB();
};

void TestUpgradedStream::deliversBytesThatCameWithTheHead()
{
    LocalStubServer server;
    server.answer("POST /exec"_ba, StubAnswer::upgrade("\1\0\0\0first"_ba));
    HttpClient client({.factory = localSocketFactory(server.path())});
    const auto stream = upgrade(client);
    QVERIFY(stream);
    QByteArray received;
    connect(stream.get(), &UpgradedStream::dataReceived, this,
            [&](const QByteArray &data) { received += data; });
    stream->resume();
    QTRY_COMPARE(received, "\1\0\0\0first"_ba);
    stream->write("echo"_ba);
    QTRY_COMPARE(received, "\1\0\0\0firstecho"_ba);
    QCOMPARE(server.rawBytes(), "echo"_ba);
    QCOMPARE(stream->bytesToWrite(), 0);
}

void TestUpgradedStream::startsPausedAndNeverEmitsInline()
{
    LocalStubServer server;
    server.answer("POST /exec"_ba, StubAnswer::upgrade("first"_ba));
    HttpClient client({.factory = localSocketFactory(server.path())});
    const auto stream = upgrade(client);
    QVERIFY(stream && stream->isPaused());
    QSignalSpy data(stream.get(), &UpgradedStream::dataReceived);
    QTest::qWait(50);
    QCOMPARE(data.size(), 0);
    stream->resume();
    QCOMPARE(data.size(), 0);
    QTRY_COMPARE(data.size(), 1);
}

void TestUpgradedStream::halfCloseLetsTheAnswerThrough_data()
{
    QTest::addColumn<qsizetype>("size");
    QTest::newRow("nothing was written") << qsizetype(0);
    QTest::newRow("a few bytes") << qsizetype(5);
    QTest::newRow("more than the socket buffers hold") << qsizetype(20'000'000);
}

void TestUpgradedStream::halfCloseLetsTheAnswerThrough()
{
    QFETCH(const qsizetype, size);
    ScriptedPeer peer([](int fd) {
        writeAll(fd, switching);
        const QByteArray input = readToEnd(fd);
        writeAll(fd, "read " + QByteArray::number(input.size()) + " ending in " + input.right(3));
    });
    HttpClient client({.factory = localSocketFactory(peer.path())});
    const auto stream = upgrade(client);
    QVERIFY(stream);
    QByteArray received;
    connect(stream.get(), &UpgradedStream::dataReceived, this,
            [&](const QByteArray &data) { received += data; });
    QSignalSpy closed(stream.get(), &UpgradedStream::closed);
    stream->resume();
    QVERIFY(stream->canCloseWrite());
    const QByteArray input =
        QByteArray(size, 'x').replace(std::max<qsizetype>(0, size - 3), 3, size ? "END" : "");
    stream->write(input);
    stream->closeWrite();
    stream->write("ignored"_ba);
    QTRY_COMPARE(closed.size(), 1);
    QCOMPARE(received, "read " + QByteArray::number(size) + " ending in " + input.right(3));
    QVERIFY(!stream->error());
}

void TestUpgradedStream::pausedConsumerBlocksThePeer()
{
    constexpr qint64 total = 64 * 1024 * 1024;
    std::atomic<qint64> sent = 0;
    ScriptedPeer peer([&sent](int fd) {
        writeAll(fd, switching);
        const QByteArray piece(64 * 1024, 'x');
        while (sent < total && writeAll(fd, piece))
            sent += piece.size();
    });
    HttpClient client({.factory = localSocketFactory(peer.path())});
    const auto stream = upgrade(client);
    QVERIFY(stream);
    qint64 received = 0;
    connect(stream.get(), &UpgradedStream::dataReceived, this,
            [&](const QByteArray &data) { received += data.size(); });
    QSignalSpy closed(stream.get(), &UpgradedStream::closed);
    QTest::qWait(200);
    QCOMPARE_LT(sent.load(), 8 * 1024 * 1024);
    stream->resume();
    QTRY_COMPARE_GT(received, 10 * 1024 * 1024);
    stream->pause();
    const qint64 atPause = received;
    QTest::qWait(100);
    QCOMPARE(received, atPause);
    QCOMPARE_LT(sent.load() - atPause, 8 * 1024 * 1024);
    stream->resume();
    QTRY_COMPARE(closed.size(), 1);
    QCOMPARE(received, total);
}

void TestUpgradedStream::readsTheRestAfterThePeerClosed()
{
    ScriptedPeer peer([](int fd) { writeAll(fd, switching.toByteArray() + QByteArray(100'000, 'x')); });
    HttpClient client({.factory = localSocketFactory(peer.path())});
    const auto stream = upgrade(client);
    QVERIFY(stream);
    qint64 received = 0;
    connect(stream.get(), &UpgradedStream::dataReceived, this,
            [&](const QByteArray &data) { received += data.size(); });
    QSignalSpy closed(stream.get(), &UpgradedStream::closed);
    QTest::qWait(100);
    QCOMPARE(closed.size(), 0);
    stream->resume();
    QTRY_COMPARE(closed.size(), 1);
    QCOMPARE(received, 100'000);
    QVERIFY(stream->isClosed());
}

void TestUpgradedStream::reportsTheEndOnce()
{
    LocalStubServer server;
    server.answer("POST /exec"_ba, StubAnswer::upgrade({}));
    HttpClient client({.factory = localSocketFactory(server.path())});
    const auto stream = upgrade(client);
    QVERIFY(stream);
    QSignalSpy closed(stream.get(), &UpgradedStream::closed);
    stream->resume();
    server.dropConnections();
    QTRY_COMPARE(closed.size(), 1);
    stream->write("x"_ba);
    stream->closeWrite();
    stream->resume();
    QTest::qWait(50);
    QCOMPARE(closed.size(), 1);
}

void TestUpgradedStream::abortIsSilent()
{
    LocalStubServer server;
    server.answer("POST /exec"_ba, StubAnswer::upgrade("x"_ba));
    HttpClient client({.factory = localSocketFactory(server.path())});
    const auto stream = upgrade(client);
    QVERIFY(stream);
    QSignalSpy data(stream.get(), &UpgradedStream::dataReceived);
    QSignalSpy closed(stream.get(), &UpgradedStream::closed);
    stream->resume();
    stream->abort();
    QTRY_COMPARE(server.openConnectionCount(), 0);
    QTest::qWait(50);
    QCOMPARE(data.size() + closed.size(), 0);
    QVERIFY(stream->isClosed());
}

void TestUpgradedStream::survivesDeletionInEverySignal_data()
{
    QTest::addColumn<QString>("signal");
    for (const char *signal : {"dataReceived", "bytesWritten", "closed"})
        QTest::newRow(signal) << QString::fromLatin1(signal);
}

void TestUpgradedStream::survivesDeletionInEverySignal()
{
    QFETCH(const QString, signal);
    LocalStubServer server;
    server.answer("POST /exec"_ba, StubAnswer::upgrade("x"_ba));
    HttpClient client({.factory = localSocketFactory(server.path())});
    auto stream = upgrade(client);
    QVERIFY(stream);
    const auto remove = [&stream] {
        stream.reset();
    };
    if (signal == u"dataReceived"_s)
        connect(stream.get(), &UpgradedStream::dataReceived, this, remove);
    if (signal == u"bytesWritten"_s)
        connect(stream.get(), &UpgradedStream::bytesWritten, this, remove);
    if (signal == u"closed"_s)
        connect(stream.get(), &UpgradedStream::closed, this, remove);
    stream->resume();
    stream->write("y"_ba);
    if (signal == u"closed"_s)
        server.dropConnections();
    QTRY_VERIFY(!stream);
    QTRY_COMPARE(server.openConnectionCount(), 0);
}

void TestUpgradedStream::declinedUpgradeIsAReply()
{
    LocalStubServer server;
    server.answer("POST /exec"_ba, StubAnswer::ok("paused"_ba, 409));
    HttpClient client({.factory = localSocketFactory(server.path())});
    HttpReply *reply = client.request({.method = "POST"_ba, .target = "/exec"_ba, .upgrade = true});
    QSignalSpy finished(reply, &HttpReply::finished);
    QTRY_COMPARE(finished.size(), 1);
    QCOMPARE(reply->head()->status, 409);
    QVERIFY(!reply->takeUpgradedStream());
}

void TestUpgradedStream::reads1GB()
{
    constexpr qint64 total = 1000 * 1000 * 1000;
    ScriptedPeer peer([](int fd) {
        writeAll(fd, switching);
        const QByteArray piece(32 * 1024, 'x');
        for (qint64 sent = 0; sent < total; sent += piece.size()) {
            if (!writeAll(fd, QByteArrayView(piece).first(std::min<qint64>(piece.size(), total - sent))))
                return;
        }
    });
    HttpClient client({.factory = localSocketFactory(peer.path())});
    const auto stream = upgrade(client);
    QVERIFY(stream);
    qint64 received = 0;
    qint64 pieces = 0;
    connect(stream.get(), &UpgradedStream::dataReceived, this, [&](const QByteArray &data) {
        received += data.size();
        ++pieces;
    });
    QSignalSpy closed(stream.get(), &UpgradedStream::closed);
    QElapsedTimer timer;
    timer.start();
    stream->resume();
    QVERIFY(closed.wait(100'000));
    const double seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9;
    qInfo("%.0f MB/s in pieces of %lld bytes", static_cast<double>(received) / 1e6 / seconds,
          received / pieces);
    QCOMPARE(received, total);
}

SANDBOXIO_TEST(TestUpgradedStream)
#include "tst_upgradedstream.moc"
