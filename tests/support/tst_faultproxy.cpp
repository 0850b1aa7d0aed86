// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "support/testprogram.h"

#include <csignal>

#include <QProcess>
#include <QTest>

#include <sandboxio/transport/httpclient.h>
#include <support/faultproxy.h>
#include <support/localsocket.h>
#include <support/stubserver.h>

#include <sys/socket.h>

using namespace Qt::StringLiterals;
using namespace Sandboxio;
using namespace std::chrono_literals;

namespace {

FaultRule rule(const QString &text)
{
    const auto parsed = FaultRule::parse(text);
    if (!parsed)
        qFatal("%s", qPrintable(parsed.error()));
    return *parsed;
}

/// A stub behind a proxy with one rule, and a client in front.
struct Fixture
{
    explicit Fixture(const QStringList &rules = {})
        : proxy({.listenPath = directory.filePath(u"proxy"_s),
                 .targetPath = server.path(),
                 .rules = parse(rules)})
        , started(proxy.start())
        , client({.factory = localSocketFactory(directory.filePath(u"proxy"_s))})
    {
        server.answer("POST /create"_ba, StubAnswer::ok("0123456789"_ba, 201));
        server.answer("GET /list"_ba, StubAnswer::chunked({"a"_ba, "b"_ba}));
    }

    static QList<FaultRule> parse(const QStringList &texts)
    {
        QList<FaultRule> rules;
        for (const QString &text : texts)
            rules.append(rule(text));
        return rules;
    }

    /// What a POST /create comes to: its status, or the kind of its failure.
    QString post()
    {
        QString result;
        QObject context;
        client.fetch({.method = "POST"_ba, .target = "/create"_ba, .body = "{}"_ba}, 1000, &context,
                     [&](const std::expected<HttpResponse, TransportError> &response) {
                         result = response ? QString::number(response->head.status)
                                           : kindName(response.error().kind);
                     });
        return QTest::qWaitFor([&] { return !result.isEmpty(); }, 2000) ? result : u"nothing"_s;
    }

    QTemporaryDir directory;
    LocalStubServer server;
    FaultProxy proxy;
    bool started;
    HttpClient client;
};

} // namespace

class TestFaultProxy : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void parsesRules();
    void refusesRules_data();
    void refusesRules();
    void forwardsWithoutRules();
    void injectsAtThePoint_data();
    void injectsAtThePoint();
    void countsOccurrencesOfTheRule();
    void holdsUntilTheClientHangsUp_data();
    void holdsUntilTheClientHangsUp();
    void releases();
    void rulesAreReplaced();
    void connectionsAreDropped();
    void delays();
    void passesUpgradedStreamsThrough();
    void passesHalfClosedStreamsThrough();
    void endsARawStreamWhenTheClientIsGone();
    void readsChunkedRequestsOneByteAtATime();
    void closesWhenTheTargetIsAbsent();
    void programReportsAndSurvivesAKilledClient();
    void programRefusesBadArguments();
};

void TestFaultProxy::parsesRules()
{
    const FaultRule parsed = rule(u"POST /v1.4[0-9]/containers/create\\?a=b:c:2:before-reply:cut=17"_s);
    QCOMPARE(parsed.method, "POST"_ba);
    QCOMPARE(parsed.path.pattern(), u"/v1.4[0-9]/containers/create\\?a=b:c"_s);
    QCOMPARE(parsed.occurrence, 2);
    QCOMPARE(parsed.phase, FaultRule::Phase::BeforeReply);
    QCOMPARE(parsed.action, FaultRule::Action::Cut);
    QCOMPARE(parsed.number, 17);
    QVERIFY(parsed.matches("POST"_ba, "/v1.44/containers/create?a=b:cd"_ba));
    QVERIFY(!parsed.matches("GET"_ba, "/v1.44/containers/create?a=b:c"_ba));
    QVERIFY(!parsed.matches("POST"_ba, "/v2/containers/create"_ba));
    QVERIFY(rule(u"* .:0:after-reply:stop"_s).matches("DELETE"_ba, "/x"_ba));
}

