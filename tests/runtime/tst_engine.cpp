// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/core/task.h>
#include <sandboxio/runtime/engine.h>
#include <sandboxio/runtime/scopedsandbox.h>

#include <QDir>
#include <QJsonDocument>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {
// Each test has a store of its own: what one leaves behind cannot help another.
Target freshTarget(const QString &parameters = {})
{
    static int number = 0;
    return Target::fromDsn(u"fake://base?store=engine%1%2"_s.arg(++number).arg(parameters));
}
EngineOptions optionsInMemory()
{
    return {.stateDirectory = QString()};
}
} // namespace

class TestEngine : public QObject
{
    Q_OBJECT

    static qsizetype live(Engine &engine, const Target &target)
    {
        qsizetype count = 0;
        for (const ManagedSandbox &row :
             engine.listManaged({.targets = {target}, .metadata = {}}).result().rows())
            count += row.state == SandboxState::Running ? 1 : 0;
        return count;
    }

private Q_SLOTS:
    void nothingHappensBeforeTheFirstOperation()
    {
        const QStringList before = QDir(u"/proc/self/task"_s).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        const Engine engine(optionsInMemory());
        QVERIFY(!engine.backends().isEmpty());
        QCOMPARE(QDir(u"/proc/self/task"_s).entryList(QDir::Dirs | QDir::NoDotAndDotDot), before);
        QFile maps(u"/proc/self/maps"_s);
        QVERIFY(maps.open(QIODevice::ReadOnly));
        QVERIFY(!maps.readAll().contains("adapters/fake"));
    }

    void theMainJob()
    {
        Engine engine(optionsInMemory());
        const Target target = freshTarget();
        const SandboxPtr sandbox = engine.create(target, {.metadata = {{u"tenant"_s, u"t1"_s}}}).result();
        QCOMPARE(sandbox->runCode(u"print('hello')"_s).result().text(), u"hello\n"_s);
        const QList<ManagedSandbox> rows =
            engine.listManaged({.targets = {target}, .metadata = {{u"tenant"_s, u"t1"_s}}}).result().rows();
        QCOMPARE(rows.size(), 1);
        QCOMPARE(rows.first().id, sandbox->id());
        QVERIFY(engine.listManaged({.targets = {target}, .metadata = {{u"tenant"_s, u"t2"_s}}})
                    .result()
                    .rows()
                    .isEmpty());
        sandbox->kill().result();
        sandbox->kill().result();
        QCOMPARE(live(engine, target), 0);
        QVERIFY_THROWS_EXCEPTION(SandboxGone, sandbox->run({u"true"_s}).result());
    }

    void refusedBeforeAnythingIsCreated_data()
    {
        QTest::addColumn<QString>("dsn");
        QTest::addColumn<CreateOptions>("createOptions");
        QTest::addColumn<QString>("code");
        QTest::newRow("an unknown backend") << u"nowhere://"_s << CreateOptions() << u"SBX_E1001"_s;
        QTest::newRow("an unknown parameter") << u"fake://?colour=red"_s << CreateOptions() << u"SBX_E1000"_s;
        QTest::newRow("a lifetime of zero") << u"fake://"_s << CreateOptions{.timeout = 0s} << u"SBX_E1000"_s;
        QTest::newRow("a negative lifetime") << u"fake://"_s << CreateOptions{.timeout = -1s} << u"SBX_E1000"_s;
        QTest::newRow("a lifetime of zero in the DSN")
            << u"fake://?timeout=0"_s << CreateOptions() << u"SBX_E1000"_s;
        QTest::newRow("two templates that disagree")
            << u"fake://a"_s << CreateOptions{.templateId = u"b"_s} << u"SBX_E1000"_s;
        QTest::newRow("two lifetimes that disagree")
            << u"fake://?timeout=5"_s << CreateOptions{.timeout = 6s} << u"SBX_E1000"_s;
        QTest::newRow("an isolation that the target lacks")
            << u"fake://"_s << CreateOptions{.requireIsolation = IsolationTier::MicroVm} << u"SBX_E1000"_s;
        QTest::newRow("an isolation of Unknown is never satisfied by less")
            << u"fake://"_s << CreateOptions{.requireIsolation = IsolationTier::GVisor} << u"SBX_E1000"_s;
        QTest::newRow("a secret of three bytes")
            << u"fake://"_s << CreateOptions{.secrets = {{u"TOKEN"_s, Secret("abc"_ba)}}} << u"SBX_E1000"_s;
        QTest::newRow("an allow list with deny")
            << u"fake://"_s << CreateOptions{.network = {NetworkPolicy::Egress::Deny, {u"a.org"_s}, {}}}
            << u"SBX_E1000"_s;
    }
    void refusedBeforeAnythingIsCreated()
    {
        QFETCH(QString, dsn);
        QFETCH(CreateOptions, createOptions);
        QFETCH(QString, code);
        Engine engine(optionsInMemory());
        const Operation<SandboxPtr> creation = engine.create(Target::fromDsn(dsn), createOptions);
        QVERIFY_THROWS_EXCEPTION(SandboxError, creation.result());
        QCOMPARE(creation.error().code(), code);
        QVERIFY(!creation.error().hint.isEmpty());
    }

