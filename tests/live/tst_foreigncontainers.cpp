// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerdaemon.h"
#include "support/testprogram.h"

#include <sandboxio/core/error.h>
#include <sandboxio/runtime/process.h>

#include <QTest>

#include <csignal>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

/*! A container that somebody else made. */
class Foreign
{
public:
    explicit Foreign(const QStringList &options = {})
        : id(QString::fromLatin1(Live::docker(QStringList{u"run"_s, u"--detach"_s, u"--network"_s, u"none"_s,
                                                          u"--label"_s, u"test_run="_s + Live::testRun()} +
                                              options + QStringList{Live::testImage(), u"sleep"_s, u"300"_s})
                                     .trimmed()))
    {}
    ~Foreign() { Live::docker({u"rm"_s, u"--force"_s, id}); }
    Q_DISABLE_COPY_MOVE(Foreign)

    /*! Processes of the runs whose command line ends with \a text. */
    qsizetype count(const QString &text) const
    {
        const QString lines = QString::fromUtf8(Live::docker({u"top"_s, id, u"-eo"_s, u"pid,args"_s}));
        return std::ranges::count_if(lines.split(u'\n'), [&](const QString &line) {
            return line.endsWith(text) && !line.contains("sandboxio-exec"_L1);
        });
    }

    const QString id;
};

} // namespace

// Containers without our helper, reached by plain execs.
class TestForeignContainers : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (const QString why = Live::missingDaemon(); !why.isEmpty())
            QSKIP(qPrintable(why));
    }
    void init() { m_engine = std::make_unique<Engine>(EngineOptions{.stateDirectory = QString()}); }
    void cleanup() { m_engine.reset(); }

    void commandsAndCodeRun();
    void oneOfThePythonSandboxioNeedsNoPermission();
    void aSignalIsTold();
    void runsMayBelongToAnyUser();
    void aLimitEndsTheTreeOfThatRunAlone();
    void aRunOfAnotherUserIsEndedToo();
    void aContainerThatEndsTakesItsRunsAlong();
    void withoutAShellNoRunIsPromised();
    void aPausedOneMustGoOnFirst();
    void aKillWaitsForAPausedContainer();

private:
    SandboxPtr connectTo(const Foreign &container)
    {
        return m_engine->connectTo(Live::target(), container.id, true).result();
    }

    std::unique_ptr<Engine> m_engine;
};

void TestForeignContainers::commandsAndCodeRun()
{
    const Foreign container({u"--workdir"_s, u"/tmp"_s, u"--env"_s, u"FROM_CONTAINER=kept"_s});
    const SandboxPtr sandbox = connectTo(container);
    QCOMPARE(sandbox->capabilities(), Capability::RunCommand | Capability::RunCode | Capability::Streaming |
                                          Capability::Stats | Capability::FileSystem |
                                          Capability::UploadDownload);
    QCOMPARE(sandbox->details().workingDirectory, u"/tmp"_s);
    QVERIFY(sandbox->details().transport.contains(u"Plain exec"_s));
    QVERIFY(sandbox->details().lifetimeMechanism.contains(u"Nothing of ours"_s));
    RunOptions with;
    with.env = {{u"OWN"_s, u"a b"_s}};
    with.standardInput = "in"_ba;
    const ExecResult result =
        sandbox->run(Command::shell(u"pwd; echo $FROM_CONTAINER $OWN; cat; exit 3"_s), with).result();
    QCOMPARE(result.text(), u"/tmp\nkept a b\nin"_s);
    QCOMPARE(result.exitCode, 3);
    const ExecResult code = sandbox->runCode(u"import sys; print(1 + 1); sys.exit(4)"_s).result();
    QCOMPARE(code.text(), u"2\n"_s);
    QCOMPARE(code.exitCode, 4);
    QCOMPARE(sandbox->run({u"ls"_s, u"-A"_s, u"/tmp"_s}).result().text(), u""_s); // no code is left behind
    QVERIFY(sandbox->files().ls(u"/etc"_s).result().size() > 1);
    QVERIFY_THROWS_EXCEPTION(CapabilityNotSupported,
                             sandbox->run({u"true"_s}, {.pty = TerminalSize()}).result());
}

void TestForeignContainers::oneOfThePythonSandboxioNeedsNoPermission()
{
    const Foreign container({u"--label"_s, u"io.sandboxio.managed=true"_s});
    const SandboxPtr sandbox = m_engine->connectTo(Live::target(), container.id).result();
    QCOMPARE(sandbox->run({u"echo"_s, u"reached"_s}).result().text(), u"reached\n"_s);
    const Foreign other;
    QVERIFY_THROWS_EXCEPTION(ConnectError, m_engine->connectTo(Live::target(), other.id).result());
}

void TestForeignContainers::aSignalIsTold()
{
    const Foreign container;
    const SandboxPtr sandbox = connectTo(container);
    const auto process =
        sandbox->stream(Command::shell(u"trap 'exit 5' USR1; echo ready; while :; do sleep 0.05; done"_s));
    process->start(Process::ConsumerMode::Pull).result();
    QCOMPARE(process->nextChunk().result()->data, "ready\n"_ba);
    process->signal(SIGUSR1).result();
    while (process->nextChunk().result()) {
    }
    QCOMPARE(process->wait().result().exitCode, 5);
}

