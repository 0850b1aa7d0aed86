// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "memoryfiles.h"
#include "memorywatch.h"
#include "texts_p.h"

#include <sandboxio/core/path.h>

namespace Sandboxio::Fake {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype longestName = 255;
constexpr quint32 permissionBits = 07777;

std::unexpected<ErrorInfo> failure(ErrorKind kind, const char *text, const QByteArray &path)
{
    return std::unexpected(makeError(kind, Text::tr(text).arg(displayPath(decodePath(path)))));
}

QByteArray parentOf(const QByteArray &resolvedPath)
{
    const qsizetype slash = resolvedPath.lastIndexOf('/');
    return slash <= 0 ? "/"_ba : resolvedPath.first(slash);
}

QByteArray prefixOf(const QByteArray &directory)
{
    return directory == "/" ? directory : directory + '/';
}

} // namespace

MemoryFiles::MemoryFiles(const QDateTime &now, std::optional<qint64> capacity)
    : m_capacity(capacity)
{
    for (const QByteArray &path : {"/"_ba, "/tmp"_ba, QByteArray(workingDirectory)}) {
        const quint32 mode = path == "/tmp" ? 01777 : 0755;
        m_nodes.emplace(path, Node{FileInfo::Type::Directory, {}, mode, now});
    }
}

QByteArray MemoryFiles::resolved(const QByteArray &path, const QByteArray &directory)
{
    const QByteArray absolute = path.startsWith('/') ? path : directory + '/' + path;
    QByteArrayList parts;
    for (const QByteArray &part : absolute.split('/')) {
        if (part == ".." && !parts.isEmpty())
            parts.removeLast();
        else if (!part.isEmpty() && part != "." && part != "..")
            parts.append(part);
    }
    return '/' + parts.join('/');
}

MemoryFiles::Result<MemoryFiles::Nodes::const_iterator> MemoryFiles::find(const QByteArray &resolvedPath) const
{
    if (resolvedPath.contains('\0'))
        return failure(ErrorKind::FileSystemError,
                       QT_TRANSLATE_NOOP("Sandboxio::Fake", "The path '%1' contains a NUL byte."),
                       resolvedPath);
    const auto node = m_nodes.find(resolvedPath);
    if (node != m_nodes.end())
        return node;
    for (QByteArray parent = parentOf(resolvedPath); parent != "/"; parent = parentOf(parent)) {
        const auto above = m_nodes.find(parent);
        if (above != m_nodes.end() && above->second.type != FileInfo::Type::Directory)
            return failure(ErrorKind::FileSystemError,
                           QT_TRANSLATE_NOOP("Sandboxio::Fake", "A component of '%1' is not a directory."),
                           resolvedPath);
    }
    return failure(ErrorKind::PathNotFound, QT_TRANSLATE_NOOP("Sandboxio::Fake", "There is no '%1'."),
                   resolvedPath);
}

MemoryFiles::Result<void> MemoryFiles::checkParent(const QByteArray &resolvedPath) const
{
    const qsizetype nameSize = resolvedPath.size() - resolvedPath.lastIndexOf('/') - 1;
    if (nameSize > longestName)
        return failure(ErrorKind::FileSystemError,
                       QT_TRANSLATE_NOOP("Sandboxio::Fake", "The name of '%1' is longer than 255 bytes."),
                       resolvedPath);
    const auto parent = find(parentOf(resolvedPath));
    if (!parent)
        return std::unexpected(parent.error());
    if ((*parent)->second.type != FileInfo::Type::Directory)
        return failure(ErrorKind::FileSystemError,
                       QT_TRANSLATE_NOOP("Sandboxio::Fake", "A component of '%1' is not a directory."),
                       resolvedPath);
    return {};
}

bool MemoryFiles::hasChildren(const QByteArray &resolvedPath) const
{
    const auto next = m_nodes.upper_bound(prefixOf(resolvedPath));
    return next != m_nodes.end() && next->first.startsWith(prefixOf(resolvedPath));
}

FileInfo MemoryFiles::infoOf(const QByteArray &shownPath, const QByteArray &resolvedPath,
                             const Node &node) const
{
    FileInfo info;
    info.path = decodePath(shownPath);
    info.name = decodePath(resolvedPath.sliced(resolvedPath.lastIndexOf('/') + 1));
    info.type = node.type;
    info.size = node.data.size();
    info.mode = node.mode;
    info.owner = u"root"_s;
    info.modifiedAt = node.modifiedAt;
    return info;
}

