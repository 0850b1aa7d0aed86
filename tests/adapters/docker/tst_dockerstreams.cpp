// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "containerfixture.h"
#include "support/processmemory.h"
#include "support/testprogram.h"

#include <QCryptographicHash>
#include <QElapsedTimer>
#include <QFile>
#include <QTest>
#include <QTimer>

#include <csignal>

using namespace Sandboxio;
using namespace Sandboxio::Docker;
using namespace Qt::StringLiterals;

class TestDockerStreams : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void streamsStayApartAndEndWithTheStatus();
    void outputComesWhileTheProgramRuns();
    void inputReachesAStreamedProgram();
    void aStreamedTerminalWorks();
    void killTreeEndsTheStream();
    void aRunKilledWhileItIsPreparedDoesNotStart();
    void aSlowConsumerCostsFlatMemory();
    void throughput();

private:
    std::unique_ptr<ContainerFixture> m_fixture;
    std::shared_ptr<DockerSandbox> m_sandbox;
};

namespace {

ProcessRequest streamed(ProcessRequest request)
{
    request.streamed = true;
    return request;
}

} // namespace

void TestDockerStreams::initTestCase()
{
    QString why;
    m_fixture = ContainerFixture::make(&why);
    if (!m_fixture)
        QSKIP(qPrintable(why));
    m_sandbox = m_fixture->create();
}

void TestDockerStreams::cleanupTestCase()
{
    m_sandbox.reset();
    m_fixture.reset();
}

void TestDockerStreams::streamsStayApartAndEndWithTheStatus()
{
    Running run(*m_sandbox, streamed(shellRequest(u"echo out; echo err >&2; exit 3"_s)));
    const RecordingEvents &events = run.wait();
    QVERIFY2(events.status.has_value(), events.error ? qPrintable(events.error->toText()) : "no end");
    QCOMPARE(events.standardOutput, "out\n"_ba);
    QCOMPARE(events.standardError, "err\n"_ba);
    QCOMPARE(events.status->code, 3);
    QCOMPARE(events.startedCalls, 1);
    QCOMPARE(events.breaches.join(u"; "_s), QString());
}

void TestDockerStreams::outputComesWhileTheProgramRuns()
{
    ProcessRequest request = streamed(shellRequest(u"echo one; read line; echo two"_s));
    request.interactiveInput = true;
    Running run(*m_sandbox, request);
    QTRY_COMPARE(run.events->standardOutput, "one\n"_ba);
    QVERIFY(!run.events->status);
    await(run.process->write("\n"_ba));
    QCOMPARE(run.wait().standardOutput, "one\ntwo\n"_ba);
}

void TestDockerStreams::inputReachesAStreamedProgram()
{
    ProcessRequest request = streamed(commandRequest({u"sha256sum"_s}));
    request.options.standardInput = QByteArray(2'000'000, 'x');
    Running run(*m_sandbox, request);
    const QByteArray hash =
        QCryptographicHash::hash(*request.options.standardInput, QCryptographicHash::Sha256).toHex();
    QCOMPARE(run.wait().standardOutput.first(64), hash);
}

void TestDockerStreams::aStreamedTerminalWorks()
{
    ProcessRequest request = streamed(shellRequest(u"stty size"_s));
    request.options.pty = TerminalSize{.rows = 20, .columns = 60};
    Running run(*m_sandbox, request);
    QCOMPARE(run.wait().standardOutput, "20 60\r\n"_ba);
}

void TestDockerStreams::killTreeEndsTheStream()
{
    Running neighbour(*m_sandbox, streamed(commandRequest({u"sleep"_s, u"300"_s})));
    Running run(*m_sandbox, streamed(shellRequest(u"setsid sleep 300 & yes"_s)));
    QTRY_VERIFY(run.events->received > 1'000'000);
    run.events->keep = false;
    await(run.process->killTree());
    QCOMPARE(run.wait().status->signal, SIGKILL);
    QCOMPARE(run.events->endedStreams, 2);
    QVERIFY(!neighbour.events->ended());
    await(neighbour.process->killTree());
}

void TestDockerStreams::aRunKilledWhileItIsPreparedDoesNotStart()
{
    Running run(*m_sandbox, streamed(shellRequest(u"touch /tmp/started; sleep 300"_s)));
    await(run.process->killTree());
    const RecordingEvents &events = run.wait();
    QVERIFY(events.error.has_value());
    QCOMPARE(events.startedCalls, 0);
    Running look(*m_sandbox, commandRequest({u"test"_s, u"-e"_s, u"/tmp/started"_s}));
    QCOMPARE(look.wait().status->code, 1);
}

// 64 MB for somebody who takes 256 KiB every few milliseconds: the window is all that may be on its way.
void TestDockerStreams::aSlowConsumerCostsFlatMemory()
{
    constexpr qint64 size = 64'000'000;
    constexpr qint64 window = 4 * 1024 * 1024;
    ProcessRequest request =
        streamed(commandRequest({u"head"_s, u"-c"_s, QString::number(size), u"/dev/zero"_s}));
    request.window = window;
    Running run(*m_sandbox, request);
    run.events->process = nullptr;
    run.events->keep = false;
    qint64 acknowledged = 0;
    qint64 mostUnacknowledged = 0;
    const qint64 before = residentMemory();
    qint64 most = before;
    QTimer consumer;
    connect(&consumer, &QTimer::timeout, this, [&] {
        const qint64 bytes = std::min<qint64>(256 * 1024, run.events->received - acknowledged);
        mostUnacknowledged = std::max(mostUnacknowledged, run.events->received - acknowledged);
        most = std::max(most, residentMemory());
        acknowledged += bytes;
        run.process->acknowledge(OutputStream::StandardOutput, bytes);
    });
    consumer.start(4);
    run.wait(std::chrono::seconds(60));
    QCOMPARE(run.events->received, size);
    QCOMPARE(run.events->status->code, 0);
    qInfo("unacknowledged at most %lld KiB, memory grew by %lld KiB", mostUnacknowledged / 1024,
          (most - before) / 1024);
    QVERIFY(mostUnacknowledged <= window + 256 * 1024);
    if (!memoryTells)
        QSKIP("its memory: a sanitizer keeps what is freed");
    QVERIFY(most - before < 32 * 1024 * 1024);
}

// Not a limit but a figure.
void TestDockerStreams::throughput()
{
    constexpr qint64 size = 256'000'000;
    Running run(*m_sandbox,
                streamed(commandRequest({u"head"_s, u"-c"_s, QString::number(size), u"/dev/zero"_s})));
    run.events->keep = false;
    QElapsedTimer timer;
    timer.start();
    run.wait(std::chrono::seconds(60));
    QCOMPARE(run.events->received, size);
    qInfo("%lld MB/s", size / 1000 / std::max<qint64>(timer.elapsed(), 1));
}

SANDBOXIO_TEST(TestDockerStreams)
#include "tst_dockerstreams.moc"
