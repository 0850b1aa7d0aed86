// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerbackend.h"
#include "dockerplan.h"
#include "support/operationend.h"
#include "support/testprogram.h"

#include "support/stubserver.h"

#include <sandboxio/transport/tararchive.h>

#include <QTest>

using namespace Qt::StringLiterals;
using namespace Sandboxio;
using namespace Sandboxio::Docker;
using namespace std::chrono_literals;

/*! Creating and watching against a scripted daemon: what a real one does rarely. */
class tst_DockerCreation : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void droppedCapIsARefusalAndIsRemoved();
    void createWithoutAnAnswerIsLookedForAndNotRepeated();
    void teardownBeyondTheGraceWarns();
    void cancelledCreateIsLetEndAndRemoved();
    void containerThatDiffersFromThePlanIsRemoved();
    void failingPullEndsInItsError();
    void cancelEndsAPull();
    void pullProgressIsReported();
    void eventsComeBackAfterABreak();

private:
    void answerUpToCreate(const StubAnswer &created);
    /*! From now on the daemon does not have the image. */
    void takeImageAway();
    Operation<std::shared_ptr<SandboxPort>> create();
    int removals() const { return m_server->requestCount(removal()); }
    QByteArray removal() const { return "DELETE /v1.45/containers/" + m_plan.name.toLatin1() + "?force=1&v=1"; }
    QByteArray creation() const { return "POST /v1.45/containers/create?name=" + m_plan.name.toLatin1(); }

    std::unique_ptr<LocalStubServer> m_server;
    std::unique_ptr<DockerBackend> m_backend;
    EngineContext m_context;
    QList<EngineWarning> m_warnings;
    CreatePlan m_plan;
    QString m_guestVolume;
};

namespace {

const QByteArray imageRequest = "GET /v1.45/images/img:1/json";
const QByteArray pullRequest = "POST /v1.45/images/create?fromImage=img&tag=1";

StubAnswer noContent()
{
    return {.bytes = "HTTP/1.1 204 No Content\r\n\r\n"};
}

} // namespace

void tst_DockerCreation::init()
{
    const auto guest = loadGuest(u"amd64"_s);
    if (!guest)
        QSKIP(qPrintable(guest.error().message));
    m_guestVolume = guest->volumeName();
    m_warnings.clear();
    m_context = {};
    m_context.ioObject = this;
    m_context.clock = Clock::system();
    m_context.warn = [this](const EngineWarning &warning) {
        m_warnings.append(warning);
    };
    m_server = std::make_unique<LocalStubServer>();
    m_server->answer("GET /_ping",
                     {.bytes = "HTTP/1.1 200 OK\r\nApi-Version: 1.45\r\nContent-Length: 2\r\n\r\nOK"});
    m_server->answer(
        "GET /v1.45/info",
        StubAnswer::ok(R"({"Architecture":"x86_64","DefaultRuntime":"runc","Runtimes":{"runc":{}},"NCPU":2,
        "MemoryLimit":true,"SwapLimit":true,"PidsLimit":true,"CpuCfsQuota":true,"CpuCfsPeriod":true})"));
    m_server->answer(imageRequest, StubAnswer::ok(R"({"Id":"sha256:1","Config":{}})"));
    const Endpoint endpoint{.path = m_server->path()};
    m_backend = std::make_unique<DockerBackend>(
        m_context, Target{.backend = u"docker"_s, .templateId = u"img:1"_s, .parameters = {}}, endpoint);
    CreateOptions options;
    options.metadata = {{u"tenant_id"_s, u"t-1"_s}};
    const auto planned = m_backend->plan(options);
    QVERIFY(ends(planned));
    m_plan = planned.result();
    QVERIFY(m_plan.isAccepted());
}

void tst_DockerCreation::answerUpToCreate(const StubAnswer &created)
{
    m_server->answer("GET /v1.45/volumes/" + m_guestVolume.toLatin1(),
                     StubAnswer::ok(R"({"Name":"x","Labels":{"io.sandboxio.guest":"1"}})"));
    m_server->answer(creation(), created);
}

