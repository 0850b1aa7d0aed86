// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "fileops.h"
#include "filewatches.h"
#include "outqueue.h"

#include <dirent.h>
#include <map>
#include <memory>

namespace Sandboxio::Guest {

class Connection;
class Server;

/// The file requests of one client and the files it has open.
class FileService
{
public:
    FileService(Connection &connection, Server &server);

    /// False when the frame is malformed or unknown.
    bool handle(const Frame &frame);

private:
    struct CloseFolder
    {
        void operator()(DIR *folder) const { ::closedir(folder); }
    };
    using Folder = std::unique_ptr<DIR, CloseFolder>;
    struct Handle
    {
        std::shared_ptr<SentFile> file; ///< open for reading
        std::unique_ptr<Upload> upload;
        Folder folder;
        FileInfo nextEntry; ///< read from the folder but not sent yet
        bool hasNextEntry = false;
    };

    bool handleRead(const Frame &frame);
    bool handleWrite(const Frame &frame);
    bool handleChange(const Frame &frame);
    bool handleWatch(const Frame &frame);
    void openFolder(std::uint32_t request, const std::string &path);
    void sendPage(std::uint32_t request, std::uint32_t number);
    bool readEntry(Handle &handle);
    void openRead(std::uint32_t request, const std::string &path);
    void read(std::uint32_t request, const FileRead &message);
    void openWrite(std::uint32_t request, const FileOpenWrite &message);
    void commit(std::uint32_t request, const FileCommit &message);
    void remove(std::uint32_t request, const FileRemove &message);
    void watch(std::uint32_t request, const FileWatch &message);
    Handle *find(std::uint32_t number);
    std::uint32_t add(Handle handle);

    Connection &m_connection;
    Server &m_server;
    FileDescriber m_describer;
    FileWatches m_watches;
    std::map<std::uint32_t, Handle> m_handles;
    std::uint32_t m_lastHandle = 0;
};

} // namespace Sandboxio::Guest
