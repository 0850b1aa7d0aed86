// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "containerfixture.h"
#include "support/testprogram.h"

#include <QElapsedTimer>
#include <QJsonDocument>
#include <QTest>

#include <cerrno>
#include <csignal>

using namespace Sandboxio;
using namespace Sandboxio::Docker;
using namespace Qt::StringLiterals;

class TestDockerRuns : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void ends_data();
    void ends();
    void streamsStayApart();
    void environmentAndDirectory();
    void inputIsGivenThenClosed();
    void inputIsWrittenAsItComes();
    void writingToAProgramThatReadsNoMoreFails();
    void whatCannotStartFails_data();
    void whatCannotStartFails();
    void neighboursRunAtTheSameTime();
    void aBackgroundChildDoesNotHoldTheExit();
    void killTreeEndsEveryDescendantAndNobodyElse();
    void killTreeIsIdempotentAndWorksAfterTheEnd();
    void signalsReachTheMainProcess();
    void aTerminalHasItsSizeAndOneStream();
    void aFloodWaitsForItsConsumer();
    void outOfMemoryNamesTheCap();
    void secretsReachRunsAndNothingElse();
    void anotherClientHasItsOwnRuns();
    void latency();

private:
    QString psOf(const QString &marker);

    std::unique_ptr<ContainerFixture> m_fixture;
    std::shared_ptr<DockerSandbox> m_sandbox;
};

void TestDockerRuns::initTestCase()
{
    QString why;
    m_fixture = ContainerFixture::make(&why);
    if (!m_fixture)
        QSKIP(qPrintable(why));
    m_sandbox = m_fixture->create(
        {.env = {{u"FROM_SANDBOX"_s, u"sandbox"_s}}, .secrets = {{u"TOKEN"_s, Secret("s3cr3t-canary"_ba)}}});
}

void TestDockerRuns::cleanupTestCase()
{
    m_sandbox.reset();
    m_fixture.reset();
}

void TestDockerRuns::ends_data()
{
    QTest::addColumn<QString>("script");
    QTest::addColumn<std::optional<int>>("code");
    QTest::addColumn<std::optional<int>>("signal");
    using Maybe = std::optional<int>;
    QTest::newRow("true exits with 0") << u"true"_s << Maybe(0) << Maybe();
    QTest::newRow("an exit code comes through") << u"exit 3"_s << Maybe(3) << Maybe();
    QTest::newRow("the largest exit code comes through") << u"exit 255"_s << Maybe(255) << Maybe();
    QTest::newRow("an end by signal is no exit code") << u"kill -TERM $$"_s << Maybe() << Maybe(SIGTERM);
    QTest::newRow("an exit code of 137 is no signal") << u"exit 137"_s << Maybe(137) << Maybe();
}

void TestDockerRuns::ends()
{
    QFETCH(QString, script);
    QFETCH(std::optional<int>, code);
    QFETCH(std::optional<int>, signal);
    Running run(*m_sandbox, shellRequest(script));
    const RecordingEvents &events = run.wait();
    QVERIFY(events.status.has_value());
    QCOMPARE(events.status->code, code);
    QCOMPARE(events.status->signal, signal);
    QVERIFY(!events.status->limit);
    QVERIFY(events.pid.value_or(0) > 1);
    QCOMPARE(events.breaches.join(u"; "_s), QString());
}

void TestDockerRuns::streamsStayApart()
{
    Running run(*m_sandbox, shellRequest(u"echo out; echo err >&2; printf 'a\\000b'"_s));
    const RecordingEvents &events = run.wait();
    QCOMPARE(events.standardOutput, QByteArray("out\na\0b", 7));
    QCOMPARE(events.standardError, "err\n"_ba);
}

void TestDockerRuns::environmentAndDirectory()
{
    RunOptions options;
    options.env = {{u"FROM_RUN"_s, u"ru\u00f1"_s}};
    options.workingDirectory = u"/usr"_s;
    Running run(*m_sandbox, shellRequest(u"echo $FROM_SANDBOX $FROM_RUN $(pwd) ${PATH:+path}"_s, options));
    QCOMPARE(run.wait().standardOutput, "sandbox ru\xc3\xb1 /usr path\n"_ba);
    QCOMPARE(m_sandbox->details().workingDirectory, u"/tmp"_s);
}

