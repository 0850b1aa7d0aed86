// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/core/handover.h>
#include <sandboxio/core/operationwatcher.h>
#include <sandboxio/core/task.h>

#include <QPointer>
#include <QSignalSpy>
#include <QTest>
#include <QThread>
#include <QTimer>

#include <atomic>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

enum class Ending { Value, Error, Cancelled };

ErrorInfo sampleError()
{
    return makeError(ErrorKind::AuthError, u"no key"_s);
}

void end(const OperationPromise<int> &promise, Ending ending)
{
    if (ending == Ending::Value)
        promise.finish(42);
    else if (ending == Ending::Error)
        promise.fail(sampleError());
    else
        promise.cancelled();
}

// What a consumer was told, in the words of the test.
struct Log
{
    QStringList lines;
    void watch(const Operation<int> &operation, QObject *context)
    {
        operation.then(context, [this](int value) { lines << u"value %1"_s.arg(value); })
            .onError(context, [this](const ErrorInfo &error) { lines << u"error "_s + error.message; })
            .onCancelled(context, [this] { lines << u"cancelled"_s; });
    }
};

QString expectedLine(Ending ending)
{
    return ending == Ending::Value   ? u"value 42"_s
           : ending == Ending::Error ? u"error no key"_s
                                     : u"cancelled"_s;
}

QCoro::Task<> awaitInto(Operation<int> operation, QStringList &lines)
{
    try {
        lines << u"value %1"_s.arg(co_await operation);
    } catch (const OperationCancelled &) {
        lines << u"cancelled"_s;
    } catch (const SandboxError &error) {
        lines << u"error "_s + error.info().message;
    }
}

QString resultOf(const Operation<int> &operation)
{
    try {
        return u"value %1"_s.arg(operation.result());
    } catch (const OperationCancelled &) {
        return u"cancelled"_s;
    } catch (const SandboxError &error) {
        return u"error "_s + error.info().message;
    }
}

// Says when its last copy is gone.
struct Counted
{
    explicit Counted(std::atomic_int *alive)
        : guard(alive, [](std::atomic_int *count) { --*count; })
    {
        ++*alive;
    }
    std::shared_ptr<std::atomic_int> guard;
};

struct Producer
{
    QThread thread;
    QObject object;
    Producer()
    {
        object.moveToThread(&thread);
        thread.start();
    }
    ~Producer()
    {
        thread.quit();
        thread.wait();
    }
    void run(std::function<void()> function) { postCall(&object, std::move(function)); }
};

} // namespace