MemoryFiles::Result<FileInfo> MemoryFiles::stat(const QByteArray &path) const
{
    const auto node = find(resolved(path));
    if (!node)
        return std::unexpected(node.error());
    return infoOf(path, (*node)->first, (*node)->second);
}

MemoryFiles::Result<QList<FileInfo>> MemoryFiles::list(const QByteArray &path) const
{
    const auto node = find(resolved(path));
    if (!node)
        return std::unexpected(node.error());
    if ((*node)->second.type != FileInfo::Type::Directory)
        return failure(ErrorKind::FileSystemError,
                       QT_TRANSLATE_NOOP("Sandboxio::Fake", "'%1' is not a directory."), path);
    QList<FileInfo> entries;
    const QByteArray prefix = prefixOf((*node)->first);
    for (auto entry = m_nodes.upper_bound(prefix); entry != m_nodes.end(); ++entry) {
        if (!entry->first.startsWith(prefix))
            break;
        const QByteArray name = entry->first.sliced(prefix.size());
        if (!name.contains('/'))
            entries.append(infoOf(prefixOf(path) + name, entry->first, entry->second));
    }
    return entries;
}

MemoryFiles::Result<QByteArray> MemoryFiles::read(const QByteArray &path) const
{
    const auto node = find(resolved(path));
    if (!node)
        return std::unexpected(node.error());
    if ((*node)->second.type == FileInfo::Type::Directory)
        return failure(ErrorKind::FileSystemError, QT_TRANSLATE_NOOP("Sandboxio::Fake", "'%1' is a directory."),
                       path);
    return (*node)->second.data;
}

MemoryFiles::Result<void> MemoryFiles::checkWrite(const QByteArray &path) const
{
    const QByteArray target = resolved(path);
    const auto node = find(target);
    if (!node && node.error().kind != ErrorKind::PathNotFound)
        return std::unexpected(node.error());
    if (node && (*node)->second.type == FileInfo::Type::Directory)
        return failure(ErrorKind::FileSystemError, QT_TRANSLATE_NOOP("Sandboxio::Fake", "'%1' is a directory."),
                       path);
    return checkParent(target);
}

MemoryFiles::Result<void> MemoryFiles::checkCapacity(qint64 additional) const
{
    if (!m_capacity || m_used + additional <= *m_capacity)
        return {};
    ErrorInfo error = makeError(ErrorKind::ResourceLimitExceeded, Text::tr("The disk of the sandbox is full."));
    error.limit = u"disk"_s;
    error.limitValue = m_capacity;
    return std::unexpected(error);
}

MemoryFiles::Result<void> MemoryFiles::write(const QByteArray &path, const QByteArray &data,
                                             std::optional<quint32> mode, const QDateTime &now)
{
    if (const auto possible = checkWrite(path); !possible)
        return possible;
    const QByteArray target = resolved(path);
    const auto before = m_nodes.find(target);
    const qint64 growth = data.size() - (before == m_nodes.end() ? 0 : before->second.data.size());
    if (const auto room = checkCapacity(growth); !room)
        return room;
    m_used += growth;
    const bool isNew = before == m_nodes.end();
    if (isNew)
        m_nodes.emplace(target, Node{FileInfo::Type::File, data, mode.value_or(0644) & permissionBits, now});
    else
        before->second = Node{FileInfo::Type::File, data, before->second.mode, now};
    tell(isNew ? FileChange::Kind::Created : FileChange::Kind::Modified, target);
    return {};
}

MemoryFiles::Result<void> MemoryFiles::append(const QByteArray &path, const QByteArray &data,
                                              const QDateTime &now)
{
    const auto before = m_nodes.find(resolved(path));
    if (before == m_nodes.end() || before->second.type != FileInfo::Type::File)
        return write(path, data, {}, now);
    if (const auto room = checkCapacity(data.size()); !room)
        return room;
    m_used += data.size();
    before->second.data += data;
    before->second.modifiedAt = now;
    tell(FileChange::Kind::Modified, before->first);
    return {};
}

