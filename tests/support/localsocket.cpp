// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "localsocket.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <QFile>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace Sandboxio {

namespace {

bool fill(sockaddr_un &address, const QByteArray &path)
{
    if (path.size() >= static_cast<qsizetype>(sizeof address.sun_path)) {
        errno = ENAMETOOLONG;
        return false;
    }
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.constData(), static_cast<size_t>(path.size()));
    return true;
}

} // namespace

void FileDescriptor::reset()
{
    if (m_fd >= 0)
        ::close(std::exchange(m_fd, -1));
}

FileDescriptor listenOnLocalSocket(const QString &path)
{
    sockaddr_un address{};
    FileDescriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fill(address, QFile::encodeName(path)))
        return {};
    if (::bind(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0 ||
        ::listen(fd.get(), SOMAXCONN) != 0)
        return {};
    return fd;
}

FileDescriptor connectToLocalSocket(const QString &path)
{
    sockaddr_un address{};
    FileDescriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fill(address, QFile::encodeName(path)))
        return {};
    if (::connect(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
        return {};
    return fd;
}

bool writeAll(int fd, QByteArrayView bytes)
{
    while (!bytes.isEmpty()) {
        const ssize_t size = ::send(fd, bytes.data(), static_cast<size_t>(bytes.size()), MSG_NOSIGNAL);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return false;
        bytes = bytes.sliced(size);
    }
    return true;
}

QByteArray readToEnd(int fd)
{
    QByteArray bytes;
    std::array<char, 64 * 1024> piece;
    while (true) {
        const ssize_t size = ::recv(fd, piece.data(), piece.size(), 0);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return bytes;
        bytes.append(piece.data(), size);
    }
}

} // namespace Sandboxio