    void aLeaseThatNobodyTakesIsGivenBack()
    {
        Engine engine(optionsInMemory());
        const Target target = freshTarget();
        {
            const Operation<SandboxPtr> creation = engine.create(target);
            QVERIFY(creation.waitFor(5s));
        }
        QTRY_COMPARE(live(engine, target), 0);
        {
            QObject context;
            engine.create(target).then(&context, [](const SandboxPtr &) {});
        }
        QTRY_COMPARE(live(engine, target), 0);
    }

    void cancellingInTheMomentOfSuccessLeavesNothing()
    {
        Engine engine(optionsInMemory());
        const Target target = freshTarget();
        for (int i = 0; i < 200; ++i) {
            const Operation<SandboxPtr> creation = engine.create(target);
            if (i % 2)
                QVERIFY(creation.waitFor(5s));
            creation.cancel();
            try {
                const SandboxPtr late = creation.result();
                QFAIL("a cancelled creation gave a value");
            } catch (const OperationCancelled &) {
            }
        }
        QTRY_COMPARE(live(engine, target), 0);
    }

    void aTakenSandboxSurvivesItsOperation()
    {
        Engine engine(optionsInMemory());
        const Target target = freshTarget();
        SandboxPtr sandbox;
        {
            const Operation<SandboxPtr> creation = engine.create(target);
            sandbox = creation.result();
            creation.cancel();
        }
        QCOMPARE(sandbox->run({u"true"_s}).result().exitCode, 0);
        QCOMPARE(live(engine, target), 1);
    }

    void scopedSandboxEndsIt()
    {
        Engine engine(optionsInMemory());
        const Target target = freshTarget();
        {
            const ScopedSandbox scope(engine.create(target).result());
            QCOMPARE(live(engine, target), 1);
        }
        QCOMPARE(live(engine, target), 0);
        SandboxPtr kept;
        {
            ScopedSandbox scope(engine.create(target).result());
            kept = scope.release();
        }
        QCOMPARE(live(engine, target), 1);
    }

    void cancellingARunKillsItAndNothingElse()
    {
        Engine engine(optionsInMemory());
        const SandboxPtr sandbox = engine.create(freshTarget()).result();
        const Operation<ExecResult> neighbour = sandbox->run(Command::shell(u"sleep 0.5; echo done"_s));
        const Operation<ExecResult> run = sandbox->run({u"sleep"_s, u"600"_s});
        run.cancel();
        QVERIFY_THROWS_EXCEPTION(OperationCancelled, run.result());
        QCOMPARE(neighbour.result().text(), u"done\n"_s);
    }

    void aTimedOutRunLeavesItsNeighbour()
    {
        Engine engine(optionsInMemory());
        const SandboxPtr sandbox = engine.create(freshTarget()).result();
        const Operation<ExecResult> neighbour = sandbox->run(Command::shell(u"sleep 0.3; echo done"_s));
        QVERIFY_THROWS_EXCEPTION(ExecutionTimeout,
                                 sandbox->run({u"sleep"_s, u"600"_s}, {.timeout = 50ms}).result());
        QCOMPARE(neighbour.result().text(), u"done\n"_s);
    }

