// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "guestharness.h"
#include "support/testprogram.h"

#include <QElapsedTimer>
#include <QTest>

#include <csignal>

using namespace Sandboxio::Guest;
using namespace Sandboxio::Guest::Test;
using namespace Qt::StringLiterals;

/// The helper as PID 1 of a real pid namespace, and what processes inside try against it.
class TestGuestInit : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!canUnshare())
            QSKIP("making a pid namespace needs root");
    }
    void init()
    {
        guest = std::make_unique<Harness>(Harness::Place::PidNamespace);
        QVERIFY(guest->waitReady());
        QCOMPARE(guest->client()->guest()->pid, 1u);
    }
    void cleanup()
    {
        QVERIFY(guest->shutDown());
        guest.reset();
    }

    void attacksFromInsideChangeNothing_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::newRow("kill -9") << "kill -9 1"_ba;
        QTest::newRow("kill -STOP") << "kill -STOP 1"_ba;
        if (!isEmulated()) // which takes signals for itself
            QTest::newRow("every signal there is")
                << "for n in $(seq 1 64); do kill -$n 1; done 2>/dev/null"_ba;
        QTest::newRow("a signal forged by rt_sigqueueinfo") << forgedSignal("15, 0, -1, 0").toUtf8();
        QTest::newRow("a forged signal that claims to come from outside")
            << forgedSignal("15, 0, -6, 0").toUtf8();
        QTest::newRow("a forged user signal of pid 0") << forgedSignal("15, 0, 0, 0").toUtf8();
        QTest::newRow("tracing it")
            << "python3 -c 'import ctypes; l = ctypes.CDLL(None); l.ptrace(16, 1, 0, 0)'"_ba;
    }
    void attacksFromInsideChangeNothing()
    {
        QFETCH(QByteArray, script);
        const auto run = guest->finish(shell(script.toStdString()));
        QVERIFY(run->exit);
        QCOMPARE(guest->finish(shell("echo alive"))->out, "alive\n");
        QCOMPARE(guest->creator->process.state(), QProcess::Running);
    }

    void orphansAreReaped()
    {
        const auto run =
            guest->finish(shell("for i in 1 2 3 4 5; do (setsid sh -c 'kill -9 $PPID' &); done; sleep 0.2"));
        QVERIFY(run->exit);
        QTRY_COMPARE(guest->finish(shell("grep -l '^State:.Z' /proc/[0-9]*/status | wc -l"))->out, "0\n");
    }

    void nothingIsLeftAfterAKill()
    {
        const auto run = guest->run(shell("(setsid sleep 7001 &); sleep 7001"));
        QTRY_COMPARE(guest->processes("sleep"_ba + '\0' + "7001").size(), 2);
        bool killed = false;
        guest->client()->killTree(run->id, [&](const auto &result) { killed = result.has_value(); });
        QTRY_VERIFY(killed);
        const auto left = guest->finish(shell("ls -d /proc/[0-9]* | wc -l"));
        // init, the supervisor, the shell, ls, wc
        QVERIFY2(left->out.toInt() <= 5, left->out.constData());
    }

    void aClientFromOutsideTheNamespaceIsRefused()
    {
        QProcess outside;
        const QStringList command = helperCommand() + QStringList{u"relay"_s, u"--socket"_s, guest->socketName};
        outside.start(command.first(), command.sliced(1));
        QVERIFY(outside.waitForFinished(5000));
        QCOMPARE(outside.exitCode(), 125);
    }

    void aRelayInsideWorks()
    {
        std::unique_ptr<Peer> other = guest->relay();
        const auto run = other->run(shell("echo hi"));
        QTRY_VERIFY(run->isFinished());
        QCOMPARE(run->out, "hi\n");
    }

    void endOfTheLifetimeIsHeldAgainstStopAndKill()
    {
        const auto run =
            guest->run(shell("trap '' TERM; kill -STOP 1; kill -9 1; (setsid sleep 7001 &); sleep 7001"));
        QTRY_COMPARE(guest->processes("sleep"_ba + '\0' + "7001").size(), 2);
        QElapsedTimer timer;
        timer.start();
        guest->client()->extend(200, [](const auto &) {});
        QTRY_COMPARE(guest->processes(), QList<qint64>());
        QVERIFY2(timer.elapsed() >= 200 && timer.elapsed() < 1200,
                 qPrintable(QString::number(timer.elapsed())));
        QTRY_COMPARE(run->lostCount, 1);
    }

private:
    /// Python that queues {signo, errno, code, pid} to PID 1.
    static QString forgedSignal(const char *fields)
    {
        return u"python3 -c 'import ctypes, struct; i = struct.pack(\"iiiiii\", %1, 0, 0).ljust(128, "
               u"b\"\\0\"); "
               "ctypes.CDLL(None).syscall(129, 1, 15, i)'"_s.arg(QLatin1StringView(fields));
    }

    std::unique_ptr<Harness> guest;
};

SANDBOXIO_TEST(TestGuestInit)
#include "tst_guestinit.moc"
