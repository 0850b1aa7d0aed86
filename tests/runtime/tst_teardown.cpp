// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/fake/fakeclock.h>
#include <sandboxio/fake/fakescript.h>
#include <sandboxio/runtime/engine.h>
#include <sandboxio/runtime/scopedsandbox.h>

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include <tuple>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

/*! What happens when a teardown takes longer than the grace. */
class TestTeardown : public QObject
{
    Q_OBJECT
    static constexpr auto grace = 100ms;
    std::shared_ptr<Fake::Script> m_script;
    std::unique_ptr<Engine> m_engine;
    QList<EngineWarning> m_warnings;
    const Target m_target = Target::fromDsn(u"fake://base"_s);
    const QMap<QString, QString> m_labels{{u"tenant"_s, u"t-1"_s}};

    SandboxPtr create() { return m_engine->create(m_target, {.metadata = m_labels}).result(); }
    // The one warning, of an orphan with this id or name.
    void expectOrphan(const QString &id)
    {
        QTRY_COMPARE(m_warnings.size(), 1);
        QTest::qWait(20);
        QCOMPARE(m_warnings.size(), 1);
        const EngineWarning &warning = m_warnings.first();
        QCOMPARE(warning.kind, EngineWarning::Kind::OrphanedSandbox);
        QCOMPARE(warning.sandboxId, id);
        QCOMPARE(warning.target.backend, u"fake"_s);
        QCOMPARE(warning.metadata, m_labels);
        QVERIFY(!warning.message.isEmpty());
    }

private Q_SLOTS:
    void init()
    {
        m_warnings.clear();
        m_script = std::make_shared<Fake::Script>();
        m_engine = std::make_unique<Engine>(EngineOptions{.stateDirectory = QString(), .teardownGrace = grace});
        m_engine->registerBackend(u"fake"_s, Fake::factory(m_script));
        connect(m_engine.get(), &Engine::warningRaised, this,
                [this](const EngineWarning &warning) { m_warnings.append(warning); });
    }
    void cleanup()
    {
        m_script->setFaults({});
        m_engine.reset();
    }

    void theGraceComesFromTheEnvironment_data()
    {
        QTest::addColumn<QByteArray>("variable");
        QTest::addColumn<std::chrono::milliseconds>("expected");
        QTest::newRow("half a second") << "0.5"_ba << std::chrono::milliseconds(500ms);
        QTest::newRow("ten seconds") << "10"_ba << std::chrono::milliseconds(10s);
        for (const char *wrong : {"", "soon", "0", "-1", "inf", "nan", "1e300"})
            QTest::addRow("'%s' is no time", wrong) << QByteArray(wrong) << std::chrono::milliseconds(5s);
    }
    void theGraceComesFromTheEnvironment()
    {
        QFETCH(const QByteArray, variable);
        qputenv("SBX_TEARDOWN_GRACE", variable);
        const Engine byVariable({.stateDirectory = QString()});
        const Engine byOption({.stateDirectory = QString(), .teardownGrace = 70ms});
        qunsetenv("SBX_TEARDOWN_GRACE");
        QTEST(byVariable.teardownGrace(), "expected");
        QCOMPARE(byOption.teardownGrace(), 70ms);
    }

    void aKillThatHangsEndsWithTheGrace()
    {
        const SandboxPtr sandbox = create();
        m_script->setFaults({.killHangs = true});
        QElapsedTimer timer;
        timer.start();
        const Operation<void> kill = sandbox->kill();
        QVERIFY_THROWS_EXCEPTION(ConnectError, kill.result());
        QVERIFY(timer.elapsed() >= grace.count() - 1);
        QVERIFY2(kill.error().hint.contains(u"sandboxio reap"_s), qPrintable(kill.error().hint));
        expectOrphan(sandbox->id());
    }

    void theGraceIsCountedOnTheEnginesClock()
    {
        const auto clock = std::make_shared<Fake::VirtualClock>();
        Engine engine({.stateDirectory = QString(), .clock = clock});
        engine.registerBackend(u"fake"_s, Fake::factory(m_script));
        const SandboxPtr sandbox = [&] {
            const auto creation = engine.create(m_target);
            while (!creation.waitFor(1ms))
                clock->advance(1ms);
            return creation.result();
        }();
        m_script->setFaults({.killHangs = true});
        const qsizetype before = clock->armedTimers();
        const Operation<void> kill = sandbox->kill();
        QTRY_VERIFY(clock->armedTimers() > before);
        clock->advance(4999ms);
        QVERIFY(!kill.waitFor(30ms));
        clock->advance(1ms);
        QVERIFY_THROWS_EXCEPTION(ConnectError, kill.result());
        m_script->setFaults({});
        // The clock stands still: the destructor must not wait for it.
    }

    void killingById()
    {
        const SandboxPtr sandbox = create();
        m_script->setFaults({.killHangs = true});
        const auto kill = m_engine->killManaged(m_target, sandbox->id());
        QVERIFY_THROWS_EXCEPTION(ConnectError, kill.result());
        expectOrphan(sandbox->id());
    }

    void aLeaseThatNobodyTook()
    {
        m_script->setFaults({.killHangs = true});
        {
            const auto creation = m_engine->create(m_target, {.metadata = m_labels});
            QVERIFY(creation.waitFor(5s));
        }
        QTRY_COMPARE(m_script->sandboxes().size(), 1);
        expectOrphan(m_script->sandboxes().first());
    }