void TestDockerRuns::inputIsGivenThenClosed()
{
    Running none(*m_sandbox, commandRequest({u"wc"_s, u"-c"_s}));
    QCOMPARE(none.wait().standardOutput.trimmed(), "0"_ba);
    RunOptions options;
    options.standardInput = QByteArray(3'000'000, 'x'); // many times the window of the guest
    Running run(*m_sandbox, commandRequest({u"wc"_s, u"-c"_s}, options));
    QCOMPARE(run.wait().standardOutput.trimmed(), "3000000"_ba);
}

void TestDockerRuns::inputIsWrittenAsItComes()
{
    ProcessRequest request = commandRequest({u"cat"_s});
    request.interactiveInput = true;
    Running run(*m_sandbox, request);
    await(run.process->write("one\n"_ba));
    QTRY_COMPARE(run.events->standardOutput, "one\n"_ba);
    QVERIFY(!run.events->ended());
    await(run.process->write("two\n"_ba));
    await(run.process->closeWrite());
    const RecordingEvents &events = run.wait();
    QCOMPARE(events.standardOutput, "one\ntwo\n"_ba);
    QCOMPARE(events.status->code, 0);
}

void TestDockerRuns::writingToAProgramThatReadsNoMoreFails()
{
    ProcessRequest request = shellRequest(u"exec <&-; sleep 30"_s);
    request.interactiveInput = true;
    Running run(*m_sandbox, request);
    QTRY_COMPARE(run.events->startedCalls, 1);
    const ErrorInfo error = awaitError(run.process->write(QByteArray(1'000'000, 'x')));
    QCOMPARE(error.kind, ErrorKind::FileSystemError);
    QCOMPARE(error.cause->status, EPIPE);
    await(run.process->killTree());
}

void TestDockerRuns::whatCannotStartFails_data()
{
    QTest::addColumn<ProcessRequest>("request");
    QTest::addColumn<ErrorKind>("kind");
    QTest::addColumn<int>("status");
    RunOptions nowhere;
    nowhere.workingDirectory = u"/no/such"_s;
    RunOptions somebody;
    somebody.user = u"postgres"_s;
    QTest::newRow("an unknown program")
        << commandRequest({u"no-such-program"_s}) << ErrorKind::ConfigurationError << ENOENT;
    QTest::newRow("a file that is no program")
        << commandRequest({u"/etc/passwd"_s}) << ErrorKind::ConfigurationError << EACCES;
    QTest::newRow("a directory that is not there")
        << commandRequest({u"true"_s}, nowhere) << ErrorKind::PathNotFound << ENOENT;
    QTest::newRow("another user") << commandRequest({u"true"_s}, somebody) << ErrorKind::ConfigurationError
                                  << 0;
    QTest::newRow("an empty command") << ProcessRequest() << ErrorKind::ConfigurationError << 0;
    ProcessRequest streamed = commandRequest({u"no-such-program"_s});
    streamed.streamed = true;
    QTest::newRow("an unknown program, streamed") << streamed << ErrorKind::ConfigurationError << ENOENT;
}

void TestDockerRuns::whatCannotStartFails()
{
    QFETCH(ProcessRequest, request);
    QFETCH(ErrorKind, kind);
    QFETCH(int, status);
    Running run(*m_sandbox, request);
    QCOMPARE(run.events->failedCalls, 0); // never inline
    const RecordingEvents &events = run.wait();
    QVERIFY(events.error.has_value());
    QCOMPARE(events.error->kind, kind);
    QCOMPARE(events.error->cause.value_or(ErrorCause()).status.value_or(0), status);
    QVERIFY(!events.error->hint.isEmpty());
    QCOMPARE(events.startedCalls, 0);
    await(run.process->killTree()); // nothing is left to kill
}

void TestDockerRuns::neighboursRunAtTheSameTime()
{
    std::vector<std::unique_ptr<Running>> runs;
    for (int i = 0; i < 40; ++i)
        runs.push_back(
            std::make_unique<Running>(*m_sandbox, shellRequest(u"sleep 0.2; echo %1; exit %1"_s.arg(i))));
    for (int i = 0; i < 40; ++i) {
        const RecordingEvents &events = runs[static_cast<size_t>(i)]->wait();
        QCOMPARE(events.standardOutput, QByteArray::number(i) + '\n');
        QCOMPARE(events.status->code, i);
    }
}

