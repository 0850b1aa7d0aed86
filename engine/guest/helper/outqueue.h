// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace Sandboxio::Guest {

/// Bytes on their way to a client.
class OutQueue
{
public:
    enum class Result { Empty, Blocked, Failed };

    void append(std::string_view bytes);
    Result flush(int fd);
    std::size_t size() const { return m_size; }

private:
    std::deque<std::string> m_chunks;
    std::size_t m_headOffset = 0;
    std::size_t m_size = 0;
};

} // namespace Sandboxio::Guest
