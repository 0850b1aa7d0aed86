// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "eventloop.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace Sandboxio::Guest {

/// The descriptors of an exec'ed `relay` or `stream` process, which waits until we finish with it.
struct HandedStreams
{
    std::array<UniqueFd, 3> fds;
    UniqueFd control;

    /// Lets the process exit with \a code.
    void finish(int code);
};

/// The abstract socket where `relay` and `stream` processes hand over their descriptors.
class Handovers
{
public:
    using RelayCallback = std::function<void(HandedStreams)>;
    using StreamCallback = std::function<void(HandedStreams *streams, int errorNumber)>;

    Handovers(EventLoop &loop, RelayCallback relayArrived);
    /// False when the name is taken or sockets are missing; the guest goes on without.
    bool listen(const std::string &socketName);

    /// Calls back at once or within 10 s, with the streams of \a token or with ETIMEDOUT.
    void waitFor(const std::string &token, StreamCallback callback);
    void stopWaiting(const std::string &token);

private:
    struct Visitor
    {
        UniqueFd socket;
        Watch watch;
        EventLoop::TimerId timer = 0;
        std::string token; ///< set once the descriptors are here
        HandedStreams streams;
    };
    struct Waiter
    {
        StreamCallback callback;
        EventLoop::TimerId timer = 0;
    };
    using VisitorMap = std::map<int, std::unique_ptr<Visitor>>;

    void accept();
    void receive(int socket);
    void drop(int socket);
    void streamArrived(Visitor &visitor);

    EventLoop &m_loop;
    RelayCallback m_relayArrived;
    UniqueFd m_listener;
    Watch m_listenerWatch;
    VisitorMap m_visitors;
    std::map<std::string, Waiter> m_waiters;
};

/// The other side: hands over descriptors 0, 1, 2, keeps only the socket and returns the exit code
/// that the guest answers. An empty token makes it a relay.
int handOver(const std::string &socketName, const std::string &token, bool checkPeerIsInit);

} // namespace Sandboxio::Guest
