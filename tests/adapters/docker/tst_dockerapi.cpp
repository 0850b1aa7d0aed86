// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerapi.h"
#include "support/operationend.h"
#include "support/testprogram.h"

#include "support/stubserver.h"

#include <QFile>
#include <QScopeGuard>
#include <QTest>

#include <sys/fsuid.h>

using namespace Qt::StringLiterals;
using namespace Sandboxio;
using namespace Sandboxio::Docker;
using namespace std::chrono_literals;

namespace {

const Call call{.purpose = {ErrorKind::CreationError, u"make tea"_s}};

StubAnswer ping(const QByteArray &version)
{
    return {.bytes = "HTTP/1.1 200 OK\r\nApi-Version: " + version + "\r\nContent-Length: 2\r\n\r\nOK"};
}

} // namespace

/*! Requests to a scripted daemon. */
class tst_DockerApi : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void versionIsAskedOnceAndUsed();
    void versionIsAskedAgainAfterAFailure();
    void tooOldDaemonIsRefused();
    void nothingThatChangesIsSentTwice_data();
    void nothingThatChangesIsSentTwice();
    void postCannotBeCancelledOnTheWire();
    void getIsAbortedByCancel();
    void missingSocketIsExplained();
    void socketWithoutPermissionIsExplained();
    void silentDaemonTimesOut();
    void badEndpointFailsEveryCall();
    void hijackGivesTheStream();
    void hijackFailsWithTheDaemonsWords();
    void linesArriveAsTheyCome();
    void linesOfAnErrorAreAnError();
    void linesEndWithTheConnection();
    void lineHandlerMayDestroyTheStream();

private:
    std::unique_ptr<LocalStubServer> m_server;
    std::shared_ptr<Api> m_api;
};

void tst_DockerApi::init()
{
    m_server = std::make_unique<LocalStubServer>();
    QVERIFY(m_server->isListening());
    m_server->answer("GET /_ping", ping("1.45"));
    m_api = std::make_shared<Api>(Endpoint{.path = m_server->path()});
}

void tst_DockerApi::versionIsAskedOnceAndUsed()
{
    m_server->answer("GET /v1.45/info", StubAnswer::ok("{}"));
    m_server->answer("GET /v1.45/volumes", StubAnswer::ok("[]"));
    const auto info = m_api->get(u"/info"_s, {}, call);
    const auto volumes = m_api->get(u"/volumes"_s, {}, call);
    QVERIFY(!info.isEnded());
    QVERIFY(ends(info) && ends(volumes));
    QCOMPARE(info.result(), "{}");
    QCOMPARE(volumes.result(), "[]");
    QCOMPARE(m_server->requestCount("GET /_ping"), 1);
    QVERIFY(m_server->requests().first().head.toLower().contains("user-agent: sandboxio/0.1"));
}

void tst_DockerApi::versionIsAskedAgainAfterAFailure()
{
    m_server = std::make_unique<LocalStubServer>();
    m_server->answer("GET /_ping", {.cutAt = 0});
    m_server->answer("GET /_ping", ping("1.44"));
    m_server->answer("GET /v1.44/info", StubAnswer::ok("{}"));
    m_api = std::make_shared<Api>(Endpoint{.path = m_server->path()});
    const auto first = m_api->get(u"/info"_s, {}, call);
    QVERIFY(ends(first));
    QCOMPARE(first.outcome(), OperationOutcome::Error);
    const auto second = m_api->get(u"/info"_s, {}, call);
    QVERIFY(ends(second));
    QCOMPARE(second.outcome(), OperationOutcome::Value);
}

void tst_DockerApi::tooOldDaemonIsRefused()
{
    m_server = std::make_unique<LocalStubServer>();
    m_server->answer("GET /_ping", ping("1.24"));
    m_api = std::make_shared<Api>(Endpoint{.path = m_server->path()});
    const auto info = m_api->get(u"/info"_s, {}, call);
    QVERIFY(ends(info));
    QVERIFY2(info.error().message.contains(u"1.24"_s) && info.error().message.contains(u"1.41"_s),
             qPrintable(info.error().message));
    QCOMPARE(m_server->requests().size(), 1);
}

void tst_DockerApi::nothingThatChangesIsSentTwice_data()
{
    QTest::addColumn<QByteArray>("method");
    QTest::newRow("POST") << "POST"_ba;
    QTest::newRow("PUT") << "PUT"_ba;
    QTest::newRow("DELETE") << "DELETE"_ba;
}

