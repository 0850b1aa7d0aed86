// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "support/testprogram.h"

#include <QPointer>
#include <QSignalSpy>
#include <QTest>

#include <sandboxio/transport/httpclient.h>
#include <support/stubserver.h>

using namespace Qt::StringLiterals;
using namespace Sandboxio;
using namespace std::chrono_literals;

namespace {

/// Everything that one reply reports, in order.
struct ReplyRecorder : QObject
{
    explicit ReplyRecorder(HttpReply *reply)
    {
        connect(reply, &HttpReply::headReceived, this, [this] { events += 'h'; });
        connect(reply, &HttpReply::bodyReceived, this, [this](const QByteArray &data) {
            body += data;
            if (!events.endsWith('b'))
                events += 'b';
        });
        connect(reply, &HttpReply::finished, this, [this] { events += 'f'; });
        connect(reply, &HttpReply::upgraded, this, [this] { events += 'u'; });
        connect(reply, &HttpReply::failed, this, [this](const TransportError &error) {
            kind = kindName(error.kind);
            events += 'e';
        });
    }

    QByteArray events;
    QByteArray body;
    QString kind;
};

/// A client of a stub, with what tests ask of both.
struct Fixture
{
    explicit Fixture(HttpClientOptions options = {})
        : client([&] {
            options.factory = localSocketFactory(server.path());
            return options;
        }())
    {}

    /// One GET / from start to end.
    bool get()
    {
        ReplyRecorder recorder(client.request({}));
        return QTest::qWaitFor([&] { return recorder.events == "hbf"; });
    }

    LocalStubServer server;
    HttpClient client;
};

const StubAnswer closesWithoutReply{.bytes = ""_ba, .cutAt = 0};

} // namespace

class TestHttpClient : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void getsShareOneConnection();
    void otherMethodsGetOneFreshConnectionEach_data();
    void otherMethodsGetOneFreshConnectionEach();
    void sendsEveryRequestOnceWhenThePeerClosesFirst_data();
    void sendsEveryRequestOnceWhenThePeerClosesFirst();
    void replacesADeadIdleConnectionForAGet();
    void replacesADeadIdleConnectionOnlyOnce();
    void repeatsNoGetOfWhichAReplyByteCame();
    void forgetsIdleConnectionsThatTheServerClosed();
    void closesIdleConnectionsInTime();
    void keepsABoundedNumberOfIdleConnections();
    void queuesBeyondTheLimit();
    void longLivedRequestsDoNotCount();
    void runsHundredsOfRequests();
    void cancels_data();
    void cancels();
    void deletedReplyAbortsSilently_data();
    void deletedReplyAbortsSilently();
    void survivesDeletionOfTheReplyInEverySignal_data();
    void survivesDeletionOfTheReplyInEverySignal();
    void destroyedClientIsSilent();
    void abortAllEndsEverything();
    void fetches();
    void fetchFailsOnce_data();
    void fetchFailsOnce();
    void fetchIsAbortedWithItsContext();
    void fetchSurvivesDeathOfItsContextInTheCallback();
    void pausesBeforeTheConnectionExists();
    void refusesInjectionWithoutConnecting();
};

void TestHttpClient::getsShareOneConnection()
{
    Fixture fixture;
    fixture.server.answer("GET /"_ba, StubAnswer::ok("x"_ba));
    for (int i = 0; i < 5; ++i)
        QVERIFY(fixture.get());
    QCOMPARE(fixture.server.requests().size(), 5);
    QCOMPARE(fixture.server.connectionCount(), 1);
    QCOMPARE(fixture.client.idleCount(), 1);
    QCOMPARE(fixture.client.activeCount(), 0);
    QVERIFY(fixture.server.requests().first().head.toLower().contains("user-agent: sandboxio\r\n"));
}

void TestHttpClient::otherMethodsGetOneFreshConnectionEach_data()
{
    QTest::addColumn<QByteArray>("method");
    for (const char *method : {"POST", "PUT", "DELETE", "PATCH"})
        QTest::newRow(method) << QByteArray(method);
}

void TestHttpClient::otherMethodsGetOneFreshConnectionEach()
{
    QFETCH(const QByteArray, method);
    Fixture fixture;
    fixture.server.answer("GET /"_ba, StubAnswer::ok("x"_ba));
    fixture.server.answer(method + " /", StubAnswer::ok("x"_ba));
    QVERIFY(fixture.get());
    for (int i = 0; i < 2; ++i) {
        ReplyRecorder recorder(fixture.client.request({.method = method, .body = "b"_ba}));
        QTRY_COMPARE(recorder.events, "hbf"_ba);
    }
    QCOMPARE(fixture.server.requests().size(), 3);
    QCOMPARE(fixture.server.requests().at(0).connection, 1);
    QCOMPARE(fixture.server.requests().at(1).connection, 2);
    QCOMPARE(fixture.server.requests().at(2).connection, 3);
    QVERIFY(fixture.server.requests().at(1).head.toLower().contains("connection: close\r\n"));
    QTRY_COMPARE(fixture.server.openConnectionCount(), 1);
}

