// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
// Limits on the virtual clock and every fault on demand, as a user of the engine sees them.
#include "support/testprogram.h"

#include <sandboxio/fake/fakeclock.h>
#include <sandboxio/fake/fakescript.h>
#include <sandboxio/runtime/engine.h>
#include <sandboxio/runtime/process.h>

#include <QDir>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using Fake::Call;

class TestFakeFaults : public QObject
{
    Q_OBJECT

    std::shared_ptr<Fake::Script> script;
    std::shared_ptr<Fake::VirtualClock> clock;
    std::unique_ptr<Engine> engine;
    const Target target = Target::fromDsn(u"fake://"_s);
    QElapsedTimer realTime;

    SandboxPtr create(const CreateOptions &options = {}) { return engine->create(target, options).result(); }
    template <typename T>
    static ErrorInfo errorOf(const Operation<T> &operation)
    {
        if (!operation.waitFor(5s) || operation.outcome() != OperationOutcome::Error)
            return makeError(ErrorKind::SandboxError, u"the operation has not failed"_s);
        return operation.error();
    }

private Q_SLOTS:
    void init()
    {
        realTime.start();
        script = std::make_shared<Fake::Script>();
        clock = std::make_shared<Fake::VirtualClock>();
        engine = std::make_unique<Engine>(EngineOptions{.stateDirectory = QString(), .clock = clock});
        engine->registerBackend(u"fake"_s, Fake::factory(script));
    }
    void cleanup()
    {
        clock->release(); // what hangs must not hold up the engine's end in real time
        engine.reset();
        QVERIFY2(realTime.elapsed() < 4000, "a limit was waited for in real time");
    }

