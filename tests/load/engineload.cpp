// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "engineload.h"

#include "openresources.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

namespace Sandboxio::Load {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr int runs = 200;
constexpr int creates = 50;
constexpr auto hangLimit = 60s;

} // namespace

/*! Who waits for one operation, and how it is let go. */
struct EngineLoadTest::Follower
{
    End how;
    std::unique_ptr<QObject> receiver;
    std::optional<AwaitingFrame> frame;
    std::function<void()> cancel; // nothing for what is dropped only
    int told = 0;                 // how often the end was told
    bool letGo = false;
    bool toldAfterwards = false; // although the receiver had died

    void tell()
    {
        ++told;
        toldAfterwards |= letGo && how != End::Cancelled;
    }
};

EngineLoadTest::EngineLoadTest() = default;
EngineLoadTest::~EngineLoadTest() = default;

std::chrono::milliseconds EngineLoadTest::randomUntil(std::chrono::milliseconds limit)
{
    return std::chrono::milliseconds(m_random.bounded(static_cast<int>(limit.count()) + 1));
}

void EngineLoadTest::later(std::chrono::milliseconds time, std::function<void()> action)
{
    ++m_pending;
    QTimer::singleShot(time, this, [this, action = std::move(action)] {
        action();
        --m_pending;
    });
}

template <typename T>
std::shared_ptr<EngineLoadTest::Follower> EngineLoadTest::follow(const Operation<T> &operation, End how)
{
    const auto follower = std::make_shared<Follower>();
    const std::weak_ptr weak = follower;
    follower->how = how;
    const auto failed = [this](const ErrorInfo &error) {
        m_errors.append(error.toText());
    };
    if (how == End::FrameDestroyed) {
        const auto await = [](EngineLoadTest *test, Operation<T> awaited, std::weak_ptr<Follower> self,
                              auto report) -> AwaitingFrame {
            try {
                const T value = co_await awaited;
                test->take(value);
            } catch (const OperationCancelled &) {
            } catch (const SandboxError &error) {
                report(error.info());
            }
            self.lock()->tell();
        };
        follower->frame.emplace(await(this, operation, weak, failed));
    } else {
        follower->receiver = std::make_unique<QObject>();
        QObject *receiver = follower->receiver.get();
        operation
            .then(receiver,
                  [this, weak](const T &value) {
                      take(value);
                      weak.lock()->tell();
                  })
            .onError(receiver,
                     [weak, failed](const ErrorInfo &error) {
                         failed(error);
                         weak.lock()->tell();
                     })
            .onCancelled(receiver, [weak] { weak.lock()->tell(); });
    }
    m_followers.push_back(follower);
    return follower;
}

void EngineLoadTest::letGo(const std::shared_ptr<Follower> &follower)
{
    follower->letGo = true;
    if (follower->how == End::ReceiverDies)
        follower->receiver.reset();
    else if (follower->how == End::FrameDestroyed)
        follower->frame.reset();
    if (follower->cancel)
        std::exchange(follower->cancel, nullptr)();
}

void EngineLoadTest::startRun(std::chrono::milliseconds spread)
{
    // Most would last for ever, some end by themselves while they are cancelled.
    const bool isLong = m_random.bounded(4) != 0;
    const Operation<ExecResult> run = m_shared->run(
        isLong ? Command{u"sleep"_s, u"600"_s} : Command{u"echo"_s, u"short"_s}, {.timeout = 120s});
    const auto follower = follow(run, randomEnd());
    follower->cancel = [run] {
        run.cancel();
    };
    m_ended.emplace_back([run] { return run.isEnded(); });
    later(randomUntil(spread), [this, follower] { letGo(follower); });
}

void EngineLoadTest::startCreate()
{
    const Operation<SandboxPtr> creation = m_engine->create(target(), options());
    const auto follower = follow(creation, randomEnd());
    if (follower->how == End::Cancelled) { // nobody else may hold what is to be dropped
        follower->cancel = [creation] {
            creation.cancel();
        };
    }
    later(randomUntil(createTime()), [this, follower] { letGo(follower); });
}