void TestForeignContainers::runsMayBelongToAnyUser()
{
    const Foreign container;
    const SandboxPtr sandbox = connectTo(container);
    RunOptions with;
    with.user = u"daemon"_s;
    QCOMPARE(sandbox->run({u"whoami"_s}, with).result().text(), u"daemon\n"_s);
    with.user = u"12345:4"_s;
    QCOMPARE(sandbox->run(Command::shell(u"id -u; id -g"_s), with).result().text(), u"12345\n4\n"_s);
    with.user = u"nobody-has-this-name"_s;
    const Operation<ExecResult> run = sandbox->run({u"true"_s}, with);
    QVERIFY_THROWS_EXCEPTION(ConfigurationError, run.result());
    QVERIFY(run.error().message.contains(u"nobody-has-this-name"_s));
}

void TestForeignContainers::aLimitEndsTheTreeOfThatRunAlone()
{
    const Foreign container;
    const SandboxPtr sandbox = connectTo(container);
    const Operation<ExecResult> neighbour = sandbox->run({u"sleep"_s, u"201"_s});
    QTRY_COMPARE(container.count(u"sleep 201"_s), 1);
    RunOptions with;
    with.timeout = 1s;
    // Twice forked, in a session of its own, without the environment, its parents gone.
    const Command command = Command::shell(u"(setsid env -i sh -c 'sleep 202 & sleep 203' &) ; sleep 204"_s);
    QVERIFY_THROWS_EXCEPTION(ExecutionTimeout, sandbox->run(command, with).result());
    QCOMPARE(container.count(u"sleep 202"_s), 0);
    QCOMPARE(container.count(u"sleep 203"_s), 0);
    QCOMPARE(container.count(u"sleep 204"_s), 0);
    QCOMPARE(container.count(u"sleep 201"_s), 1);
    QVERIFY(!neighbour.isEnded());
    neighbour.cancel();
    QVERIFY(neighbour.waitFor(5s));
    QCOMPARE(container.count(u"sleep 201"_s), 0);
}

void TestForeignContainers::aRunOfAnotherUserIsEndedToo()
{
    const Foreign container;
    const SandboxPtr sandbox = connectTo(container);
    RunOptions with;
    with.user = u"daemon"_s;
    with.timeout = 1s;
    QVERIFY_THROWS_EXCEPTION(ExecutionTimeout,
                             sandbox->run(Command::shell(u"setsid sleep 205 & sleep 206"_s), with).result());
    QCOMPARE(container.count(u"sleep 205"_s) + container.count(u"sleep 206"_s), 0);
    // Root that becomes another user: the same user's kill does not reach it, root's does.
    with.user.clear();
    const Command changed{u"setpriv"_s,        u"--reuid=1"_s, u"--regid=1"_s,
                          u"--clear-groups"_s, u"sleep"_s,     u"207"_s};
    QVERIFY_THROWS_EXCEPTION(ExecutionTimeout, sandbox->run(changed, with).result());
    QCOMPARE(container.count(u"sleep 207"_s), 0);
}

void TestForeignContainers::aContainerThatEndsTakesItsRunsAlong()
{
    const Foreign container;
    const SandboxPtr sandbox = connectTo(container);
    const Operation<ExecResult> run = sandbox->run({u"sleep"_s, u"208"_s});
    QTRY_COMPARE(container.count(u"sleep 208"_s), 1);
    Live::docker({u"kill"_s, container.id});
    QVERIFY(run.waitFor(10s));
    QVERIFY_THROWS_EXCEPTION(SandboxGone, run.result());
    QVERIFY_THROWS_EXCEPTION(SandboxGone, sandbox->run({u"true"_s}).result());
}

void TestForeignContainers::withoutAShellNoRunIsPromised()
{
    const Foreign container;
    Live::docker({u"exec"_s, container.id, u"rm"_s, u"/bin/sh"_s});
    const SandboxPtr sandbox = connectTo(container);
    QCOMPARE(sandbox->capabilities(), Capabilities(Capability::Stats));
    QVERIFY(sandbox->details().transport.contains(u"/bin/sh"_s));
    QVERIFY_THROWS_EXCEPTION(CapabilityNotSupported, sandbox->run({u"true"_s}).result());
    QCOMPARE(sandbox->info().result().state, SandboxState::Running);
}

void TestForeignContainers::aPausedOneMustGoOnFirst()
{
    const Foreign container;
    Live::pause(container.id);
    const Operation<SandboxPtr> connecting = m_engine->connectTo(Live::target(), container.id, true);
    QVERIFY_THROWS_EXCEPTION(ConnectError, connecting.result());
    QVERIFY2(connecting.error().hint.contains(u"docker unpause"_s), qPrintable(connecting.error().toText()));
    Live::docker({u"unpause"_s, container.id});
    QVERIFY(connectTo(container)->capabilities().testFlag(Capability::RunCommand));
}

void TestForeignContainers::aKillWaitsForAPausedContainer()
{
    const Foreign container;
    const SandboxPtr sandbox = connectTo(container);
    const Operation<ExecResult> run = sandbox->run({u"sleep"_s, u"209"_s});
    QTRY_COMPARE(container.count(u"sleep 209"_s), 1);
    QList<EngineWarning> warnings;
    connect(m_engine.get(), &Engine::warningRaised, this, [&](const EngineWarning &w) { warnings.append(w); });
    Live::pause(container.id);
    run.cancel();
    QVERIFY(QTest::qWaitFor([&] { return run.isEnded(); }, 10s)); // by the grace, with a warning
    QTRY_COMPARE(warnings.size(), 1);
    QCOMPARE(warnings.first().kind, EngineWarning::Kind::OrphanedSandbox);
    Live::docker({u"unpause"_s, container.id});
    QTRY_COMPARE(container.count(u"sleep 209"_s), 0); // it was still being tried
}

SANDBOXIO_TEST(TestForeignContainers)
#include "tst_foreigncontainers.moc"
