// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerdaemon.h"
#include "lifetimeattacks.h"
#include "lifetimetable.h"
#include "support/testprogram.h"

#include <sandboxio/core/error.h>

#include <QElapsedTimer>
#include <QScopeGuard>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto shortLifetime = 4s;
constexpr auto attackedLifetime = 8s; // a Python program takes seconds there
constexpr auto grace = 5s;            // a second of grace, and the time that gVisor takes to end

bool isRunning(const SandboxPtr &sandbox)
{
    return Live::docker({u"inspect"_s, u"--format"_s, u"{{.State.Running}}"_s, sandbox->id()}).trimmed() ==
           "true";
}

} // namespace

// Under gVisor a program inside can stop the first process. What ends the sandbox then stands outside.
class TestGVisorLifetime : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (const QString why = Live::missingDaemon(); !why.isEmpty())
            QSKIP(qPrintable(why));
        if (!Live::docker({u"info"_s, u"--format"_s, u"{{json .Runtimes}}"_s}).contains("\"runsc\""))
            QSKIP("the daemon has no runtime runsc");
        m_target = Live::target();
        m_target.parameters.insert(u"runtime"_s, u"runsc"_s);
    }
    void withoutAKeeperItHasToBeAccepted();
    void endsInTime_data();
    void endsInTime();
    void anExtensionRelievesTheKeeper();
    void aPausedOneIsKilledAtOnce();
    void aPausedOneEndsWithItsLifetime();

private:
    CreateOptions options() const;
    SandboxPtr attacked(Engine &engine, const CreateOptions &options) const;

    // A kill of a paused one that is not let go on takes 10 s.
    const EngineOptions m_engineOptions{.stateDirectory = QString(), .teardownGrace = 8s};
    Target m_target;
};

CreateOptions TestGVisorLifetime::options() const
{
    CreateOptions options = Live::createOptions(u"gvisorlifetime"_s);
    options.timeout = shortLifetime;
    return options;
}

SandboxPtr TestGVisorLifetime::attacked(Engine &engine, const CreateOptions &options) const
{
    const SandboxPtr sandbox = engine.create(m_target, options).result();
    std::ignore = sandbox->run(Command::shell(u"kill -STOP 1"_s)); // whoever would tell its end is stopped
    return sandbox;
}

void TestGVisorLifetime::withoutAKeeperItHasToBeAccepted()
{
    qputenv("SANDBOXIO_KEEPER", "/nonexistent");
    const auto restore = qScopeGuard([] { qunsetenv("SANDBOXIO_KEEPER"); });
    Engine engine(m_engineOptions);
    CreateOptions accepting = options();
    QVERIFY_THROWS_EXCEPTION(ConfigurationError, engine.create(m_target, accepting).result());

    accepting.acceptClientSideLifetime = true;
    const SandboxPtr sandbox = attacked(engine, accepting);
    const auto removal = qScopeGuard([&sandbox] { sandbox->kill().result(); });
    QVERIFY(!sandbox->details().lifetimeMechanism.contains(u"keeper"_s));
    QTest::qWait(shortLifetime + grace);
    QVERIFY2(isRunning(sandbox), "the attack does not work, so the other tests prove nothing");
}

void TestGVisorLifetime::endsInTime_data()
{
    QTest::addColumn<Live::LifetimeAttack>("attack");
    for (const Live::LifetimeAttack &attack : Live::lifetimeAttacks())
        QTest::addRow("%s", qPrintable(attack.name)) << attack;
}

void TestGVisorLifetime::endsInTime()
{
    QFETCH(Live::LifetimeAttack, attack);
    attack.onOneProcessor = false; // which is a matter of the kernel outside
    Engine engine(m_engineOptions);
    CreateOptions creation = options();
    creation.timeout = attackedLifetime;
    creation.resources = attack.resources;
    const SandboxPtr sandbox = engine.create(m_target, creation).result();
    const auto removal = qScopeGuard([&sandbox] { sandbox->kill().result(); });
    QVERIFY(sandbox->details().lifetimeMechanism.contains(u"keeper"_s));
    const Live::AttackEnd end = Live::attackLifetime(sandbox, attack);
    const Live::LifetimeRow row{.attack = attack.name,
                                .runtime = u"runsc"_s,
                                .answers = end.hasRun ? end.answersText() : u"not told any more"_s,
                                .lifetimeMs = std::chrono::milliseconds(attackedLifetime).count(),
                                .endedMs = end.endedMs,
                                .latenessMs = std::chrono::milliseconds(grace).count()};
    Live::addToLifetimeTable(row);
    QVERIFY2(row.isInTime(), qPrintable(row.toText()));
}

void TestGVisorLifetime::anExtensionRelievesTheKeeper()
{
    constexpr auto extension = 14s;
    Engine engine(m_engineOptions);
    const SandboxPtr sandbox = engine.create(m_target, options()).result();
    const auto removal = qScopeGuard([&sandbox] { sandbox->kill().result(); });
    sandbox->extend(extension).result();
    const SandboxPtr again = engine.connectTo(m_target, sandbox->id()).result();
    QCOMPARE(again->details().lifetimeMechanism, sandbox->details().lifetimeMechanism);
    QElapsedTimer timer;
    timer.start();
    std::ignore = sandbox->run(Command::shell(u"kill -STOP 1"_s));
    QTest::qWait(shortLifetime + grace);
    QVERIFY2(isRunning(sandbox), "the keeper of the old lifetime has ended it");
    Live::docker({u"wait"_s, sandbox->id()});
    QVERIFY(timer.elapsed() <= std::chrono::milliseconds(extension + grace).count());
}

void TestGVisorLifetime::aPausedOneIsKilledAtOnce()
{
    Engine engine(m_engineOptions);
    CreateOptions longer = options();
    longer.timeout = 60s;
    const SandboxPtr sandbox = engine.create(m_target, longer).result();
    sandbox->pause().result();
    sandbox->kill().result(); // within the grace
    QVERIFY(
        !Live::docker({u"ps"_s, u"--all"_s, u"--quiet"_s, u"--no-trunc"_s}).contains(sandbox->id().toLatin1()));
}

void TestGVisorLifetime::aPausedOneEndsWithItsLifetime()
{
    Engine engine(m_engineOptions);
    QElapsedTimer timer;
    timer.start();
    const SandboxPtr sandbox = engine.create(m_target, options()).result();
    const auto removal = qScopeGuard([&sandbox] { sandbox->kill().result(); });
    const qint64 created = timer.elapsed();
    sandbox->pause().result();
    Live::docker({u"wait"_s, sandbox->id()});
    const Live::LifetimeRow row{.attack = u"it stands still"_s,
                                .runtime = u"runsc"_s,
                                .lifetimeMs = std::chrono::milliseconds(shortLifetime).count(),
                                .endedMs = timer.elapsed() - created,
                                .latenessMs = std::chrono::milliseconds(grace).count(),
                                .isPaused = true};
    Live::addToLifetimeTable(row);
    QVERIFY2(row.isInTime(), qPrintable(row.toText()));
}

SANDBOXIO_TEST(TestGVisorLifetime)
#include "tst_gvisorlifetime.moc"
