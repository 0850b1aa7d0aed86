// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "outqueue.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/uio.h>

namespace Sandboxio::Guest {

namespace {
constexpr std::size_t coalesceBelow = 64 << 10;
}

void OutQueue::append(std::string_view bytes)
{
    m_size += bytes.size();
    if (m_chunks.empty() || m_chunks.back().size() + bytes.size() > coalesceBelow)
        m_chunks.emplace_back(bytes);
    else
        m_chunks.back().append(bytes);
}

OutQueue::Result OutQueue::flush(int fd)
{
    while (!m_chunks.empty()) {
        std::array<iovec, 16> parts;
        const std::size_t count = std::min(parts.size(), m_chunks.size());
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t skip = i == 0 ? m_headOffset : 0;
            parts[i] = {m_chunks[i].data() + skip, m_chunks[i].size() - skip};
        }
        const ssize_t written = ::writev(fd, parts.data(), int(count));
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