void TestFaultProxy::refusesRules_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("nothing") << QString();
    QTest::newRow("no phase") << u"POST /x:1:stop"_s;
    QTest::newRow("an unknown phase") << u"POST /x:1:during-request:stop"_s;
    QTest::newRow("an unknown action") << u"POST /x:1:before-request:explode"_s;
    QTest::newRow("an occurrence that is no number") << u"POST /x:first:before-request:stop"_s;
    QTest::newRow("a number that is none") << u"POST /x:1:before-request:delay=soon"_s;
    QTest::newRow("no path") << u"POST:1:before-request:stop"_s;
    QTest::newRow("a path that is no expression") << u"POST /(:1:before-request:stop"_s;
    QTest::newRow("half a request") << u"POST /x:1:before-request:half"_s;
    QTest::newRow("an error after the reply") << u"POST /x:1:after-reply:error"_s;
    QTest::newRow("an error line after the reply") << u"POST /x:1:after-reply:error-line"_s;
}

void TestFaultProxy::refusesRules()
{
    QFETCH(const QString, text);
    const auto parsed = FaultRule::parse(text);
    QVERIFY(!parsed);
    QVERIFY(!parsed.error().isEmpty());
}

void TestFaultProxy::forwardsWithoutRules()
{
    Fixture fixture;
    QVERIFY(fixture.started);
    for (int i = 0; i < 3; ++i)
        QCOMPARE(fixture.post(), u"201"_s);
    std::optional<QByteArray> body;
    for (int i = 0; i < 3; ++i) {
        body.reset();
        fixture.client.fetch({.target = "/list"_ba}, 100, this,
                             [&](const auto &response) { body = response->body; });
        QTRY_COMPARE(body, "ab"_ba);
    }
    QCOMPARE(fixture.proxy.requestCount(), 6);
    QCOMPARE(fixture.proxy.forwardedCount(), 6);
    QCOMPARE(fixture.server.requests().first().body, "{}"_ba);
    QCOMPARE(fixture.server.connectionCount(), 4); // the GETs share one
    QVERIFY(fixture.proxy.hits().isEmpty());
}

void TestFaultProxy::injectsAtThePoint_data()
{
    QTest::addColumn<QString>("point");
    QTest::addColumn<QString>("result");
    QTest::addColumn<int>("executed");
    QTest::newRow("cut before the request") << u"before-request:cut"_s << u"ClosedBeforeReply"_s << 0;
    QTest::newRow("cut after the request") << u"after-request:cut"_s << u"ClosedBeforeReply"_s << 1;
    QTest::newRow("cut before the reply") << u"before-reply:cut"_s << u"ClosedBeforeReply"_s << 1;
    QTest::newRow("cut in the head") << u"before-reply:cut=20"_s << u"ClosedMidBody"_s << 1;
    QTest::newRow("cut before the last byte") << u"before-reply:cut=50"_s << u"ClosedMidBody"_s << 1;
    QTest::newRow("cut behind the end") << u"before-reply:cut=10000"_s << u"201"_s << 1;
    QTest::newRow("half a reply") << u"before-reply:half"_s << u"ClosedMidBody"_s << 1;
    QTest::newRow("an error instead of the request") << u"before-request:error"_s << u"500"_s << 0;
    QTest::newRow("an error after the request") << u"after-request:error"_s << u"500"_s << 1;
    QTest::newRow("an error instead of the reply") << u"before-reply:error"_s << u"500"_s << 1;
    QTest::newRow("a success that ends in an error") << u"before-request:error-line"_s << u"200"_s << 0;
    QTest::newRow("cut after the reply") << u"after-reply:cut"_s << u"201"_s << 1;
}

