// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "keeper.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace Sandboxio::Keeper {

namespace {

/// So long the container may take to be paused after we were started.
constexpr std::int64_t patienceMs = 60'000;
constexpr int reconnectPauseMs = 1000;
constexpr std::int64_t longestRetryPauseMs = 30'000;
/// So long after the end of the lifetime we try to end a container whose daemon does not answer.
constexpr std::int64_t tryingMs = 3'600'000;
constexpr std::size_t longestLine = 256 * 1024;
/// About 292 years; more does not fit the timer.
constexpr std::uint64_t longestLifetimeMs = INT64_MAX / 1000000;

std::int64_t nowMs()
{
    timespec time{};
    ::clock_gettime(CLOCK_BOOTTIME, &time);
    return std::int64_t(time.tv_sec) * 1000 + time.tv_nsec / 1000000;
}

std::string contentsOf(const std::string &path)
{
    char piece[64];
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const ssize_t size = fd < 0 ? 0 : ::read(fd, piece, sizeof piece);
    if (fd >= 0)
        ::close(fd);
    return {piece, std::size_t(std::max<ssize_t>(size, 0))};
}

} // namespace

// The daemon's own members are the only ones whose value is a bare true: labels and variables are strings.
Sight sightOf(const Answer &answer)
{
    if (answer.status == 404)
        return Sight::Over;
    if (answer.status != 200)
        return Sight::Unknown;
    if (answer.body.find("\"Paused\":true") != std::string::npos)
        return Sight::Paused;
    return answer.body.find("\"Running\":true") != std::string::npos ? Sight::Running : Sight::Over;
}

// Labels stand in "Actor", which comes after "Action"; the first quote in a value of ours ends it.
bool saysResumed(const std::string &line)
{
    const std::size_t actor = line.find("\"Actor\":");
    const std::size_t action = line.find("\"Action\":\"unpause\"");
    return action != std::string::npos && action < actor;
}

Keeper::Keeper(Options options)
    : m_options(std::move(options))
    , m_daemon(m_options.socketPath)
    , m_patienceEnd(nowMs() + patienceMs)
{}

Keeper::~Keeper()
{
    if (m_events >= 0)
        ::close(m_events);
    if (m_timer >= 0)
        ::close(m_timer);
    if (m_postFile >= 0)
        ::close(m_postFile);
}

std::string Keeper::containerPath(const char *action) const
{
    return "/containers/" + m_options.container + action;
}

/// From here on a keeper that was here before knows itself relieved.
bool Keeper::takePost()
{
    timespec time{};
    ::clock_gettime(CLOCK_BOOTTIME, &time);
    m_name =
        std::to_string(::getpid()) + '-' + std::to_string(time.tv_sec) + '-' + std::to_string(time.tv_nsec);
    const std::string fresh = m_options.post + '.' + m_name;
    const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    m_postFile = fd; // open and locked for as long as we live, however we end
    if (::write(fd, m_name.data(), m_name.size()) == ssize_t(m_name.size()) &&
        ::flock(fd, LOCK_EX | LOCK_NB) == 0 && ::rename(fresh.c_str(), m_options.post.c_str()) == 0)
        return true;
    ::unlink(fresh.c_str());
    return false;
}

/// Where the file is lost nobody has relieved us: rather an end too early than none.
bool Keeper::isRelieved() const
{
    const std::string name = m_options.post.empty() ? std::string() : contentsOf(m_options.post);
    return !name.empty() && name != m_name;
}

void Keeper::leavePost() const
{
    if (!m_options.post.empty() && !isRelieved())
        ::unlink(m_options.post.c_str());
}

std::string Keeper::prepare()
{
    m_timer = ::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    const std::uint64_t lifetime = std::min(m_options.lifetimeMs, longestLifetimeMs);
    itimerspec time{};
    time.it_value.tv_sec = time_t(lifetime / 1000);
    time.it_value.tv_nsec = long(lifetime % 1000) * 1000000;
    if (m_timer < 0 || ::timerfd_settime(m_timer, 0, &time, nullptr) != 0)
        return std::string("timer: ") + std::strerror(errno);
    if (!subscribe())
        return "the daemon at " + m_options.socketPath + " sends no events";
    const Sight sight = sightOf(m_daemon.ask("GET", containerPath("/json")));
    if (sight == Sight::Over)
        return "the container does not run";
    if (sight == Sight::Unknown)
        return "the daemon does not say how the container is";
    m_seenPaused = sight == Sight::Paused;
    if (!m_options.post.empty() && !takePost())
        return m_options.post + ": " + std::strerror(errno);
    return {};
}

