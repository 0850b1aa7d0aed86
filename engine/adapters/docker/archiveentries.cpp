// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "archiveentries.h"

#include <sandboxio/core/path.h>

#include <QJsonDocument>
#include <QJsonObject>
#include <QTimeZone>

#include <array>
#include <cerrno>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 permissions = 0777;
constexpr int notFound = 404;

// The bits of Go's os.FileMode, documented in package io/fs.
constexpr qint64 goSetUser = 1 << 23;
constexpr qint64 goSetGroup = 1 << 22;
constexpr qint64 goSticky = 1 << 20;
constexpr quint32 setUser = 04000;
constexpr quint32 setGroup = 02000;
constexpr quint32 sticky = 01000;

/*! Texts of Go's and the daemon's own errors, in lower case. */
struct PathProblem
{
    QLatin1StringView needle;
    int errorNumber;
};
constexpr std::array pathProblems{
    PathProblem{"not a directory"_L1, ENOTDIR},        PathProblem{"too many links"_L1, ELOOP},
    PathProblem{"too many levels"_L1, ELOOP},          PathProblem{"file name too long"_L1, ENAMETOOLONG},
    PathProblem{"permission denied"_L1, EACCES},       PathProblem{"no such file or directory"_L1, ENOENT},
    PathProblem{"could not find the file"_L1, ENOENT},
};

QByteArray withoutSlashes(QByteArray path)
{
    while (path.startsWith('/'))
        path.remove(0, 1);
    while (path.endsWith('/'))
        path.chop(1);
    return path;
}

FileInfo::Type typeOf(TarEntry::Type type)
{
    switch (type) {
    case TarEntry::Type::File:
    case TarEntry::Type::HardLink:
        return FileInfo::Type::File;
    case TarEntry::Type::Directory:
        return FileInfo::Type::Directory;
    case TarEntry::Type::SymbolicLink:
        return FileInfo::Type::SymbolicLink;
    case TarEntry::Type::Other:
        break;
    }
    return FileInfo::Type::Other;
}

} // namespace

std::optional<PathStat> pathStat(const QByteArray &header)
{
    const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromBase64(header));
    if (!document.isObject())
        return std::nullopt;
    const QJsonObject object = document.object();
    const qint64 mode = object.value("mode"_L1).toInteger();
    const QDateTime time = QDateTime::fromString(object.value("mtime"_L1).toString(), Qt::ISODateWithMs);
    return PathStat{.size = object.value("size"_L1).toInteger(),
                    .mode = static_cast<quint32>(mode & permissions) | (mode & goSetUser ? setUser : 0U) |
                            (mode & goSetGroup ? setGroup : 0U) | (mode & goSticky ? sticky : 0U),
                    .modifiedAt = time.toUTC(),
                    .linkTarget = object.value("linkTarget"_L1).toString().toUtf8()};
}

QByteArray archivePath(const QByteArray &path, const QByteArray &workingDirectory)
{
    QByteArray absolute = path.startsWith('/') ? path : workingDirectory + '/' + path;
    while (absolute.endsWith('/') || absolute.endsWith("/."))
        absolute.chop(1);
    return absolute.isEmpty() ? "/"_ba : absolute;
}

FileInfo entryInfo(const TarHeader &header)
{
    FileInfo info;
    info.type = typeOf(header.type);
    info.size = header.type == TarEntry::Type::SymbolicLink ? header.linkTarget.size() : header.size;
    info.mode = static_cast<quint32>(header.mode);
    info.owner = header.userName.isEmpty() ? QString::number(header.userId) : decodePath(header.userName);
    info.modifiedAt = QDateTime::fromSecsSinceEpoch(header.modifiedSeconds, QTimeZone::UTC);
    if (info.type == FileInfo::Type::SymbolicLink)
        info.linkTarget = decodePath(header.linkTarget);
    return info;
}

std::optional<QByteArray> nameBelow(const QByteArray &directory, const QByteArray &entry)
{
    const QByteArray base = withoutSlashes(directory);
    QByteArray name = withoutSlashes(entry);
    if (!base.isEmpty()) {
        if (!name.startsWith(base + '/'))
            return std::nullopt;
        name = name.sliced(base.size() + 1);
    }
    if (name.isEmpty() || name.contains('/'))
        return std::nullopt;
    return name;
}

std::optional<int> errorNumberOf(const ErrorInfo &error)
{
    if (!error.cause || !error.cause->status || error.kind == ErrorKind::SandboxGone)
        return std::nullopt;
    const QString text = error.cause->text.toLower();
    for (const PathProblem &problem : pathProblems) {
        if (text.contains(problem.needle))
            return problem.errorNumber;
    }
    return error.cause->status == notFound ? std::optional(ENOENT) : std::nullopt;
}

} // namespace Sandboxio::Docker