void EngineLoadTest::initTestCase()
{
    if (const QString why = unavailable(); !why.isEmpty())
        QSKIP(qPrintable(why));
    bool isGiven = false;
    const uint given = qEnvironmentVariable("SANDBOXIO_LOAD_SEED").toUInt(&isGiven);
    const quint32 seed = isGiven ? given : QRandomGenerator::global()->generate();
    qInfo("SANDBOXIO_LOAD_SEED=%u", seed);
    m_random.seed(seed);
    // What the first use of libraries opens for good does not count.
    m_engine = makeEngine();
    m_engine->create(target(), options()).result()->kill().result();
    m_engine.reset();
}

void EngineLoadTest::init()
{
    m_followers.clear();
    m_ended.clear();
    m_taken.clear();
    m_warnings.clear();
    m_errors.clear();
    m_threads = threadCount();
    m_descriptors = openDescriptors();
    m_engine = makeEngine();
    connect(m_engine.get(), &Engine::warningRaised, this,
            [this](const EngineWarning &warning) { m_warnings.append(warning.message); });
    m_shared = m_engine->create(target(), options()).result();
}

void EngineLoadTest::cleanup()
{
    if (m_engine && m_shared)
        m_shared->kill().waitFor(hangLimit);
    m_shared.reset();
    m_engine.reset();
}

void EngineLoadTest::endEverythingTaken()
{
    QList<Operation<void>> kills;
    for (const SandboxPtr &sandbox : std::exchange(m_taken, {}))
        kills.append(sandbox->kill());
    kills.append(m_shared->kill());
    for (const Operation<void> &kill : std::as_const(kills)) {
        QVERIFY2(kill.waitFor(hangLimit), "a kill hangs");
        kill.result();
    }
    m_shared.reset();
}