void TestFaultProxy::injectsAtThePoint()
{
    QFETCH(const QString, point);
    QFETCH(const int, executed);
    Fixture fixture({u"POST /create:1:"_s + point});
    QTEST(fixture.post(), "result");
    QTRY_COMPARE(fixture.server.requests().size(), executed);
    QCOMPARE(fixture.proxy.hits().size(), 1);
    QCOMPARE(phaseName(fixture.proxy.hits().first().phase), point.section(u':', 0, 0));
    QCOMPARE(fixture.post(), u"201"_s);
    QCOMPARE(fixture.server.requests().size(), executed + 1);
}

void TestFaultProxy::countsOccurrencesOfTheRule()
{
    Fixture fixture({u"POST /create:2:before-request:error"_s, u"* .:3:before-request:cut"_s});
    QCOMPARE(fixture.post(), u"201"_s);
    QCOMPARE(fixture.post(), u"500"_s);
    QCOMPARE(fixture.post(), u"ClosedBeforeReply"_s);
    QCOMPARE(fixture.post(), u"201"_s);
    QCOMPARE(fixture.proxy.hits().size(), 2);
    QCOMPARE(fixture.proxy.hits().last().rule, 1);
    QCOMPARE(fixture.proxy.hits().last().occurrence, 3);
    QCOMPARE(fixture.proxy.requestCount(), 4);
}

void TestFaultProxy::holdsUntilTheClientHangsUp_data()
{
    QTest::addColumn<QString>("phase");
    QTest::addColumn<int>("executed");
    QTest::newRow("before the request") << u"before-request"_s << 0;
    QTest::newRow("after the request") << u"after-request"_s << 1;
    QTest::newRow("before the reply") << u"before-reply"_s << 1;
    QTest::newRow("after the reply") << u"after-reply"_s << 1;
}

void TestFaultProxy::holdsUntilTheClientHangsUp()
{
    QFETCH(const QString, phase);
    QFETCH(const int, executed);
    Fixture fixture({u"POST /create:1:%1:stop"_s.arg(phase)});
    HttpReply *reply = fixture.client.request({.method = "POST"_ba, .target = "/create"_ba, .body = "{}"_ba});
    bool finished = false;
    connect(reply, &HttpReply::finished, this, [&] { finished = true; });
    QTRY_COMPARE(fixture.proxy.hits().size(), 1);
    QTRY_COMPARE(fixture.server.requests().size(), executed);
    QTest::qWait(50);
    QCOMPARE(finished, phase == u"after-reply"_s);
    QCOMPARE(fixture.server.requests().size(), executed);
    reply->cancel();
    QTRY_COMPARE(fixture.server.openConnectionCount(), 0);
    QCOMPARE(fixture.server.requests().size(), executed);
}

void TestFaultProxy::releases()
{
    Fixture fixture({u"POST /create:0:before-request:stop"_s});
    for (int i = 1; i <= 2; ++i) {
        std::optional<int> status;
        fixture.client.fetch({.method = "POST"_ba, .target = "/create"_ba}, 100, this,
                             [&](const auto &response) { status = response->head.status; });
        QTRY_COMPARE(fixture.proxy.hits().size(), i);
        QTest::qWait(50);
        QCOMPARE(fixture.server.requests().size(), i - 1);
        fixture.proxy.release();
        QTRY_COMPARE(status, 201);
    }
}

void TestFaultProxy::rulesAreReplaced()
{
    Fixture fixture({u"POST /create:0:before-request:stop"_s});
    std::optional<int> held;
    fixture.client.fetch({.method = "POST"_ba, .target = "/create"_ba}, 100, this,
                         [&](const auto &response) { held = response->head.status; });
    QTRY_COMPARE(fixture.proxy.hits().size(), 1);
    fixture.proxy.setRules({rule(u"POST /create:1:before-request:error"_s)});
    QCOMPARE(fixture.post(), u"500"_s);
    QCOMPARE(fixture.post(), u"201"_s);
    fixture.proxy.setRules({});
    QVERIFY(!held); // what is held stays so until it is released
    fixture.proxy.release();
    QTRY_COMPARE(held, 201);
}