    void aRunLimitOfFiveMinutes()
    {
        const SandboxPtr sandbox = create({.timeout = 1h});
        const Operation<ExecResult> run = sandbox->run({u"sleep"_s, u"999"_s}, {.timeout = 300s});
        QVERIFY(clock->waitForTimer(300s));
        clock->advance(299s);
        const Operation<ExecResult> neighbour = sandbox->run({u"echo"_s, u"here"_s});
        QCOMPARE(neighbour.result().text(), u"here\n"_s);
        QVERIFY(!run.isEnded());
        clock->advance(1s);
        QVERIFY_THROWS_EXCEPTION(ExecutionTimeout, run.result());
        QCOMPARE(script->calls(Call::Kind::KillTree).size(), 1);
        QCOMPARE(script->runningProcesses(), QStringList());
        QCOMPARE(script->sandboxes().size(), 1);
    }
    void aRunThatEndsBeforeItsLimit()
    {
        script->onRun(u"build"_s, {.standardOutput = "done"_ba, .duration = 40min});
        const SandboxPtr sandbox = create({.timeout = 2h});
        const Operation<ExecResult> run = sandbox->run({u"build"_s}, {.timeout = 1h});
        QVERIFY(clock->waitForTimer(40min));
        clock->advance(40min);
        QCOMPARE(run.result().text(), u"done"_s);
        QCOMPARE(run.result().duration, 40min);
    }
    void aLifetimeOfADayEndsTheRun()
    {
        const SandboxPtr sandbox = create({.timeout = 24h});
        const Operation<ExecResult> run = sandbox->run({u"sleep"_s, u"999999"_s});
        QVERIFY(clock->advanceUntilEnded(run));
        const ErrorInfo error = errorOf(run);
        QCOMPARE(error.kind, ErrorKind::SandboxGone);
        QVERIFY2(error.hint.contains(u"86400 s"_s), qPrintable(error.hint));
        QCOMPARE(sandbox->info().result().state, SandboxState::Stopped);
    }
    void eachStepOfCreateCanBeSlow_data()
    {
        QTest::addColumn<QString>("step");
        QTest::addColumn<int>("seconds");
        QTest::addColumn<bool>("works");
        for (const QString &step : {u"resolve"_s, u"create"_s, u"start"_s, u"verify"_s}) {
            QTest::addRow("%s takes longer than the create limit", qPrintable(step)) << step << 100 << false;
            QTest::addRow("%s takes almost the create limit", qPrintable(step)) << step << 59 << true;
        }
        QTest::newRow("all steps take almost the create limit") << QString() << 59 << true;
    }
    void eachStepOfCreateCanBeSlow()
    {
        QFETCH(QString, step);
        QFETCH(int, seconds);
        QFETCH(bool, works);
        script->setFaults({.createStep = std::chrono::seconds(seconds), .slowStep = step});
        const auto before = clock->now();
        const Operation<SandboxPtr> creation = engine->create(target, {.createLimit = 60s});
        QVERIFY(clock->advanceUntilEnded(creation));
        if (works) {
            QCOMPARE(creation.result()->info().result().state, SandboxState::Running);
            QCOMPARE(clock->now() - before, std::chrono::seconds(seconds * (step.isEmpty() ? 4 : 1)));
        } else {
            QCOMPARE(errorOf(creation).kind, ErrorKind::CreateTimeout);
            QCOMPARE(errorOf(creation).step, step);
            QCOMPARE(clock->now() - before, 60s);
            QCOMPARE(script->sandboxes(), QStringList());
        }
    }
    void aCancelledSlowCreateLeavesNothing()
    {
        script->setFaults({.createStep = 30s, .slowStep = u"start"_s});
        const Operation<SandboxPtr> creation = engine->create(target);
        QVERIFY(clock->waitForTimer(30s));
        QCOMPARE(script->sandboxes().size(), 1);
        creation.cancel();
        QVERIFY(clock->advanceUntilEnded(creation));
        QCOMPARE(creation.outcome(),
                 OperationOutcome::Cancelled); // after the grace, before the creation has ended
        QVERIFY(clock->advanceUntil([this] { return script->sandboxes().isEmpty(); }));
    }
    void tooManyRequests()
    {
        script->setFaults({.rateLimit = 7s, .rateLimitedCreates = 2});
        for (int i = 0; i < 2; ++i) {
            try {
                create();
                QFAIL("a create that was answered with 429 succeeded");
            } catch (const RateLimitError &error) {
                QCOMPARE(error.info().retryAfter, 7s);
                QCOMPARE(error.info().cause->status, 429);
            }
        }
        QCOMPARE(create()->info().result().state, SandboxState::Running);
        QCOMPARE(script->calls(Call::Kind::Create).size(), 3); // the engine repeated none by itself
    }
    void theConnectionBreaksAtAByte_data()
    {
        QTest::addColumn<int>("byte");
        QTest::newRow("the first") << 1;
        QTest::newRow("in the middle of a chunk") << 70000;
        QTest::newRow("the last") << 200000;
    }
    void theConnectionBreaksAtAByte()
    {
        QFETCH(int, byte);
        script->onRun(u"talk"_s, {.standardOutput = QByteArray(200000, 'x')});
        script->setFaults({.disconnectAtByte = byte});
        const SandboxPtr sandbox = create();
        const auto process = sandbox->stream({u"talk"_s});
        QSignalSpy ended(process.get(), &Process::ended);
        qint64 bytes = 0;
        connect(process.get(), &Process::outputReceived, this,
                [&](const OutputChunk &chunk) { bytes += chunk.data.size(); });
        process->start(Process::ConsumerMode::Signals).result();
        QVERIFY(ended.wait());
        QCOMPARE(ended.first().at(0).value<RunOutcome>().kind, RunOutcome::Kind::Unknown);
        QVERIFY(!ended.first().at(1).value<std::optional<ExecResult>>());
        const auto error = ended.first().at(2).value<std::optional<ErrorInfo>>();
        QVERIFY(error);
        QCOMPARE(error->kind, ErrorKind::ConnectError);
        QCOMPARE(bytes, byte);
        script->setFaults({});
        QCOMPARE(sandbox->run({u"echo"_s, u"alive"_s}).result().text(), u"alive\n"_s);
    }
    void theConnectionBreaksAfterTheExit()
    {
        script->setFaults({.disconnectAtByte = 2});
        const SandboxPtr sandbox = create();
        QCOMPARE(errorOf(sandbox->run(Command::shell(u"echo child & exit 0"_s))).kind, ErrorKind::ConnectError);
    }
    void theSandboxVanishesAtAByte()
    {
        script->onRun(u"talk"_s, {.standardOutput = QByteArray(1000, 'x')});
        script->setFaults({.goneAtByte = 500});
        const SandboxPtr sandbox = create();
        QCOMPARE(errorOf(sandbox->run({u"talk"_s})).kind, ErrorKind::SandboxGone);
        QCOMPARE(script->sandboxes(), QStringList());
    }
    void theSandboxVanishesInTheMiddleOfARun()
    {
        const SandboxPtr sandbox = create();
        const Operation<ExecResult> run = sandbox->run({u"sleep"_s, u"60"_s});
        QVERIFY(clock->waitForTimer(60s));
        script->lose(sandbox->id());
        QCOMPARE(errorOf(run).kind, ErrorKind::SandboxGone);
        QCOMPARE(errorOf(sandbox->files().ls()).kind, ErrorKind::SandboxGone);
    }
    void aKillThatHangsIsReportedAfterTheGrace()
    {
        QSignalSpy warnings(engine.get(), &Engine::warningRaised);
        const SandboxPtr sandbox = create({.metadata = {{u"tenant"_s, u"t1"_s}}});
        script->setFaults({.killHangs = true});
        const Operation<void> kill = sandbox->kill();
        QVERIFY(clock->waitForTimer(engine->teardownGrace()));
        QVERIFY(!kill.isEnded());
        clock->advance(engine->teardownGrace());
        QCOMPARE(errorOf(kill).kind, ErrorKind::ConnectError);
        QTRY_COMPARE(warnings.size(), 1);
        const auto warning = warnings.first().first().value<EngineWarning>();
        QCOMPARE(warning.kind, EngineWarning::Kind::OrphanedSandbox);
        QCOMPARE(warning.sandboxId, sandbox->id());
        QCOMPARE(warning.metadata.value(u"tenant"_s), u"t1"_s);
        QCOMPARE(script->sandboxes(), QStringList({sandbox->id()}));
    }
    void aKillThatFailsSaysWhy()
    {
        const SandboxPtr sandbox = create();
        script->setFaults({.kill = makeError(ErrorKind::ConnectError, u"refused"_s)});
        QCOMPARE(errorOf(sandbox->kill()).message, u"refused"_s);
        QCOMPARE(errorOf(engine->killManaged(target, sandbox->id())).message, u"refused"_s);
        script->setFaults({});
        sandbox->kill().result();
        QCOMPARE(script->sandboxes(), QStringList());
    }
    void theKillOfARunHangsOrFails_data()
    {
        QTest::addColumn<bool>("hangs");
        QTest::newRow("hangs") << true;
        QTest::newRow("fails") << false;
    }
    void theKillOfARunHangsOrFails()
    {
        QFETCH(bool, hangs);
        QSignalSpy warnings(engine.get(), &Engine::warningRaised);
        const SandboxPtr sandbox = create();
        const Operation<ExecResult> run = sandbox->run({u"sleep"_s, u"60"_s});
        QVERIFY(clock->waitForTimer(60s));
        Fake::Faults faults{.killTreeHangs = hangs};
        if (!hangs)
            faults.killTree = makeError(ErrorKind::ConnectError, u"refused"_s);
        script->setFaults(faults);
        run.cancel();
        if (hangs) {
            QVERIFY(clock->waitForTimer(engine->teardownGrace()));
            QVERIFY(!run.isEnded());
            clock->advance(engine->teardownGrace());
        }
        QVERIFY(run.waitFor(5s));
        QCOMPARE(run.outcome(), OperationOutcome::Cancelled);
        QCOMPARE(script->runningProcesses(), QStringList({u"sleep 60"_s}));
        if (hangs)
            QTRY_COMPARE(warnings.size(), 1);
    }
    void filesFail()
    {
        const SandboxPtr sandbox = create();
        QVERIFY(script->putFile(sandbox->id(), u"in/data.csv"_s, "1,2"_ba));
        QCOMPARE(sandbox->files().read(u"in/data.csv"_s).result(), "1,2"_ba);
        script->setFaults({.files = makeError(ErrorKind::FileSystemError, u"no space left"_s)});
        QCOMPARE(errorOf(sandbox->files().write(u"a"_s, "x"_ba)).message, u"no space left"_s);
        script->setFaults({});
        sandbox->files().write(u"a"_s, "x"_ba).result();
        QCOMPARE(script->file(sandbox->id(), u"/work/a"_s), "x"_ba);
        QCOMPARE(script->file(sandbox->id(), u"/work/b"_s), std::nullopt);
        QCOMPARE(script->calls(Call::Kind::ReadFile).first().text, u"in/data.csv"_s);
    }
    void aTransferBreaksAtAByte()
    {
        const SandboxPtr sandbox = create();
        const QByteArray content(300000, 'x');
        QVERIFY(script->putFile(sandbox->id(), u"big"_s, content));
        script->setFaults({.transferBreaksAtByte = 100000});
        const QTemporaryDir folder;
        const QString local = folder.filePath(u"big"_s);
        QCOMPARE(errorOf(sandbox->files().download(u"big"_s, local)).kind, ErrorKind::FileSystemError);
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList());
        QFile file(local);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        QCOMPARE(errorOf(sandbox->files().upload(local, u"copy"_s)).kind, ErrorKind::FileSystemError);
        QCOMPARE(script->file(sandbox->id(), u"copy"_s), std::nullopt);
    }
    void theProviderFails()
    {
        const ErrorInfo broken = makeError(ErrorKind::AuthError, u"no key"_s, u"Set FAKE_KEY."_s);
        script->setFaults({.provider = broken});
        QCOMPARE(errorOf(engine->create(target)), broken);
        QCOMPARE(engine->listManaged({.targets = {target}, .metadata = {}}).result().targets.first().error,
                 broken);
    }
    void answersThatDependOnTheCall()
    {
        script->onRun(Fake::contains(u"grep"_s), [](const Call &call) {
            return Fake::Answer{.standardOutput = call.standardInput + call.user.toUtf8(),
                                .exitCode = call.environment.contains(u"STRICT"_s) ? 1 : 0};
        });
        const SandboxPtr sandbox = create();
        const ExecResult result =
            sandbox
                ->run({u"grep"_s, u"x"_s},
                      {.env = {{u"STRICT"_s, u"1"_s}}, .user = u"nobody"_s, .standardInput = "abc "_ba})
                .result();
        QCOMPARE(result.text(), u"abc nobody"_s);
        QCOMPARE(result.exitCode, 1);
    }
};

SANDBOXIO_TEST(TestFakeFaults)
#include "tst_fakefaults.moc"
