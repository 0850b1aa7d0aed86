// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "connection.h"
#include "eventloop.h"
#include "handover.h"
#include "keptruns.h"
#include "workers.h"

#include <sandboxio/guest/protocol/messages.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace Sandboxio::Guest {

struct ServeOptions
{
    std::uint64_t lifetimeMs = 0;
    std::int64_t uid = -1; ///< -1: as started
    std::int64_t gid = -1;
    std::string workingDirectory;
    std::string socketName;
};

/// What the process ends with, for `docker inspect` and the like.
enum ExitCode : int { ShutDown = 0, LifetimeEnded = 124, CannotServe = 125, Terminated = 143 };

/// PID 1: one loop, the clients, the lifetime, the children.
class Server
{
public:
    explicit Server(ServeOptions options);

    /// Returns only when it cannot start, with a message on stderr.
    int serve();

    EventLoop &loop() { return m_loop; }
    Handovers &handovers() { return m_handovers; }
    Workers &workers() { return m_workers; }
    KeptRuns &keptRuns() { return m_keptRuns; }
    Connection *findConnection(std::uint64_t number);
    /// Answers with TreeKilled on a channel of the connection \a number, if it is still there then.
    std::function<void()> treeKilledReply(std::uint64_t number, std::uint32_t channel);
    const rlimit &originalOpenFiles() const { return m_openFiles; }

    /// Calls back with the wait status when the child has ended.
    void expectChild(pid_t pid, std::function<void(int status)> callback);
    void forgetChild(pid_t pid);
    enum class TreeRoot { Supervisor, Process };
    /// Kills everything below \a root, a child of ours, and calls back when root itself has ended: a
    /// supervisor by itself, once it has no children; a process is killed after its descendants.
    void killTree(pid_t root, TreeRoot kind, std::function<void()> done);

    std::uint64_t outOfMemoryKills() const;
    Status status() const;
    HelloReply describe(bool creator) const;
    /// 0 or an errno.
    int setLifetime(std::uint64_t milliseconds);
    /// After the answers have been written.
    void shutDown() { m_shutDown = true; }

private:
    struct KillJob
    {
        std::vector<std::function<void()>> done;
        std::int64_t killRootAfterMs = 0; ///< on the monotonic clock
        std::int64_t delayMs = 1;
        int emptySearches = 0; ///< one after the other
        EventLoop::TimerId timer = 0;
    };

    bool prepare();
    bool dropPrivileges();
    bool openSignals();
    bool openLifetime();
    bool addCreator();
    void addRelay(HandedStreams streams);
    void readSignals();
    void reap();
    void killStep(pid_t root);
    void settle();
    std::uint64_t lifetimeLeftMs() const;
    [[noreturn]] void endEverything(int exitCode);

    ServeOptions m_options;
    EventLoop m_loop;
    Handovers m_handovers;
    Workers m_workers;
    KeptRuns m_keptRuns;
    UniqueFd m_signals;
    Watch m_signalWatch;
    UniqueFd m_lifetime;
    Watch m_lifetimeWatch;
    UniqueFd m_memoryEvents;
    rlimit m_openFiles{};
    bool m_listening = false;
    bool m_protected = false;
    bool m_shutDown = false;
    std::uint64_t m_lastConnection = 0;
    std::map<pid_t, std::function<void(int)>> m_children;
    std::map<pid_t, KillJob> m_killJobs;
    std::map<std::uint64_t, std::unique_ptr<Connection>> m_connections;
};

} // namespace Sandboxio::Guest
