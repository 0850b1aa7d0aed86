// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fakeclock.h"

#include <sandboxio/core/handover.h>

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QPointer>
#include <QSemaphore>
#include <QThread>
#include <QTimeZone>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

namespace Sandboxio::Fake {

namespace {

struct Alarm
{
    QPointer<QObject> context;
    std::function<void()> callback;
    std::shared_ptr<std::atomic_bool> armed;
};

using AlarmKey = std::pair<std::chrono::nanoseconds, quint64>; // ties fire in the order of arming

// A queued call can lead to another one. After so many rounds without a new timer nothing is expected any more.
constexpr int quietRounds = 40;
constexpr std::chrono::milliseconds pollInterval(2);

void post(const Alarm &alarm)
{
    if (!alarm.context)
        return;
    postCall(alarm.context.data(), [alarm] {
        if (alarm.armed->exchange(false))
            alarm.callback();
    });
}

} // namespace

struct VirtualClock::Shared
{
    mutable std::mutex mutex;
    std::chrono::nanoseconds now{std::chrono::hours(1)};
    quint64 nextSerial = 0;
    std::map<AlarmKey, Alarm> alarms;
    mutable std::condition_variable armed;
    bool released = false;

    // Call with the mutex held.
    void fireUntil(std::chrono::nanoseconds end)
    {
        while (!alarms.empty() && alarms.begin()->first.first <= end) {
            const auto next = alarms.extract(alarms.begin());
            now = std::max(now, next.key().first);
            post(next.mapped());
        }
    }
};

class VirtualClock::Timer final : public ArmedTimer
{
public:
    Timer(std::shared_ptr<Shared> shared, AlarmKey key, std::shared_ptr<std::atomic_bool> armed)
        : m_shared(std::move(shared))
        , m_key(key)
        , m_armed(std::move(armed))
    {}
    ~Timer() override
    {
        *m_armed = false;
        const std::lock_guard locker(m_shared->mutex);
        m_shared->alarms.erase(m_key);
    }
    Q_DISABLE_COPY_MOVE(Timer)

private:
    std::shared_ptr<Shared> m_shared;
    AlarmKey m_key;
    std::shared_ptr<std::atomic_bool> m_armed;
};

VirtualClock::VirtualClock()
    : m_shared(std::make_shared<Shared>())
{}

VirtualClock::~VirtualClock() = default;

std::chrono::nanoseconds VirtualClock::now() const
{
    const std::lock_guard locker(m_shared->mutex);
    return m_shared->now;
}

QDateTime VirtualClock::wallTime() const
{
    const QDateTime start(QDate(2026, 1, 1), QTime(0, 0), QTimeZone::UTC);
    const auto passed = now() - std::chrono::hours(1);
    return start.addMSecs(std::chrono::duration_cast<std::chrono::milliseconds>(passed).count());
}

std::unique_ptr<ArmedTimer> VirtualClock::arm(QObject *context, std::chrono::milliseconds delay,
                                              std::function<void()> callback)
{
    auto armed = std::make_shared<std::atomic_bool>(true);
    const std::lock_guard locker(m_shared->mutex);
    const AlarmKey key{m_shared->now + delay, m_shared->nextSerial++};
    Alarm alarm{context, std::move(callback), armed};
    if (delay.count() > 0 && !m_shared->released)
        m_shared->alarms.emplace(key, std::move(alarm));
    else
        post(alarm);
    m_shared->armed.notify_all();
    return std::make_unique<Timer>(m_shared, key, std::move(armed));
}

void VirtualClock::advance(std::chrono::milliseconds duration)
{
    const std::lock_guard locker(m_shared->mutex);
    const std::chrono::nanoseconds end = m_shared->now + duration;
    m_shared->fireUntil(end);
    m_shared->now = end;
}

bool VirtualClock::waitForTimer(std::chrono::milliseconds due, std::chrono::milliseconds patience) const
{
    std::unique_lock locker(m_shared->mutex);
    const auto isArmed = [this, due] {
        const auto first = m_shared->alarms.lower_bound({m_shared->now + due, 0});
        return first != m_shared->alarms.end() && first->first.first == m_shared->now + due;
    };
    return m_shared->armed.wait_for(locker, patience, isArmed);
}

bool VirtualClock::advanceUntil(const std::function<bool()> &done, std::chrono::milliseconds patience)
{
    const QDeadlineTimer deadline(patience);
    while (!done()) {
        if (deadline.hasExpired())
            return false;
        settle(std::chrono::duration_cast<std::chrono::milliseconds>(deadline.remainingTimeAsDuration()));
        if (done())
            return true;
        std::unique_lock locker(m_shared->mutex);
        if (m_shared->alarms.empty())
            m_shared->armed.wait_for(locker, pollInterval);
        else
            m_shared->fireUntil(m_shared->alarms.begin()->first.first);
    }
    return true;
}

void VirtualClock::settle(std::chrono::milliseconds patience) const
{
    const QDeadlineTimer deadline(patience);
    quint64 serial = 0;
    for (int quiet = 0; quiet < quietRounds && !deadline.hasExpired(); ++quiet) {
        QCoreApplication::sendPostedEvents();
        const auto reached = std::make_shared<QSemaphore>();
        std::set<QThread *> threads;
        {
            const std::lock_guard locker(m_shared->mutex);
            if (std::exchange(serial, m_shared->nextSerial) != m_shared->nextSerial)
                quiet = 0;
            for (const auto &[key, alarm] : m_shared->alarms) {
                QThread *thread = alarm.context ? alarm.context->thread() : QThread::currentThread();
                if (thread == QThread::currentThread() || !threads.insert(thread).second)
                    continue;
                // Released when the call was made, and also when it is dropped with its context.
                const std::shared_ptr<void> release(nullptr, [reached](void *) { reached->release(); });
                postCall(alarm.context.data(), [release] {});
            }
        }
        reached->tryAcquire(static_cast<int>(threads.size()), deadline);
    }
}

void VirtualClock::release()
{
    const std::lock_guard locker(m_shared->mutex);
    m_shared->released = true;
    m_shared->fireUntil(std::chrono::nanoseconds::max());
}

qsizetype VirtualClock::armedTimers() const
{
    const std::lock_guard locker(m_shared->mutex);
    return static_cast<qsizetype>(m_shared->alarms.size());
}

} // namespace Sandboxio::Fake
