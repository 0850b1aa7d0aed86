// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/core/handover.h>
#include <sandboxio/core/task.h>

#include <QDeadlineTimer>
#include <QTest>
#include <QThread>

#include <atomic>

using namespace Sandboxio;

namespace {

// A producer that lends one thing and counts how often it comes back.
struct Lender
{
    OperationPromise<std::shared_ptr<int>> promise;
    std::shared_ptr<std::atomic_int> returned = std::make_shared<std::atomic_int>(0);

    Lender()
    {
        promise.setReclaim([returned = returned](const std::shared_ptr<int> &thing) {
            if (thing && *thing == 7)
                ++*returned;
        });
    }
    bool lend() const { return promise.finish(std::make_shared<int>(7)); }
};

} // namespace

class TestOperationLease : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void aTakenThingStaysWithItsTaker_data()
    {
        QTest::addColumn<int>("style");
        QTest::newRow("taken by result()") << 0;
        QTest::newRow("taken by then()") << 1;
        QTest::newRow("taken by co_await") << 2;
        QTest::newRow("taken by toFuture()") << 3;
    }
    void aTakenThingStaysWithItsTaker()
    {
        QFETCH(int, style);
        Lender lender;
        std::shared_ptr<int> taken;
        {
            const auto operation = lender.promise.operation();
            QFuture<std::shared_ptr<int>> future;
            const auto await = [](Operation<std::shared_ptr<int>> awaited,
                                  std::shared_ptr<int> &into) -> QCoro::Task<> {
                into = co_await awaited;
            };
            if (style == 1)
                operation.then(this, [&](const std::shared_ptr<int> &thing) { taken = thing; });
            else if (style == 2)
                await(operation, taken);
            else if (style == 3)
                future = operation.toFuture();
            lender.lend();
            if (style == 0)
                taken = operation.result();
            else if (style == 3)
                taken = future.result();
            QTRY_VERIFY(taken);
            operation.cancel();
            QCOMPARE(operation.outcome(), OperationOutcome::Value);
        }
        QCoreApplication::processEvents();
        QCOMPARE(lender.returned->load(), 0);
    }
    void aThingCancelledBeforeItIsTakenComesBack()
    {
        Lender lender;
        const auto operation = lender.promise.operation();
        lender.lend();
        operation.cancel();
        QCOMPARE(lender.returned->load(), 1);
        QCOMPARE(operation.outcome(), OperationOutcome::Cancelled);
        QVERIFY_THROWS_EXCEPTION(OperationCancelled, operation.result());
        operation.cancel();
        QCOMPARE(lender.returned->load(), 1);
    }
    void aCancelBetweenTheEndAndTheDeliveryIsDeliveredAsOne()
    {
        Lender lender;
        const auto operation = lender.promise.operation();
        int values = 0;
        int cancellations = 0;
        operation.then(this, [&](const std::shared_ptr<int> &) { ++values; }).onCancelled(this, [&] {
            ++cancellations;
        });
        lender.lend();
        operation.cancel();
        QCoreApplication::processEvents();
        QCOMPARE(lender.returned->load(), 1);
        QCOMPARE(values, 0);
        QCOMPARE(cancellations, 1);
    }
    void aThingFinishedAfterTheCancelComesBack()
    {
        Lender lender;
        const auto operation = lender.promise.operation();
        operation.cancel();
        lender.lend();
        QCOMPARE(lender.returned->load(), 1);
        QCOMPARE(operation.outcome(), OperationOutcome::Cancelled);
    }
    void aDroppedThingComesBack_data()
    {
        QTest::addColumn<bool>("finishedFirst");
        QTest::newRow("dropped after the end") << true;
        QTest::newRow("dropped before the end") << false;
    }
    void aDroppedThingComesBack()
    {
        QFETCH(bool, finishedFirst);
        Lender lender;
        {
            const auto operation = lender.promise.operation();
            if (finishedFirst)
                lender.lend();
        }
        if (!finishedFirst) {
            QVERIFY(lender.promise.isCancelRequested());
            lender.lend();
        }
        QCOMPARE(lender.returned->load(), 1);
    }
    void aThingWhoseTakerDiedComesBack_data()
    {
        QTest::addColumn<bool>("finishedFirst");
        QTest::newRow("the context dies before the end") << false;
        QTest::newRow("the context dies between the end and the delivery") << true;
    }
    void aThingWhoseTakerDiedComesBack()
    {
        QFETCH(bool, finishedFirst);
        Lender lender;
        auto context = std::make_unique<QObject>();
        int values = 0;
        lender.promise.operation().then(context.get(), [&](const std::shared_ptr<int> &) { ++values; });
        if (finishedFirst)
            lender.lend();
        context.reset();
        if (!finishedFirst)
            lender.lend();
        QCoreApplication::processEvents();
        QCOMPARE(values, 0);
        QCOMPARE(lender.returned->load(), 1);
    }
    void aFailedOperationHasNothingToReturn()
    {
        Lender lender;
        {
            const auto operation = lender.promise.operation();
            lender.promise.fail(makeError(ErrorKind::CreationError, QStringLiteral("no")));
            operation.cancel();
            QCOMPARE(operation.outcome(), OperationOutcome::Error);
        }
        QCOMPARE(lender.returned->load(), 0);
    }
    void cancelsInTheMomentOfSuccessReturnOrDeliver()
    {
        QThread thread;
        QObject producer;
        producer.moveToThread(&thread);
        thread.start();
        constexpr int count = 1000;
        int delivered = 0;
        int cancelled = 0;
        QList<std::shared_ptr<std::atomic_int>> returned;
        for (int i = 0; i < count; ++i) {
            auto lender = std::make_shared<Lender>();
            returned << lender->returned;
            const auto operation = lender->promise.operation();
            operation.then(this, [&](const std::shared_ptr<int> &) { ++delivered; }).onCancelled(this, [&] {
                ++cancelled;
            });
            postCall(&producer, [lender] { lender->lend(); });
            // Sweeps the cancel over the moment in which the other thread ends the operation.
            const QDeadlineTimer moment(std::chrono::microseconds(i % 40), Qt::PreciseTimer);
            while (!moment.hasExpired()) {
            }
            operation.cancel();
        }
        QTRY_COMPARE_WITH_TIMEOUT(delivered + cancelled, count, 20'000);
        thread.quit();
        thread.wait();
        QCoreApplication::processEvents();
        int back = 0;
        for (const auto &times : returned)
            back += times->load();
        QCOMPARE(back, cancelled);
    }
};

SANDBOXIO_TEST(TestOperationLease)
#include "tst_operationlease.moc"