void TestDockerRuns::aBackgroundChildDoesNotHoldTheExit()
{
    Running run(*m_sandbox, shellRequest(u"sleep 20 & echo hi"_s));
    QTRY_VERIFY(run.events->status.has_value());
    QCOMPARE(run.events->standardOutput, "hi\n"_ba);
    QCOMPARE(run.events->endedStreams, 0); // the child holds both
    await(run.process->killTree());
    QTRY_COMPARE(run.events->endedStreams, 2);
}

// The command lines of the processes inside that contain the marker, one a line.
QString TestDockerRuns::psOf(const QString &marker)
{
    const QString script =
        u"for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline 2>/dev/null; echo; done | grep -F '%1' | "
        "grep -v -e 'for p in' -e '^grep'; true"_s;
    Running run(*m_sandbox, shellRequest(script.arg(marker)));
    return QString::fromUtf8(run.wait().standardOutput);
}

void TestDockerRuns::killTreeEndsEveryDescendantAndNobodyElse()
{
    Running neighbour(*m_sandbox, commandRequest({u"sleep"_s, u"7771"_s}));
    Running run(*m_sandbox, shellRequest(u"setsid sleep 7772 & (setsid sh -c 'sleep 7772 & sleep 7772' &) ; "
                                         "nohup sleep 7772 >/dev/null 2>&1 & echo ready; sleep 7772"_s));
    QTRY_COMPARE(run.events->standardOutput, "ready\n"_ba);
    QTRY_COMPARE(
        psOf(u"sleep 7772"_s).count(u"\nsleep 7772"_s) + psOf(u"sleep 7772"_s).startsWith(u"sleep 7772"_s), 5);
    await(run.process->killTree());
    QCOMPARE(psOf(u"7772"_s), QString());
    QVERIFY(run.wait().status.has_value());
    QVERIFY(psOf(u"7771"_s).contains(u"sleep 7771"_s));
    QVERIFY(!neighbour.events->ended());
    await(neighbour.process->killTree());
    QCOMPARE(neighbour.wait().status->signal, SIGKILL);
}

void TestDockerRuns::killTreeIsIdempotentAndWorksAfterTheEnd()
{
    Running run(*m_sandbox, shellRequest(u"setsid sleep 7773 >/dev/null 2>&1 & exit 4"_s));
    QCOMPARE(run.wait().status->code, 4);
    QTRY_VERIFY(psOf(u"7773"_s).contains(u"sleep 7773"_s)); // it starts beside the shell that ends
    await(run.process->killTree());
    await(run.process->killTree());
    QCOMPARE(psOf(u"7773"_s), QString());

    Running early(*m_sandbox, commandRequest({u"sleep"_s, u"7774"_s}));
    await(early.process->killTree()); // before anything was reported
    early.wait();
    QCOMPARE(psOf(u"7774"_s), QString());
}

void TestDockerRuns::signalsReachTheMainProcess()
{
    Running run(*m_sandbox,
                shellRequest(u"trap 'echo got; exit 7' USR1; echo ready; while :; do sleep 0.05; done"_s));
    QTRY_COMPARE(run.events->standardOutput, "ready\n"_ba);
    await(run.process->signal(SIGUSR1));
    const RecordingEvents &events = run.wait();
    QCOMPARE(events.standardOutput, "ready\ngot\n"_ba);
    QCOMPARE(events.status->code, 7);
    QCOMPARE(awaitError(run.process->signal(0)).kind, ErrorKind::ConfigurationError);

    Running early(*m_sandbox, commandRequest({u"sleep"_s, u"30"_s}));
    await(early.process->signal(SIGINT)); // before it is known to run
    QCOMPARE(early.wait().status->signal, SIGINT);
}

void TestDockerRuns::aTerminalHasItsSizeAndOneStream()
{
    ProcessRequest request =
        shellRequest(u"stty size; echo $TERM >&2; read line; stty size; test -t 0 && echo tty"_s);
    request.options.pty = TerminalSize{.rows = 33, .columns = 77};
    request.interactiveInput = true;
    Running run(*m_sandbox, request);
    QTRY_COMPARE(run.events->standardOutput, "33 77\r\nxterm-256color\r\n"_ba);
    await(run.process->resize({.rows = 50, .columns = 120}));
    await(run.process->write("go\n"_ba));
    const RecordingEvents &events = run.wait();
    QVERIFY2(events.standardOutput.endsWith("50 120\r\ntty\r\n"), events.standardOutput.constData());
    QCOMPARE(events.standardError, QByteArray());
    QCOMPARE(events.status->code, 0);
    Running plain(*m_sandbox, commandRequest({u"true"_s}));
    QCOMPARE(awaitError(plain.process->resize({})).kind, ErrorKind::ConfigurationError);
}