void TestFaultProxy::connectionsAreDropped()
{
    Fixture fixture({u"POST /create:1:before-request:stop"_s});
    QString ended;
    fixture.client.fetch({.method = "POST"_ba, .target = "/create"_ba}, 100, this, [&](const auto &response) {
        ended = response ? u"a reply"_s : kindName(response.error().kind);
    });
    QTRY_COMPARE(fixture.proxy.hits().size(), 1);
    fixture.proxy.dropConnections();
    QTRY_COMPARE(ended, u"ClosedBeforeReply"_s);
    QCOMPARE(fixture.post(), u"201"_s);
}

void TestFaultProxy::delays()
{
    Fixture fixture({u"POST /create:1:before-reply:delay=150"_s});
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(fixture.post(), u"201"_s);
    QCOMPARE_GE(timer.elapsed(), 145);
}

void TestFaultProxy::passesUpgradedStreamsThrough()
{
    Fixture fixture;
    fixture.server.answer("POST /exec"_ba, StubAnswer::upgrade("first"_ba));
    HttpReply *reply = fixture.client.request({.method = "POST"_ba, .target = "/exec"_ba, .upgrade = true});
    std::unique_ptr<UpgradedStream> stream;
    QByteArray received;
    connect(reply, &HttpReply::upgraded, this, [&] {
        stream = reply->takeUpgradedStream();
        connect(stream.get(), &UpgradedStream::dataReceived, this,
                [&](const QByteArray &data) { received += data; });
        stream->resume();
    });
    QTRY_COMPARE(received, "first"_ba);
    const QByteArray traffic = "POST /create HTTP/1.1\r\n\r\n"_ba + QByteArray(1'000'000, 'x');
    stream->write(traffic);
    QTRY_COMPARE(received.size(), traffic.size() + 5);
    QCOMPARE(received.sliced(5), traffic);
    QCOMPARE(fixture.proxy.requestCount(), 1);
    bool closed = false;
    connect(stream.get(), &UpgradedStream::closed, this, [&] { closed = true; });
    fixture.server.dropConnections();
    QTRY_VERIFY(closed);
}

void TestFaultProxy::passesHalfClosedStreamsThrough()
{
    QTemporaryDir directory;
    const FileDescriptor listener = listenOnLocalSocket(directory.filePath(u"target"_s));
    FaultProxy proxy(
        {.listenPath = directory.filePath(u"proxy"_s), .targetPath = directory.filePath(u"target"_s)});
    QVERIFY(proxy.start());
    const FileDescriptor client = connectToLocalSocket(directory.filePath(u"proxy"_s));
    FileDescriptor server(::accept(listener.get(), nullptr, nullptr));
    const QByteArray request = "POST /exec HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n"_ba;
    const QByteArray reply = "HTTP/1.1 101 UPGRADED\r\n\r\n"_ba;
    QVERIFY(writeAll(client.get(), request + "stdin"));
    QVERIFY(writeAll(server.get(), reply));
    ::shutdown(client.get(), SHUT_WR);
    QCOMPARE(readToEnd(server.get()), request + "stdin");
    QVERIFY(writeAll(server.get(), "stdout"));
    server.reset();
    QCOMPARE(readToEnd(client.get()), reply + "stdout");
}

void TestFaultProxy::endsARawStreamWhenTheClientIsGone()
{
    Fixture fixture;
    fixture.server.answer("GET /raw"_ba, {.bytes = "HTTP/1.1 200 OK\r\n\r\nx"_ba, .raw = true});
    FileDescriptor client = connectToLocalSocket(fixture.directory.filePath(u"proxy"_s));
    QVERIFY(writeAll(client.get(), "GET /raw HTTP/1.1\r\n\r\n"));
    QTRY_COMPARE(fixture.server.requests().size(), 1);
    QVERIFY(writeAll(client.get(), "stdin"));
    QTRY_COMPARE(fixture.server.rawBytes(), "stdin"_ba);
    client.reset();
    QTRY_COMPARE(fixture.server.openConnectionCount(), 0);
}