void tst_DockerApi::nothingThatChangesIsSentTwice()
{
    QFETCH(const QByteArray, method);
    m_server->answer("GET /v1.45/info", StubAnswer::ok("{}"));
    m_server->answer(method + " /v1.45/x", {.cutAt = 0});
    QVERIFY(ends(m_api->get(u"/info"_s, {}, call))); // leaves a connection that could be used again
    const auto operation = method == "POST"  ? m_api->post(u"/x"_s, {}, {{u"a"_s, 1}}, call)
                           : method == "PUT" ? m_api->put(u"/x"_s, {}, "tar", call)
                                             : m_api->remove(u"/x"_s, {}, call);
    QVERIFY(ends(operation));
    QCOMPARE(operation.error().kind, ErrorKind::CreationError);
    QVERIFY(operation.error().message.contains(u"not known"_s));
    QCOMPARE(m_server->requestCount(method + " /v1.45/x"), 1);
}

void tst_DockerApi::postCannotBeCancelledOnTheWire()
{
    StubAnswer slow = StubAnswer::ok(R"({"Id":"1"})", 201);
    slow.delay = 100ms;
    m_server->answer("POST /v1.45/containers/create?name=x", slow);
    const auto operation =
        m_api->post(u"/containers/create"_s, QUrlQuery{{u"name"_s, u"x"_s}}, {{u"Image"_s, u"y"_s}}, call);
    operation.cancel();
    QVERIFY(ends(operation));
    QCOMPARE(operation.outcome(), OperationOutcome::Value);
    QCOMPARE(m_server->requests().last().body, R"({"Image":"y"})");
    QVERIFY(m_server->requests().last().head.toLower().contains("content-type: application/json"));
}

void tst_DockerApi::getIsAbortedByCancel()
{
    m_server->answer("GET /v1.45/info", {.silent = true});
    const auto operation = m_api->get(u"/info"_s, {}, call);
    QTRY_COMPARE(m_server->requestCount("GET /v1.45/info"), 1);
    operation.cancel();
    QVERIFY(ends(operation));
    QCOMPARE(operation.outcome(), OperationOutcome::Cancelled);
}

void tst_DockerApi::missingSocketIsExplained()
{
    const auto api = std::make_shared<Api>(Endpoint{.path = u"/nowhere/docker.sock"_s});
    const auto operation = api->get(u"/info"_s, {}, call);
    QVERIFY(ends(operation));
    QCOMPARE(operation.error().kind, ErrorKind::CreationError);
    QVERIFY(operation.error().message.contains(u"unix:///nowhere/docker.sock"_s));
    QVERIFY(operation.error().hint.contains(u"systemctl start docker"_s));
}

void tst_DockerApi::socketWithoutPermissionIsExplained()
{
    QVERIFY(QFile::setPermissions(m_server->path(), QFileDevice::Permissions()));
    // Root may use every socket; this thread gives that up for the length of the test.
    constexpr uid_t nobody = 65534;
    const int before = ::setfsuid(nobody);
    const auto restore = qScopeGuard([before] { ::setfsuid(uid_t(before)); });
    const auto operation = m_api->get(u"/info"_s, {}, call);
    QVERIFY(ends(operation));
    QCOMPARE(operation.error().kind, ErrorKind::CreationError);
    QVERIFY2(operation.error().message.contains(u"may not use"_s), qPrintable(operation.error().toText()));
    QVERIFY2(operation.error().hint.contains(u"rootless"_s), qPrintable(operation.error().toText()));
    QVERIFY(m_server->requests().isEmpty());
}

void tst_DockerApi::silentDaemonTimesOut()
{
    m_server->answer("GET /v1.45/info", {.silent = true});
    const auto operation = m_api->get(u"/info"_s, {}, {.purpose = call.purpose, .limit = 50ms});
    QVERIFY(ends(operation));
    QVERIFY2(operation.error().message.contains(u"in time"_s), qPrintable(operation.error().message));
}

void tst_DockerApi::badEndpointFailsEveryCall()
{
    const auto api = std::make_shared<Api>(parseEndpoint(u"ssh://host"_s, u"DOCKER_HOST"_s));
    const auto info = api->get(u"/info"_s, {}, call);
    const auto made = api->post(u"/x"_s, {}, {}, call);
    const auto stream = api->hijack(u"/x"_s, {}, {}, call);
    QVERIFY(ends(info) && ends(made) && ends(stream));
    QCOMPARE(info.error().kind, ErrorKind::ConfigurationError);
    QCOMPARE(made.error(), info.error());
    QCOMPARE(stream.error(), info.error());
}