void TestDockerRuns::aFloodWaitsForItsConsumer()
{
    Running run(*m_sandbox, commandRequest({u"head"_s, u"-c"_s, u"8000000"_s, u"/dev/zero"_s}));
    run.events->process = nullptr;
    QTRY_VERIFY(run.events->received >= 1'000'000);
    QTest::qWait(200); // nothing more may come, however long one waits
    QVERIFY(run.events->received <= 1024 * 1024);
    QVERIFY(!run.events->status);
    run.process->acknowledge(OutputStream::StandardOutput, run.events->received);
    run.events->process = run.process.get();
    QCOMPARE(run.wait().received, 8'000'000);
    QCOMPARE(run.events->status->code, 0);
}

void TestDockerRuns::outOfMemoryNamesTheCap()
{
    const auto small = m_fixture->create({.memoryMb = 64});
    Running run(*small, commandRequest({u"python3"_s, u"-c"_s, u"x = bytearray(200_000_000)"_s}));
    const RecordingEvents &events = run.wait();
    QVERIFY(events.status.has_value());
    QCOMPARE(events.status->signal, SIGKILL);
    QVERIFY(events.status->limit.has_value());
    QCOMPARE(events.status->limit->kind, ErrorKind::ResourceLimitExceeded);
    QCOMPARE(events.status->limit->limit, u"memory"_s);
    QCOMPARE(events.status->limit->limitValue, 64 * 1024 * 1024);
    Running after(*small, commandRequest({u"true"_s}));
    QCOMPARE(after.wait().status->code, 0); // the sandbox lives on
}

void TestDockerRuns::secretsReachRunsAndNothingElse()
{
    Running run(*m_sandbox, shellRequest(u"echo $TOKEN"_s));
    QCOMPARE(run.wait().standardOutput, "s3cr3t-canary\n"_ba);
    Running streamed(*m_sandbox, [] {
        ProcessRequest request = shellRequest(u"echo $TOKEN"_s);
        request.streamed = true;
        return request;
    }());
    QCOMPARE(streamed.wait().standardOutput, "s3cr3t-canary\n"_ba);
    const QByteArray inspection = QJsonDocument(m_fixture->inspect(m_sandbox->id())).toJson();
    QVERIFY(inspection.contains("io.sandboxio.managed"));
    QVERIFY(!inspection.contains("s3cr3t-canary"));
    Running look(*m_sandbox, shellRequest(u"cat /proc/[0-9]*/cmdline | grep -c '[s]3cr3t'"_s));
    QCOMPARE(look.wait().standardOutput, "0\n"_ba);
}

void TestDockerRuns::anotherClientHasItsOwnRuns()
{
    const auto other = m_fixture->connectTo(m_sandbox->id());
    QVERIFY(!other->details().capabilities.testFlag(Capability::ExtendLifetime));
    QVERIFY(m_sandbox->details().capabilities.testFlag(Capability::ExtendLifetime));
    QCOMPARE(awaitError(other->extend(std::chrono::minutes(10))).kind, ErrorKind::CapabilityNotSupported);
    await(m_sandbox->extend(std::chrono::minutes(10)));
    QVERIFY(m_sandbox->details().managed.expiresAt > QDateTime::currentDateTimeUtc().addSecs(590));
    Running mine(*m_sandbox, shellRequest(u"echo mine"_s));
    Running others(*other, shellRequest(u"echo ${TOKEN:-no secret}"_s));
    QCOMPARE(mine.wait().standardOutput, "mine\n"_ba);
    QCOMPARE(others.wait().standardOutput, "no secret\n"_ba);
}

// Not a limit but a figure: what a run costs through the guest.
void TestDockerRuns::latency()
{
    QList<qint64> times;
    for (int i = 0; i < 100; ++i) {
        QElapsedTimer timer;
        timer.start();
        Running run(*m_sandbox, commandRequest({u"/bin/true"_s}));
        run.wait();
        times.append(timer.nsecsElapsed() / 1000);
    }
    std::ranges::sort(times);
    qInfo("run /bin/true: median %lld us, fastest %lld us, slowest %lld us", times[50], times.first(),
          times.last());
    QVERIFY(times[50] < 1'000'000);
}

SANDBOXIO_TEST(TestDockerRuns)
#include "tst_dockerruns.moc"
