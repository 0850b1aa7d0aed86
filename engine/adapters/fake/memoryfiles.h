// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/fileinfo.h>

#include <QByteArray>
#include <QDateTime>
#include <QList>

#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace Sandboxio::Fake {

class MemoryWatch;

/*! The files of one sandbox, in memory. Paths are bytes; relative ones start at workingDirectory. A plain value
    without locks: whoever shares it guards it. */
class MemoryFiles
{
public:
    static constexpr char workingDirectory[] = "/work";

    /*! With the directories /, /tmp and /work, made at \a now; \a capacity limits the bytes of all files. */
    explicit MemoryFiles(const QDateTime &now = {}, std::optional<qint64> capacity = {});

    template <typename T>
    using Result = std::expected<T, ErrorInfo>;

    /*! \a path made absolute and free of ".", ".." and double slashes, seen from \a directory. */
    static QByteArray resolved(const QByteArray &path, const QByteArray &directory = workingDirectory);

    Result<FileInfo> stat(const QByteArray &path) const;
    Result<QList<FileInfo>> list(const QByteArray &path) const;
    Result<QByteArray> read(const QByteArray &path) const;
    /*! Whether write() to \a path could succeed. */
    Result<void> checkWrite(const QByteArray &path) const;
    /*! Replaces the file in one step and keeps the mode of what was there. */
    Result<void> write(const QByteArray &path, const QByteArray &data, std::optional<quint32> mode,
                       const QDateTime &now);
    Result<void> append(const QByteArray &path, const QByteArray &data, const QDateTime &now);
    Result<void> makeDirectory(const QByteArray &path, bool parents, const QDateTime &now);
    Result<void> remove(const QByteArray &path, bool recursive);
    Result<void> move(const QByteArray &from, const QByteArray &to);
    Result<void> changeMode(const QByteArray &path, quint32 mode);
    /*! Tells \a watch every change from now on, as long as it lives. The path must be there. */
    Result<void> watch(const QByteArray &path, const std::shared_ptr<MemoryWatch> &watch);

private:
    struct Node
    {
        FileInfo::Type type = FileInfo::Type::File;
        QByteArray data;
        quint32 mode = 0644;
        QDateTime modifiedAt;
    };
    using Nodes = std::map<QByteArray, Node>;

    Result<Nodes::const_iterator> find(const QByteArray &resolvedPath) const;
    Result<void> checkParent(const QByteArray &resolvedPath) const;
    bool hasChildren(const QByteArray &resolvedPath) const;
    FileInfo infoOf(const QByteArray &shownPath, const QByteArray &resolvedPath, const Node &node) const;
    Result<void> checkCapacity(qint64 additional) const;
    void tell(const std::function<void(MemoryWatch &)> &change);
    void tell(FileChange::Kind kind, const QByteArray &resolvedPath);

    Nodes m_nodes; // by absolute path, so that what stands below a directory is contiguous
    std::optional<qint64> m_capacity;
    qint64 m_used = 0;
    std::vector<std::weak_ptr<MemoryWatch>> m_watches;
};

} // namespace Sandboxio::Fake