    void aCreationThatDoesNotStop()
    {
        m_script->setFaults({.createStep = 30s});
        const auto creation = m_engine->create(m_target, {.metadata = m_labels});
        QVERIFY(!creation.waitFor(50ms));
        creation.cancel();
        QVERIFY_THROWS_EXCEPTION(OperationCancelled, creation.result());
        QTRY_COMPARE(m_warnings.size(), 1);
        // There is no id yet: the name that was planned.
        QVERIFY2(m_warnings.first().sandboxId.startsWith(u"sandboxio-"_s),
                 qPrintable(m_warnings.first().sandboxId));
        expectOrphan(m_warnings.first().sandboxId);
    }

    void aRunThatCannotBeKilled()
    {
        const SandboxPtr sandbox = create();
        m_script->setFaults({.killTreeHangs = true});
        const auto run = sandbox->run({u"sleep"_s, u"600"_s});
        // Before that a cancel leaves nothing to kill.
        QTRY_COMPARE(m_script->calls(Fake::Call::Kind::Run).size(), 1);
        run.cancel();
        QVERIFY_THROWS_EXCEPTION(OperationCancelled, run.result());
        expectOrphan(sandbox->id());
    }

    void theErrorOfTheRunStays()
    {
        const SandboxPtr sandbox = create();
        m_script->setFaults({.killTreeHangs = true});
        const auto run = sandbox->run({u"sleep"_s, u"600"_s}, {.timeout = 20ms});
        QVERIFY_THROWS_EXCEPTION(ExecutionTimeout, run.result());
        expectOrphan(sandbox->id());
    }

    void aScopeThatEnds()
    {
        QString id;
        QElapsedTimer timer;
        {
            const ScopedSandbox scope(create());
            id = scope->id();
            m_script->setFaults({.killHangs = true});
            timer.start();
        }
        QVERIFY2(timer.elapsed() < 3000, QByteArray::number(timer.elapsed()).constData());
        expectOrphan(id);
    }

    void aKillThatFailsIsSaidWhereNobodySeesIt_data()
    {
        QTest::addColumn<bool>("scoped");
        QTest::newRow("a creation that nobody took") << false;
        QTest::newRow("a scope that ends") << true;
    }
    void aKillThatFailsIsSaidWhereNobodySeesIt()
    {
        QFETCH(bool, scoped);
        m_script->setFaults(
            {.kill = makeError(ErrorKind::ConnectError, u"The provider is away."_s, u"Wait."_s)});
        if (scoped) {
            const ScopedSandbox scope(create());
        } else {
            const auto creation = m_engine->create(m_target, {.metadata = m_labels});
            QVERIFY(creation.waitFor(5s));
        }
        QTRY_COMPARE(m_script->sandboxes().size(), 1);
        expectOrphan(m_script->sandboxes().first());
        QVERIFY(m_warnings.first().message.contains(u"The provider is away."_s));
    }

    void aRunThatWasWarnedOfIsNotTheSandbox()
    {
        {
            const ScopedSandbox scope(create());
            m_script->setFaults({.killTreeHangs = true});
            const auto run = scope->run({u"sleep"_s, u"600"_s});
            QTRY_COMPARE(m_script->calls(Fake::Call::Kind::Run).size(), 1);
            run.cancel();
            QTRY_COMPARE(m_warnings.size(), 1);
            m_script->setFaults(
                {.kill = makeError(ErrorKind::ConnectError, u"The provider is away."_s, u"Wait."_s)});
        }
        QTRY_COMPARE(m_warnings.size(), 2);
        QVERIFY(m_warnings.last().message.contains(u"The provider is away."_s));
    }

    void aKillThatFailsIsNoWarningForWhoAskedForIt()
    {
        const SandboxPtr sandbox = create();
        m_script->setFaults(
            {.kill = makeError(ErrorKind::ConnectError, u"The provider is away."_s, u"Wait."_s)});
        QVERIFY_THROWS_EXCEPTION(ConnectError, sandbox->kill().result());
        QTest::qWait(20);
        QVERIFY(m_warnings.isEmpty());
    }

    void manyAtTheSameTimeTakeOneGrace()
    {
        std::vector<SandboxPtr> sandboxes;
        for (int i = 0; i < 20; ++i)
            sandboxes.push_back(create());
        m_script->setFaults({.killHangs = true});
        QElapsedTimer timer;
        timer.start();
        std::vector<Operation<void>> kills;
        for (const SandboxPtr &sandbox : sandboxes)
            kills.push_back(sandbox->kill());
        for (const auto &kill : kills)
            QVERIFY_THROWS_EXCEPTION(ConnectError, kill.result());
        QVERIFY2(timer.elapsed() < 10 * grace.count(), QByteArray::number(timer.elapsed()).constData());
        QTRY_COMPARE(m_warnings.size(), 20);
    }

    void aKillThatIsInTimeWarnsOfNothing()
    {
        create()->kill().result();
        const SandboxPtr sandbox = create();
        m_script->setFaults({.kill = makeError(ErrorKind::ConnectError, u"no"_s)});
        QVERIFY_THROWS_EXCEPTION(ConnectError, sandbox->kill().result());
        QTest::qWait(2 * grace.count());
        QVERIFY(m_warnings.isEmpty());
    }
};

SANDBOXIO_TEST(TestTeardown)
#include "tst_teardown.moc"
