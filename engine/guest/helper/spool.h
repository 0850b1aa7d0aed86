// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace Sandboxio::Guest {

/// The newest bytes of a stream; the oldest go first, in whole blocks. Costs memory for the blocks that it holds.
class Spool
{
public:
    static constexpr std::size_t blockSize = std::size_t{64} << 10;

    void append(std::string_view bytes);
    /// Keeps the last \a bytes at least, when there are so many, and less than a block more.
    void setLimit(std::size_t bytes);
    /// Where the first byte that is kept has its place in the stream, and where the next one will have it.
    std::uint64_t begin() const { return m_end - m_size; }
    std::uint64_t end() const { return m_end; }
    /// The bytes from \a offset on that lie in one piece, not empty for begin() <= offset < end().
    std::string_view at(std::uint64_t offset) const;

private:
    void trim();

    std::deque<std::string> m_blocks; ///< all but the last are full
    std::size_t m_limit = blockSize;
    std::size_t m_size = 0;
    std::uint64_t m_end = 0;
};

} // namespace Sandboxio::Guest
