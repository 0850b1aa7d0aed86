// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "netprobe.h"

#include "dns.h"
#include "eventloop.h"
#include "uniquefd.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

namespace Sandboxio::Guest {

namespace {

constexpr std::uint32_t longestProbeMs = 60000;
constexpr std::uint16_t dnsPort = 53;

struct Address
{
    sockaddr_storage storage{};
    socklen_t size = 0;
};

bool parseAddress(const std::string &text, std::uint16_t port, Address &address)
{
    auto *four = reinterpret_cast<sockaddr_in *>(&address.storage);
    auto *six = reinterpret_cast<sockaddr_in6 *>(&address.storage);
    if (::inet_pton(AF_INET, text.c_str(), &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(port);
        address.size = sizeof *four;
    } else if (::inet_pton(AF_INET6, text.c_str(), &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(port);
        address.size = sizeof *six;
    }
    return address.size > 0;
}

NetOutcome outcomeOf(int error)
{
    switch (error) {
    case 0:
        return NetOutcome::Connected;
    case ECONNREFUSED:
        return NetOutcome::Refused;
    case ETIMEDOUT:
        return NetOutcome::TimedOut;
    case ENETUNREACH:
    case EHOSTUNREACH:
    case ENETDOWN:
    case EADDRNOTAVAIL:
    case EACCES:
    case EPERM:
        return NetOutcome::Unreachable;
    default:
        return NetOutcome::Failed;
    }
}

/// 0, ETIMEDOUT or the socket's error.
int waitFor(int socket, short events, std::int64_t deadline)
{
    pollfd entry{socket, events, 0};
    int ready = 0;
    do {
        const std::int64_t left = std::max<std::int64_t>(deadline - monotonicMs(), 0);
        ready = ::poll(&entry, 1, int(left));
    } while (ready < 0 && errno == EINTR);
    if (ready <= 0)
        return ready == 0 ? ETIMEDOUT : errno;
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
    return error;
}

int connectTo(const Address &address, int type, std::int64_t deadline, UniqueFd &socket)
{
    socket.reset(::socket(address.storage.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket)
        return errno;
    if (::connect(socket.get(), reinterpret_cast<const sockaddr *>(&address.storage), address.size) == 0)
        return 0;
    return errno == EINPROGRESS ? waitFor(socket.get(), POLLOUT, deadline) : errno;
}

/// Sends one datagram and waits for any answer.
int exchange(const Address &address, const std::string &datagram, std::int64_t deadline, std::string &answer)
{
    UniqueFd socket;
    if (const int error = connectTo(address, SOCK_DGRAM, deadline, socket))
        return error;
    if (::send(socket.get(), datagram.data(), datagram.size(), MSG_NOSIGNAL) < 0)
        return errno;
    if (const int error = waitFor(socket.get(), POLLIN, deadline))
        return error;
    std::array<char, 2048> bytes;
    const ssize_t size = ::recv(socket.get(), bytes.data(), bytes.size(), 0);
    if (size < 0)
        return errno;
    answer.assign(bytes.data(), std::size_t(size));
    return 0;
}

std::string readFile(const char *path)
{
    std::array<char, 16384> bytes;
    const UniqueFd file(::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    const ssize_t size = file ? ::read(file.get(), bytes.data(), bytes.size()) : 0;
    return size > 0 ? std::string(bytes.data(), std::size_t(size)) : std::string();
}

/// The first name server that answers decides.
NetOutcome askNameServers(const std::string &host, std::int64_t deadline, NetProbeResult &result)
{
    std::uint16_t id = 0;
    ::getrandom(&id, sizeof id, 0);
    const std::string query = dnsQuery(host, id);
    if (query.empty())
        return NetOutcome::NameNotResolved;
    std::vector<std::string> servers = parseResolverFile(readFile("/etc/resolv.conf"));
    for (std::size_t i = 0; i < servers.size(); ++i) {
        Address address;
        if (!parseAddress(servers[i], dnsPort, address))
            continue;
        const std::int64_t now = monotonicMs();
        const std::int64_t share =
            now + std::max<std::int64_t>(deadline - now, 0) / std::int64_t(servers.size() - i);
        std::string reply;
        result.errorNumber = exchange(address, query, share, reply);
        if (result.errorNumber)
            continue;
        const DnsAnswer answer = parseDnsReply(reply, id, result.address);
        if (answer != DnsAnswer::Malformed)
            return answer == DnsAnswer::Address ? NetOutcome::Connected : NetOutcome::NameNotResolved;
    }
    return NetOutcome::NameServerFailed;
}

NetOutcome resolve(const std::string &host, std::int64_t deadline, NetProbeResult &result)
{
    Address address;
    result.address = parseAddress(host, 0, address) ? host : findInHostsFile(readFile("/etc/hosts"), host);
    return result.address.empty() ? askNameServers(host, deadline, result) : NetOutcome::Connected;
}

} // namespace

NetProbeResult probeNetwork(const NetProbe &probe)
{
    NetProbeResult result;
    const std::int64_t start = monotonicMs();
    const std::int64_t deadline = start + std::min(probe.timeoutMs, longestProbeMs);
    result.outcome = resolve(probe.host, deadline, result);
    if (result.outcome == NetOutcome::Connected && probe.port != 0) {
        Address address;
        UniqueFd socket;
        std::string answer;
        if (!parseAddress(result.address, probe.port, address))
            result.errorNumber = EINVAL;
        else if (probe.protocol == NetProtocol::Tcp)
            result.errorNumber = connectTo(address, SOCK_STREAM, deadline, socket);
        else
            result.errorNumber = exchange(address, probe.payload, deadline, answer);
        result.outcome = outcomeOf(result.errorNumber);
    }
    result.elapsedMs = std::uint32_t(monotonicMs() - start);
    return result;
}

} // namespace Sandboxio::Guest