void TestHttpClient::sendsEveryRequestOnceWhenThePeerClosesFirst_data()
{
    QTest::addColumn<QByteArray>("method");
    for (const char *method : {"POST", "PUT", "DELETE", "PATCH", "GET"})
        QTest::newRow(method) << QByteArray(method);
}

void TestHttpClient::sendsEveryRequestOnceWhenThePeerClosesFirst()
{
    QFETCH(const QByteArray, method);
    Fixture fixture;
    fixture.server.answer(method + " /", closesWithoutReply);
    ReplyRecorder recorder(fixture.client.request({.method = method, .body = "b"_ba}));
    QTRY_COMPARE(recorder.events, "e"_ba);
    QCOMPARE(recorder.kind, u"ClosedBeforeReply"_s);
    QTest::qWait(100);
    QCOMPARE(fixture.server.requests().size(), 1);
    QCOMPARE(fixture.server.connectionCount(), 1);
}

void TestHttpClient::replacesADeadIdleConnectionForAGet()
{
    Fixture fixture;
    fixture.server.answer("GET /"_ba, StubAnswer::ok("x"_ba));
    fixture.server.answer("GET /"_ba, closesWithoutReply);
    fixture.server.answer("GET /"_ba, StubAnswer::ok("y"_ba));
    QVERIFY(fixture.get());
    ReplyRecorder recorder(fixture.client.request({}));
    QTRY_COMPARE(recorder.events, "hbf"_ba);
    QCOMPARE(recorder.body, "y"_ba);
    QCOMPARE(fixture.server.connectionCount(), 2);
    QCOMPARE(fixture.server.requests().size(), 3);
}

void TestHttpClient::replacesADeadIdleConnectionOnlyOnce()
{
    Fixture fixture;
    fixture.server.answer("GET /"_ba, StubAnswer::ok("x"_ba));
    fixture.server.answer("GET /"_ba, closesWithoutReply);
    QVERIFY(fixture.get());
    ReplyRecorder recorder(fixture.client.request({}));
    QTRY_COMPARE(recorder.events, "e"_ba);
    QCOMPARE(recorder.kind, u"ClosedBeforeReply"_s);
    QTest::qWait(100);
    QCOMPARE(fixture.server.requests().size(), 3);
    QCOMPARE(fixture.client.activeCount(), 0);
}

void TestHttpClient::repeatsNoGetOfWhichAReplyByteCame()
{
    Fixture fixture;
    fixture.server.answer("GET /"_ba, StubAnswer::ok("x"_ba));
    fixture.server.answer("GET /"_ba, {.bytes = "HTTP/1.1 200 OK\r\n"_ba, .cutAt = 1});
    QVERIFY(fixture.get());
    ReplyRecorder recorder(fixture.client.request({}));
    QTRY_COMPARE(recorder.events, "e"_ba);
    QCOMPARE(recorder.kind, u"ClosedMidBody"_s);
    QTest::qWait(100);
    QCOMPARE(fixture.server.requests().size(), 2);
}

void TestHttpClient::forgetsIdleConnectionsThatTheServerClosed()
{
    Fixture fixture;
    fixture.server.answer("GET /"_ba, StubAnswer::ok("x"_ba));
    QVERIFY(fixture.get());
    fixture.server.dropConnections();
    QTRY_COMPARE(fixture.client.idleCount(), 0);
    QVERIFY(fixture.get());
    QCOMPARE(fixture.server.connectionCount(), 2);
}

void TestHttpClient::closesIdleConnectionsInTime()
{
    Fixture fixture({.keepIdle = 100ms});
    fixture.server.answer("GET /"_ba, StubAnswer::ok("x"_ba));
    QVERIFY(fixture.get());
    QCOMPARE(fixture.client.idleCount(), 1);
    QTRY_COMPARE(fixture.client.idleCount(), 0);
    QTRY_COMPARE(fixture.server.openConnectionCount(), 0);
}