MemoryFiles::Result<void> MemoryFiles::makeDirectory(const QByteArray &path, bool parents, const QDateTime &now)
{
    const QByteArray target = resolved(path);
    const auto node = find(target);
    if (node) {
        if (parents && (*node)->second.type == FileInfo::Type::Directory)
            return {};
        return failure(ErrorKind::FileSystemError, QT_TRANSLATE_NOOP("Sandboxio::Fake", "'%1' exists already."),
                       path);
    }
    if (node.error().kind != ErrorKind::PathNotFound)
        return std::unexpected(node.error());
    if (parents) {
        if (const auto above = makeDirectory(parentOf(target), true, now); !above)
            return above;
    }
    if (const auto possible = checkParent(target); !possible)
        return possible;
    m_nodes.emplace(target, Node{FileInfo::Type::Directory, {}, 0755, now});
    tell(FileChange::Kind::Created, target);
    return {};
}

MemoryFiles::Result<void> MemoryFiles::remove(const QByteArray &path, bool recursive)
{
    const QByteArray target = resolved(path);
    const auto node = find(target);
    if (!node)
        return std::unexpected(node.error());
    if (target == "/")
        return failure(ErrorKind::FileSystemError,
                       QT_TRANSLATE_NOOP("Sandboxio::Fake", "'%1' cannot be removed."), path);
    if (!recursive && hasChildren(target))
        return failure(ErrorKind::FileSystemError, QT_TRANSLATE_NOOP("Sandboxio::Fake", "'%1' is not empty."),
                       path);
    QByteArrayList removed;
    std::erase_if(m_nodes, [&](const auto &entry) {
        const bool gone = entry.first == target || entry.first.startsWith(prefixOf(target));
        if (gone) {
            m_used -= entry.second.data.size();
            removed.prepend(entry.first);
        }
        return gone;
    });
    for (const QByteArray &gone : std::as_const(removed))
        tell(FileChange::Kind::Removed, gone);
    return {};
}

MemoryFiles::Result<void> MemoryFiles::move(const QByteArray &from, const QByteArray &to)
{
    const QByteArray source = resolved(from);
    const QByteArray target = resolved(to);
    const auto node = find(source);
    if (!node)
        return std::unexpected(node.error());
    if (source == target)
        return {};
    if (const auto possible = checkParent(target); !possible)
        return possible;
    if (source == "/" || target.startsWith(prefixOf(source)))
        return failure(ErrorKind::FileSystemError,
                       QT_TRANSLATE_NOOP("Sandboxio::Fake", "'%1' cannot be moved into itself."), from);
    if (m_nodes.contains(target))
        return failure(ErrorKind::FileSystemError, QT_TRANSLATE_NOOP("Sandboxio::Fake", "'%1' is in the way."),
                       to);
    Nodes moved;
    for (const auto &[path, entry] : m_nodes) {
        if (path == source || path.startsWith(prefixOf(source)))
            moved.emplace(target + path.sliced(source.size()), entry);
    }
    std::erase_if(m_nodes, [&](const auto &entry) {
        return entry.first == source || entry.first.startsWith(prefixOf(source));
    });
    m_nodes.merge(moved);
    tell([&](MemoryWatch &watch) { watch.noteMove(source, target); });
    return {};
}

MemoryFiles::Result<void> MemoryFiles::changeMode(const QByteArray &path, quint32 mode)
{
    const auto node = find(resolved(path));
    if (!node)
        return std::unexpected(node.error());
    m_nodes.at((*node)->first).mode = mode & permissionBits;
    tell(FileChange::Kind::AttributesChanged, (*node)->first);
    return {};
}

MemoryFiles::Result<void> MemoryFiles::watch(const QByteArray &path, const std::shared_ptr<MemoryWatch> &watch)
{
    const auto node = find(resolved(path));
    if (!node)
        return std::unexpected(node.error());
    std::erase_if(m_watches, [](const auto &known) { return known.expired(); });
    m_watches.push_back(watch);
    return {};
}

void MemoryFiles::tell(const std::function<void(MemoryWatch &)> &change)
{
    for (const std::weak_ptr<MemoryWatch> &known : m_watches) {
        if (const auto watch = known.lock())
            change(*watch);
    }
}

void MemoryFiles::tell(FileChange::Kind kind, const QByteArray &resolvedPath)
{
    tell([&](MemoryWatch &watch) { watch.note(kind, resolvedPath); });
}

} // namespace Sandboxio::Fake
