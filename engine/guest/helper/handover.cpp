// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "handover.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace Sandboxio::Guest {

namespace {

constexpr std::int64_t handoverLimitMs = 10000;
constexpr std::size_t maximumVisitors = 256;
constexpr std::size_t maximumToken = 128;
constexpr int ourFailure = 125;

socklen_t abstractAddress(const std::string &name, sockaddr_un &address)
{
    address = {};
    address.sun_family = AF_UNIX;
    const std::size_t size = std::min(name.size(), sizeof address.sun_path - 1);
    std::memcpy(address.sun_path + 1, name.data(), size);
    return socklen_t(offsetof(sockaddr_un, sun_path) + 1 + size);
}

/// A peer of pid 0 comes from another pid namespace that shares our network.
bool isOurUser(int socket)
{
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return false;
    return peer.pid > 0 && (peer.uid == ::geteuid() || peer.uid == 0);
}

/// gVisor names the asker itself as peer. There the name of the socket must do: PID 1 took it before anybody else ran
/// and keeps it as long as the sandbox lives.
bool isInit(int socket)
{
    ucred peer{};
    socklen_t size = sizeof peer;
    return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           (peer.pid == 1 || peer.pid == ::getpid());
}

/// The message and the three descriptors, or nothing.
bool receiveHandover(int socket, std::string &text, std::array<UniqueFd, 3> &fds)
{
    char bytes[maximumToken + 1];
    iovec part{bytes, sizeof bytes};
    alignas(cmsghdr) char control[CMSG_SPACE(3 * sizeof(int))];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t size = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (size < 0)
        return false;
    std::size_t received = 0;
    for (cmsghdr *entry = CMSG_FIRSTHDR(&message); entry; entry = CMSG_NXTHDR(&message, entry)) {
        if (entry->cmsg_level != SOL_SOCKET || entry->cmsg_type != SCM_RIGHTS)
            continue;
        const std::size_t count = (entry->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(entry) + i * sizeof(int), sizeof fd);
            UniqueFd owned(fd);
            if (received < fds.size())
                fds[received++] = std::move(owned);
        }
    }
    text.assign(bytes, std::size_t(size));
    return size > 0 && received == fds.size() && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC));
}

bool sendHandover(int socket, const std::string &text)
{
    iovec part{const_cast<char *>(text.data()), text.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(3 * sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(3 * sizeof(int));
    const int fds[3] = {0, 1, 2};
    std::memcpy(CMSG_DATA(header), fds, sizeof fds);
    return ::sendmsg(socket, &message, MSG_NOSIGNAL) == ssize_t(text.size());
}

} // namespace

void HandedStreams::finish(int code)
{
    if (!control)
        return;
    const auto byte = static_cast<unsigned char>(code);
    ::send(control.get(), &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    control.reset();
}

Handovers::Handovers(EventLoop &loop, RelayCallback relayArrived)
    : m_loop(loop)
    , m_relayArrived(std::move(relayArrived))
{}

bool Handovers::listen(const std::string &socketName)
{
    sockaddr_un address;
    const socklen_t size = abstractAddress(socketName, address);
    m_listener.reset(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const bool listening =
        m_listener && ::bind(m_listener.get(), reinterpret_cast<sockaddr *>(&address), size) == 0 &&
        ::listen(m_listener.get(), 128) == 0 &&
        m_listenerWatch.start(m_loop, m_listener.get(), EPOLLIN, [this](std::uint32_t) { accept(); });
    if (!listening)
        m_listener.reset();
    return listening;
}

void Handovers::accept()
{
    UniqueFd socket(::accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket || !isOurUser(socket.get()) || m_visitors.size() >= maximumVisitors)
        return;
    const int number = socket.get();
    auto visitor = std::make_unique<Visitor>();
    visitor->socket = std::move(socket);
    visitor->timer = m_loop.after(handoverLimitMs, [this, number] { drop(number); });
    visitor->watch.start(m_loop, number, EPOLLIN, [this, number](std::uint32_t) { receive(number); });
    m_visitors.emplace(number, std::move(visitor));
}

void Handovers::receive(int socket)
{
    const auto found = m_visitors.find(socket);
    if (found == m_visitors.end())
        return;
    Visitor &visitor = *found->second;
    std::string text;
    // A second packet or the end of a visitor that waits for its spawn: it is gone or lies.
    const bool arrived = receiveHandover(socket, text, visitor.streams.fds) && visitor.token.empty();
    if (!arrived || (text[0] != 'R' && (text[0] != 'S' || text.size() < 2)))
        return drop(socket);
    if (text[0] == 'S') {
        visitor.token = text.substr(1);
        return streamArrived(visitor);
    }
    HandedStreams streams = std::move(visitor.streams);
    visitor.watch.stop();
    streams.control = std::move(visitor.socket);
    drop(socket);
    m_relayArrived(std::move(streams));
}

void Handovers::streamArrived(Visitor &visitor)
{
    auto waiter = m_waiters.extract(visitor.token);
    if (!waiter)
        return;
    m_loop.cancel(waiter.mapped().timer);
    HandedStreams streams = std::move(visitor.streams);
    visitor.watch.stop();
    const int number = visitor.socket.get();
    streams.control = std::move(visitor.socket);
    drop(number);
    waiter.mapped().callback(&streams, 0);
}

void Handovers::drop(int socket)
{
    auto visitor = m_visitors.extract(socket);
    if (!visitor)
        return;
    m_loop.cancel(visitor.mapped()->timer);
    visitor.mapped()->watch.stop();
}

void Handovers::waitFor(const std::string &token, StreamCallback callback)
{
    for (auto &[number, visitor] : m_visitors) {
        if (visitor->token != token)
            continue;
        Waiter &waiter = m_waiters[token];
        waiter.callback = std::move(callback);
        return streamArrived(*visitor);
    }
    if (token.size() > maximumToken || m_waiters.contains(token))
        return callback(nullptr, EINVAL);
    Waiter &waiter = m_waiters[token];
    waiter.callback = std::move(callback);
    waiter.timer = m_loop.after(handoverLimitMs, [this, token] {
        auto expired = m_waiters.extract(token);
        if (expired)
            expired.mapped().callback(nullptr, ETIMEDOUT);
    });
}

void Handovers::stopWaiting(const std::string &token)
{
    auto waiter = m_waiters.extract(token);
    if (waiter)
        m_loop.cancel(waiter.mapped().timer);
}

int handOver(const std::string &socketName, const std::string &token, bool checkPeerIsInit)
{
    // Come from outside: without PID 1's filter, so no program inside may make use of this one.
    ::prctl(PR_SET_DUMPABLE, 0);
    sockaddr_un address;
    const socklen_t size = abstractAddress(socketName, address);
    const UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    if (!socket || ::connect(socket.get(), reinterpret_cast<sockaddr *>(&address), size) != 0)
        return ourFailure;
    if (checkPeerIsInit && !isInit(socket.get()))
        return ourFailure;
    if (!sendHandover(socket.get(), token.empty() ? "R" : "S" + token))
        return ourFailure;
    for (int fd = 0; fd < 3; ++fd)
        ::close(fd);
    unsigned char code = ourFailure;
    while (::recv(socket.get(), &code, 1, 0) < 0 && errno == EINTR) {
    }
    return code;
}

} // namespace Sandboxio::Guest
