// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerdaemon.h"
#include "support/testprogram.h"

#include "support/faultproxy.h"
#include "support/processmemory.h"

#include <sandboxio/core/error.h>
#include <sandboxio/runtime/scopedsandbox.h>

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

// The main job on a real daemon, and what must not happen beside it.
class TestEngineOnDocker : public QObject
{
    Q_OBJECT
    std::unique_ptr<Engine> m_engine;
    SandboxPtr m_sandbox;

    // Command lines of the processes inside, the guest's own and the looking one left out.
    QStringList processesInside()
    {
        const QString script = u"for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline 2>/dev/null; echo; done"_s;
        QStringList lines =
            m_sandbox->run({u"sh"_s, u"-c"_s, script}).result().text().split(u'\n', Qt::SkipEmptyParts);
        lines.removeIf([](const QString &line) {
            return line.contains(u"sandboxio-guest"_s) || line.contains(u"/proc/"_s);
        });
        lines.removeIf(
            [](const QString &line) { return line.trimmed().isEmpty() || line.startsWith(u"tr "_s); });
        return lines;
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (const QString why = Live::missingDaemon(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_engine = std::make_unique<Engine>(EngineOptions{.stateDirectory = QString()});
        m_sandbox = m_engine->create(Live::target(), Live::createOptions(u"engine"_s)).result();
    }
    void cleanupTestCase()
    {
        if (m_sandbox)
            m_sandbox->kill().result();
        m_sandbox.reset();
        m_engine.reset();
        if (!Live::missingDaemon().isEmpty())
            return;
        const QStringList ofThisRun = Live::containersWith(u"test_run"_s, Live::testRun());
        for (const QString &id : Live::containersWith(u"subject"_s, u"engine"_s))
            QVERIFY2(!ofThisRun.contains(id), qPrintable(id));
    }

    void exitCodesAndStreamsAreApart()
    {
        const ExecResult result = m_sandbox->run(Command::shell(u"echo out; echo err >&2; exit 3"_s)).result();
        QCOMPARE(result.exitCode, 3);
        QCOMPARE(result.standardOutput, "out\n"_ba);
        QCOMPARE(result.standardError, "err\n"_ba);
        const ExecResult killed = m_sandbox->run(Command::shell(u"kill -TERM $$"_s)).result();
        QVERIFY(!killed.exitCode);
        QCOMPARE(killed.signal, 15);
    }

    void cancellingARunLeavesItsNeighbourAndNoOtherProcess()
    {
        const Operation<ExecResult> neighbour = m_sandbox->run({u"sleep"_s, u"301"_s});
        const Operation<ExecResult> run = m_sandbox->run(Command::shell(u"setsid sleep 602 & sleep 601"_s));
        QTRY_VERIFY(processesInside().filter(u"sleep 60"_s).size() >= 2);
        run.cancel();
        QVERIFY_THROWS_EXCEPTION(OperationCancelled, run.result());
        QCOMPARE(processesInside(), QStringList{u"sleep 301 "_s});
        neighbour.cancel();
        QVERIFY_THROWS_EXCEPTION(OperationCancelled, neighbour.result());
    }

    void ofTwoRunsOneTimesOutAndTheOtherFinishes()
    {
        const Operation<ExecResult> other = m_sandbox->run(Command::shell(u"sleep 1; echo finished"_s));
        QVERIFY_THROWS_EXCEPTION(ExecutionTimeout,
                                 m_sandbox->run({u"sleep"_s, u"60"_s}, {.timeout = 200ms}).result());
        QCOMPARE(other.result().text(), u"finished\n"_s);
        QCOMPARE(processesInside(), QStringList());
    }

    void aBackgroundChildDoesNotKeepTheRunOpen()
    {
        QElapsedTimer timer;
        timer.start();
        const ExecResult result = m_sandbox->run(Command::shell(u"sleep 60 & echo hi"_s)).result();
        QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(result.text(), u"hi\n"_s);
        QCOMPARE(result.exitCode, 0);
        QVERIFY(result.streamsOpen);
        m_sandbox->run({u"pkill"_s, u"sleep"_s}).waitFor(5s);
    }

    void streamedAndBufferedAgreeByteForByte()
    {
        const QString script = u"head -c 3000000 /dev/urandom | tee /tmp/random; cat /tmp/random >&2"_s;
        const auto process = m_sandbox->stream(Command::shell(script));
        process->start(Process::ConsumerMode::Pull).result();
        QByteArray out;
        QByteArray err;
        while (const auto chunk = process->nextChunk().result())
            (chunk->stream == OutputStream::StandardOutput ? out : err) += chunk->data;
        QCOMPARE(out.size(), 3'000'000);
        QCOMPARE(err, out);
        QCOMPARE(m_sandbox->run({u"cat"_s, u"/tmp/random"_s}).result().standardOutput, out);
        QCOMPARE(m_sandbox->files().read(u"/tmp/random"_s).result(), out);
    }

    void filesGoThereAndBack()
    {
        QTemporaryDir folder;
        QFile local(folder.filePath(u"local"_s));
        QVERIFY(local.open(QIODevice::WriteOnly));
        QByteArray content(5'000'000, '\0');
        for (qsizetype i = 0; i < content.size(); ++i)
            content[i] = static_cast<char>(i * 31 >> 3);
        local.write(content);
        local.close();
        m_sandbox->files().upload(local.fileName(), u"up load.bin"_s).result();
        QCOMPARE(m_sandbox->run({u"stat"_s, u"-c"_s, u"%s"_s, u"up load.bin"_s}).result().text(),
                 u"5000000\n"_s);
        m_sandbox->files().download(u"up load.bin"_s, folder.filePath(u"back"_s)).result();
        QFile back(folder.filePath(u"back"_s));
        QVERIFY(back.open(QIODevice::ReadOnly));
        QCOMPARE(back.readAll(), content);
        QVERIFY_THROWS_EXCEPTION(PathNotFound, m_sandbox->files().read(u"missing"_s).result());
    }

    void nativeIsTheContainer()
    {
        QCOMPARE(m_sandbox->native().value(u"containerId"_s).toString(), m_sandbox->id());
        void *handle = nullptr;
        m_sandbox->withNative([&handle](void *native) { handle = native; }).result();
        QVERIFY(handle);
    }

    void aLongTransferCostsFlatMemory()
    {
        constexpr qint64 size = 256 * 1024 * 1024;
        constexpr qint64 allowed = 64 * 1024 * 1024;
        const QTemporaryDir folder;
        QFile local(folder.filePath(u"local"_s));
        QVERIFY(local.open(QIODevice::WriteOnly) && local.resize(size));
        local.close();
        QVERIFY(forgetPeakMemory());
        const qint64 before = peakMemory();
        QVERIFY(before > 0);
        m_sandbox->files().upload(local.fileName(), u"long.bin"_s).result();
        QCOMPARE(m_sandbox->files().stat(u"long.bin"_s).result().size, size);
        m_sandbox->files().download(u"long.bin"_s, folder.filePath(u"back"_s)).result();
        QCOMPARE(QFileInfo(folder.filePath(u"back"_s)).size(), size);
        m_sandbox->files().remove(u"long.bin"_s).result();
        const qint64 growth = peakMemory() - before;
        qInfo("both ways took %lld KiB more", static_cast<long long>(growth / 1024));
        if (!memoryTells)
            QSKIP("its memory: a sanitizer keeps what is freed");
        QVERIFY2(growth < allowed, qPrintable(QString::number(growth)));
    }

    void codeLeavesNoTraceInArguments()
    {
        const ExecResult result =
            m_sandbox->runCode(u"import sys\nprint(open('/proc/self/cmdline').read())\nprint(1/0)"_s).result();
        QCOMPARE(result.exitCode, 1);
        QVERIFY(!result.standardOutput.contains("print(1"));
        QVERIFY(result.standardError.contains("ZeroDivisionError"));
        QVERIFY_THROWS_EXCEPTION(ConfigurationError,
                                 m_sandbox->runCode(u"x"_s, {.language = u"cobol"_s}).result());
    }

    void egressIsDeniedWithAControlThatPasses()
    {
        const PolicyReport report = m_sandbox->verifyPolicy().result();
        QCOMPARE(report.verdict, PolicyReport::Verdict::Enforced);
        QVERIFY(!report.checks.isEmpty());
    }

    void aStreamWhoseConnectionBreaksIsNoSuccess_data()
    {
        QTest::addColumn<QString>("script");
        QTest::newRow("long before the program ends") << u"echo one; sleep 4; echo two"_s;
        QTest::newRow("shortly before the program ends") << u"echo one; sleep 0.7; echo two"_s;
    }
    void aStreamWhoseConnectionBreaksIsNoSuccess()
    {
        QFETCH(QString, script);
        if (Live::daemonSocket().isEmpty())
            QSKIP("the daemon is not on a local socket");
        const QTemporaryDir folder;
        FaultProxy proxy({.listenPath = folder.filePath(u"docker.sock"_s), .targetPath = Live::daemonSocket()});
        QVERIFY(proxy.start());
        Engine engine({.stateDirectory = QString()});
        Target target = Live::target();
        target.parameters = {{u"host"_s, u"unix://"_s + folder.filePath(u"docker.sock"_s)}};
        const SandboxPtr sandbox = engine.create(target, Live::createOptions(u"broken stream"_s)).result();
        const ScopedSandbox scope(sandbox);
        // Only the connection that carries the output breaks, at the border of a frame, while the run goes on.
        proxy.setRules({*FaultRule::parse(u"POST /exec/[^/]+/start:1:after-reply:cut"_s)});
        const auto process = sandbox->stream(Command::shell(script));
        std::ignore = process->start(Process::ConsumerMode::Pull);
        const Operation<ExecResult> end = process->wait();
        QByteArray output;
        while (const std::optional<OutputChunk> chunk = process->nextChunk().result())
            output += chunk->data;
        QVERIFY(end.waitFor(20s));
        QCOMPARE(proxy.hits().size(), 1);
        QVERIFY2(end.outcome() == OperationOutcome::Error, output.constData());
        QCOMPARE(end.error().kind, ErrorKind::ConnectError);
        proxy.setRules({});
    }

    void aPauseThatTheRuntimeGaveUpIsAskedForAgain_data()
    {
        QTest::addColumn<QByteArray>("message");
        QTest::addColumn<int>("occurrence");
        QTest::addColumn<int>("asked");
        QTest::addColumn<bool>("paused");
        const QByteArray gaveUp = "cannot pause container: OCI runtime pause failed: unable to freeze: unknown";
        QTest::newRow("given up once") << gaveUp << 1 << 1 << true;
        QTest::newRow("given up every time") << gaveUp << 0 << 5 << false;
        QTest::newRow("refused for another reason") << "no space left on device"_ba << 1 << 1 << false;
    }
    void aPauseThatTheRuntimeGaveUpIsAskedForAgain()
    {
        QFETCH(QByteArray, message);
        QFETCH(int, occurrence);
        QFETCH(bool, paused);
        if (Live::daemonSocket().isEmpty())
            QSKIP("the daemon is not on a local socket");
        const QTemporaryDir folder;
        FaultProxy proxy({.listenPath = folder.filePath(u"docker.sock"_s), .targetPath = Live::daemonSocket()});
        QVERIFY(proxy.start());
        Engine engine({.stateDirectory = QString()});
        Target target = Live::target();
        target.parameters = {{u"host"_s, u"unix://"_s + folder.filePath(u"docker.sock"_s)}};
        const SandboxPtr sandbox = engine.create(target, Live::createOptions(u"given up pause"_s)).result();
        const ScopedSandbox scope(sandbox);
        auto rule =
            *FaultRule::parse(u"POST /containers/[^/]+/pause:%1:before-request:error"_s.arg(occurrence));
        rule.message = message;
        proxy.setRules({rule});
        const Operation<void> pause = sandbox->pause();
        QVERIFY(pause.waitFor(20s));
        QCOMPARE(pause.outcome() == OperationOutcome::Value, paused);
        QTEST(int(proxy.hits().size()), "asked");
        QCOMPARE(sandbox->info().result().state, paused ? SandboxState::Paused : SandboxState::Running);
        if (!paused)
            QVERIFY2(pause.error().toWholeText().contains(QString::fromUtf8(message)),
                     qPrintable(pause.error().toWholeText()));
        proxy.setRules({});
    }

    // It comes from outside without the filter that keeps runs from PID 1, so it must not be made use of.
    void theWayInOfAnotherClientCannotBeTraced()
    {
        const ScopedSandbox sandbox(
            m_engine->create(Live::target(), Live::createOptions(u"traced relay"_s)).result());
        Engine other({.stateDirectory = QString()});
        const SandboxPtr connected = other.connectTo(Live::target(), sandbox->id()).result();
        QCOMPARE(connected->run({u"true"_s}).result().exitCode, 0);
        const ExecResult traced = sandbox
                                      ->runCode(uR"(import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for pid in filter(str.isdigit, os.listdir('/proc')):
    try:
        line = open('/proc/' + pid + '/cmdline', 'rb').read()
    except OSError:
        continue
    if line.endswith(b'\0relay\0'):
        print(libc.ptrace(16, int(pid), 0, 0), os.strerror(ctypes.get_errno()))
)"_s)
                                      .result();
        QCOMPARE(traced.text(), u"-1 Operation not permitted\n"_s);
    }

    void anOpenNetworkIsSeenAsOpen()
    {
        CreateOptions options = Live::createOptions(u"engine"_s);
        options.network = NetworkPolicy::open();
        const ScopedSandbox open(m_engine->create(Live::target(), options).result());
        const PolicyReport report = open->verifyPolicy().result();
        QVERIFY(std::ranges::any_of(report.checks, &PolicyCheck::insideReached));
        QCOMPARE(policyVerdict(NetworkPolicy::Egress::Deny, report.checks), PolicyReport::Verdict::Violated);
    }

    void secretsAreInNoContainerConfiguration()
    {
        CreateOptions options = Live::createOptions(u"engine"_s);
        options.secrets = {{u"API_TOKEN"_s, Secret("canary-31415926"_ba)}};
        const ScopedSandbox sandbox(m_engine->create(Live::target(), options).result());
        QCOMPARE(sandbox->run({u"printenv"_s, u"API_TOKEN"_s}).result().text(), u"canary-31415926\n"_s);
        QVERIFY(!Live::docker({u"inspect"_s, sandbox->id()}).contains("31415926"));
    }

    void anotherEngineConnectsAndNeitherDisturbsTheOther()
    {
        Engine second({.stateDirectory = QString()});
        const SandboxPtr same = second.connectTo(Live::target(), m_sandbox->id()).result();
        QCOMPARE(same->run({u"echo"_s, u"second"_s}).result().text(), u"second\n"_s);
        QCOMPARE(m_sandbox->run({u"echo"_s, u"first"_s}).result().text(), u"first\n"_s);
        QVERIFY_THROWS_EXCEPTION(ConnectError, second.connectTo(Live::target(), u"no-such-id"_s).result());
    }

    void theListIsLive()
    {
        SandboxWatcher *watcher = m_engine->watch({Live::target()}, this);
        QSignalSpy reset(watcher, &SandboxWatcher::reset);
        QSignalSpy changed(watcher, &SandboxWatcher::changed);
        QSignalSpy removed(watcher, &SandboxWatcher::removed);
        QTRY_VERIFY(reset.count() > 0);
        const SandboxPtr sandbox = m_engine->create(Live::target(), Live::createOptions(u"engine"_s)).result();
        const auto seen = [&] {
            return std::ranges::any_of(changed, [&](const QList<QVariant> &arguments) {
                const auto row = arguments.first().value<ManagedSandbox>();
                return row.id == sandbox->id() && row.state == SandboxState::Running;
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(seen(), 10'000);
        sandbox->kill().result();
        const auto gone = [&] { // others make and remove sandboxes on this daemon, too
            return std::ranges::any_of(
                removed, [&](const QList<QVariant> &arguments) { return arguments.at(1) == sandbox->id(); });
        };
        QTRY_VERIFY_WITH_TIMEOUT(gone(), 10'000);
        delete watcher;
    }

    void theEndOfMemoryNamesTheLimit()
    {
        CreateOptions options = Live::createOptions(u"engine"_s);
        options.resources.memoryMb = 64;
        const ScopedSandbox sandbox(m_engine->create(Live::target(), options).result());
        const Operation<ExecResult> run = sandbox->runCode(u"x = bytearray(300_000_000)"_s);
        QVERIFY_THROWS_EXCEPTION(ResourceLimitExceeded, run.result());
        QCOMPARE(run.error().limitValue, 64 * 1024 * 1024);
        QCOMPARE(sandbox->run({u"true"_s}).result().exitCode, 0);
    }

    void aContainerThatDiesMidRunIsGoneNotTimedOut()
    {
        const SandboxPtr sandbox = m_engine->create(Live::target(), Live::createOptions(u"engine"_s)).result();
        const Operation<ExecResult> run = sandbox->run({u"sleep"_s, u"60"_s});
        Live::docker({u"kill"_s, sandbox->id()});
        QVERIFY_THROWS_EXCEPTION(SandboxGone, run.result());
        sandbox->kill().result();
    }
};

SANDBOXIO_TEST(TestEngineOnDocker)
#include "tst_engineondocker.moc"