void tst_DockerCreation::takeImageAway()
{
    m_server->answer(imageRequest, StubAnswer::ok(R"({"message":"No such image: img:1"})", 404));
    const auto planned = m_backend->plan({}); // uses up the answer of before
    QVERIFY(ends(planned));
}

Operation<std::shared_ptr<SandboxPort>> tst_DockerCreation::create()
{
    return m_backend->create(m_plan);
}

void tst_DockerCreation::droppedCapIsARefusalAndIsRemoved()
{
    answerUpToCreate(
        StubAnswer::ok(R"({"Id":"12ab","Warnings":["Your kernel does not support swap limit"]})", 201));
    m_server->answer(removal(), noContent());
    const auto operation = create();
    QVERIFY(ends(operation));
    QCOMPARE(operation.error().kind, ErrorKind::ConfigurationError);
    QVERIFY(operation.error().cause->text.contains(u"swap limit"_s));
    QVERIFY(operation.error().hint.contains(u"waive"_s));
    QCOMPARE(removals(), 1);
    QCOMPARE(m_server->requests().last().method, "DELETE"); // nothing was started
    QVERIFY(m_warnings.isEmpty());
}

void tst_DockerCreation::createWithoutAnAnswerIsLookedForAndNotRepeated()
{
    answerUpToCreate({.cutAt = 0});
    m_server->answer(removal(), StubAnswer::ok(R"({"message":"No such container: x"})", 404));
    m_server->answer(removal(), noContent()); // it came into being after all
    const auto operation = create();
    QVERIFY(ends(operation));
    QCOMPARE(operation.error().kind, ErrorKind::CreationError);
    QVERIFY2(operation.error().message.contains(u"not known"_s), qPrintable(operation.error().message));
    QCOMPARE(m_server->requestCount(creation()), 1);
    QCOMPARE(removals(), 2);
    QVERIFY(m_warnings.isEmpty());
}

void tst_DockerCreation::teardownBeyondTheGraceWarns()
{
    m_context.teardownGrace = 100ms;
    answerUpToCreate(StubAnswer::ok(R"({"Id":"12ab","Warnings":["dropped"]})", 201));
    m_server->answer(removal(), {.silent = true});
    const auto operation = create();
    QVERIFY(ends(operation));
    QCOMPARE(operation.error().kind,
             ErrorKind::ConfigurationError); // the first error, not that of the teardown
    QCOMPARE(m_warnings.size(), 1);
    QCOMPARE(m_warnings.first().kind, EngineWarning::Kind::OrphanedSandbox);
    QCOMPARE(m_warnings.first().sandboxId, m_plan.name);
    QCOMPARE(m_warnings.first().metadata, m_plan.options.metadata);
}

void tst_DockerCreation::cancelledCreateIsLetEndAndRemoved()
{
    StubAnswer slow = StubAnswer::ok(R"({"Id":"12ab","Warnings":[]})", 201);
    slow.delay = 200ms;
    answerUpToCreate(slow);
    m_server->answer(removal(), noContent());
    const auto operation = create();
    QTRY_COMPARE(m_server->requestCount(creation()), 1);
    operation.cancel();
    QVERIFY(!operation.isEnded());
    QVERIFY(ends(operation));
    QCOMPARE(operation.outcome(), OperationOutcome::Cancelled);
    QCOMPARE(removals(), 1); // after the answer: an earlier one would have found nothing
    QCOMPARE(m_server->requests().last().method, "DELETE");
    QVERIFY(m_warnings.isEmpty());
}

void tst_DockerCreation::containerThatDiffersFromThePlanIsRemoved()
{
    answerUpToCreate(StubAnswer::ok(R"({"Id":"12ab","Warnings":[]})", 201));
    const QByteArray archive = "GET /v1.45/containers/12ab/archive?path=%2F.sandboxio%2Fsandboxio-guest";
    const auto guest = loadGuest(u"amd64"_s);
    QVERIFY(guest);
    const auto tar = tarOf({{.path = "sandboxio-guest", .mode = 0755, .data = guest->data}});
    QVERIFY(tar);
    m_server->answer(archive, StubAnswer::ok(*tar));
    m_server->answer("POST /v1.45/containers/12ab/attach?stream=1&stdin=1&stdout=1&stderr=1",
                     StubAnswer::upgrade({}));
    m_server->answer("POST /v1.45/containers/12ab/start", noContent());
    m_server->answer("GET /v1.45/containers/12ab/json",
                     StubAnswer::ok(R"({"Id":"12ab","HostConfig":{"NetworkMode":"bridge"}})"));
    m_server->answer(removal(), noContent());
    const auto operation = create();
    QVERIFY(ends(operation));
    QCOMPARE(operation.error().kind, ErrorKind::NetworkPolicyViolation);
    QCOMPARE(removals(), 1);
}

