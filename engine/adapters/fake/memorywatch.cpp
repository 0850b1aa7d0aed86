// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "memorywatch.h"

#include <sandboxio/core/path.h>

#include <utility>

namespace Sandboxio::Fake {

namespace {

constexpr qsizetype mostChanges = 2048;

bool isAt(const QByteArray &path, const QByteArray &directory)
{
    return path == directory || path.startsWith(directory == "/" ? directory : directory + '/');
}

} // namespace

MemoryWatch::MemoryWatch(QByteArray shownPath, QByteArray resolved, bool recursive, std::function<void()> wake)
    : m_shown(std::move(shownPath))
    , m_resolved(std::move(resolved))
    , m_recursive(recursive)
    , m_wake(std::move(wake))
{}

bool MemoryWatch::sees(const QByteArray &path) const
{
    if (!isAt(path, m_resolved))
        return false;
    const qsizetype slash = path.lastIndexOf('/');
    return m_recursive || path == m_resolved || (slash == 0 ? "/" : path.first(slash)) == m_resolved;
}

QString MemoryWatch::shown(const QByteArray &path) const
{
    if (path == m_resolved)
        return decodePath(m_shown);
    const QByteArray below = path.sliced(m_resolved == "/" ? 1 : m_resolved.size() + 1);
    return decodePath(m_shown.endsWith('/') ? m_shown + below : m_shown + '/' + below);
}

void MemoryWatch::add(const FileChange &change)
{
    if (m_over || (!m_changes.isEmpty() && m_changes.last() == change))
        return;
    if (m_changes.size() >= mostChanges)
        m_changes = {{FileChange::Kind::Overflow, decodePath(m_shown), {}}};
    m_changes.append(change);
    m_wake();
}

void MemoryWatch::note(FileChange::Kind kind, const QByteArray &path)
{
    if (sees(path))
        add({kind, shown(path), {}});
    if (kind == FileChange::Kind::Removed && path == m_resolved)
        m_over = true;
}

void MemoryWatch::noteMove(const QByteArray &from, const QByteArray &to)
{
    if (isAt(m_resolved, from)) {
        add({FileChange::Kind::Renamed, decodePath(m_shown), {}});
        m_over = true;
    } else if (sees(from)) {
        add({FileChange::Kind::Renamed, shown(from), sees(to) ? std::optional(shown(to)) : std::nullopt});
    } else if (sees(to)) {
        add({FileChange::Kind::Created, shown(to), {}});
    }
}

QList<FileChange> MemoryWatch::take()
{
    return std::exchange(m_changes, {});
}

} // namespace Sandboxio::Fake
