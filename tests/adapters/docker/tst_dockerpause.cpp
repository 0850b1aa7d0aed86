// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "backendfixture.h"
#include "keeperlaunch.h"
#include "support/testprogram.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>

#include <csignal>
#include <unistd.h>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace Sandboxio;
using namespace Sandboxio::Docker;

namespace {

const Call testCall{.purpose = {ErrorKind::ConnectError, u"test"_s}};
const QString pausingMode = u"--pause"_s;

QByteArray readAll(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/*! The keepers of the container \a id. */
QStringList keepersOf(const QString &id)
{
    QStringList found;
    const QStringList pids = QDir(u"/proc"_s).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    for (const QString &pid : pids) {
        const QByteArray line = readAll(u"/proc/%1/cmdline"_s.arg(pid));
        if (line.contains("sandboxio-keeper") && line.contains(id.toLatin1()))
            found.append(pid);
    }
    return found;
}

/*! What a run reports; keeps the process. */
class Outcome final : public ProcessEvents
{
public:
    Outcome(SandboxPort &sandbox, const ProcessRequest &request)
        : process(sandbox.start(request, this))
    {}
    void started(std::optional<qint64>) override { ++startedCalls; }
    void output(OutputStream stream, const QByteArray &data) override
    {
        process->acknowledge(stream, data.size());
    }
    void outputLost(OutputStream, qint64) override {}
    void streamEnded(OutputStream) override {}
    void exited(const ExitStatus &how) override { status = how; }
    void failed(const ErrorInfo &why) override { error = why; }
    void richOutput(const RichOutput &) override {}

    int startedCalls = 0;
    std::optional<ExitStatus> status;
    std::optional<ErrorInfo> error;
    std::unique_ptr<ProcessPort> process;
};

ProcessRequest shell(const QString &text, bool streamed = false)
{
    ProcessRequest request;
    request.command = Command::shell(text);
    request.streamed = streamed;
    return request;
}

ProcessRequest python(const QByteArray &code)
{
    ProcessRequest request;
    request.code = code;
    return request;
}

} // namespace

/*! Pausing on a real daemon: what stands still, what says so, and what ends it when its time is over. */
class TestDockerPause : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void aPausedSandboxStandsStillAndGoesOn();
    void pausingAndResumingTwiceIsSilent();
    void whatIsAskedOfAPausedSandboxIsRefused_data();
    void whatIsAskedOfAPausedSandboxIsRefused();
    void contextsOfAPausedSandboxWait();
    void aSandboxThatOthersPausedSaysSoToo();
    void aSandboxThatOthersResumedIsUsable();
    void observingDoesNotResume();
    void connectingKnowsWhatAPausedSandboxCanDo();
    void killingAPausedSandboxLeavesNothing();
    void aPausedSandboxEndsWithItsLifetime();
    void anExtendedLifetimeIsKept();
    void theKeeperGoesWhenTheSandboxGoesOn();
    void aKeeperOnItsPostStaysUntilItIsRelieved();
    void aKeeperThatWasKilledStandsNoMore();
    void theKeeperOutlivesTheProgramAndKnowsNothingOfIt();
    void withoutAKeeperNothingIsPaused();
    void aKeeperThatDoesNotComeUpPreventsThePause();

private:
    SandboxState stateOf(SandboxPort &sandbox) { return waitFor(sandbox.inspect()).state; }
    std::unique_ptr<BackendFixture> m_fixture;
};

void TestDockerPause::init()
{
    QString why;
    m_fixture = BackendFixture::make(&why);
    if (!m_fixture)
        QSKIP(qPrintable(why));
}

void TestDockerPause::cleanup()
{
    m_fixture.reset();
}

void TestDockerPause::aPausedSandboxStandsStillAndGoesOn()
{
    const auto sandbox = m_fixture->create(m_fixture->options());
    QVERIFY(sandbox->details().capabilities.testFlag(Capability::PauseResume));
    QVERIFY2(sandbox->details().lifetimeMechanism.contains(u"keeper"_s),
             qPrintable(sandbox->details().lifetimeMechanism));
    Outcome run(*sandbox, shell(u"while :; do echo >> /tmp/ticks; sleep 0.02; done"_s));
    QTRY_COMPARE(run.startedCalls, 1);
    waitFor(sandbox->pause());
    QCOMPARE(stateOf(*sandbox), SandboxState::Paused);
    QCOMPARE(sandbox->details().managed.state, SandboxState::Paused);
    const auto ticks = [&] {
        return m_fixture->api().get(u"/containers/%1/archive"_s.arg(sandbox->id()),
                                    QUrlQuery(u"path=/tmp/ticks"_s), testCall);
    };
    const QByteArray before = waitFor(ticks());
    QTest::qWait(300);
    QCOMPARE(waitFor(ticks()), before);
    QVERIFY(!run.status && !run.error);
    waitFor(sandbox->resume());
    QCOMPARE(stateOf(*sandbox), SandboxState::Running);
    QTRY_VERIFY(waitFor(ticks()) != before);
    QCOMPARE(outputOf(*sandbox, {u"echo"_s, u"again"_s}), "again\n");
}

