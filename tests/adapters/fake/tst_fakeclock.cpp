// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/core/handover.h>
#include <sandboxio/fake/fakeclock.h>

#include <QTest>
#include <QThread>

using namespace Sandboxio;
using namespace std::chrono_literals;
using Fake::VirtualClock;

class TestFakeClock : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void timePassesOnlyWhenToldTo()
    {
        VirtualClock clock;
        const auto before = clock.now();
        const QDateTime wall = clock.wallTime();
        QCOMPARE(clock.now(), before);
        clock.advance(90min);
        QCOMPARE(clock.now() - before, std::chrono::nanoseconds(90min));
        QCOMPARE(wall.secsTo(clock.wallTime()), 90 * 60);
    }
    void timersFireInTheOrderOfTheirTimes()
    {
        VirtualClock clock;
        QObject context;
        QList<int> fired;
        const auto late = clock.arm(&context, 20s, [&] { fired << 2; });
        const auto early = clock.arm(&context, 10s, [&] { fired << 1; });
        const auto never = clock.arm(&context, 60s, [&] { fired << 3; });
        QCOMPARE(clock.armedTimers(), 3);
        clock.advance(30s);
        QVERIFY2(fired.isEmpty(), "timers are queued, never inline");
        QCoreApplication::processEvents();
        QCOMPARE(fired, QList({1, 2}));
        QCOMPARE(clock.armedTimers(), 1);
    }
    void aDestroyedTimerIsDisarmedEvenWhenItIsDue()
    {
        VirtualClock clock;
        QObject context;
        int fired = 0;
        auto timer = clock.arm(&context, 1s, [&] { ++fired; });
        clock.advance(2s);
        timer.reset();
        QCoreApplication::processEvents();
        QCOMPARE(fired, 0);
        QCOMPARE(clock.armedTimers(), 0);
    }
    void aTimerOfADeadContextDoesNothing()
    {
        VirtualClock clock;
        auto context = std::make_unique<QObject>();
        int fired = 0;
        const auto timer = clock.arm(context.get(), 1s, [&] { ++fired; });
        context.reset();
        clock.advance(2s);
        QCoreApplication::processEvents();
        QCOMPARE(fired, 0);
    }
    void aTimerWithoutDelayFiresWithoutAdvance()
    {
        VirtualClock clock;
        QObject context;
        int fired = 0;
        const auto timer = clock.arm(&context, 0ms, [&] { ++fired; });
        QCOMPARE(fired, 0);
        QCoreApplication::processEvents();
        QCOMPARE(fired, 1);
    }
    void itWaitsForATimerOfExactlyThatTime()
    {
        VirtualClock clock;
        QObject context;
        const auto timer = clock.arm(&context, 20s, [] {});
        QVERIFY(clock.waitForTimer(20s, 0ms));
        QVERIFY(!clock.waitForTimer(19s, 1ms));
        QVERIFY(!clock.waitForTimer(21s, 1ms));
        clock.advance(5s);
        QVERIFY(clock.waitForTimer(15s, 0ms));
        std::unique_ptr<ArmedTimer> late;
        const std::unique_ptr<QThread> other(QThread::create([&] {
            late = clock.arm(&context, 7s, [] {});
            const HandOver over(&late);
        }));
        other->start();
        QVERIFY(clock.waitForTimer(7s));
        other->wait();
        takeOver(&late);
    }
    void itPassesFromTimerToTimer()
    {
        VirtualClock clock;
        QObject context;
        QList<std::chrono::nanoseconds> fired;
        std::unique_ptr<ArmedTimer> timer;
        const auto start = clock.now();
        std::function<void()> next = [&] {
            fired << clock.now() - start;
            timer = clock.arm(&context, std::chrono::seconds(fired.size()), next);
        };
        timer = clock.arm(&context, 10s, next);
        QVERIFY(clock.advanceUntil([&] { return fired.size() == 4; }));
        QCOMPARE(fired, QList<std::chrono::nanoseconds>({10s, 11s, 13s, 16s}));
        QVERIFY(!clock.advanceUntil([] { return false; }, 5ms));
    }
    void releasedItHoldsNothingBack()
    {
        VirtualClock clock;
        QObject context;
        int fired = 0;
        const auto before = clock.arm(&context, 1h, [&] { ++fired; });
        clock.release();
        const auto after = clock.arm(&context, 1h, [&] { ++fired; });
        QCoreApplication::processEvents();
        QCOMPARE(fired, 2);
    }
};

SANDBOXIO_TEST(TestFakeClock)
#include "tst_fakeclock.moc"