void TestFaultProxy::readsChunkedRequestsOneByteAtATime()
{
    QTemporaryDir directory;
    const FileDescriptor listener = listenOnLocalSocket(directory.filePath(u"target"_s));
    FaultProxy proxy(
        {.listenPath = directory.filePath(u"proxy"_s), .targetPath = directory.filePath(u"target"_s)});
    QVERIFY(proxy.start());
    FileDescriptor client = connectToLocalSocket(directory.filePath(u"proxy"_s));
    const FileDescriptor server(::accept(listener.get(), nullptr, nullptr));
    const QByteArray request =
        "PUT /archive HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"_ba;
    for (const char byte : request.chopped(1))
        QVERIFY(writeAll(client.get(), QByteArrayView(&byte, 1)));
    QTest::qWait(50);
    QCOMPARE(proxy.requestCount(), 0);
    QVERIFY(writeAll(client.get(), request.last(1)));
    QTRY_COMPARE(proxy.forwardedCount(), 1);
    client.reset();
    QCOMPARE(readToEnd(server.get()), request);
}

void TestFaultProxy::closesWhenTheTargetIsAbsent()
{
    QTemporaryDir directory;
    FaultProxy proxy(
        {.listenPath = directory.filePath(u"proxy"_s), .targetPath = directory.filePath(u"none"_s)});
    QVERIFY(proxy.start());
    const FileDescriptor client = connectToLocalSocket(directory.filePath(u"proxy"_s));
    QCOMPARE(readToEnd(client.get()), QByteArray());
    proxy.stop();
    QVERIFY(!QFile::exists(directory.filePath(u"proxy"_s)));
}

void TestFaultProxy::programReportsAndSurvivesAKilledClient()
{
    QTemporaryDir directory;
    const QString path = directory.filePath(u"proxy"_s);
    LocalStubServer server;
    server.answer("POST /create?name=x"_ba, StubAnswer::ok("done"_ba, 201));
    QProcess program;
    program.start(QString::fromLocal8Bit(FAULT_PROXY_PROGRAM),
                  {u"--listen"_s, path, u"--target"_s, server.path(), u"--log-requests"_s, u"--rule"_s,
                   u"POST /create:1:after-request:stop"_s});
    QByteArray output;
    connect(&program, &QProcess::readyReadStandardOutput, this,
            [&] { output += program.readAllStandardOutput(); });
    QTRY_COMPARE(output, "listening\n"_ba);

    FileDescriptor client = connectToLocalSocket(path);
    QVERIFY(writeAll(client.get(), "POST /create?name=x HTTP/1.1\r\n\r\n"));
    QTRY_COMPARE(output,
                 "listening\nrequest 1 POST /create?name=x\nhit 1 POST /create?name=x 1 after-request\n"_ba);
    QTRY_COMPARE(server.requests().size(), 1);
    client.reset(); // what the system does for a killed client
    QTRY_COMPARE(server.openConnectionCount(), 0);

    HttpClient second({.factory = localSocketFactory(path)});
    std::optional<int> status;
    second.fetch({.method = "POST"_ba, .target = "/create?name=x"_ba}, 100, this,
                 [&](const auto &response) { status = response->head.status; });
    QTRY_COMPARE(status, 201);
    program.terminate();
    QTRY_COMPARE(program.state(), QProcess::NotRunning);
    QCOMPARE(program.exitStatus(), QProcess::NormalExit);
    QCOMPARE(program.exitCode(), 0);
    QVERIFY(!QFile::exists(path));
}

void TestFaultProxy::programRefusesBadArguments()
{
    QProcess program;
    program.start(QString::fromLocal8Bit(FAULT_PROXY_PROGRAM),
                  {u"--listen"_s, u"/nowhere/a"_s, u"--target"_s, u"/nowhere/b"_s, u"--rule"_s, u"POST /x"_s});
    QVERIFY(program.waitForFinished());
    QCOMPARE(program.exitCode(), 2);
    QVERIFY(program.readAllStandardError().contains("a rule is"));
}

SANDBOXIO_TEST(TestFaultProxy)
#include "tst_faultproxy.moc"