void tst_DockerApi::hijackGivesTheStream()
{
    m_server->answer("POST /v1.45/containers/1/attach?stream=1", StubAnswer::upgrade("first"));
    const auto operation = m_api->hijack(u"/containers/1/attach"_s, QUrlQuery{{u"stream"_s, u"1"_s}}, {}, call);
    QVERIFY(ends(operation));
    const auto stream = operation.result();
    QByteArray received;
    connect(stream.get(), &UpgradedStream::dataReceived, this,
            [&](const QByteArray &data) { received += data; });
    stream->resume();
    stream->write(" second");
    QTRY_COMPARE(received, "first second");
}

void tst_DockerApi::hijackFailsWithTheDaemonsWords()
{
    m_server->answer("POST /v1.45/exec/1/start", StubAnswer::ok(R"({"message":"Container 1 is paused"})", 409));
    m_server->answer("POST /v1.45/exec/2/start", StubAnswer::ok("fine", 200));
    const auto paused = m_api->hijack(u"/exec/1/start"_s, {}, {{u"Detach"_s, false}}, call);
    const auto odd = m_api->hijack(u"/exec/2/start"_s, {}, {{u"Detach"_s, false}}, call);
    QVERIFY(ends(paused) && ends(odd));
    QVERIFY(isStatus(paused.error(), 409));
    QVERIFY(paused.error().hint.contains(u"unpause"_s));
    QVERIFY(odd.error().cause->text.contains(u"200"_s));
}

void tst_DockerApi::linesArriveAsTheyCome()
{
    m_server->answer("GET /v1.45/events?since=0",
                     StubAnswer::chunked({"{\"a\":1}\n{\"b\"", ":2}\r\n\r\n", "{\"c\":3}"}));
    QByteArrayList lines;
    int opened = 0;
    int ended = 0;
    const auto stream = m_api->streamLines("GET", u"/events"_s, QUrlQuery{{u"since"_s, u"0"_s}},
                                           {.opened = [&] { ++opened; },
                                            .line = [&](const QByteArray &line) { lines.append(line); },
                                            .ended =
                                                [&](const std::optional<ErrorInfo> &error) {
                                                    ended += error ? 100 : 1;
                                                }},
                                           call);
    QCOMPARE(opened, 0);
    QTRY_COMPARE(ended, 1);
    QCOMPARE(opened, 1);
    QCOMPARE(lines, (QByteArrayList{"{\"a\":1}", "{\"b\":2}", "{\"c\":3}"}));
}

void tst_DockerApi::linesOfAnErrorAreAnError()
{
    m_server->answer("POST /v1.45/images/create",
                     StubAnswer::ok(R"({"message":"no space left on device"})", 500));
    std::optional<ErrorInfo> error;
    int lines = 0;
    const auto stream = m_api->streamLines("POST", u"/images/create"_s, {},
                                           {.opened = {},
                                            .line = [&](const QByteArray &) { ++lines; },
                                            .ended =
                                                [&](const std::optional<ErrorInfo> &why) {
                                                    error = why;
                                                }},
                                           call);
    QTRY_VERIFY(error);
    QCOMPARE(lines, 0);
    QVERIFY(error->hint.contains(u"prune"_s));
}

void tst_DockerApi::linesEndWithTheConnection()
{
    StubAnswer cut = StubAnswer::chunked({"{\"a\":1}\n", "{\"b\":2}\n"});
    cut.cutAt = cut.bytes.size() - 8;
    m_server->answer("GET /v1.45/events", cut);
    std::optional<ErrorInfo> error;
    const auto stream = m_api->streamLines("GET", u"/events"_s, {},
                                           {.opened = {},
                                            .line = [](const QByteArray &) {},
                                            .ended =
                                                [&](const std::optional<ErrorInfo> &why) {
                                                    error = why;
                                                }},
                                           call);
    QTRY_VERIFY(error);
    QCOMPARE(error->kind, ErrorKind::CreationError);
}

void tst_DockerApi::lineHandlerMayDestroyTheStream()
{
    m_server->answer("GET /v1.45/events", StubAnswer::chunked({"{\"a\":1}\n{\"b\":2}\n"}));
    std::unique_ptr<LineStream> stream;
    int lines = 0;
    stream = m_api->streamLines("GET", u"/events"_s, {},
                                {.opened = {},
                                 .line =
                                     [&](const QByteArray &) {
                                         ++lines;
                                         stream.reset();
                                     },
                                 .ended =
                                     [&](const std::optional<ErrorInfo> &) {
                                         lines = 100;
                                     }},
                                call);
    QTRY_VERIFY(!stream);
    QTRY_COMPARE(m_server->openConnectionCount(), 0);
    QCOMPARE(lines, 1);
}

SANDBOXIO_TEST(tst_DockerApi)
#include "tst_dockerapi.moc"