void TestHttpClient::keepsABoundedNumberOfIdleConnections()
{
    Fixture fixture({.maximumIdleConnections = 2});
    fixture.server.answer("GET /"_ba, StubAnswer::ok("x"_ba));
    std::vector<std::unique_ptr<ReplyRecorder>> recorders;
    for (int i = 0; i < 6; ++i)
        recorders.push_back(std::make_unique<ReplyRecorder>(fixture.client.request({})));
    for (const auto &recorder : recorders)
        QTRY_COMPARE(recorder->events, "hbf"_ba);
    QCOMPARE(fixture.server.connectionCount(), 6);
    QCOMPARE(fixture.client.idleCount(), 2);
    QTRY_COMPARE(fixture.server.openConnectionCount(), 2);
}

void TestHttpClient::queuesBeyondTheLimit()
{
    Fixture fixture({.maximumConnections = 3});
    fixture.server.answer("POST /slow"_ba, {.silent = true});
    fixture.server.answer("POST /"_ba, StubAnswer::ok("x"_ba));
    QList<HttpReply *> slow;
    for (int i = 0; i < 3; ++i)
        slow.append(fixture.client.request({.method = "POST"_ba, .target = "/slow"_ba}));
    ReplyRecorder first(fixture.client.request({.method = "POST"_ba}));
    ReplyRecorder second(fixture.client.request({.method = "POST"_ba}));
    QTRY_COMPARE(fixture.server.requestCount("POST /slow"_ba), 3);
    QTest::qWait(50);
    QCOMPARE(fixture.client.activeCount(), 3);
    QCOMPARE(fixture.client.queuedCount(), 2);
    QCOMPARE(fixture.server.connectionCount(), 3);
    slow.first()->cancel();
    QTRY_COMPARE(first.events, "hbf"_ba);
    QTRY_COMPARE(second.events, "hbf"_ba);
    QCOMPARE(fixture.client.queuedCount(), 0);
    QCOMPARE(fixture.client.activeCount(), 2);
}

void TestHttpClient::longLivedRequestsDoNotCount()
{
    Fixture fixture({.maximumConnections = 1});
    fixture.server.answer("GET /events"_ba, {.bytes = "HTTP/1.1 200 OK\r\n\r\n"_ba});
    fixture.server.answer("POST /attach"_ba, StubAnswer::upgrade({}));
    fixture.server.answer("GET /"_ba, StubAnswer::ok("x"_ba));
    QList<HttpReply *> replies;
    for (int i = 0; i < 3; ++i)
        replies.append(fixture.client.request({.target = "/events"_ba, .longLived = true}));
    for (HttpReply *reply : replies)
        QTRY_VERIFY(reply->head());
    HttpReply *attach = fixture.client.request({.method = "POST"_ba, .target = "/attach"_ba, .upgrade = true});
    ReplyRecorder recorder(attach);
    QTRY_COMPARE(recorder.events, "hu"_ba);
    const auto stream = attach->takeUpgradedStream();
    QVERIFY(stream);
    QVERIFY(fixture.get());
    QVERIFY(fixture.get());
}

void TestHttpClient::runsHundredsOfRequests()
{
    Fixture fixture;
    fixture.server.answer("GET /"_ba, StubAnswer::ok("x"_ba));
    fixture.server.answer("POST /"_ba, StubAnswer::ok("x"_ba));
    int done = 0;
    int most = 0;
    for (int i = 0; i < 500; ++i) {
        fixture.client.fetch({.method = i % 2 ? "POST"_ba : "GET"_ba}, 10, this, [&](const auto &response) {
            QVERIFY(response);
            ++done;
            most = std::max(most, fixture.client.activeCount());
        });
    }
    QTRY_COMPARE_WITH_TIMEOUT(done, 500, 30s);
    QCOMPARE(fixture.server.requestCount("POST /"_ba), 250);
    QCOMPARE(fixture.server.requestCount("GET /"_ba), 250);
    QCOMPARE_LE(most, 128);
}

void TestHttpClient::cancels_data()
{
    QTest::addColumn<StubAnswer>("answer");
    QTest::addColumn<QByteArray>("before");
    QTest::newRow("before the reply") << StubAnswer{.silent = true} << ""_ba;
    QTest::newRow("inside the body") << StubAnswer{.bytes = "HTTP/1.1 200 OK\r\n\r\nx"_ba} << "hb"_ba;
}