class TestOperation : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyStyleSeesEveryEnd_data()
    {
        QTest::addColumn<int>("ending");
        QTest::addColumn<bool>("early");
        for (const bool early : {true, false}) {
            const char *when = early ? "before anybody asks" : "later";
            QTest::addRow("a value %s", when) << int(Ending::Value) << early;
            QTest::addRow("an error %s", when) << int(Ending::Error) << early;
            QTest::addRow("a cancellation %s", when) << int(Ending::Cancelled) << early;
        }
    }
    void everyStyleSeesEveryEnd()
    {
        QFETCH(int, ending);
        QFETCH(bool, early);
        const auto how = static_cast<Ending>(ending);
        const OperationPromise<int> promise;
        const Operation<int> operation = promise.operation();
        if (early)
            end(promise, how);

        Log continuation;
        continuation.watch(operation, this);
        QStringList awaited;
        awaitInto(operation, awaited);
        OperationWatcher watcher(operation);
        QSignalSpy succeeded(&watcher, &OperationWatcher::succeeded);
        QSignalSpy failed(&watcher, &OperationWatcher::failed);
        QSignalSpy cancelled(&watcher, &OperationWatcher::cancelled);
        QSignalSpy ended(&watcher, &OperationWatcher::ended);
        const QFuture<int> future = operation.toFuture();

        QVERIFY2(continuation.lines.isEmpty(), "never inline");
        if (!early) {
            QCOMPARE(operation.outcome(), OperationOutcome::Pending);
            end(promise, how);
        }
        QVERIFY2(continuation.lines.isEmpty(), "never inline, also not in the thread that ends it");
        QTRY_COMPARE(ended.size(), 1);

        QCOMPARE(continuation.lines, QStringList{expectedLine(how)});
        QCOMPARE(awaited, QStringList{expectedLine(how)});
        QCOMPARE(resultOf(operation), expectedLine(how));
        QCOMPARE(succeeded.size(), how == Ending::Value ? 1 : 0);
        QCOMPARE(failed.size(), how == Ending::Error ? 1 : 0);
        QCOMPARE(cancelled.size(), how == Ending::Cancelled ? 1 : 0);
        QVERIFY(future.isFinished());
        checkFuture(future, how);
    }

    void aSecondEndDoesNothing_data()
    {
        QTest::addColumn<int>("first");
        QTest::addColumn<int>("second");
        QTest::newRow("an error after a value") << int(Ending::Value) << int(Ending::Error);
        QTest::newRow("a value after an error") << int(Ending::Error) << int(Ending::Value);
        QTest::newRow("a value after a cancellation") << int(Ending::Cancelled) << int(Ending::Value);
        QTest::newRow("a cancellation after a value") << int(Ending::Value) << int(Ending::Cancelled);
    }
    void aSecondEndDoesNothing()
    {
        QFETCH(int, first);
        QFETCH(int, second);
        const OperationPromise<int> promise;
        Log log;
        log.watch(promise.operation(), this);
        end(promise, static_cast<Ending>(first));
        QVERIFY(promise.isEnded());
        QVERIFY(!promise.finish(7));
        QVERIFY(!promise.fail(sampleError()));
        QVERIFY(!promise.cancelled());
        end(promise, static_cast<Ending>(second));
        QTRY_COMPARE(log.lines, QStringList{expectedLine(static_cast<Ending>(first))});
    }

    void severalContinuationsAllRunInOrder()
    {
        const OperationPromise<int> promise;
        const Operation<int> operation = promise.operation();
        QList<int> seen;
        for (int i = 0; i < 5; ++i)
            operation.then(this, [&seen, i](int) { seen << i; });
        promise.finish(1);
        operation.then(this, [&seen](int) { seen << 5; });
        QTRY_COMPARE(seen.size(), 6);
        QCOMPARE(seen, QList({0, 1, 2, 3, 4, 5}));
    }

    void aDeadContextIsNeverCalled_data()
    {
        QTest::addColumn<bool>("afterFinish");
        QTest::newRow("it dies before the end") << false;
        QTest::newRow("it dies between the end and the delivery") << true;
    }
    void aDeadContextIsNeverCalled()
    {
        QFETCH(bool, afterFinish);
        const OperationPromise<int> promise;
        auto context = std::make_unique<QObject>();
        int calls = 0;
        promise.operation()
            .then(context.get(), [&](int) { ++calls; })
            .onError(context.get(), [&](const ErrorInfo &) { ++calls; })
            .onCancelled(context.get(), [&] { ++calls; });
        if (!afterFinish)
            context.reset();
        promise.finish(1);
        context.reset();
        QCoreApplication::processEvents();
        QCOMPARE(calls, 0);
    }

    void cancellingAsksAndDoesNotEnd()
    {
        const OperationPromise<int> promise;
        const Operation<int> operation = promise.operation();
        int requests = 0;
        promise.onCancelRequested(this, [&] { ++requests; });
        operation.cancel();
        operation.cancel();
        QVERIFY(promise.isCancelRequested());
        QCOMPARE(requests, 0);
        QTRY_COMPARE(requests, 1);
        QVERIFY(!operation.isEnded());
        promise.onCancelRequested(this, [&] { ++requests; });
        QTRY_COMPARE(requests, 2);
        promise.cancelled();
        QCOMPARE(operation.outcome(), OperationOutcome::Cancelled);
    }
    void cancellingAfterTheEndDoesNothing()
    {
        const OperationPromise<int> promise;
        const Operation<int> operation = promise.operation();
        int requests = 0;
        promise.onCancelRequested(this, [&] { ++requests; });
        promise.finish(3);
        operation.cancel();
        QCoreApplication::processEvents();
        QCOMPARE(requests, 0);
        QCOMPARE(operation.result(), 3);
    }
    void aWeakCancelAsksAsLongAsSomebodyIsThere()
    {
        std::function<void()> cancel;
        {
            const OperationPromise<int> promise;
            const Operation<int> operation = promise.operation();
            cancel = promise.weakCancel();
            cancel();
            QVERIFY(promise.isCancelRequested());
        }
        cancel(); // nobody is there
    }
    void aWeakCancelTakesALeaseBackUntilItIsTaken()
    {
        QList<int> takenBack;
        const auto leased = [&takenBack](const OperationPromise<int> &promise, int value) {
            promise.setReclaim([&takenBack](int back) { takenBack.append(back); });
            Operation<int> operation = promise.operation();
            promise.finish(value);
            return operation;
        };
        const OperationPromise<int> first;
        const OperationPromise<int> second;
        const Operation<int> untaken = leased(first, 1);
        const Operation<int> taken = leased(second, 2);
        QCOMPARE(taken.result(), 2);
        first.weakCancel()();
        second.weakCancel()();
        QCOMPARE(takenBack, QList{1});
        QCOMPARE(untaken.outcome(), OperationOutcome::Cancelled);
        QCOMPARE(taken.outcome(), OperationOutcome::Value);
    }
    void droppingThePromiseCancels()
    {
        std::optional<OperationPromise<int>> promise(std::in_place);
        const Operation<int> operation = promise->operation();
        const OperationPromise<int> copy = *promise;
        promise.reset();
        QVERIFY(!operation.isEnded());
        const_cast<OperationPromise<int> &>(copy) = OperationPromise<int>();
        QCOMPARE(operation.outcome(), OperationOutcome::Cancelled);
    }
    void droppingTheOperationDoesNotCancel()
    {
        const OperationPromise<int> promise;
        {
            const Operation<int> operation = promise.operation();
        }
        QVERIFY(!promise.isCancelRequested());
        QVERIFY(promise.finish(1));
    }
    void voidOperationsHaveEveryStyle()
    {
        const OperationPromise<void> promise;
        const Operation<void> operation = promise.operation();
        QStringList lines;
        operation.then(this, [&] { lines << u"then"_s; });
        const auto await = [](Operation<void> awaited, QStringList &log) -> QCoro::Task<> {
            co_await awaited;
            log << u"awaited"_s;
        };
        await(operation, lines);
        const QFuture<void> future = operation.toFuture();
        promise.finish();
        QTRY_COMPARE(lines.size(), 2);
        operation.result();
        QVERIFY(future.isFinished());
        QVERIFY(!future.isCanceled());
        finishedOperation().result();
        QVERIFY_THROWS_EXCEPTION(AuthError, failedOperation<void>(sampleError()).result());
    }
    void progressArrivesAndStopsWithTheEnd()
    {
        const OperationPromise<int> promise;
        const Operation<int> operation = promise.operation();
        QList<OperationProgress> seen;
        operation.onProgress(this, [&](const OperationProgress &progress) { seen << progress; });
        OperationWatcher watcher(operation);
        QSignalSpy progressed(&watcher, &OperationWatcher::progressed);
        const OperationProgress step{1'000'000'000'000, 2'000'000'000'000, u"pull"_s};
        promise.reportProgress(step);
        QVERIFY(seen.isEmpty());
        QTRY_COMPARE(seen, QList{step});
        QCOMPARE(progressed.size(), 1);
        QCOMPARE(operation.progress(), step);
        promise.finish(1);
        promise.reportProgress({});
        QCoreApplication::processEvents();
        QCOMPARE(seen.size(), 1);
        QCOMPARE(operation.progress(), step);
    }
    void waitingHasALimit()
    {
        const OperationPromise<int> promise;
        const Operation<int> operation = promise.operation();
        QVERIFY(!operation.waitFor(1ms));
        promise.finish(1);
        QVERIFY(operation.waitFor(0ms));
    }

    void aTaskCompletesAPromise_data()
    {
        QTest::addColumn<int>("ending");
        QTest::newRow("by its value") << int(Ending::Value);
        QTest::newRow("by the error it throws") << int(Ending::Error);
        QTest::newRow("by the cancellation it meets") << int(Ending::Cancelled);
    }
    void aTaskCompletesAPromise()
    {
        QFETCH(int, ending);
        const OperationPromise<int> inner;
        const auto body = [](Operation<int> awaited) -> QCoro::Task<int> {
            co_return co_await awaited;
        };
        const Operation<int> outer = operationOf(body(inner.operation()));
        QVERIFY(!outer.isEnded());
        end(inner, static_cast<Ending>(ending));
        QTRY_VERIFY(outer.isEnded());
        QCOMPARE(resultOf(outer), expectedLine(static_cast<Ending>(ending)));
    }
    void anAwaitingCoroutineResumesInItsOwnThread()
    {
        Producer producer;
        const OperationPromise<int> promise;
        QThread *resumedIn = nullptr;
        const auto body = [](Operation<int> awaited, QThread **where) -> QCoro::Task<> {
            co_await awaited;
            *where = QThread::currentThread();
        };
        body(promise.operation(), &resumedIn);
        producer.run([promise] { promise.finish(1); });
        QTRY_COMPARE(resumedIn, QThread::currentThread());
    }

    void operationsFromAnotherThreadAllArrive()
    {
        constexpr int count = 2000;
        Producer producer;
        int values = 0;
        int errors = 0;
        int cancellations = 0;
        int awaited = 0;
        int wrongThread = 0;
        const auto await = [](Operation<int> operation, int &log) -> QCoro::Task<> {
            try {
                co_await operation;
            } catch (const QException &) {
            }
            ++log;
        };
        for (int i = 0; i < count; ++i) {
            const OperationPromise<int> promise;
            const Operation<int> operation = promise.operation();
            producer.run([promise, i] { end(promise, static_cast<Ending>(i % 3)); });
            const auto check = [&] {
                wrongThread += QThread::currentThread() == thread() ? 0 : 1;
            };
            operation
                .then(this,
                      [&, check](int) {
                          check();
                          ++values;
                      })
                .onError(this,
                         [&, check](const ErrorInfo &) {
                             check();
                             ++errors;
                         })
                .onCancelled(this, [&, check] {
                    check();
                    ++cancellations;
                });
            await(operation, awaited);
            if (i % 50 == 0)
                QCoreApplication::processEvents();
        }
        QTRY_COMPARE_WITH_TIMEOUT(values + errors + cancellations, count, 20'000);
        QTRY_COMPARE(awaited, count);
        QCOMPARE(values, 667);
        QCOMPARE(errors, 667);
        QCOMPARE(cancellations, 666);
        QCOMPARE(wrongThread, 0);
    }
    void blockingWaitsAreWokenFromAnotherThread()
    {
        Producer producer;
        for (int i = 0; i < 500; ++i) {
            const OperationPromise<int> promise;
            const Operation<int> operation = promise.operation();
            producer.run([promise] { promise.finish(42); });
            QCOMPARE(operation.result(), 42);
        }
    }
    void cancelsRacingWithEndsEndOnce()
    {
        Producer producer;
        int ends = 0;
        constexpr int count = 1000;
        for (int i = 0; i < count; ++i) {
            const OperationPromise<int> promise;
            const Operation<int> operation = promise.operation();
            promise.onCancelRequested(&producer.object, [promise] { promise.cancelled(); });
            operation.then(this, [&](int) { ++ends; }).onCancelled(this, [&] { ++ends; });
            producer.run([promise] { promise.finish(1); });
            operation.cancel();
        }
        QTRY_COMPARE_WITH_TIMEOUT(ends, count, 20'000);
        QCoreApplication::processEvents();
        QCOMPARE(ends, count);
    }

    void aDestroyedFrameIsNeverResumed()
    {
        // QCoro detaches tasks, so a frame is destroyed by hand here, as the end of a program does it.
        struct Frame
        {
            struct promise_type
            {
                Frame get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
                std::suspend_never initial_suspend() { return {}; }
                std::suspend_always final_suspend() noexcept { return {}; }
                void return_void() {}
                void unhandled_exception() { std::terminate(); }
            };
            std::coroutine_handle<promise_type> handle;
        };
        std::atomic_int alive = 0;
        int resumed = 0;
        const auto body = [](Operation<int> operation, Counted, int &log) -> Frame {
            co_await operation;
            ++log;
        };
        for (const bool endedFirst : {false, true}) {
            const OperationPromise<int> promise;
            const Frame frame = body(promise.operation(), Counted(&alive), resumed);
            QCOMPARE(alive.load(), 1);
            if (endedFirst)
                promise.finish(1);
            frame.handle.destroy();
            QCOMPARE(alive.load(), 0);
            promise.finish(1);
            QCoreApplication::processEvents();
            QCOMPARE(resumed, 0);
        }
    }

    void nothingKeepsAnEndedOperationAlive_data()
    {
        QTest::addColumn<int>("ending");
        QTest::newRow("after a value") << int(Ending::Value);
        QTest::newRow("after an error") << int(Ending::Error);
        QTest::newRow("after a cancellation") << int(Ending::Cancelled);
    }
    void nothingKeepsAnEndedOperationAlive()
    {
        QFETCH(int, ending);
        std::atomic_int alive = 0;
        {
            const OperationPromise<Counted> promise;
            const Operation<Counted> operation = promise.operation();
            operation.then(this, [keep = Counted(&alive)](const Counted &) {})
                .onError(this, [keep = Counted(&alive)](const ErrorInfo &) {})
                .onCancelled(this, [keep = Counted(&alive)] {});
            promise.onCancelRequested(this, [keep = Counted(&alive)] {});
            auto watcher = std::make_unique<OperationWatcher>(operation);
            (void)operation.toFuture();
            if (ending == int(Ending::Value))
                promise.finish(Counted(&alive));
            else if (ending == int(Ending::Error))
                promise.fail(sampleError());
            else
                promise.cancelled();
            QCoreApplication::processEvents();
        }
        QCoreApplication::processEvents();
        QCOMPARE(alive.load(), 0);
    }
    void nothingKeepsADroppedOperationAlive()
    {
        std::atomic_int alive = 0;
        {
            const OperationPromise<Counted> promise;
            promise.operation()
                .then(this, [keep = Counted(&alive)](const Counted &) {})
                .onCancelled(this, [keep = Counted(&alive)] {});
            QCOMPARE(alive.load(), 2);
        }
        QTRY_COMPARE(alive.load(), 0);
    }

private:
    static void checkFuture(const QFuture<int> &future, Ending how)
    {
        if (how == Ending::Value) {
            QCOMPARE(future.result(), 42);
        } else if (how == Ending::Error) {
            QVERIFY_THROWS_EXCEPTION(AuthError, QFuture<int>(future).waitForFinished());
        } else {
            QVERIFY(future.isCanceled());
            QCOMPARE(future.resultCount(), 0);
        }
    }
};

SANDBOXIO_TEST(TestOperation)
#include "tst_operation.moc"
