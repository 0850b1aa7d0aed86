// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "eventtimes.h"

#include <algorithm>
#include <ctime>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {
constexpr qsizetype kept = 12;
}

std::chrono::nanoseconds threadCpuTime()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

bool EventTimes::isNotable(std::chrono::nanoseconds time) const
{
    return m_longest.size() < kept || time > m_longest.last().time;
}

void EventTimes::add(std::chrono::nanoseconds time, const QString &receiver, const QString &event)
{
    if (!isNotable(time))
        return;
    const auto place = std::ranges::upper_bound(m_longest, time, std::greater(), &Entry::time);
    m_longest.insert(place, {time, receiver, event, m_activity});
    if (m_longest.size() > kept)
        m_longest.removeLast();
}

QString EventTimes::report() const
{
    QString text;
    for (const Entry &entry : m_longest) {
        text += u"%1 ms  %2 of %3"_s.arg(double(entry.time.count()) / 1e6, 6, 'f', 1)
                    .arg(entry.event, entry.receiver);
        text += entry.during.isEmpty() ? u"\n"_s : u" (%1)\n"_s.arg(entry.during);
    }
    return text;
}

} // namespace Sandboxio::Desktop
