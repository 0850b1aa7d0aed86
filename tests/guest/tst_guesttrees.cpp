// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "guestharness.h"
#include "support/testprogram.h"

#include <QElapsedTimer>
#include <QTest>

#include <cerrno>
#include <csignal>

using namespace Sandboxio::Guest;
using namespace Sandboxio::Guest::Test;
using namespace Qt::StringLiterals;

/// Who dies with a run and who does not.
class TestGuestTrees : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        guest = std::make_unique<Harness>();
        QVERIFY(guest->waitReady());
    }
    void cleanup()
    {
        QVERIFY(guest->shutDown());
        guest.reset();
    }

    void killReachesEveryDescendant_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::newRow("a plain child") << "sleep 7001"_ba;
        QTest::newRow("a background child of a main process that has ended") << "sleep 7001 &"_ba;
        QTest::newRow("a child in a session of its own") << "setsid sleep 7001 & sleep 7001"_ba;
        QTest::newRow("a double-forked daemon") << "(setsid sh -c 'sleep 7001 & sleep 7001' &) ; sleep 7001"_ba;
        QTest::newRow("children that ignore signals")
            << "trap '' TERM HUP INT; sh -c 'sleep 7001' & sleep 7001"_ba;
        QTest::newRow("a stopped child") << "sleep 7001 & kill -STOP $!; sleep 7001"_ba;
        QTest::newRow("a process that forks all the time")
            << "f() { while :; do (sleep 7001 &) ; sleep 0.001; done; }; f & sleep 7001"_ba;
    }
    void killReachesEveryDescendant()
    {
        QFETCH(QByteArray, script);
        const auto neighbour = guest->run(shell("sleep 7002 & setsid sleep 7002"));
        const auto run = guest->run(shell(script.toStdString()));
        QTRY_VERIFY(!guest->processes("sleep"_ba + '\0' + "7001").isEmpty());
        QTRY_COMPARE(guest->processes("sleep"_ba + '\0' + "7002").size(), 2);
        QTest::qWait(50);

        bool killed = false;
        guest->client()->killTree(run->id, [&](const auto &result) { killed = result.has_value(); });
        QTRY_VERIFY(killed);
        QCOMPARE(guest->processes("7001"), QList<qint64>());
        QVERIFY(run->exit);
        QCOMPARE(guest->processes("sleep"_ba + '\0' + "7002").size(), 2);
        QVERIFY(!neighbour->exit);
        QTRY_VERIFY(run->isFinished());
    }

    void killingAnEndedRunSucceeds()
    {
        const auto run = guest->finish(command({"true"}));
        int killed = 0;
        guest->client()->killTree(run->id, [&](const auto &result) { killed += result.has_value(); });
        guest->client()->killTree(run->id, [&](const auto &result) { killed += result.has_value(); });
        QTRY_COMPARE(killed, 2);
    }

    void killedRunEndsBySignal()
    {
        const auto run = guest->run(command({"sleep", "7001"}));
        QTRY_VERIFY(run->pid);
        bool killed = false;
        guest->client()->killTree(run->id, [&](const auto &) {
            QVERIFY2(run->exit, "the kill was confirmed before the end was told");
            killed = true;
        });
        QTRY_VERIFY(killed);
        QVERIFY(run->exit->kind == ExitStatus::Kind::Signalled);
        QCOMPARE(run->exit->value, SIGKILL);
    }

    void signalsGoToTheProcessOrItsGroup()
    {
        const auto alone = guest->run(shell("trap 'echo got' USR1; echo ready; sleep 7001 & wait; wait"));
        QTRY_COMPARE(alone->out, "ready\n");
        guest->client()->signal(alone->id, SIGUSR1);
        QTRY_COMPARE(alone->out, "ready\ngot\n");
        QCOMPARE(guest->processes("sleep"_ba + '\0' + "7001").size(), 1);
        guest->client()->signal(alone->id, SIGUSR1, SignalTarget::Group);
        QTRY_COMPARE(guest->processes("sleep"_ba + '\0' + "7001").size(), 0);
    }

    void aSupervisorKilledFromInsideLosesNoExitCode()
    {
        const auto run = guest->run(shell("kill -9 $PPID; sleep 0.2; exit 5"));
        QTRY_VERIFY(run->exit);
        QVERIFY(run->exit->kind == ExitStatus::Kind::Exited);
        QCOMPARE(run->exit->value, 5);
        QCOMPARE(guest->finish(command({"true"}))->exit->value, 0);
    }

    void aRunWhoseSupervisorWasKilledCanBeKilled()
    {
        const auto run = guest->run(shell("kill -9 $PPID; sleep 7001 & sleep 7001"));
        QTRY_VERIFY(run->pid);
        QTRY_COMPARE(guest->processes("sleep"_ba + '\0' + "7001").size(), 2);
        bool killed = false;
        guest->client()->killTree(run->id, [&](const auto &result) { killed = result.has_value(); });
        QTRY_VERIFY(killed);
        QTRY_VERIFY(run->exit);
        QTRY_COMPARE(guest->processes("7001"), QList<qint64>());
    }

    void aStoppedSupervisorDoesNotPreventTheKill()
    {
        const auto run = guest->run(shell("kill -STOP $PPID; sleep 7001"));
        QTRY_VERIFY(!guest->processes("sleep"_ba + '\0' + "7001").isEmpty());
        bool killed = false;
        guest->client()->killTree(run->id, [&](const auto &result) { killed = result.has_value(); });
        QTRY_VERIFY(killed);
        QVERIFY(run->exit);
    }

    void releaseKillsNothing()
    {
        const auto run = guest->run(shell("sleep 7001 & echo hi"));
        QTRY_VERIFY(run->exit);
        guest->client()->release(run->id);
        QCOMPARE(guest->finish(command({"true"}))->exit->value, 0);
        QCOMPARE(guest->processes("sleep"_ba + '\0' + "7001").size(), 1);
    }

    void endOfTheLifetimeEndsTheGuest()
    {
        Harness brief(Harness::Place::Host, 500);
        const auto run = brief.run(command({"sleep", "7001"}));
        QTRY_COMPARE(brief.creator->process.state(), QProcess::NotRunning);
        QCOMPARE(brief.creator->process.exitCode(), 124);
        QCOMPARE(brief.processes(), QList<qint64>());
        QCOMPARE(run->lostCount, 1);
    }

    void endOfTheLifetimeKillsEverythingWithinASecond()
    {
        const auto run = guest->run(shell("trap '' TERM; (setsid sleep 7001 &); sleep 7001 & sleep 7001"));
        QTRY_COMPARE(guest->processes("sleep"_ba + '\0' + "7001").size(), 3);
        QElapsedTimer timer;
        timer.start();
        guest->client()->extend(200, [](const auto &) {});
        QTRY_COMPARE(guest->processes(), QList<qint64>());
        QVERIFY2(timer.elapsed() >= 200 && timer.elapsed() < 1200,
                 qPrintable(QString::number(timer.elapsed())));
        QTRY_COMPARE(run->lostCount, 1);
    }

    void lifetimeCanBeExtendedAndCutByTheCreator()
    {
        std::optional<Status> status;
        guest->client()->extend(600000, [&](const auto &value) { status = *value; });
        QTRY_VERIFY(status);
        QVERIFY(status->lifetimeLeftMs > 590000 && status->lifetimeLeftMs <= 600000);
        int error = 0;
        guest->client()->extend(0, [&](const auto &value) { error = value.error().errorNumber; });
        QTRY_COMPARE(error, EINVAL);
        guest->client()->extend(200, [](const auto &) {});
        QTRY_COMPARE(guest->processes(), QList<qint64>());
    }

    void theSandboxSurvivesItsCreator()
    {
        const auto run = guest->run(command({"sleep", "7001"}));
        QTRY_VERIFY(run->pid);
        std::unique_ptr<Peer> other = guest->relay();
        QTRY_VERIFY(other->isReady());
        guest->creator->process.closeWriteChannel();
        QTRY_COMPARE(guest->processes("7001"), QList<qint64>());
        QCOMPARE(guest->creator->process.state(), QProcess::Running);
        const auto second = other->run(shell("echo hi"));
        QTRY_VERIFY(second->isFinished());
        QCOMPARE(second->out, "hi\n");
        other.reset();
        guest->creator->process.kill(); // nobody is left who could shut it down
        QVERIFY(guest->creator->process.waitForFinished());
    }

private:
    std::unique_ptr<Harness> guest;
};

SANDBOXIO_TEST(TestGuestTrees)
#include "tst_guesttrees.moc"