void EngineLoadTest::expectNothingLeft()
{
    QStringList left;
    QTRY_VERIFY2_WITH_TIMEOUT((left = atProvider()).isEmpty(), qPrintable(left.join(u", "_s)), 20'000);
    QTRY_COMPARE_LE_WITH_TIMEOUT(threadCount(), m_threads, 5'000);
    QTRY_COMPARE_WITH_TIMEOUT(openDescriptors(), m_descriptors, 5'000);
    QVERIFY2(m_errors.isEmpty(), qPrintable(m_errors.join(u" / "_s)));
    QVERIFY2(m_warnings.isEmpty(), qPrintable(m_warnings.join(u" / "_s)));
}

void EngineLoadTest::cancelledAtRandomMomentsNothingIsLeft()
{
    QElapsedTimer timer;
    timer.start();
    const auto spread = createTime() * creates / 4; // several creates at the same time
    for (int i = 0; i < runs; ++i)
        later(randomUntil(spread), [this] { startRun(500ms); });
    for (int i = 0; i < creates; ++i)
        later(randomUntil(spread), [this] { startCreate(); });
    QVERIFY2(QTest::qWaitFor([this] { return m_pending == 0; }, spread + hangLimit), "the event loop hangs");
    const auto areEnded = [this] {
        return std::ranges::all_of(m_ended, [](const auto &isEnded) { return isEnded(); });
    };
    QVERIFY2(QTest::qWaitFor(areEnded, hangLimit), "a cancelled run hangs");
    const auto areTold = [this] {
        return std::ranges::all_of(m_followers, [](const auto &follower) {
            return follower->how != End::Cancelled || follower->told > 0;
        });
    };
    QVERIFY2(QTest::qWaitFor(areTold, hangLimit), "a cancelled operation hangs");
    QStringList running;
    QTRY_VERIFY2_WITH_TIMEOUT((running = runningIn(m_shared->id())).isEmpty(),
                              qPrintable(running.join(u" | "_s)), 10'000);
    endEverythingTaken();
    m_engine->shutdown().result();
    m_engine.reset();
    for (const auto &follower : m_followers) {
        QVERIFY2(!follower->toldAfterwards, "a receiver that had died was told the end");
        QVERIFY2(follower->told <= 1, "an end was told twice");
    }
    expectNothingLeft();
    qInfo("%d runs and %d creates: %lld ms", runs, creates, timer.elapsed());
}

void EngineLoadTest::manyRunsCancelledAtOnceEndSoon()
{
    std::vector<Operation<ExecResult>> all;
    for (int i = 0; i < runs; ++i)
        all.push_back(m_shared->run({u"sleep"_s, u"600"_s}));
    QTRY_COMPARE_WITH_TIMEOUT(runningIn(m_shared->id()).size(), runs, 20'000);
    QElapsedTimer timer;
    timer.start();
    for (const Operation<ExecResult> &run : all)
        run.cancel();
    for (const Operation<ExecResult> &run : all)
        QVERIFY2(run.waitFor(hangLimit), "a cancelled run hangs");
    const qint64 elapsed = timer.elapsed();
    qInfo("%d runs cancelled at once: %lld ms", runs, elapsed);
    // As much as one may take: what it costs to end a run must not grow with the others.
    QVERIFY2(elapsed < 5000, QByteArray::number(elapsed).constData());
    QTRY_VERIFY_WITH_TIMEOUT(runningIn(m_shared->id()).isEmpty(), 10'000);
    endEverythingTaken();
    m_engine.reset();
    expectNothingLeft();
}

void EngineLoadTest::startEverything(std::vector<std::unique_ptr<Process>> &processes)
{
    const auto hold = [this](const auto &operation) {
        m_ended.emplace_back([operation] { return operation.isEnded(); });
    };
    for (int i = 0; i < 50; ++i)
        hold(m_shared->run({u"sleep"_s, u"600"_s}));
    for (int i = 0; i < 10; ++i) {
        processes.push_back(m_shared->stream({u"sleep"_s, u"600"_s}));
        hold(processes.back()->start(i % 2 ? Process::ConsumerMode::Signals : Process::ConsumerMode::Discard));
    }
    for (int i = 0; i < 10; ++i) {
        hold(m_shared->files().write(u"/tmp/file-%1"_s.arg(i), QByteArray(1'000'000, 'x')));
        hold(m_shared->files().ls(u"/"_s));
        hold(m_shared->info());
    }
    for (int i = 0; i < 5; ++i) {
        hold(m_engine->create(target(), options()));
        follow(m_engine->create(target(), options()), End::Cancelled); // held by its continuation alone
    }
}

void EngineLoadTest::anEngineDestroyedWithAHundredInFlightLeavesNothing_data()
{
    QTest::addColumn<int>("percent"); // of the time that a create takes
    QTest::newRow("at once") << 0;
    QTest::newRow("at a random moment") << 1 + static_cast<int>(m_random.bounded(99));
    QTest::newRow("when creates have just ended") << 800;
}

void EngineLoadTest::anEngineDestroyedWithAHundredInFlightLeavesNothing()
{
    QFETCH(const int, percent);
    const QString id = m_shared->id();
    std::vector<std::unique_ptr<Process>> processes;
    startEverything(processes);
    std::vector<std::unique_ptr<QSignalSpy>> ends;
    for (const auto &process : processes)
        ends.push_back(std::make_unique<QSignalSpy>(process.get(), &Process::ended));
    // Blocks this thread: no continuation runs, so nobody takes what was created.
    QThread::sleep(createTime() * percent / 100);
    QElapsedTimer timer;
    timer.start();
    const auto grace = m_engine->teardownGrace();
    m_engine.reset();
    const qint64 elapsed = timer.elapsed();
    QVERIFY2(std::chrono::milliseconds(elapsed) < grace + 2s, qPrintable(u"~Engine took %1 ms"_s.arg(elapsed)));
    for (const auto &isEnded : m_ended)
        QVERIFY2(isEnded(), "an operation survives its engine");
    for (const auto &end : ends)
        QTRY_COMPARE(end->size(), 1);
    for (const auto &follower : m_followers)
        QTRY_COMPARE(follower->told, 1);
    QVERIFY2(m_taken.isEmpty(), "a sandbox was handed out after its engine had gone");
    const Operation<ExecResult> late = m_shared->run({u"true"_s});
    QVERIFY(late.waitFor(1s));
    QCOMPARE(late.error().code(), u"SBX_E1000"_s);
    processes.clear();
    m_ended.clear();
    m_shared.reset();

    // The sandbox that was there is not touched, its runs are over; another engine ends it.
    QStringList running;
    QTRY_VERIFY2_WITH_TIMEOUT((running = runningIn(id)).isEmpty(), qPrintable(running.join(u" | "_s)), 10'000);
    QVERIFY(makeEngine()->killManaged(target(), id).result());
    expectNothingLeft();
    qInfo("~Engine: %lld ms", elapsed);
}

} // namespace Sandboxio::Load
