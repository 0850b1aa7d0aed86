// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "uniquefd.h"

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

namespace Sandboxio::Guest {

/// A file whose content goes to a client without being copied here.
struct SentFile
{
    UniqueFd fd;
    off_t announced = 0; ///< the end of what the client was told to come
    bool shrank = false; ///< it ended before that, or cannot be read
};

/// Bytes on their way to a client.
class OutQueue
{
public:
    enum class Result { Empty, Blocked, Failed };

    void append(std::string_view bytes);
    /// \a size bytes of \a file from \a offset. What it does not have any more becomes zeros and is noted in it: the
    /// frame that announced them is on its way.
    void append(std::shared_ptr<SentFile> file, off_t offset, std::size_t size);
    Result flush(int fd);
    std::size_t size() const { return m_size; }

private:
    struct Chunk
    {
        std::string bytes;
        std::shared_ptr<SentFile> file; ///< null: the bytes
        off_t offset = 0;
        std::size_t fileSize = 0;
        std::size_t size() const { return file ? fileSize : bytes.size(); }
    };

    ssize_t writeBytes(int fd) const;
    ssize_t sendFile(int fd);

    std::deque<Chunk> m_chunks;
    std::size_t m_headOffset = 0;
    std::size_t m_size = 0;
};

} // namespace Sandboxio::Guest
