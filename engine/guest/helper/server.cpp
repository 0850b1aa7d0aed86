// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "server.h"

#include "processtree.h"
#include "systemcallfilter.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

namespace Sandboxio::Guest {

namespace {

constexpr std::size_t maximumConnections = 64;
constexpr std::int64_t longestKillDelayMs = 64;
/// After this a supervisor that has no child and does not end was tampered with.
constexpr std::int64_t supervisorGraceMs = 2000;
/// About 292 years; more does not fit the timer.
constexpr std::uint64_t longestLifetimeMs = INT64_MAX / 1000000;

bool complain(const char *what)
{
    std::fprintf(stderr, "sandboxio-guest: %s: %s\n", what, std::strerror(errno));
    return false;
}

void openMissingStandardDescriptors()
{
    int fd = 0;
    do {
        fd = ::open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= 2);
    if (fd > 2)
        ::close(fd);
}

} // namespace

Server::Server(ServeOptions options)
    : m_options(std::move(options))
    , m_handovers(m_loop, [this](HandedStreams streams) { addRelay(std::move(streams)); })
    , m_workers(*this)
    , m_keptRuns(*this)
{}

int Server::serve()
{
    if (!prepare())
        return CannotServe;
    m_loop.run([this] { settle(); });
    return CannotServe;
}

bool Server::prepare()
{
    openMissingStandardDescriptors();
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    // Before the lifetime is armed nobody else runs here, so nothing can interfere.
    if (!dropPrivileges() || !m_loop.open() || !openSignals() || !openLifetime())
        return false;
    if (!m_options.workingDirectory.empty() && ::chdir(m_options.workingDirectory.c_str()) != 0)
        return complain(m_options.workingDirectory.c_str());
    ::getrlimit(RLIMIT_NOFILE, &m_openFiles);
    const rlimit raised{m_openFiles.rlim_max, m_openFiles.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &raised);
    m_memoryEvents.reset(::open("/sys/fs/cgroup/memory.events", O_RDONLY | O_CLOEXEC));
    if (!m_memoryEvents)
        m_memoryEvents.reset(::open("/sys/fs/cgroup/memory/memory.oom_control", O_RDONLY | O_CLOEXEC));
    m_listening = m_handovers.listen(m_options.socketName);
    m_protected = protectInit(); // inherited by everything that is started here
    return addCreator();
}

bool Server::dropPrivileges()
{
    if (m_options.gid >= 0 && ::getegid() != gid_t(m_options.gid)) {
        const auto gid = gid_t(m_options.gid);
        if (::setgroups(0, nullptr) != 0 || ::setresgid(gid, gid, gid) != 0)
            return complain("--gid");
    }
    if (m_options.uid >= 0 && ::geteuid() != uid_t(m_options.uid)) {
        const auto uid = uid_t(m_options.uid);
        if (::setresuid(uid, uid, uid) != 0)
            return complain("--uid");
    }
    ::prctl(PR_SET_DUMPABLE, 0);
    return true;
}

bool Server::openSignals()
{
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
    sigset_t awaited;
    ::sigemptyset(&awaited);
    ::sigaddset(&awaited, SIGCHLD);
    ::sigaddset(&awaited, SIGTERM);
    m_signals.reset(::signalfd(-1, &awaited, SFD_CLOEXEC | SFD_NONBLOCK));
    return (m_signals &&
            m_signalWatch.start(m_loop, m_signals.get(), EPOLLIN, [this](std::uint32_t) { readSignals(); })) ||
           complain("signalfd");
}

bool Server::openLifetime()
{
    m_lifetime.reset(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
    if (!m_lifetime) // gVisor knows no boot time clock for timers
        m_lifetime.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    return (m_lifetime && setLifetime(m_options.lifetimeMs) == 0 &&
            m_lifetimeWatch.start(m_loop, m_lifetime.get(), EPOLLIN,
                                  [this](std::uint32_t) { endEverything(LifetimeEnded); })) ||
           complain("timerfd");
}

int Server::setLifetime(std::uint64_t milliseconds)
{
    if (milliseconds == 0 || milliseconds > longestLifetimeMs)
        return EINVAL;
    itimerspec time{};
    time.it_value.tv_sec = time_t(milliseconds / 1000);
    time.it_value.tv_nsec = long(milliseconds % 1000) * 1000000;
    return ::timerfd_settime(m_lifetime.get(), 0, &time, nullptr) == 0 ? 0 : errno;
}

std::uint64_t Server::lifetimeLeftMs() const
{
    itimerspec time{};
    ::timerfd_gettime(m_lifetime.get(), &time);
    return std::uint64_t(time.it_value.tv_sec) * 1000 + std::uint64_t(time.it_value.tv_nsec) / 1000000;
}

/// The creator speaks on our own standard input and output. The descriptors 0 and 1 themselves are
/// given to /dev/null, so that they stay taken when the creator has gone.
bool Server::addCreator()
{
    Connection::Streams streams;
    streams.input.reset(::fcntl(0, F_DUPFD_CLOEXEC, 3));
    streams.output.reset(::fcntl(1, F_DUPFD_CLOEXEC, 3));
    const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!streams.input || !streams.output || !null)
        return complain("standard input and output");
    ::dup2(null.get(), 0);
    ::dup2(null.get(), 1);
    auto creator = std::make_unique<Connection>(*this, ++m_lastConnection, std::move(streams), true);
    if (creator->start())
        m_connections.emplace(m_lastConnection, std::move(creator));
    return true;
}

void Server::addRelay(HandedStreams streams)
{
    if (m_connections.size() >= maximumConnections)
        return streams.finish(CannotServe);
    Connection::Streams ends;
    ends.input = std::move(streams.fds[0]);
    ends.output = std::move(streams.fds[1]);
    ends.relay = std::move(streams);
    auto client = std::make_unique<Connection>(*this, ++m_lastConnection, std::move(ends), false);
    if (client->start())
        m_connections.emplace(m_lastConnection, std::move(client));
}

Connection *Server::findConnection(std::uint64_t number)
{
    const auto found = m_connections.find(number);
    return found == m_connections.end() || found->second->isDead() ? nullptr : found->second.get();
}

std::function<void()> Server::treeKilledReply(std::uint64_t number, std::uint32_t channel)
{
    return [this, number, channel] {
        if (Connection *client = findConnection(number))
            client->send(channel, TreeKilled{});
    };
}

void Server::settle()
{
    m_keptRuns.settle();
    for (auto &[number, connection] : m_connections)
        connection->settle();
    for (auto entry = m_connections.begin(); entry != m_connections.end();) {
        if (entry->second->isDead()) {
            m_workers.cancel(entry->first);
            entry = m_connections.erase(entry);
        } else {
            ++entry;
        }
    }
    if (m_shutDown)
        endEverything(ShutDown);
}

void Server::readSignals()
{
    signalfd_siginfo info{};
    while (::read(m_signals.get(), &info, sizeof info) == ssize_t(sizeof info)) {
        // Only from outside our pid namespace: inside, rt_sigqueueinfo can forge the pid but not SI_USER.
        if (info.ssi_signo == SIGTERM && info.ssi_code == SI_USER && info.ssi_pid == 0)
            endEverything(Terminated);
    }
    reap();
}

void Server::reap()
{
    int status = 0;
    for (pid_t pid = ::waitpid(-1, &status, WNOHANG); pid > 0; pid = ::waitpid(-1, &status, WNOHANG)) {
        if (auto child = m_children.extract(pid))
            child.mapped()(status);
        if (auto job = m_killJobs.extract(pid)) {
            m_loop.cancel(job.mapped().timer);
            for (const auto &done : job.mapped().done)
                done();
        }
    }
}

void Server::expectChild(pid_t pid, std::function<void(int)> callback)
{
    m_children[pid] = std::move(callback);
}

void Server::forgetChild(pid_t pid)
{
    m_children.erase(pid);
}

void Server::killTree(pid_t root, TreeRoot kind, std::function<void()> done)
{
    const bool running = m_killJobs.contains(root);
    KillJob &job = m_killJobs[root];
    if (done)
        job.done.push_back(std::move(done));
    if (running)
        return;
    job.killRootAfterMs = monotonicMs() + (kind == TreeRoot::Supervisor ? supervisorGraceMs : 0);
    killStep(root);
}

/// That a supervisor ended by itself proves that its tree is gone.
void Server::killStep(pid_t root)
{
    const auto found = m_killJobs.find(root);
    if (found == m_killJobs.end())
        return;
    KillJob &job = found->second;
    const bool rootMayGo = monotonicMs() >= job.killRootAfterMs;
    // A supervisor must run in order to end; a process must not, or it would fork again.
    ::kill(root, rootMayGo ? SIGSTOP : SIGCONT);
    // What the quick search leaves out becomes the supervisor's child, and it does not end before that has ended.
    const bool isEmpty = killDescendants(root, rootMayGo ? TreeSearch::Thorough : TreeSearch::Quick) == 0;
    job.emptySearches = rootMayGo && isEmpty ? job.emptySearches + 1 : 0;
    // A process whose parent ends during a search is missed by that one.
    if (job.emptySearches >= 2)
        ::kill(root, SIGKILL);
    job.timer = m_loop.after(job.delayMs, [this, root] { killStep(root); });
    job.delayMs = std::min(job.delayMs * 2, longestKillDelayMs);
}

std::uint64_t Server::outOfMemoryKills() const
{
    char text[512];
    const ssize_t size = m_memoryEvents ? ::pread(m_memoryEvents.get(), text, sizeof text - 1, 0) : -1;
    if (size <= 0)
        return 0;
    text[size] = '\0';
    const char *line = std::strstr(text, "oom_kill ");
    return line ? std::strtoull(line + 9, nullptr, 10) : 0;
}

Status Server::status() const
{
    Status status;
    status.lifetimeLeftMs = lifetimeLeftMs();
    status.clients = std::uint32_t(m_connections.size());
    status.runs = std::uint32_t(m_keptRuns.size());
    for (const auto &[number, connection] : m_connections) {
        status.runs += std::uint32_t(connection->runCount());
        status.queuedBytes += connection->queuedBytes();
    }
    return status;
}

HelloReply Server::describe(bool creator) const
{
    HelloReply reply;
#if defined(__x86_64__)
    reply.architecture = "amd64";
#elif defined(__aarch64__)
    reply.architecture = "arm64";
#else
#error "no name for this architecture"
#endif
    reply.pid = std::uint32_t(::getpid());
    reply.uid = ::geteuid();
    reply.gid = ::getegid();
    reply.lifetimeLeftMs = lifetimeLeftMs();
    reply.creator = creator;
    reply.listening = m_listening;
    reply.protectedInit = m_protected;
    std::array<char, PATH_MAX> path;
    if (::getcwd(path.data(), path.size()))
        reply.workingDirectory = path.data();
    return reply;
}

void Server::endEverything(int exitCode)
{
    // As init the kernel takes every process with us; as an ordinary one only our descendants are ours.
    if (::getpid() == 1) {
        ::kill(-1, SIGKILL);
    } else {
        while (killDescendants(::getpid(), TreeSearch::Thorough) > 0) {
        }
    }
    ::_exit(exitCode);
}

} // namespace Sandboxio::Guest
