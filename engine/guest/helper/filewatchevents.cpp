// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "filewatches.h"

#include <array>
#include <cerrno>
#include <sys/inotify.h>
#include <unistd.h>

namespace Sandboxio::Guest {

void FileWatches::readEvents()
{
    alignas(inotify_event) static std::array<char, 64 << 10> bytes;
    const ssize_t count = ::read(m_inotify.get(), bytes.data(), bytes.size());
    for (ssize_t offset = 0; offset < count;) {
        const auto *event = reinterpret_cast<const inotify_event *>(bytes.data() + offset);
        offset += ssize_t(sizeof(inotify_event) + event->len);
        handle(*event);
    }
    scanSome();
}

void FileWatches::handle(const inotify_event &event)
{
    if (m_move && (!(event.mask & IN_MOVED_TO) || event.cookie != m_move->cookie))
        settleMove();
    if (event.mask & IN_Q_OVERFLOW)
        return overflow();
    const auto node = m_places.find(event.wd);
    if (node == m_places.end())
        return;
    if (event.mask & IN_MOVED_FROM) {
        m_move = Move{.cookie = event.cookie, .isDirectory = (event.mask & IN_ISDIR) != 0, .from = {}};
        answerSoon();
    }
    const std::vector<Place> places = node->second;
    if (event.mask & IN_IGNORED) {
        m_placeCount -= places.size();
        m_places.erase(node);
    }
    const std::string name = event.len ? event.name : "";
    for (const Place &place : places) {
        const auto watcher = m_watchers.find(place.handle);
        if (watcher == m_watchers.end() || watcher->second.error)
            continue;
        const bool isFile = !place.only.empty();
        // Its directory may end or go; what else happens to that is not about the file.
        if (isFile && (name.empty() ? !(event.mask & IN_ATTRIB) : name == place.only))
            handleFile(watcher->second, event.mask);
        else if (!isFile && !name.empty())
            handleEntry(*watcher, pathBelow(place.path, name), event);
        else if (!isFile && place.path.empty())
            handleSelf(watcher->second, event.mask);
        if (watcher->second.error)
            end(place.handle, watcher->second, watcher->second.error);
    }
    if (event.mask & IN_MOVED_TO)
        settleMove();
}

/// What happens to a name in the directory of a watched file, or to that directory itself.
void FileWatches::handleFile(Watcher &watcher, std::uint32_t mask)
{
    const bool inside = !(mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED));
    if (!inside || (mask & IN_DELETE))
        return leave(watcher, FileChangeKind::Removed);
    if (mask & IN_MOVED_FROM)
        return leave(watcher, FileChangeKind::Renamed);
    if (mask & (IN_CREATE | IN_MOVED_TO))
        tell(watcher, FileChangeKind::Created, {});
    if (mask & IN_MODIFY)
        tell(watcher, FileChangeKind::Modified, {});
    if (mask & IN_ATTRIB)
        tell(watcher, FileChangeKind::AttributesChanged, {});
}

void FileWatches::handleSelf(Watcher &watcher, std::uint32_t mask)
{
    if (mask & IN_MOVE_SELF)
        return leave(watcher, FileChangeKind::Renamed);
    if (mask & (IN_DELETE_SELF | IN_UNMOUNT | IN_IGNORED))
        return leave(watcher, FileChangeKind::Removed);
    if (mask & IN_ATTRIB)
        tell(watcher, FileChangeKind::AttributesChanged, {});
}

void FileWatches::handleEntry(Watchers::value_type &entry, const std::string &path, const inotify_event &event)
{
    auto &[handle, watcher] = entry;
    if (event.mask & IN_MOVED_FROM)
        m_move->from.emplace(handle, path);
    if (event.mask & IN_MOVED_TO)
        moved(entry, path, event);
    if (event.mask & IN_CREATE) {
        tell(watcher, FileChangeKind::Created, path);
        if ((event.mask & IN_ISDIR) && watcher.recursive)
            found(entry, path, true);
    }
    if (event.mask & IN_MODIFY)
        tell(watcher, FileChangeKind::Modified, path);
    if (event.mask & IN_ATTRIB)
        tell(watcher, FileChangeKind::AttributesChanged, path);
    if (event.mask & IN_DELETE)
        tell(watcher, FileChangeKind::Removed, path);
}

void FileWatches::moved(Watchers::value_type &entry, const std::string &path, const inotify_event &event)
{
    auto &[handle, watcher] = entry;
    const bool isTree = (event.mask & IN_ISDIR) && watcher.recursive;
    const auto from = m_move ? m_move->from.extract(handle) : decltype(m_move->from)::node_type();
    if (from) {
        tell(watcher, FileChangeKind::Renamed, from.mapped(), path);
        if (isTree)
            renameBelow(handle, from.mapped(), path);
    } else {
        tell(watcher, FileChangeKind::Created, path);
        if (isTree)
            found(entry, path, true);
    }
}

/// The other end of the move is not watched.
void FileWatches::settleMove()
{
    const std::optional<Move> move = std::exchange(m_move, {});
    if (!move)
        return;
    for (const auto &[handle, path] : move->from) {
        const auto watcher = m_watchers.find(handle);
        if (watcher == m_watchers.end())
            continue;
        tell(watcher->second, FileChangeKind::Renamed, path);
        if (move->isDirectory)
            drop(handle, path);
    }
}

void FileWatches::renameBelow(std::uint32_t handle, const std::string &from, const std::string &to)
{
    const auto rename = [&](std::string &path) {
        if (isAtOrBelow(path, from))
            path = to + path.substr(from.size());
    };
    for (auto &[number, places] : m_places) {
        for (Place &place : places) {
            if (place.handle == handle)
                rename(place.path);
        }
    }
    for (Scan &scan : m_watchers[handle].scans)
        rename(scan.path);
}

/// The kernel has dropped events: directories may have come that are not watched.
void FileWatches::overflow()
{
    for (auto &[handle, watcher] : m_watchers)
        lookAgain(watcher);
}

/// All below is read again, instead of what was to be read.
void FileWatches::lookAgain(Watcher &watcher)
{
    tell(watcher, FileChangeKind::Overflow, {});
    watcher.scans.clear();
    if (watcher.recursive && !watcher.error)
        watcher.scans.emplace_back();
}

/// The watched path is not there any more.
void FileWatches::leave(Watcher &watcher, FileChangeKind kind)
{
    tell(watcher, kind, {});
    watcher.error = ENOENT;
}

} // namespace Sandboxio::Guest
