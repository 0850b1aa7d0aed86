// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <utility>

#include <QByteArray>
#include <QByteArrayView>
#include <QString>

namespace Sandboxio {

/// Owns one descriptor.
class FileDescriptor
{
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int fd)
        : m_fd(fd)
    {}
    FileDescriptor(FileDescriptor &&other) noexcept
        : m_fd(std::exchange(other.m_fd, -1))
    {}
    FileDescriptor &operator=(FileDescriptor &&other) noexcept
    {
        reset();
        m_fd = std::exchange(other.m_fd, -1);
        return *this;
    }
    ~FileDescriptor() { reset(); }

    int get() const { return m_fd; }
    bool isValid() const { return m_fd >= 0; }
    void reset();

private:
    int m_fd = -1;
};

/// Blocking calls on local sockets, for code that runs in threads of its own and for half-closed connections,
/// which Qt's sockets cannot have. Invalid or false on failure, with errno set.
FileDescriptor listenOnLocalSocket(const QString &path);
FileDescriptor connectToLocalSocket(const QString &path);
bool writeAll(int fd, QByteArrayView bytes);
/// Everything until the peer closes its direction.
QByteArray readToEnd(int fd);

} // namespace Sandboxio
