// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "eventloop.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

namespace Sandboxio::Guest {

std::int64_t monotonicMs()
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
}

bool EventLoop::open()
{
    m_epoll.reset(::epoll_create1(EPOLL_CLOEXEC));
    return bool(m_epoll);
}

void EventLoop::run(const std::function<void()> &betweenEvents)
{
    std::array<epoll_event, 64> events;
    while (!m_stopped) {
        const int count = ::epoll_wait(m_epoll.get(), events.data(), int(events.size()), nextTimeout());
        for (int i = 0; i < count && !m_stopped; ++i)
            dispatch(events[std::size_t(i)].data.u64, events[std::size_t(i)].events);
        runTimers();
        betweenEvents();
        m_stoppedWatches.clear();
    }
}

void EventLoop::dispatch(std::uint64_t id, std::uint32_t events)
{
    const auto watch = m_watches.find(id);
    if (watch != m_watches.end())
        watch->second(events);
}

int EventLoop::nextTimeout() const
{
    if (m_timers.empty())
        return -1;
    const std::int64_t left = m_timers.begin()->first.first - monotonicMs();
    return int(std::clamp<std::int64_t>(left, 0, 1 << 30));
}

void EventLoop::runTimers()
{
    if (m_timers.empty())
        return;
    const std::int64_t now = monotonicMs();
    while (!m_timers.empty() && m_timers.begin()->first.first <= now) {
        auto timer = m_timers.extract(m_timers.begin());
        timer.mapped()();
    }
}

EventLoop::TimerId EventLoop::after(std::int64_t milliseconds, std::function<void()> callback)
{
    const TimerId timer = ++m_lastId;
    m_timers.emplace(std::pair(monotonicMs() + milliseconds, timer), std::move(callback));
    return timer;
}

void EventLoop::cancel(TimerId timer)
{
    std::erase_if(m_timers, [timer](const auto &entry) { return entry.first.second == timer; });
}

bool Watch::start(EventLoop &loop, int fd, std::uint32_t events, EventLoop::Callback callback)
{
    stop();
    epoll_event event{};
    event.events = events;
    event.data.u64 = loop.m_lastId + 1;
    if (events && ::epoll_ctl(loop.m_epoll.get(), EPOLL_CTL_ADD, fd, &event) != 0)
        return false;
    m_loop = &loop;
    m_id = ++loop.m_lastId;
    m_fd = fd;
    m_events = events;
    loop.m_watches.emplace(m_id, std::move(callback));
    return true;
}

void Watch::setEvents(std::uint32_t events)
{
    if (!m_loop || events == m_events)
        return;
    epoll_event event{};
    event.events = events;
    event.data.u64 = m_id;
    const int operation = !events ? EPOLL_CTL_DEL : m_events ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    ::epoll_ctl(m_loop->m_epoll.get(), operation, m_fd, &event);
    m_events = events;
}

void Watch::stop()
{
    if (!m_loop)
        return;
    setEvents(0);
    auto node = m_loop->m_watches.extract(m_id);
    if (node)
        m_loop->m_stoppedWatches.push_back(std::move(node));
    m_loop = nullptr;
}

} // namespace Sandboxio::Guest
