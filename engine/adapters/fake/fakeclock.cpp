// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fakeclock.h"

#include <QMetaObject>
#include <QMutex>
#include <QPointer>
#include <QTimeZone>

#include <atomic>
#include <map>

namespace Sandboxio::Fake {

namespace {

struct Alarm
{
    QPointer<QObject> context;
    std::function<void()> callback;
    std::shared_ptr<std::atomic_bool> armed;
};

using AlarmKey = std::pair<std::chrono::nanoseconds, quint64>; // ties fire in the order of arming

} // namespace

struct VirtualClock::Shared
{
    mutable QMutex mutex;
    std::chrono::nanoseconds now{std::chrono::hours(1)};
    quint64 nextSerial = 0;
    std::map<AlarmKey, Alarm> alarms;
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
        const QMutexLocker locker(&m_shared->mutex);
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
    const QMutexLocker locker(&m_shared->mutex);
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
    const QMutexLocker locker(&m_shared->mutex);
    const AlarmKey key{m_shared->now + delay, m_shared->nextSerial++};
    Alarm alarm{context, std::move(callback), armed};
    if (delay.count() > 0) {
        m_shared->alarms.emplace(key, std::move(alarm));
    } else {
        QMetaObject::invokeMethod(
            context,
            [alarm] {
                if (alarm.armed->exchange(false))
                    alarm.callback();
            },
            Qt::QueuedConnection);
    }
    return std::make_unique<Timer>(m_shared, key, std::move(armed));
}

void VirtualClock::advance(std::chrono::milliseconds duration)
{
    const QMutexLocker locker(&m_shared->mutex);
    const std::chrono::nanoseconds end = m_shared->now + duration;
    while (!m_shared->alarms.empty() && m_shared->alarms.begin()->first.first <= end) {
        const auto next = m_shared->alarms.extract(m_shared->alarms.begin());
        m_shared->now = next.key().first;
        const Alarm &alarm = next.mapped();
        if (!alarm.context)
            continue;
        QMetaObject::invokeMethod(
            alarm.context.data(),
            [alarm] {
                if (alarm.armed->exchange(false))
                    alarm.callback();
            },
            Qt::QueuedConnection);
    }
    m_shared->now = end;
}

qsizetype VirtualClock::armedTimers() const
{
    const QMutexLocker locker(&m_shared->mutex);
    return static_cast<qsizetype>(m_shared->alarms.size());
}

} // namespace Sandboxio::Fake
