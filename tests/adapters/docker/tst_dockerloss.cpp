// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "containerfixture.h"
#include "support/testprogram.h"

#include <QTest>

#include <csignal>

using namespace Sandboxio;
using namespace Sandboxio::Docker;
using namespace Qt::StringLiterals;

/*! What is told, and to whom, when a sandbox or the way to it goes. */
class TestDockerLoss : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void aSandboxKilledMidRunIsGone_data();
    void aSandboxKilledMidRunIsGone();
    void theEndOfTheLifetimeIsNamed();
    void killIsIdempotent();
    void killsAtTheSameTimeAllSucceed();
    void aLostConnectionIsMadeAgain();
    void contextsGoWithTheirConnection();
    void aConnectionLostForGoodSaysSo();
    void inspectTellsTheState();
    void probesTellWhatHappened();

private:
    void removeBehindItsBack(const QString &id);

    std::unique_ptr<ContainerFixture> m_fixture;
};

void TestDockerLoss::initTestCase()
{
    QString why;
    m_fixture = ContainerFixture::make(&why);
    if (!m_fixture)
        QSKIP(qPrintable(why));
}

void TestDockerLoss::cleanupTestCase()
{
    m_fixture.reset();
}

void TestDockerLoss::removeBehindItsBack(const QString &id)
{
    await(m_fixture->api()->remove(u"/containers/"_s + id, QUrlQuery(u"force=1&v=1"_s),
                                   {.purpose = {ErrorKind::ConnectError, u"test"_s}}));
}

void TestDockerLoss::aSandboxKilledMidRunIsGone_data()
{
    QTest::addColumn<bool>("streamed");
    QTest::addColumn<bool>("byUs");
    QTest::newRow("buffered, removed behind its back") << false << false;
    QTest::newRow("buffered, killed by its owner") << false << true;
    QTest::newRow("streamed, removed behind its back") << true << false;
}

void TestDockerLoss::aSandboxKilledMidRunIsGone()
{
    QFETCH(bool, streamed);
    QFETCH(bool, byUs);
    const auto sandbox = m_fixture->create();
    ProcessRequest request = shellRequest(u"echo ready; sleep 300"_s);
    request.streamed = streamed;
    Running run(*sandbox, request);
    Running second(*sandbox, commandRequest({u"sleep"_s, u"300"_s}));
    QTRY_COMPARE(run.events->standardOutput, "ready\n"_ba);
    if (byUs)
        await(sandbox->kill());
    else
        removeBehindItsBack(sandbox->id());
    for (Running *lost : {&run, &second}) {
        const RecordingEvents &events = lost->wait();
        QVERIFY(events.error.has_value());
        QVERIFY2(events.error->kind == ErrorKind::SandboxGone, qPrintable(events.error->toText()));
        QVERIFY(!events.status);
        QCOMPARE(events.failedCalls, 1);
        QCOMPARE(events.breaches.join(u"; "_s), QString());
        await(lost->process->killTree()); // what is gone is dead
    }
    Running later(*sandbox, commandRequest({u"true"_s}));
    QCOMPARE(later.wait().error->kind, ErrorKind::SandboxGone);
    QCOMPARE(awaitError(sandbox->files()->list(u"/"_s)).kind, ErrorKind::SandboxGone);
    QCOMPARE(awaitError(sandbox->inspect()).kind, ErrorKind::SandboxGone);
}

void TestDockerLoss::theEndOfTheLifetimeIsNamed()
{
    const auto sandbox = m_fixture->create({.lifetime = std::chrono::seconds(3)});
    Running run(*sandbox, commandRequest({u"sleep"_s, u"300"_s}));
    const RecordingEvents &events = run.wait();
    QVERIFY(events.error.has_value());
    QCOMPARE(events.error->kind, ErrorKind::SandboxGone);
    QVERIFY2(events.error->hint.contains(u"lifetime of 3 s ended"_s), qPrintable(events.error->hint));
}

void TestDockerLoss::killIsIdempotent()
{
    const auto sandbox = m_fixture->create();
    await(sandbox->kill());
    await(sandbox->kill());
    removeBehindItsBack(m_fixture->create()->id());
}

void TestDockerLoss::killsAtTheSameTimeAllSucceed()
{
    const auto sandbox = m_fixture->create();
    const auto other = m_fixture->connectTo(sandbox->id());
    QList<Operation<void>> kills;
    for (int i = 0; i < 4; ++i)
        kills << sandbox->kill() << other->kill();
    for (const Operation<void> &kill : std::as_const(kills))
        await(kill);
}

