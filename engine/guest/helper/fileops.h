// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "uniquefd.h"
#include "users.h"

#include <sandboxio/guest/protocol/filemessages.h>

#include <string>

/// File system calls, each 0 or an errno. None waits for a fifo, a device or a peer.
namespace Sandboxio::Guest {

/// Describes files, with the names of their owners.
class FileDescriber
{
public:
    /// \a folder may be AT_FDCWD.
    int describe(int folder, const std::string &path, bool follow, FileInfo &info);

private:
    AccountNames m_users{"/etc/passwd"};
    AccountNames m_groups{"/etc/group"};
};

int openRegularFile(const std::string &path, UniqueFd &file);
int makeDirectories(const std::string &path);
int makeDirectory(const std::string &path, bool makeParents);
/// Does not return before the whole tree is gone: for a worker.
int removeTree(const std::string &path);
int removeOne(const std::string &path);
int moveFile(const std::string &from, const std::string &to, bool overwrite);

/// A file that replaces another one when it is complete.
class Upload
{
public:
    Upload() = default;
    Upload(const Upload &) = delete;
    Upload &operator=(const Upload &) = delete;
    ~Upload() { abort(); }

    int open(const FileOpenWrite &request);
    int write(std::uint64_t offset, std::string_view data);
    int commit(std::uint64_t size);
    void abort();

private:
    int createTemporary();

    std::string m_target;
    std::string m_temporary;
    UniqueFd m_file;
    std::uint32_t m_mode = 0;
    bool m_keepOwner = false;
    std::uint32_t m_uid = 0;
    std::uint32_t m_gid = 0;
};

} // namespace Sandboxio::Guest