void TestDockerPause::pausingAndResumingTwiceIsSilent()
{
    const auto sandbox = m_fixture->create(m_fixture->options());
    waitFor(sandbox->resume());
    waitFor(sandbox->pause());
    waitFor(sandbox->pause());
    QCOMPARE(keepersOf(sandbox->id()).size(), 1);
    QCOMPARE(stateOf(*sandbox), SandboxState::Paused);
    waitFor(sandbox->resume());
    waitFor(sandbox->resume());
    QCOMPARE(outputOf(*sandbox, {u"echo"_s, u"on"_s}), "on\n");
    waitFor(sandbox->kill());
    QCOMPARE(errorOf(sandbox->pause()).kind, ErrorKind::SandboxGone);
    QCOMPARE(errorOf(sandbox->resume()).kind, ErrorKind::SandboxGone);
}

void TestDockerPause::whatIsAskedOfAPausedSandboxIsRefused_data()
{
    QTest::addColumn<bool>("byOthers");
    QTest::newRow("paused by us: at once") << false;
    QTest::newRow("paused behind our back: after a while") << true;
}

void TestDockerPause::whatIsAskedOfAPausedSandboxIsRefused()
{
    QFETCH(bool, byOthers);
    const auto sandbox = m_fixture->create(m_fixture->options());
    if (byOthers)
        m_fixture->pauseByOthers(sandbox->id());
    else
        waitFor(sandbox->pause());
    QElapsedTimer timer;
    timer.start();
    Outcome buffered(*sandbox, shell(u"sleep 0.5; touch /tmp/buffered"_s));
    Outcome streamed(*sandbox, shell(u"sleep 0.5; touch /tmp/streamed"_s, true));
    Outcome code(*sandbox, python("import time; time.sleep(0.5); open('/tmp/code', 'w')"));
    const auto listing = sandbox->files()->list(u"/"_s);
    const auto probe = sandbox->probe({});
    for (const Outcome *run : {&buffered, &streamed, &code}) {
        QTRY_VERIFY_WITH_TIMEOUT(run->error.has_value(), 10000);
        QVERIFY2(run->error->kind == ErrorKind::ConnectError, qPrintable(run->error->toText()));
        QVERIFY2(run->error->hint.contains(u"sandboxio resume "_s + sandbox->id().left(12)),
                 qPrintable(run->error->toText()));
        QVERIFY(!run->status);
    }
    for (const ErrorInfo &error :
         {errorOf(listing), errorOf(probe), errorOf(sandbox->files()->stat(u"/tmp"_s))})
        QVERIFY2(error.message.contains(u"paused"_s), qPrintable(error.toText()));
    QVERIFY2(timer.elapsed() < (byOthers ? 9000 : 1500), qPrintable(QString::number(timer.elapsed())));
    QCOMPARE(stateOf(*sandbox), SandboxState::Paused);
    waitFor(sandbox->resume());
    // What was refused does not happen later.
    QCOMPARE(
        outputOf(*sandbox, {u"sh"_s, u"-c"_s, u"sleep 1; cd /tmp; ls buffered streamed code 2>/dev/null; :"_s}),
        "");
}

