// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "eventloop.h"

#include <sandboxio/guest/protocol/filemessages.h>

#include <deque>
#include <dirent.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct inotify_event;

namespace Sandboxio::Guest {

class Connection;

/// What one client watches, by one inotify instance. Bounded: so many directories in all, and so many changes
/// kept for each watch; what is dropped is told as an overflow.
class FileWatches
{
public:
    FileWatches(Connection &connection, EventLoop &loop)
        : m_connection(connection)
        , m_loop(loop)
    {}
    FileWatches(const FileWatches &) = delete;
    FileWatches &operator=(const FileWatches &) = delete;
    ~FileWatches();

    /// Starts watching as \a handle, 0 or an errno.
    int open(std::uint32_t handle, const FileWatch &request);
    /// Answers \a request when there is something to tell, at first that the watch is in force.
    void next(std::uint32_t request, std::uint32_t handle);
    /// A request that waits is answered with ECANCELED. Nothing for what is no watch.
    void close(std::uint32_t handle);

private:
    struct Scan
    {
        std::string path; ///< below the watched path
        bool tell = false;
        std::shared_ptr<DIR> open; ///< as far as it was read
    };
    struct Watcher
    {
        std::string path;
        bool recursive = false;
        bool inForce = false; ///< and told so
        int error = 0;        ///< why it ended
        std::optional<std::uint32_t> request;
        std::vector<FileChange> changes;
        std::size_t bytes = 0;
        std::deque<Scan> scans;
    };
    struct Place
    {
        std::uint32_t handle = 0;
        std::string path; ///< below the watched path, empty: that itself
        std::string only; ///< a watched file: its name in this directory
    };
    struct Move
    {
        std::uint32_t cookie = 0;
        bool isDirectory = false;
        std::map<std::uint32_t, std::string> from; ///< per watch
    };
    using Watchers = std::map<std::uint32_t, Watcher>;

    int openInotify();
    int add(const std::string &directory, Place place);
    void scanSome();
    bool scan(Watchers::value_type &entry, Scan &scan, std::size_t &budget);
    static std::string pathBelow(const std::string &directory, const std::string &name);
    static bool isAtOrBelow(const std::string &path, const std::string &directory);
    void found(Watchers::value_type &entry, const std::string &path, bool tell);
    void readEvents();
    void handle(const inotify_event &event);
    void handleFile(Watcher &watcher, std::uint32_t mask);
    void handleSelf(Watcher &watcher, std::uint32_t mask);
    void handleEntry(Watchers::value_type &entry, const std::string &path, const inotify_event &event);
    void moved(Watchers::value_type &entry, const std::string &path, const inotify_event &event);
    void settleMove();
    void renameBelow(std::uint32_t handle, const std::string &from, const std::string &to);
    void drop(std::uint32_t handle, const std::string &below);
    void overflow();
    void lookAgain(Watcher &watcher);
    void leave(Watcher &watcher, FileChangeKind kind);
    void tell(Watcher &watcher, FileChangeKind kind, const std::string &path, const std::string &newPath = {});
    void end(std::uint32_t handle, Watcher &watcher, int error);
    void answerSoon();
    void answer(Watcher &watcher);

    Connection &m_connection;
    EventLoop &m_loop;
    UniqueFd m_inotify;
    Watch m_readable;
    Watchers m_watchers;
    std::map<int, std::vector<Place>> m_places; ///< by watch descriptor: several watches may share a directory
    std::size_t m_placeCount = 0;
    std::optional<Move> m_move; ///< half told: its other end is the next event, if it is watched
    EventLoop::TimerId m_scanTimer = 0;
    EventLoop::TimerId m_answerTimer = 0;
};

} // namespace Sandboxio::Guest
