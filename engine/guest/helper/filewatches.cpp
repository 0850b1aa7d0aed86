// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "filewatches.h"

#include "connection.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/magic.h>
#include <string_view>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <utility>

namespace Sandboxio::Guest {

namespace {

constexpr std::size_t maximumPlaces = 8192;
constexpr std::size_t maximumChanges = 2048;
constexpr std::size_t maximumChangeBytes = 256 << 10;
/// Directories that wait to be read: twice as many as can be watched, since some have gone meanwhile.
constexpr std::size_t maximumScans = 2 * maximumPlaces;
/// So many entries between two rounds of events: whoever fills a directory must not hold up the lifetime.
constexpr std::size_t entriesAtOnce = 4096;
/// Changes that come together are told together, and both ends of a move have come.
constexpr std::int64_t answerAfterMs = 20;
constexpr std::uint32_t watchedEvents = IN_CREATE | IN_DELETE | IN_MODIFY | IN_ATTRIB | IN_MOVED_FROM |
                                        IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_EXCL_UNLINK |
                                        IN_ONLYDIR;

/// Made up by the kernel, which tells no changes there.
bool isMadeUp(int directory)
{
    struct statfs facts{};
    return ::fstatfs(directory, &facts) == 0 &&
           (facts.f_type == PROC_SUPER_MAGIC || facts.f_type == SYSFS_MAGIC);
}

bool isDirectory(int parent, const dirent &entry)
{
    struct stat status{};
    if (entry.d_type != DT_UNKNOWN)
        return entry.d_type == DT_DIR;
    return ::fstatat(parent, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
}

bool isGoneOrClosedToUs(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EACCES || error == ELOOP;
}

} // namespace

std::string FileWatches::pathBelow(const std::string &directory, const std::string &name)
{
    if (name.empty())
        return directory;
    return directory.empty() || directory.back() == '/' ? directory + name : directory + '/' + name;
}

bool FileWatches::isAtOrBelow(const std::string &path, const std::string &directory)
{
    return directory.empty() || path == directory ||
           (path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/');
}

FileWatches::~FileWatches()
{
    m_loop.cancel(m_scanTimer);
    m_loop.cancel(m_answerTimer);
    m_readable.stop();
}

int FileWatches::openInotify()
{
    if (m_inotify)
        return 0;
    m_inotify.reset(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    if (!m_inotify)
        return errno;
    if (m_readable.start(m_loop, m_inotify.get(), EPOLLIN, [this](std::uint32_t) { readEvents(); }))
        return 0;
    const int error = errno;
    m_inotify.reset(); // the next one to ask tries again
    return error;
}

int FileWatches::open(std::uint32_t handle, const FileWatch &request)
{
    struct stat status{};
    if (request.path.empty())
        return ENOENT;
    if (::lstat(request.path.c_str(), &status) != 0)
        return errno;
    if (const int error = openInotify())
        return error;
    Watcher watcher;
    watcher.path = request.path;
    watcher.recursive = request.recursive;
    struct stat target{};
    const bool directory = ::stat(request.path.c_str(), &target) == 0 && S_ISDIR(target.st_mode);
    if (const int error = directory ? add(request.path, {.handle = handle, .path = {}, .only = {}}) : 0)
        return error;
    if (!directory) {
        // By its directory: a file that is replaced by another of its name is still the one that is watched.
        const std::size_t slash = request.path.rfind('/');
        const std::string folder = slash == std::string::npos ? "." : request.path.substr(0, slash + 1);
        if (const int error =
                add(folder, {.handle = handle, .path = {}, .only = request.path.substr(slash + 1)}))
            return error;
    } else if (request.recursive) {
        watcher.scans.emplace_back();
    }
    m_watchers.emplace(handle, std::move(watcher));
    scanSome();
    return 0;
}

int FileWatches::add(const std::string &directory, Place place)
{
    if (m_placeCount >= maximumPlaces)
        return ENOSPC;
    const std::uint32_t links = place.path.empty() ? 0 : IN_DONT_FOLLOW;
    const int number = ::inotify_add_watch(m_inotify.get(), directory.c_str(), watchedEvents | links);
    if (number < 0)
        return errno;
    std::vector<Place> &places = m_places[number];
    const auto known = std::ranges::find(places, place.handle, &Place::handle);
    if (known != places.end()) {
        *known = std::move(place);
    } else {
        places.push_back(std::move(place));
        ++m_placeCount;
    }
    return 0;
}

void FileWatches::drop(std::uint32_t handle, const std::string &below)
{
    for (auto node = m_places.begin(); node != m_places.end();) {
        m_placeCount -= std::erase_if(node->second, [&](const Place &place) {
            return place.handle == handle && isAtOrBelow(place.path, below);
        });
        if (node->second.empty()) {
            ::inotify_rm_watch(m_inotify.get(), node->first);
            node = m_places.erase(node);
        } else {
            ++node;
        }
    }
}

void FileWatches::scanSome()
{
    std::size_t budget = entriesAtOnce;
    while (budget > 0) {
        const auto entry =
            std::ranges::find_if(m_watchers, [](const auto &each) { return !each.second.scans.empty(); });
        if (entry == m_watchers.end())
            return;
        Watcher &watcher = entry->second;
        Scan next = std::move(watcher.scans.front());
        watcher.scans.pop_front();
        if (!scan(*entry, next, budget) && !watcher.error)
            watcher.scans.push_front(std::move(next));
        if (watcher.scans.empty() && !watcher.inForce)
            answer(watcher);
    }
    if (!m_scanTimer)
        m_scanTimer = m_loop.after(0, [this] {
            m_scanTimer = 0;
            scanSome();
        });
}

/// Goes on with \a scan for \a budget entries; true at its end.
bool FileWatches::scan(Watchers::value_type &entry, Scan &scan, std::size_t &budget)
{
    --budget;
    if (!scan.open) {
        const std::string path = pathBelow(entry.second.path, scan.path);
        const int links = scan.path.empty() ? 0 : O_NOFOLLOW;
        const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | links);
        DIR *directory = fd < 0 || isMadeUp(fd) ? nullptr : ::fdopendir(fd);
        if (!directory) {
            if (fd >= 0)
                ::close(fd);
            return true;
        }
        scan.open = {directory, ::closedir};
    }
    for (; budget > 0; --budget) {
        const dirent *each = ::readdir(scan.open.get());
        if (!each)
            return true;
        const std::string_view name = each->d_name;
        if (name == "." || name == "..")
            continue;
        const std::string below = pathBelow(scan.path, each->d_name);
        if (scan.tell)
            tell(entry.second, FileChangeKind::Created, below);
        if (isDirectory(::dirfd(scan.open.get()), *each))
            found(entry, below, scan.tell);
    }
    return false;
}

/// A directory below one that is watched with all below it.
void FileWatches::found(Watchers::value_type &entry, const std::string &path, bool tell)
{
    auto &[handle, watcher] = entry;
    if (watcher.error)
        return;
    if (watcher.scans.size() >= maximumScans)
        return lookAgain(watcher);
    const int error = add(pathBelow(watcher.path, path), {.handle = handle, .path = path, .only = {}});
    if (!error)
        watcher.scans.push_back({.path = path, .tell = tell, .open = {}});
    else if (!isGoneOrClosedToUs(error))
        end(handle, watcher, error);
}

void FileWatches::next(std::uint32_t request, std::uint32_t handle)
{
    const auto found = m_watchers.find(handle);
    if (found == m_watchers.end())
        return m_connection.sendResult(request, EBADF);
    Watcher &watcher = found->second;
    if (watcher.request)
        return m_connection.sendResult(request, EBUSY);
    watcher.request = request;
    if (!m_answerTimer || !watcher.inForce)
        answer(watcher);
}

void FileWatches::close(std::uint32_t handle)
{
    const auto node = m_watchers.extract(handle);
    if (!node)
        return;
    drop(handle, {});
    if (node.mapped().request)
        m_connection.sendResult(*node.mapped().request, ECANCELED);
    if (!m_watchers.empty())
        return;
    m_readable.stop();
    m_inotify.reset();
    m_move.reset();
}

void FileWatches::answerSoon()
{
    if (m_answerTimer)
        return;
    m_answerTimer = m_loop.after(answerAfterMs, [this] {
        m_answerTimer = 0;
        settleMove();
        for (auto &[handle, watcher] : m_watchers)
            answer(watcher);
    });
}

void FileWatches::answer(Watcher &watcher)
{
    if (!watcher.request)
        return;
    if (!watcher.inForce && !watcher.error) {
        if (!watcher.scans.empty())
            return;
        watcher.inForce = true;
        m_connection.send(*std::exchange(watcher.request, {}), FileChanges{});
    } else if (!watcher.changes.empty()) {
        watcher.bytes = 0;
        m_connection.send(*std::exchange(watcher.request, {}), FileChanges{std::exchange(watcher.changes, {})});
    } else if (watcher.error) {
        m_connection.sendResult(*std::exchange(watcher.request, {}), watcher.error);
    }
}

void FileWatches::tell(Watcher &watcher, FileChangeKind kind, const std::string &path,
                       const std::string &newPath)
{
    if (watcher.error)
        return;
    FileChange change{kind, pathBelow(watcher.path, path),
                      newPath.empty() ? std::string() : pathBelow(watcher.path, newPath)};
    if (!watcher.changes.empty() && watcher.changes.back() == change)
        return;
    const bool isFull = watcher.changes.size() >= maximumChanges || watcher.bytes > maximumChangeBytes;
    if (isFull || kind == FileChangeKind::Overflow) {
        watcher.changes.clear();
        watcher.bytes = 0;
        change = {FileChangeKind::Overflow, watcher.path, {}};
    }
    watcher.bytes += change.path.size() + change.newPath.size();
    watcher.changes.push_back(std::move(change));
    answerSoon();
}

void FileWatches::end(std::uint32_t handle, Watcher &watcher, int error)
{
    if (!watcher.error)
        watcher.error = error;
    watcher.scans.clear();
    drop(handle, {});
    answerSoon();
}

} // namespace Sandboxio::Guest
