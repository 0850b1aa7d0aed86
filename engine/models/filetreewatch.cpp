// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "filetreewatch.h"

#include "filetreemodel.h"

#include <sandboxio/runtime/filesystem.h>

#include <algorithm>

namespace Sandboxio {

using namespace std::chrono_literals;

namespace {
// How often a directory is read that changes all the time.
constexpr auto readEvery = 250ms;
} // namespace

FileTreeWatch::Watcher FileTreeWatch::watcherOf(const FileSystem &files)
{
    return [files](const QString &path, const std::function<void()> &changed,
                   const std::function<void()> &ended) -> std::shared_ptr<void> {
        const std::shared_ptr<FileWatcher> watcher = files.watch(path);
        // What happened before the watch was in force is to be seen as well.
        connect(watcher.get(), &FileWatcher::started, watcher.get(), changed);
        connect(watcher.get(), &FileWatcher::changed, watcher.get(), changed);
        connect(watcher.get(), &FileWatcher::failed, watcher.get(), ended,
                Qt::QueuedConnection); // it deletes it
        return watcher;
    };
}

FileTreeWatch::FileTreeWatch(FileTreeModel *model, Watcher watcher, QObject *parent)
    : QObject(parent)
    , m_model(model)
    , m_watcher(std::move(watcher))
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(readEvery);
    connect(&m_timer, &QTimer::timeout, this, &FileTreeWatch::readChanged);
    connect(model, &QAbstractItemModel::modelReset, this, &FileTreeWatch::startOver);
    connect(model, &QAbstractItemModel::rowsRemoved, this, &FileTreeWatch::update);
    connect(model, &FileTreeModel::directoryLoaded, this, &FileTreeWatch::update);
    startOver();
}

FileTreeWatch::~FileTreeWatch() = default;

void FileTreeWatch::startOver()
{
    m_directories.clear();
    m_directories.push_back({{}, m_model->rootPath(), {}, false});
    update();
}

void FileTreeWatch::setActive(bool active)
{
    m_active = active;
    update();
}

void FileTreeWatch::setOpen(const QModelIndex &index, bool open)
{
    if (!index.isValid())
        return;
    const QModelIndex first = index.siblingAtColumn(0);
    std::erase_if(m_directories, [&](const Directory &directory) { return directory.index == first; });
    if (open)
        m_directories.push_back({first, m_model->fileInfo(first).path, {}, false});
    update();
}

QStringList FileTreeWatch::watched() const
{
    QStringList paths;
    for (const Directory &directory : m_directories) {
        if (directory.watch)
            paths.append(directory.path);
    }
    return paths;
}

bool FileTreeWatch::isShown(const QModelIndex &index) const
{
    if (!index.isValid())
        return true;
    const bool open = std::ranges::any_of(m_directories,
                                          [&](const Directory &directory) { return directory.index == index; });
    return open && isShown(index.parent());
}

void FileTreeWatch::update()
{
    // The rows of directories that are gone.
    const auto gone = std::ranges::remove_if(m_directories.begin() + 1, m_directories.end(),
                                             [](const Directory &each) { return !each.index.isValid(); });
    m_directories.erase(gone.begin(), gone.end());
    for (Directory &directory : m_directories) {
        const bool watches = m_active && isShown(directory.index);
        if (!watches)
            directory.watch.reset();
        else if (!directory.watch)
            directory.watch = m_watcher(
                directory.path, [this, path = directory.path] { changed(path); },
                [this, path = directory.path] { ended(path); });
    }
}

void FileTreeWatch::changed(const QString &path)
{
    for (Directory &directory : m_directories)
        directory.changed = directory.changed || directory.path == path;
    if (!m_timer.isActive())
        m_timer.start();
}

void FileTreeWatch::ended(const QString &path)
{
    for (Directory &directory : m_directories) {
        if (directory.path == path)
            directory.watch.reset();
    }
}

void FileTreeWatch::readChanged()
{
    std::vector<QPersistentModelIndex> indexes;
    bool isWaiting = false;
    for (Directory &directory : m_directories) {
        const bool isLoading = m_model->isLoading(directory.index);
        isWaiting = isWaiting || (directory.changed && isLoading);
        if (!directory.changed || isLoading)
            continue;
        directory.changed = false;
        // What the view has not asked for yet, it reads by itself.
        if (directory.watch && !m_model->canFetchMore(directory.index))
            indexes.push_back(directory.index);
    }
    if (isWaiting)
        m_timer.start();
    for (const QPersistentModelIndex &index : indexes)
        m_model->refresh(index);
}

} // namespace Sandboxio
