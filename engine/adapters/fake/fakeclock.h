// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/clock.h>
#include <sandboxio/core/operation.h>

namespace Sandboxio::Fake {

/*! Time that passes only when somebody says so: hours of limits and lifetimes in milliseconds of a test. Given to
    an Engine, it drives all its limits: the run limit, the create limit of each step, lifetimes, graces.
    Use it from any thread.

    \code
    auto clock = std::make_shared<Fake::VirtualClock>();
    Engine engine({.stateDirectory = QString(), .clock = clock});
    // … create a sandbox at a fake target
    const auto run = sandbox->run(Command::shell(u"sleep 999"_s), {.timeout = 300s});
    QVERIFY(clock->waitForTimer(300s)); // the run limit is armed in the engine's thread
    clock->advance(300s);
    QVERIFY_THROWS_EXCEPTION(ExecutionTimeout, run.result());
    \endcode */
class VirtualClock final : public Clock
{
public:
    VirtualClock();
    ~VirtualClock() override;

    std::chrono::nanoseconds now() const override;
    /*! Starts at 2026-01-01 00:00 UTC. */
    QDateTime wallTime() const override;
    std::unique_ptr<ArmedTimer> arm(QObject *context, std::chrono::milliseconds delay,
                                    std::function<void()> callback) override;

    /*! Lets \a duration pass at once. Timers that become due are called in the order of their times, each queued
       in the thread of its context; what they arm begins at the end of \a duration. */
    void advance(std::chrono::milliseconds duration);
    /*! Waits until a timer is armed that is due in exactly \a due from now. False when there is none after \a
       patience of real time. */
    bool waitForTimer(std::chrono::milliseconds due,
                      std::chrono::milliseconds patience = std::chrono::seconds(5)) const;
    /*! Lets the time pass from timer to timer, each as soon as the threads of the timers have nothing queued, until
       \a done, which is called in this thread, is true. Events posted to this thread are delivered meanwhile. For
       chains of timers, for example the steps of a slow create. False when \a patience of real time was not
       enough. */
    bool advanceUntil(const std::function<bool()> &done,
                      std::chrono::milliseconds patience = std::chrono::seconds(5));
    /*! advanceUntil() the end of \a operation, whatever it is. */
    template <typename T>
    bool advanceUntilEnded(const Operation<T> &operation,
                           std::chrono::milliseconds patience = std::chrono::seconds(5))
    {
        return advanceUntil([&operation] { return operation.isEnded(); }, patience);
    }
    /*! From now on every timer is due at once. Call it before an Engine dies that waits for something which hangs:
       it would wait for its teardown grace in real time. */
    void release();
    /*! Timers that are armed and not yet due. */
    qsizetype armedTimers() const;

private:
    struct Shared;
    class Timer;
    /*! Lets the threads of all armed timers handle what is queued for them. */
    void settle(std::chrono::milliseconds patience) const;
    std::shared_ptr<Shared> m_shared;
};

} // namespace Sandboxio::Fake
