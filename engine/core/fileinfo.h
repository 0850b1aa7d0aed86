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

} // namespace Sandboxio

Q_DECLARE_METATYPE(Sandboxio::FileInfo)
