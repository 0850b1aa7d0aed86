// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "daemon.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace Sandboxio::Keeper {

namespace {

constexpr int silenceLimitMs = 10000;
constexpr std::size_t largestHead = 64 * 1024;
constexpr std::size_t largestAnswer = 8 * 1024 * 1024;

bool isReadable(int fd)
{
    pollfd wanted{fd, POLLIN, 0};
    return ::poll(&wanted, 1, silenceLimitMs) > 0;
}

/// Byte by byte: what follows the head belongs to whoever follows the connection.
std::string readHead(int fd)
{
    std::string head;
    char byte = 0;
    while (head.size() < largestHead && !head.ends_with("\r\n\r\n")) {
        if (!isReadable(fd) || ::read(fd, &byte, 1) != 1)
            return {};
        head += byte;
    }
    return head;
}

} // namespace

int statusOf(const std::string &head)
{
    if (!head.starts_with("HTTP/1.") || head.size() < 12 || head[8] != ' ')
        return 0;
    const int status = std::atoi(head.c_str() + 9);
    return status >= 100 && status <= 599 ? status : 0;
}

Daemon::Daemon(std::string socketPath)
    : m_socketPath(std::move(socketPath))
{}

int Daemon::send(const char *method, const std::string &path) const
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (m_socketPath.size() >= sizeof address.sun_path)
        return -1;
    std::memcpy(address.sun_path, m_socketPath.data(), m_socketPath.size());
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    const std::string request =
        std::string(method) + ' ' + path + " HTTP/1.0\r\nHost: docker\r\nContent-Length: 0\r\n\r\n";
    if (::connect(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0 &&
        ::send(fd, request.data(), request.size(), MSG_NOSIGNAL) == ssize_t(request.size()))
        return fd;
    ::close(fd);
    return -1;
}

Answer Daemon::ask(const char *method, const std::string &path) const
{
    const int fd = send(method, path);
    if (fd < 0)
        return {};
    Answer answer{.status = statusOf(readHead(fd)), .body = {}};
    char piece[4096];
    while (answer.status != 0 && answer.body.size() < largestAnswer) {
        const ssize_t size = isReadable(fd) ? ::read(fd, piece, sizeof piece) : -1;
        if (size < 0)
            answer = {};
        if (size <= 0)
            break;
        answer.body.append(piece, std::size_t(size));
    }
    ::close(fd);
    return answer;
}

int Daemon::follow(const std::string &path) const
{
    const int fd = send("GET", path);
    if (fd < 0 || statusOf(readHead(fd)) == 200)
        return fd;
    ::close(fd);
    return -1;
}

} // namespace Sandboxio::Keeper
