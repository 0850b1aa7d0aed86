// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "clock.h"

#include <QTimer>

#include <ctime>

namespace Sandboxio {

ArmedTimer::~ArmedTimer() = default;
Clock::~Clock() = default;

namespace {

class SystemTimer final : public ArmedTimer
{
public:
    SystemTimer(QObject *context, std::chrono::milliseconds delay, std::function<void()> callback)
    {
        m_timer.setSingleShot(true);
        m_timer.setTimerType(Qt::PreciseTimer);
        QObject::connect(&m_timer, &QTimer::timeout, context, std::move(callback));
        m_timer.start(delay);
    }

private:
    QTimer m_timer;
};

class SystemClock final : public Clock
{
public:
    std::chrono::nanoseconds now() const override
    {
        timespec time{};
        clock_gettime(CLOCK_BOOTTIME, &time);
        return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    }
    QDateTime wallTime() const override { return QDateTime::currentDateTimeUtc(); }
    std::unique_ptr<ArmedTimer> arm(QObject *context, std::chrono::milliseconds delay,
                                    std::function<void()> callback) override
    {
        return std::make_unique<SystemTimer>(context, delay, std::move(callback));
    }
};

} // namespace

std::shared_ptr<Clock> Clock::system()
{
    return std::make_shared<SystemClock>();
}

} // namespace Sandboxio
