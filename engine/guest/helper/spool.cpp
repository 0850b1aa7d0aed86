// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "spool.h"

#include <algorithm>

namespace Sandboxio::Guest {

void Spool::append(std::string_view bytes)
{
    while (!bytes.empty()) {
        if (m_blocks.empty() || m_blocks.back().size() == blockSize)
            m_blocks.emplace_back().reserve(blockSize);
        std::string &block = m_blocks.back();
        const std::size_t count = std::min(bytes.size(), blockSize - block.size());
        block.append(bytes.substr(0, count));
        bytes.remove_prefix(count);
        m_size += count;
        m_end += count;
    }
    trim();
}

void Spool::setLimit(std::size_t bytes)
{
    m_limit = bytes;
    trim();
}

void Spool::trim()
{
    while (m_blocks.size() > 1 && m_size - m_blocks.front().size() >= m_limit) {
        m_size -= m_blocks.front().size();
        m_blocks.pop_front();
    }
}

std::string_view Spool::at(std::uint64_t offset) const
{
    if (offset < begin() || offset >= m_end)
        return {};
    const auto place = std::size_t(offset - begin());
    return std::string_view(m_blocks[place / blockSize]).substr(place % blockSize);
}

} // namespace Sandboxio::Guest