// The relay of a second client is killed from inside; its run's end is unknown, the sandbox goes on.
void TestDockerLoss::aLostConnectionIsMadeAgain()
{
    const auto sandbox = m_fixture->create();
    const auto other = m_fixture->connectTo(sandbox->id());
    Running kept(*sandbox, shellRequest(u"sleep 2; echo kept"_s));
    Running lost(*other, commandRequest({u"sleep"_s, u"300"_s}));
    QTRY_COMPARE(lost.events->startedCalls, 1);
    Running killer(
        *sandbox,
        shellRequest(u"for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline 2>/dev/null | "
                     "grep -q '^/.sandboxio/sandboxio-guest relay' && kill -9 ${p#/proc/}; done; true"_s));
    killer.wait();
    const RecordingEvents &events = lost.wait();
    QVERIFY(events.error.has_value());
    QVERIFY2(events.error->kind == ErrorKind::ConnectError, qPrintable(events.error->toText()));
    QVERIFY(events.error->message.contains(u"unknown"_s));
    Running again(*other, shellRequest(u"echo again"_s));
    QCOMPARE(again.wait().standardOutput, "again\n"_ba);
    QCOMPARE(kept.wait().standardOutput, "kept\n"_ba);
}

void TestDockerLoss::contextsGoWithTheirConnection()
{
    const auto sandbox = m_fixture->create();
    const auto other = m_fixture->connectTo(sandbox->id());
    const QString context = await(other->createContext(u"python"_s));
    const auto cell = [context](const QByteArray &code) {
        ProcessRequest request = codeRequest(code);
        request.codeOptions.context = context;
        return request;
    };
    Running running(*other, cell("import time; time.sleep(300)"_ba));
    Running waiting(*other, cell("1"_ba));
    QTRY_COMPARE(running.events->startedCalls, 1);
    Running killer(
        *sandbox,
        shellRequest(u"for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline 2>/dev/null | "
                     "grep -q '^/.sandboxio/sandboxio-guest relay' && kill -9 ${p#/proc/}; done; true"_s));
    killer.wait();
    const RecordingEvents &lost = running.wait();
    QVERIFY(lost.error.has_value());
    QVERIFY2(lost.error->kind == ErrorKind::ConnectError, qPrintable(lost.error->toText()));
    QCOMPARE(lost.breaches.join(u"; "_s), QString());
    QVERIFY(waiting.wait().error.has_value());
    QTRY_VERIFY(other->guest()); // the loss was looked into by connecting again
    Running next(*other, cell("1"_ba));
    const RecordingEvents &refused = next.wait();
    QVERIFY(refused.error.has_value());
    QVERIFY2(refused.error->message.contains(u"connection to the sandbox was lost"_s),
             qPrintable(refused.error->message));
    QVERIFY(refused.error->hint.contains(u"restartContext()"_s));
    Running left(*sandbox, shellRequest(u"grep -l '[p]ython3' /proc/[0-9]*/cmdline | wc -l"_s));
    QCOMPARE(left.wait().standardOutput, "0\n"_ba);
    await(other->restartContext(context));
    Running again(*other, cell("print('again')"_ba));
    QCOMPARE(again.wait().standardOutput, "again\n"_ba);
}

void TestDockerLoss::aConnectionLostForGoodSaysSo()
{
    const auto sandbox = m_fixture->create();
    const auto other = m_fixture->connectTo(sandbox->id());
    removeBehindItsBack(sandbox->id());
    QTRY_VERIFY(!other->guest());
    QTRY_VERIFY(!sandbox->guest());
    QCOMPARE(awaitError(sandbox->probe({})).kind, ErrorKind::SandboxGone);
    QCOMPARE(awaitError(other->relay()).kind, ErrorKind::ConnectError); // a new connection, not a lost one
}

void TestDockerLoss::inspectTellsTheState()
{
    const auto sandbox = m_fixture->create();
    const ManagedSandbox managed = await(sandbox->inspect());
    QCOMPARE(managed.id, sandbox->id());
    QCOMPARE(managed.state, SandboxState::Running);
    QVERIFY(managed.lastSeen.isValid());
}

void TestDockerLoss::probesTellWhatHappened()
{
    const auto sandbox = m_fixture->create(); // without a network
    NetworkProbe probe{.host = u"192.0.2.1"_s, .port = 80, .limit = std::chrono::milliseconds(500)};
    const NetworkProbeResult result = await(sandbox->probe(probe));
    QCOMPARE(result.kind, NetworkProbeResult::Kind::Unreachable);
    probe.host = u"127.0.0.1"_s;
    QCOMPARE(await(sandbox->probe(probe)).kind, NetworkProbeResult::Kind::Refused);
}

SANDBOXIO_TEST(TestDockerLoss)
#include "tst_dockerloss.moc"