bool Keeper::subscribe()
{
    const std::string filters = "%7B%22container%22%3A%5B%22" + m_options.container +
                                "%22%5D%2C%22event%22%3A%5B%22pause%22%2C%22unpause%22%2C%22die%22%2C%22died%22"
                                "%2C%22destroy%22%2C%22remove%22%5D%7D";
    m_line.clear();
    m_events = m_daemon.follow("/events?filters=" + filters);
    return m_events >= 0;
}

/// False: the container goes on by itself.
bool Keeper::readEvents()
{
    char piece[4096];
    const ssize_t size = ::read(m_events, piece, sizeof piece);
    if (size < 0 && errno == EINTR)
        return true;
    if (size <= 0) {
        ::close(m_events);
        m_events = -1;
        return true;
    }
    m_line.append(piece, std::size_t(size));
    for (std::size_t end = m_line.find('\n'); end != std::string::npos; end = m_line.find('\n')) {
        if (m_options.post.empty() && saysResumed(m_line.substr(0, end)))
            return false;
        m_line.erase(0, end + 1);
    }
    if (m_line.size() > longestLine)
        m_line.clear();
    return true;
}

bool Keeper::isDone()
{
    switch (sightOf(m_daemon.ask("GET", containerPath("/json")))) {
    case Sight::Paused:
        m_seenPaused = true;
        return false;
    case Sight::Running: // it was resumed, or never paused
        return m_options.post.empty() ? m_seenPaused || nowMs() >= m_patienceEnd : isRelieved();
    case Sight::Over:
        return true;
    case Sight::Unknown:
        break;
    }
    return false;
}

/// False: the container goes on by itself.
bool Keeper::waitForNews(int timeoutMs, bool &isTime)
{
    pollfd wanted[]{{m_timer, POLLIN, 0}, {m_events, POLLIN, 0}}; // poll() leaves a negative one out
    if (::poll(wanted, 2, timeoutMs) < 0)
        return true;
    if (m_events >= 0 && wanted[1].revents != 0 && !readEvents())
        return false;
    isTime = (wanted[0].revents & POLLIN) != 0;
    return true;
}

void Keeper::run()
{
    for (bool isTime = false;;) {
        int timeout = -1;
        if (m_events < 0)
            timeout = reconnectPauseMs;
        else if (!m_seenPaused && m_options.post.empty())
            timeout = int(std::clamp<std::int64_t>(m_patienceEnd - nowMs(), reconnectPauseMs, patienceMs));
        if (!waitForNews(timeout, isTime))
            return;
        if (isTime) {
            if (!isRelieved())
                endContainer();
            return leavePost();
        }
        if (m_events < 0)
            subscribe();
        if (isDone())
            return leavePost();
    }
}

/// As the guest does: its processes end, the container stays until it is removed. Where a daemon does not kill what is
/// paused it is removed. Under gVisor a paused one takes no signal, and removing it leaves a process of the daemon behind:
/// it goes on first, which is the guest's chance to end it.
void Keeper::endContainer()
{
    if (!m_options.post.empty())
        m_daemon.ask("POST", containerPath("/unpause"));
    const std::int64_t giveUp = nowMs() + tryingMs;
    for (std::int64_t pause = 250; nowMs() < giveUp; pause = std::min(2 * pause, longestRetryPauseMs)) {
        m_daemon.ask("POST", containerPath("/kill?signal=KILL"));
        if (sightOf(m_daemon.ask("GET", containerPath("/json"))) == Sight::Over)
            return;
        m_daemon.ask("DELETE", containerPath("?force=1&v=1"));
        if (sightOf(m_daemon.ask("GET", containerPath("/json"))) == Sight::Over)
            return;
        ::poll(nullptr, 0, int(pause));
    }
}

} // namespace Sandboxio::Keeper