    void destroyingTheEngineEndsEverything()
    {
        std::vector<Operation<ExecResult>> runs;
        SandboxPtr sandbox;
        {
            Engine engine(optionsInMemory());
            sandbox = engine.create(freshTarget()).result();
            for (int i = 0; i < 100; ++i)
                runs.push_back(sandbox->run({u"sleep"_s, u"600"_s}));
        }
        for (const Operation<ExecResult> &run : runs)
            QCOMPARE(run.outcome(), OperationOutcome::Cancelled);
        const Operation<ExecResult> late = sandbox->run({u"true"_s});
        QVERIFY_THROWS_EXCEPTION(ConfigurationError, late.result());
    }

    void oneTargetDownDoesNotFailTheList()
    {
        Engine engine(optionsInMemory());
        const ManagedListing listing =
            engine.listManaged({.targets = {Target::fromDsn(u"nowhere://"_s), freshTarget()}, .metadata = {}})
                .result();
        QCOMPARE(listing.targets.size(), 2);
        QVERIFY(listing.targets.first().error);
        QVERIFY(!listing.targets.last().error);
    }

    void watchingSeesCreationAndEnd()
    {
        Engine engine(optionsInMemory());
        const Target target = freshTarget();
        SandboxWatcher *watcher = engine.watch({target}, this);
        QSignalSpy reset(watcher, &SandboxWatcher::reset);
        QSignalSpy changed(watcher, &SandboxWatcher::changed);
        QTRY_COMPARE(reset.count(), 1);
        const SandboxPtr sandbox = engine.create(target).result();
        QTRY_VERIFY(changed.count() > 0);
        QCOMPARE(changed.last().first().value<ManagedSandbox>().id, sandbox->id());
        QSignalSpy removed(watcher, &SandboxWatcher::removed);
        sandbox->kill().result();
        QTRY_VERIFY(removed.count() > 0);
        delete watcher;
    }

    void aRegisteredFactoryWinsAndCannotBeRepeated()
    {
        Engine engine(optionsInMemory());
        const auto never = [](EngineContext &, const Target &) -> std::unique_ptr<BackendPort> {
            makeError(ErrorKind::AuthError, u"marker"_s).raise();
        };
        engine.registerBackend(u"fake"_s, never);
        const Operation<SandboxPtr> creation = engine.create(Target::fromDsn(u"fake://"_s));
        QVERIFY_THROWS_EXCEPTION(AuthError, creation.result());
        QVERIFY_THROWS_EXCEPTION(ConfigurationError, engine.registerBackend(u"fake"_s, never));
        QVERIFY_THROWS_EXCEPTION(BackendNotInstalled, engine.registerBackend(u"/nowhere/plugin.so"_s));
    }

    void theLedgerIsWrittenBeforeTheProviderIsAsked()
    {
        QTemporaryDir folder;
        const QString state = folder.filePath(u"state"_s);
        Engine engine({.stateDirectory = state});
        engine.create(freshTarget()).result()->kill().result();
        QVERIFY(QFile::exists(state + u"/ledger.sqlite"_s));
        const auto mode = QFile::permissions(state + u"/ledger.sqlite"_s);
        QVERIFY(!(mode & (QFile::ReadGroup | QFile::ReadOther)));
    }

    void twoEnginesDoNotKnowOfEachOther()
    {
        Engine first(optionsInMemory());
        Engine second(optionsInMemory());
        const SandboxPtr a = first.create(freshTarget()).result();
        const SandboxPtr b = second.create(freshTarget()).result();
        QCOMPARE(a->run({u"true"_s}).result().exitCode, 0);
        first.shutdown().result();
        QCOMPARE(b->run({u"true"_s}).result().exitCode, 0);
    }

    void secretsReachTheProgramAndNoWarningOrError()
    {
        Engine engine(optionsInMemory());
        const SandboxPtr sandbox =
            engine.create(freshTarget(), {.secrets = {{u"API_TOKEN"_s, Secret("canary-4711"_ba)}}}).result();
        const ExecResult result = sandbox->run({u"env"_s}).result();
        QVERIFY(result.standardOutput.contains("API_TOKEN=canary-4711"));
        const QByteArray native = QJsonDocument::fromVariant(sandbox->native()).toJson();
        QVERIFY(native.size() > 4);
        QVERIFY(!native.contains("canary"));
        const Operation<ExecResult> failing = sandbox->run({u"no-such-program"_s});
        QVERIFY_THROWS_EXCEPTION(SandboxError, failing.result());
        QVERIFY(!failing.error().toText().contains(u"canary"_s));
    }
};

SANDBOXIO_TEST(TestEngine)
#include "tst_engine.moc"
