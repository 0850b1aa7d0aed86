// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/fileinfo.h>

#include <QByteArray>
#include <QStringList>

#include <expected>
#include <optional>

/*! \file
    Files by the `sh` of an image and the usual tools, GNU's and busybox's alike. Paths are absolute and any bytes but
    NUL. A script that fails exits with something else than 0 and says why as its tool does, which ends in the C
    library's text of an errno. Pure, any thread. */
namespace Sandboxio::Docker::FileScript {

/*! The argv of an exec that looks whether all that the others need is there; it exits with 0 then. */
QStringList probe();
/*! Prints the record of one entry; see readEntries(). */
QStringList stat(const QByteArray &path);
/*! Prints the records of a directory. */
QStringList list(const QByteArray &path);
/*! Prints the size and a line break, then the content. */
QStringList read(const QByteArray &path);
/*! Prints "ready" and a line break when \a temporary was made beside what \a path leads to, and copies its standard
    input to it. */
QStringList upload(const QByteArray &path, const QByteArray &temporary);
/*! Puts \a temporary, which must have \a size bytes, in the place that \a path leads to. */
QStringList commit(const QByteArray &path, const QByteArray &temporary, qint64 size,
                   std::optional<quint32> mode);
/*! Removes what upload() with these made, if it is there. */
QStringList discard(const QByteArray &path, const QByteArray &temporary);
QStringList makeDirectory(const QByteArray &path, bool parents);
QStringList remove(const QByteArray &path, bool recursive);
QStringList move(const QByteArray &from, const QByteArray &to);
/*! Makes the symbolic link \a path to \a target, which is not looked up. */
QStringList makeLink(const QByteArray &target, const QByteArray &path);
QStringList changeMode(const QByteArray &path, quint32 mode);

/*! What stat() and list() printed: name, type, size, mode, owner, time and link target. Absent: it cannot be read. */
std::optional<QList<FileInfo>> readEntries(const QByteArray &output);
/*! The errno that \a errors, what a script printed to standard error, ends with; EIO when it names none. */
int errorNumberOf(const QByteArray &errors);

} // namespace Sandboxio::Docker::FileScript
