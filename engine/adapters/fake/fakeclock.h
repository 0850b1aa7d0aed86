// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/clock.h>

namespace Sandboxio::Fake {

/*! Time that passes only when somebody says so: hours of limits and lifetimes in milliseconds of a test.
    Thread-safe.

    \code
    auto clock = std::make_shared<Fake::VirtualClock>();
    Engine engine({.clock = clock});
    // … start a run with a limit of 300 s
    clock->advance(300s);
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

    /*! Lets \a duration pass. Timers that become due are called in the order of their times, each queued in the
       thread of its context. */
    void advance(std::chrono::milliseconds duration);
    /*! Timers that are armed and not yet due. */
    qsizetype armedTimers() const;

private:
    struct Shared;
    class Timer;
    std::shared_ptr<Shared> m_shared;
};

} // namespace Sandboxio::Fake
