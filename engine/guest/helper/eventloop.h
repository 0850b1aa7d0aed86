// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "uniquefd.h"

#include <cstdint>
#include <functional>
#include <map>
#include <sys/epoll.h>
#include <utility>
#include <vector>

namespace Sandboxio::Guest {

std::int64_t monotonicMs();

/// One epoll instance and its timers. A callback may stop any watch or timer, its own included.
class EventLoop
{
public:
    using Callback = std::function<void(std::uint32_t events)>;
    using TimerId = std::uint64_t;

    bool open();
    /// Runs \a betweenEvents after each round of events, until stop().
    void run(const std::function<void()> &betweenEvents);
    void stop() { m_stopped = true; }

    TimerId after(std::int64_t milliseconds, std::function<void()> callback);
    void cancel(TimerId timer);

private:
    friend class Watch;
    using WatchMap = std::map<std::uint64_t, Callback>;
    using TimerMap = std::map<std::pair<std::int64_t, TimerId>, std::function<void()>>;

    int nextTimeout() const;
    void dispatch(std::uint64_t id, std::uint32_t events);
    void runTimers();

    UniqueFd m_epoll;
    WatchMap m_watches;
    /// Callbacks that were stopped while one of them may be on the stack.
    std::vector<WatchMap::node_type> m_stoppedWatches;
    TimerMap m_timers;
    std::uint64_t m_lastId = 0;
    bool m_stopped = false;
};

/// Interest in one descriptor. Stop it before the descriptor is closed: a descriptor that a child
/// still holds would stay in epoll.
class Watch
{
public:
    Watch() = default;
    Watch(const Watch &) = delete;
    Watch &operator=(const Watch &) = delete;
    ~Watch() { stop(); }

    /// False with errno when the descriptor cannot be watched (a regular file).
    bool start(EventLoop &loop, int fd, std::uint32_t events, EventLoop::Callback callback);
    /// No events means none at all, hang-up and error included.
    void setEvents(std::uint32_t events);
    void stop();
    bool isActive() const { return m_loop != nullptr; }

private:
    EventLoop *m_loop = nullptr;
    std::uint64_t m_id = 0;
    int m_fd = -1;
    std::uint32_t m_events = 0;
};

} // namespace Sandboxio::Guest