void TestDockerPause::contextsOfAPausedSandboxWait()
{
    const auto sandbox = m_fixture->create(m_fixture->options());
    const QString context = waitFor(sandbox->createContext(u"python"_s));
    waitFor(sandbox->pause());
    for (const Operation<void> &change :
         QList{sandbox->removeContext(context), sandbox->restartContext(context)}) {
        const ErrorInfo error = errorOf(change);
        QCOMPARE(error.kind, ErrorKind::ConnectError);
        QVERIFY2(error.hint.contains(u"sandboxio resume"_s), qPrintable(error.toText()));
    }
    ProcessRequest cell = python("open('/tmp/ran', 'w')");
    cell.codeOptions.context = context;
    Outcome refused(*sandbox, cell);
    QTRY_VERIFY_WITH_TIMEOUT(refused.error, 10'000);
    QVERIFY2(refused.error->hint.contains(u"sandboxio resume"_s), qPrintable(refused.error->toText()));
    waitFor(sandbox->resume());
    QCOMPARE(waitFor(sandbox->listContexts()), QStringList{context});
    cell.code =
        "import os; os._exit(7 if os.path.exists('/tmp/ran') else 8)"_ba; // what was refused does not happen later
    Outcome afterwards(*sandbox, cell);
    QTRY_VERIFY_WITH_TIMEOUT(afterwards.status, 10'000);
    QCOMPARE(afterwards.status->code, 8);
    waitFor(sandbox->removeContext(context));
    QCOMPARE(waitFor(sandbox->listContexts()), QStringList());
}

void TestDockerPause::aSandboxThatOthersPausedSaysSoToo()
{
    const auto sandbox = m_fixture->create(m_fixture->options());
    m_fixture->pauseByOthers(sandbox->id());
    QCOMPARE(stateOf(*sandbox), SandboxState::Paused);
    Outcome run(*sandbox, shell(u"true"_s)); // it has been seen paused: no waiting
    QTRY_VERIFY_WITH_TIMEOUT(run.error.has_value(), 1500);
    waitFor(sandbox->pause()); // it is
    waitFor(sandbox->resume());
    QCOMPARE(outputOf(*sandbox, {u"echo"_s, u"on"_s}), "on\n");
}

void TestDockerPause::aSandboxThatOthersResumedIsUsable()
{
    const auto sandbox = m_fixture->create(m_fixture->options());
    waitFor(sandbox->pause());
    waitFor(m_fixture->api().post(u"/containers/%1/unpause"_s.arg(sandbox->id()), {}, {}, testCall));
    QCOMPARE(outputOf(*sandbox, {u"echo"_s, u"on"_s}), "on\n");
    QTRY_COMPARE(keepersOf(sandbox->id()).size(), 0);
}

void TestDockerPause::observingDoesNotResume()
{
    const auto sandbox = m_fixture->create(m_fixture->options());
    waitFor(sandbox->pause());
    QCOMPARE(stateOf(*sandbox), SandboxState::Paused);
    const auto rows = waitFor(m_fixture->backend().reapable()->listManaged(m_fixture->metadata(), {}));
    QCOMPARE(rows.size(), 1);
    QCOMPARE(rows.first().state, SandboxState::Paused);
    const auto seen = waitFor(m_fixture->backend().reapable()->inspectManaged(sandbox->id()));
    QCOMPARE(seen->state, SandboxState::Paused);
    errorOf(sandbox->files()->list(u"/"_s));
    waitFor(m_fixture->backend().diagnose());
    QCOMPARE(stateOf(*sandbox), SandboxState::Paused);
}

void TestDockerPause::connectingKnowsWhatAPausedSandboxCanDo()
{
    const auto sandbox = m_fixture->create(m_fixture->options());
    waitFor(sandbox->pause());
    const auto other = waitFor(m_fixture->backend().connectTo(sandbox->id(), false));
    QCOMPARE(stateOf(*other), SandboxState::Paused);
    QCOMPARE(other->details().managed.state, SandboxState::Paused);
    Capabilities expected = sandbox->details().capabilities;
    expected.setFlag(Capability::ExtendLifetime, false); // the creator's alone
    QCOMPARE(capabilityNames(other->details().capabilities), capabilityNames(expected));
    QCOMPARE(other->languages(), sandbox->languages());
    Outcome run(*other, shell(u"true"_s));
    QTRY_VERIFY(run.error.has_value());
    waitFor(other->resume());
    QCOMPARE(outputOf(*other, {u"echo"_s, u"on"_s}), "on\n");
    QCOMPARE(outputOf(*sandbox, {u"echo"_s, u"here too"_s}), "here too\n");
}

void TestDockerPause::killingAPausedSandboxLeavesNothing()
{
    const auto sandbox = m_fixture->create(m_fixture->options());
    waitFor(sandbox->pause());
    QCOMPARE(keepersOf(sandbox->id()).size(), 1);
    waitFor(sandbox->kill());
    QCOMPARE(m_fixture->leftovers(), QStringList());
    QTRY_COMPARE(keepersOf(sandbox->id()).size(), 0);
    const auto byId = m_fixture->create(m_fixture->options());
    waitFor(byId->pause());
    QVERIFY(waitFor(m_fixture->backend().reapable()->killManaged(byId->id())));
    QCOMPARE(m_fixture->leftovers(), QStringList());
    QTRY_COMPARE(keepersOf(byId->id()).size(), 0);
}

void TestDockerPause::aPausedSandboxEndsWithItsLifetime()
{
    CreateOptions with = m_fixture->options();
    with.timeout = 4s;
    const auto sandbox = m_fixture->create(with);
    QElapsedTimer timer;
    timer.start();
    Outcome run(*sandbox, shell(u"sleep 300"_s));
    QTRY_COMPARE(run.startedCalls, 1);
    waitFor(sandbox->pause());
    QTRY_COMPARE_WITH_TIMEOUT(m_fixture->inspect(sandbox->id())["State"_L1]["Running"_L1].toBool(), false,
                              15000);
    const qint64 lived = timer.elapsed();
    QVERIFY2(lived > 3000 && lived < 7000, qPrintable(QString::number(lived)));
    QTRY_COMPARE(keepersOf(sandbox->id()).size(), 0);
    QTRY_VERIFY(run.error.has_value());
    QCOMPARE(run.error->kind, ErrorKind::SandboxGone);
    QVERIFY2(run.error->hint.contains(u"lifetime of 4 s ended"_s), qPrintable(run.error->hint));
    QCOMPARE(errorOf(sandbox->resume()).kind, ErrorKind::SandboxGone);
}

void TestDockerPause::anExtendedLifetimeIsKept()
{
    CreateOptions with = m_fixture->options();
    with.timeout = 3s;
    const auto sandbox = m_fixture->create(with);
    const auto other = waitFor(m_fixture->backend().connectTo(sandbox->id(), false));
    waitFor(sandbox->extend(60s));
    waitFor(other->pause()); // it knows only the label, which says 3 s
    QTest::qWait(4000);
    QCOMPARE(stateOf(*sandbox), SandboxState::Paused);
    waitFor(sandbox->resume());
    QCOMPARE(outputOf(*sandbox, {u"echo"_s, u"alive"_s}), "alive\n");
}

void TestDockerPause::theKeeperGoesWhenTheSandboxGoesOn()
{
    const auto sandbox = m_fixture->create(m_fixture->options());
    waitFor(sandbox->pause());
    QCOMPARE(keepersOf(sandbox->id()).size(), 1);
    waitFor(sandbox->resume());
    QTRY_COMPARE(keepersOf(sandbox->id()).size(), 0);
}

void TestDockerPause::aKeeperOnItsPostStaysUntilItIsRelieved()
{
    const auto sandbox = m_fixture->create(m_fixture->options());
    const auto keep = [&](std::chrono::milliseconds lifetime) {
        waitFor(startKeeper(this, {.program = keeperProgram(),
                                   .socketPath = m_fixture->api().endpoint()->path,
                                   .containerId = sandbox->id(),
                                   .lifetimeLeft = lifetime,
                                   .untilGone = true}));
    };
    const auto runs = [&] {
        return m_fixture->inspect(sandbox->id())["State"_L1]["Running"_L1].toBool();
    };
    QVERIFY(!keeperStands(sandbox->id()));
    keep(3s);
    QVERIFY(keeperStands(sandbox->id()));
    keep(60s);
    waitFor(sandbox->pause()); // a keeper of its own
    QCOMPARE(keepersOf(sandbox->id()).size(), 3);
    waitFor(sandbox->resume()); // the relieved one sees it, too
    QTRY_COMPARE(keepersOf(sandbox->id()).size(), 1);
    QVERIFY(runs());
    keep(1ms);
    QTRY_VERIFY_WITH_TIMEOUT(!runs(), 10000);
    QTRY_COMPARE(keepersOf(sandbox->id()).size(), 0);
    QVERIFY(!keeperStands(sandbox->id()));
}

void TestDockerPause::aKeeperThatWasKilledStandsNoMore()
{
    const auto sandbox = m_fixture->create(m_fixture->options());
    waitFor(startKeeper(this, {.program = keeperProgram(),
                               .socketPath = m_fixture->api().endpoint()->path,
                               .containerId = sandbox->id(),
                               .lifetimeLeft = 60s,
                               .untilGone = true}));
    QVERIFY(keeperStands(sandbox->id()));
    const QStringList keepers = keepersOf(sandbox->id());
    QCOMPARE(keepers.size(), 1);
    QCOMPARE(::kill(keepers.first().toInt(), SIGKILL), 0);
    QTRY_VERIFY(!keeperStands(sandbox->id()));
}

void TestDockerPause::theKeeperOutlivesTheProgramAndKnowsNothingOfIt()
{
    CreateOptions with = m_fixture->options();
    with.timeout = 8s;
    const auto sandbox = m_fixture->create(with);
    QProcess program;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"SANDBOXIO_TEST_CANARY"_s, u"secret"_s);
    program.setProcessEnvironment(environment);
    program.setChildProcessModifier([] { ::setsid(); }); // its session can be killed as a whole
    program.start(QCoreApplication::applicationFilePath(), {u"tst_dockerpause"_s, pausingMode, sandbox->id()});
    QByteArray said;
    connect(&program, &QProcess::readyReadStandardOutput, this,
            [&] { said += program.readAllStandardOutput(); });
    QTRY_COMPARE_WITH_TIMEOUT(said, "paused\n", 15000);
    const QStringList keepers = keepersOf(sandbox->id());
    QCOMPARE(keepers.size(), 1);
    const QString keeper = keepers.first();
    QCOMPARE(readAll(u"/proc/%1/environ"_s.arg(keeper)), QByteArray());
    QVERIFY(getsid(keeper.toInt()) != getsid(static_cast<pid_t>(program.processId())));
    QVERIFY(QDir(u"/proc/%1/fd"_s.arg(keeper)).entryList(QDir::Files | QDir::System).size() <= 5);
    QCOMPARE(kill(-static_cast<pid_t>(program.processId()), SIGKILL), 0);
    QVERIFY(program.waitForFinished());
    QCOMPARE(keepersOf(sandbox->id()), keepers);
    QCOMPARE(stateOf(*sandbox), SandboxState::Paused);
    QTRY_COMPARE_WITH_TIMEOUT(m_fixture->inspect(sandbox->id())["State"_L1]["Running"_L1].toBool(), false,
                              15000);
    QTRY_COMPARE(keepersOf(sandbox->id()).size(), 0);
}

void TestDockerPause::withoutAKeeperNothingIsPaused()
{
    qputenv(keeperVariable, "/missing");
    const auto restore = qScopeGuard([] { qunsetenv(keeperVariable); });
    const CreatePlan plan = waitFor(m_fixture->backend().plan(m_fixture->options()));
    QVERIFY(!plan.lifetimeMechanism.contains(u"keeper"_s));
    QVERIFY(!m_fixture->backend().capabilities().testFlag(Capability::PauseResume));
    const auto sandbox = m_fixture->create(m_fixture->options());
    const ErrorInfo error = errorOf(sandbox->pause());
    const auto diagnosis = waitFor(m_fixture->backend().diagnose());
    QCOMPARE(error.kind, ErrorKind::CapabilityNotSupported);
    QCOMPARE(stateOf(*sandbox), SandboxState::Running);
    const auto line = std::ranges::find(diagnosis, u"lifetime"_s, &Diagnosis::subject);
    QVERIFY(line != diagnosis.end());
    QCOMPARE(line->status, Diagnosis::Status::Warning);
    QVERIFY(line->fix.contains(QLatin1StringView(keeperVariable)));
}

void TestDockerPause::aKeeperThatDoesNotComeUpPreventsThePause()
{
    const auto sandbox = m_fixture->create(m_fixture->options());
    qputenv(keeperVariable, "/bin/false");
    const ErrorInfo error = errorOf(sandbox->pause());
    qunsetenv(keeperVariable);
    QCOMPARE(error.kind, ErrorKind::ConnectError);
    QVERIFY(error.hint.contains(u"sandboxio doctor"_s));
    QCOMPARE(stateOf(*sandbox), SandboxState::Running);
    QCOMPARE(outputOf(*sandbox, {u"echo"_s, u"on"_s}), "on\n");
}

/*! A program that pauses the sandbox \a id and then does nothing. */
static int pauseAndStay(const QString &id)
{
    QString why;
    const auto fixture = BackendFixture::make(&why);
    if (!fixture)
        return 1;
    waitFor(waitFor(fixture->backend().connectTo(id, false))->pause());
    puts("paused");
    fflush(stdout);
    return QCoreApplication::exec();
}

static int runPauseTest(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    if (argc == 3 && application.arguments().at(1) == pausingMode)
        return pauseAndStay(application.arguments().at(2));
    TestDockerPause test;
    return QTest::qExec(&test, argc, argv);
}

SANDBOXIO_TEST_FUNCTION(runPauseTest)

#include "tst_dockerpause.moc"