void tst_DockerCreation::failingPullEndsInItsError()
{
    takeImageAway();
    m_server->answer(pullRequest,
                     StubAnswer::chunked({"{\"status\":\"Pulling\"}\n", "{\"error\":\"manifest unknown\"}\n"}));
    const auto operation = create();
    QVERIFY(ends(operation));
    QCOMPARE(operation.outcome(), OperationOutcome::Error);
    QCOMPARE(operation.error().kind, ErrorKind::CreationError);
    QCOMPARE(operation.error().cause->text, u"manifest unknown"_s);
    QCOMPARE(removals(), 0); // nothing was made
}

void tst_DockerCreation::cancelEndsAPull()
{
    takeImageAway();
    m_server->answer(pullRequest, {.silent = true});
    const auto operation = create();
    QTRY_COMPARE(m_server->requestCount(pullRequest), 1);
    const int open = m_server->openConnectionCount();
    operation.cancel();
    QVERIFY(ends(operation));
    QCOMPARE(operation.outcome(), OperationOutcome::Cancelled);
    QTRY_COMPARE(m_server->openConnectionCount(), open - 1); // which is what stops the daemon
}

void tst_DockerCreation::pullProgressIsReported()
{
    takeImageAway();
    m_server->answer(
        pullRequest,
        StubAnswer::chunked(
            {"{\"status\":\"Downloading\",\"progressDetail\":{\"current\":10,\"total\":40},\"id\":\"a\"}\n",
             "{\"status\":\"Download complete\",\"progressDetail\":{},\"id\":\"a\"}\n"}));
    const auto operation = create();
    QList<OperationProgress> seen;
    operation.onProgress(this, [&](const OperationProgress &progress) { seen.append(progress); });
    QVERIFY(ends(operation)); // the image stays missing here
    const auto has = [&](qint64 done) {
        return std::ranges::any_of(seen,
                                   [&](const OperationProgress &p) { return p.done == done && p.total == 40; });
    };
    QVERIFY(has(40));
    QVERIFY(isStatus(operation.error(), 404));
}

void tst_DockerCreation::eventsComeBackAfterABreak()
{
    QByteArray route;
    QList<BackendEvent::Kind> kinds;
    const auto subscription =
        m_backend->events()->subscribe([&](const BackendEvent &event) { kinds.append(event.kind); });
    // The stub has no answer for it yet: a 404 is a break like any other.
    QTRY_COMPARE(kinds.size(), 1);
    QCOMPARE(kinds.first(), BackendEvent::Kind::Lost);
    for (const StubRequest &request : m_server->requests()) {
        if (request.target.startsWith("/v1.45/events"))
            route = "GET " + request.target;
    }
    QVERIFY(route.contains("io.sandboxio.managed"));
    StubAnswer stream;
    stream.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    m_server->answer(route, stream);
    QTRY_COMPARE(kinds.size(), 2);
    QCOMPARE(kinds.last(), BackendEvent::Kind::Resync);
    m_server->stopListening();
    m_server->dropConnections();
    QTRY_COMPARE(kinds.size(), 3);
    QCOMPARE(kinds.last(), BackendEvent::Kind::Lost); // once for the outage, not for each attempt
    QVERIFY(m_server->listenAgain());
    QTRY_COMPARE(kinds.size(), 4);
    QCOMPARE(kinds.last(), BackendEvent::Kind::Resync);
}

SANDBOXIO_TEST(tst_DockerCreation)
#include "tst_dockercreation.moc"
