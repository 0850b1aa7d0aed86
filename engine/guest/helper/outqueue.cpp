// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "outqueue.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/sendfile.h>
#include <sys/uio.h>

namespace Sandboxio::Guest {

namespace {
constexpr std::size_t coalesceBelow = 64 << 10;
}

void OutQueue::append(std::string_view bytes)
{
    m_size += bytes.size();
    if (m_chunks.empty() || m_chunks.back().file || m_chunks.back().size() + bytes.size() > coalesceBelow)
        m_chunks.push_back({std::string(bytes), nullptr});
    else
        m_chunks.back().bytes.append(bytes);
}

void OutQueue::append(std::shared_ptr<SentFile> file, off_t offset, std::size_t size)
{
    m_size += size;
    m_chunks.push_back({{}, std::move(file), offset, size});
}

ssize_t OutQueue::writeBytes(int fd) const
{
    std::array<iovec, 16> parts;
    std::size_t count = 0;
    for (const Chunk &chunk : m_chunks) {
        if (chunk.file || count == parts.size())
            break;
        const std::size_t skip = count == 0 ? m_headOffset : 0;
        parts[count++] = {const_cast<char *>(chunk.bytes.data()) + skip, chunk.bytes.size() - skip};
    }
    return ::writev(fd, parts.data(), int(count));
}

/// The kernel hands its pages over; where it cannot, they are copied.
ssize_t OutQueue::sendFile(int fd)
{
    static std::array<char, 64 << 10> scratch;
    const Chunk &chunk = m_chunks.front();
    off_t offset = chunk.offset + off_t(m_headOffset);
    const std::size_t left = chunk.fileSize - m_headOffset;
    const ssize_t sent = ::sendfile(fd, chunk.file->fd.get(), &offset, left);
    if (sent > 0 || (sent < 0 && (errno == EAGAIN || errno == EINTR || errno == EPIPE)))
        return sent;
    const std::size_t wanted = std::min(left, scratch.size());
    const ssize_t count = ::pread(chunk.file->fd.get(), scratch.data(), wanted, offset);
    if (count > 0)
        return ::write(fd, scratch.data(), std::size_t(count));
    chunk.file->shrank = true;
    std::fill_n(scratch.begin(), wanted, '\0');
    return ::write(fd, scratch.data(), wanted);
}

OutQueue::Result OutQueue::flush(int fd)
{
    while (!m_chunks.empty()) {
        const ssize_t written = m_chunks.front().file ? sendFile(fd) : writeBytes(fd);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno == EAGAIN ? Result::Blocked : Result::Failed;
        m_size -= std::size_t(written);
        m_headOffset += std::size_t(written);
        while (!m_chunks.empty() && m_headOffset >= m_chunks.front().size()) {
            m_headOffset -= m_chunks.front().size();
            m_chunks.pop_front();
        }
    }
    return Result::Empty;
}

} // namespace Sandboxio::Guest