void TestHttpClient::cancels()
{
    QFETCH(const StubAnswer, answer);
    QFETCH(const QByteArray, before);
    Fixture fixture;
    fixture.server.answer("GET /"_ba, answer);
    HttpReply *reply = fixture.client.request({});
    ReplyRecorder recorder(reply);
    QTRY_COMPARE(fixture.server.requests().size(), 1);
    QTRY_COMPARE(recorder.events, before);
    reply->cancel();
    reply->cancel();
    QVERIFY(reply->isEnded());
    QCOMPARE(recorder.events, before);
    QTRY_COMPARE(recorder.events, before + "e");
    QCOMPARE(recorder.kind, u"Cancelled"_s);
    QTRY_COMPARE(fixture.server.openConnectionCount(), 0);
    reply->cancel();
    QTest::qWait(50);
    QCOMPARE(recorder.events, before + "e");
    QCOMPARE(fixture.client.activeCount(), 0);
}

void TestHttpClient::deletedReplyAbortsSilently_data()
{
    QTest::addColumn<bool>("started");
    QTest::newRow("while it waits") << false;
    QTest::newRow("while it runs") << true;
}

void TestHttpClient::deletedReplyAbortsSilently()
{
    QFETCH(const bool, started);
    Fixture fixture;
    fixture.server.answer("GET /"_ba, {.silent = true});
    HttpReply *reply = fixture.client.request({});
    ReplyRecorder recorder(reply);
    if (started)
        QTRY_COMPARE(fixture.server.requests().size(), 1);
    delete reply;
    QTest::qWait(50);
    QCOMPARE(recorder.events, ""_ba);
    QCOMPARE(fixture.client.activeCount(), 0);
    QCOMPARE(fixture.client.queuedCount(), 0);
    QCOMPARE(fixture.server.openConnectionCount(), 0);
    QCOMPARE(fixture.server.requests().size(), started ? 1 : 0);
}

void TestHttpClient::survivesDeletionOfTheReplyInEverySignal_data()
{
    QTest::addColumn<char>("signal");
    QTest::addColumn<StubAnswer>("answer");
    QTest::newRow("headReceived") << 'h' << StubAnswer::ok("body"_ba);
    QTest::newRow("bodyReceived") << 'b' << StubAnswer::ok("body"_ba);
    QTest::newRow("finished") << 'f' << StubAnswer::ok("body"_ba);
    QTest::newRow("failed") << 'e' << closesWithoutReply;
    QTest::newRow("upgraded") << 'u' << StubAnswer::upgrade("x"_ba);
}

void TestHttpClient::survivesDeletionOfTheReplyInEverySignal()
{
    QFETCH(const char, signal);
    QFETCH(const StubAnswer, answer);
    Fixture fixture;
    fixture.server.answer("GET /"_ba, answer);
    QPointer<HttpReply> reply = fixture.client.request({.upgrade = signal == 'u'});
    const auto remove = [&reply] {
        delete reply.data();
    };
    if (signal == 'h')
        connect(reply, &HttpReply::headReceived, this, remove);
    if (signal == 'b')
        connect(reply, &HttpReply::bodyReceived, this, remove);
    if (signal == 'f')
        connect(reply, &HttpReply::finished, this, remove);
    if (signal == 'e')
        connect(reply, &HttpReply::failed, this, remove);
    if (signal == 'u')
        connect(reply, &HttpReply::upgraded, this, remove);
    QTRY_VERIFY(!reply);
    QTRY_COMPARE(fixture.client.activeCount(), 0);
    QTRY_COMPARE(fixture.server.openConnectionCount(), fixture.client.idleCount());
}

void TestHttpClient::destroyedClientIsSilent()
{
    LocalStubServer server;
    server.answer("GET /"_ba, StubAnswer::ok("x"_ba));
    server.answer("GET /never"_ba, {.silent = true});
    bool called = false;
    {
        HttpClient client({.factory = localSocketFactory(server.path())});
        bool got = false;
        client.fetch({}, 10, this, [&](const auto &) { got = true; });
        QTRY_VERIFY(got);
        client.fetch({.target = "/never"_ba}, 10, this, [&](const auto &) { called = true; });
        QTRY_COMPARE(server.requests().size(), 2);
        client.fetch({}, 10, this, [&](const auto &) { called = true; });
    }
    QTRY_COMPARE(server.openConnectionCount(), 0);
    QVERIFY(!called);
}

void TestHttpClient::abortAllEndsEverything()
{
    Fixture fixture({.maximumConnections = 1});
    fixture.server.answer("GET /"_ba, {.silent = true});
    ReplyRecorder running(fixture.client.request({}));
    ReplyRecorder waiting(fixture.client.request({}));
    QTRY_COMPARE(fixture.server.requests().size(), 1);
    fixture.client.abortAll();
    QCOMPARE(running.events + waiting.events, ""_ba);
    QTRY_COMPARE(running.kind, u"Cancelled"_s);
    QTRY_COMPARE(waiting.kind, u"Cancelled"_s);
    QTRY_COMPARE(fixture.server.openConnectionCount(), 0);
    QCOMPARE(fixture.server.requests().size(), 1);
}

