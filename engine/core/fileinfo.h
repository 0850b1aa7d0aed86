// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/export.h>

#include <QDateTime>
#include <QMetaType>
#include <QString>

#include <optional>

namespace Sandboxio {

/*! One entry of the file system inside a sandbox. Names are bytes there; see decodePath() for how they become
    text without losing anything. */
struct FileInfo
{
    enum class Type { File, Directory, SymbolicLink, Other };

    QString path; //!< as asked for, or the directory asked for joined with the name
    QString name; //!< last component
    Type type = Type::Other;
    qint64 size = 0;                   //!< bytes
    std::optional<quint32> mode;       //!< permission bits
    QString owner;                     //!< user name where known, else the number
    QDateTime modifiedAt;              //!< UTC
    std::optional<QString> linkTarget; //!< set for symbolic links
    bool operator==(const FileInfo &) const = default;
};

/*! Something that happened to a file or directory that is watched. It says where to look again, not what is to be
    seen there: several changes may have become one by the time it is told. */
struct FileChange
{
    enum class Kind {
        Created,           //!< also what came in from elsewhere
        Modified,          //!< its content
        AttributesChanged, //!< mode, owner or times
        Removed,           //!< also what left for a place that is not known
        Renamed,           //!< from path to newPath; where newPath is absent, a Created may follow
        Overflow,          //!< changes below path were missed: look at all of it again
    };

    Kind kind = Kind::Modified;
    QString path;                   //!< the watched path as asked for, or that joined with the name below it
    std::optional<QString> newPath; //!< Renamed only, where the new name is watched as well
    bool operator==(const FileChange &) const = default;
};

} // namespace Sandboxio

Q_DECLARE_METATYPE(Sandboxio::FileInfo)
Q_DECLARE_METATYPE(Sandboxio::FileChange)