void TestHttpClient::fetches()
{
    Fixture fixture;
    fixture.server.answer("POST /c"_ba, StubAnswer::ok("not found"_ba, 404));
    std::optional<std::expected<HttpResponse, TransportError>> result;
    QPointer<HttpReply> reply = fixture.client.fetch({.method = "POST"_ba, .target = "/c"_ba, .body = "{}"_ba},
                                                     9, this, [&](const auto &response) { result = response; });
    QVERIFY(!result);
    QTRY_VERIFY(result);
    QVERIFY(*result);
    QCOMPARE((*result)->head.status, 404);
    QCOMPARE((*result)->body, "not found"_ba);
    QCOMPARE(fixture.server.requests().first().body, "{}"_ba);
    QTRY_VERIFY(!reply);
}

void TestHttpClient::fetchFailsOnce_data()
{
    QTest::addColumn<StubAnswer>("answer");
    QTest::addColumn<QString>("kind");
    QTest::newRow("cut in the body") << StubAnswer{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"_ba,
                                                   .closeAfter = true}
                                     << u"ClosedMidBody"_s;
    QTest::newRow("longer than the limit") << StubAnswer::ok("0123456789a"_ba) << u"TooLarge"_s;
    QTest::newRow("endless and longer than the limit")
        << StubAnswer{.bytes = "HTTP/1.1 200 OK\r\n\r\n"_ba, .zeros = 50'000'000} << u"TooLarge"_s;
    QTest::newRow("no reply in time") << StubAnswer{.silent = true} << u"TimedOut"_s;
}

void TestHttpClient::fetchFailsOnce()
{
    QFETCH(const StubAnswer, answer);
    Fixture fixture;
    fixture.server.answer("GET /"_ba, answer);
    QStringList kinds;
    fixture.client.fetch({.idleLimit = 200ms}, 10, this, [&](const auto &response) {
        kinds += response ? u"none"_s : kindName(response.error().kind);
    });
    QTRY_VERIFY(!kinds.isEmpty());
    QTest::qWait(50);
    QTEST(kinds.join(u','), "kind");
    QTRY_COMPARE(fixture.server.openConnectionCount(), 0);
    QCOMPARE(fixture.client.activeCount(), 0);
}

void TestHttpClient::fetchIsAbortedWithItsContext()
{
    Fixture fixture;
    fixture.server.answer("GET /"_ba, {.silent = true});
    bool called = false;
    auto context = std::make_unique<QObject>();
    QPointer<HttpReply> reply =
        fixture.client.fetch({}, 10, context.get(), [&](const auto &) { called = true; });
    QTRY_COMPARE(fixture.server.requests().size(), 1);
    context.reset();
    QVERIFY(!reply);
    QTRY_COMPARE(fixture.server.openConnectionCount(), 0);
    QVERIFY(!called);
}

void TestHttpClient::fetchSurvivesDeathOfItsContextInTheCallback()
{
    Fixture fixture;
    fixture.server.answer("GET /"_ba, StubAnswer::ok("x"_ba));
    int called = 0;
    auto *context = new QObject;
    fixture.client.fetch({}, 10, context, [&, context](const auto &) {
        delete context;
        ++called;
    });
    QTRY_COMPARE(called, 1);
    QVERIFY(fixture.get());
}

void TestHttpClient::pausesBeforeTheConnectionExists()
{
    Fixture fixture;
    fixture.server.answer("GET /"_ba, StubAnswer::ok("x"_ba));
    HttpReply *reply = fixture.client.request({});
    ReplyRecorder recorder(reply);
    reply->pause();
    QTRY_COMPARE(fixture.server.requests().size(), 1);
    QTest::qWait(50);
    QCOMPARE(recorder.events, ""_ba);
    reply->resume();
    QTRY_COMPARE(recorder.events, "hbf"_ba);
}

void TestHttpClient::refusesInjectionWithoutConnecting()
{
    Fixture fixture;
    ReplyRecorder recorder(fixture.client.request({.target = "/x HTTP/1.1\r\nEvil: 1"_ba}));
    QTRY_COMPARE(recorder.events, "e"_ba);
    QCOMPARE(recorder.kind, u"InvalidRequest"_s);
    QCOMPARE(fixture.server.connectionCount(), 0);
}

SANDBOXIO_TEST(TestHttpClient)
#include "tst_httpclient.moc"
