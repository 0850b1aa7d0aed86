// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fileerror.h"

#include "texts.h"

#include <sandboxio/core/path.h>

#include <cerrno>
#include <cstring>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

QString hintOf(int errorNumber)
{
    switch (errorNumber) {
    case ENOENT:
        return Text::tr(
            "Look at the directory above it with `sandboxio ls`; relative paths start where runs start.");
    case ENOTDIR:
        return Text::tr("It, or a part of the path, is no directory: correct the path.");
    case EACCES:
    case EPERM:
        return Text::tr(
            "The sandbox's user may not do this: choose a path in the working directory, or change the mode.");
    case ENOSPC:
    case EDQUOT:
        return Text::tr("The disk is full: remove files in the sandbox, or create it with a larger disk.");
    case EROFS:
        return Text::tr("This part of the sandbox is read-only: use the working directory.");
    case EISDIR:
        return Text::tr("It is a directory: name a file in it, or remove it recursively.");
    case ENOTEMPTY:
        return Text::tr("The directory is not empty: remove it recursively.");
    case EEXIST:
        return Text::tr("Remove what is there first, or choose another name.");
    case ELOOP:
        return Text::tr("Symbolic links in the path lead in a circle.");
    case ENAMETOOLONG:
        return Text::tr("The path is too long: names have at most 255 bytes, paths 4095.");
    case EXDEV:
        return Text::tr("The two places are on different file systems: copy the file, then remove it.");
    case EMFILE:
    case ENFILE:
        return Text::tr("Too many files are open in the sandbox: let transfers end first.");
    case EOPNOTSUPP:
        return Text::tr("Only regular files can be read and written.");
    default:
        return {};
    }
}

} // namespace

QString errorNumberText(int errorNumber)
{
    const char *text = strerrordesc_np(errorNumber);
    return text ? QString::fromLatin1(text) : u"error %1"_s.arg(errorNumber);
}

ErrorInfo fileError(int errorNumber, const QString &what, const QString &path)
{
    const bool missing = errorNumber == ENOENT;
    const ErrorCause cause{.status = errorNumber, .text = errorNumberText(errorNumber)};
    const QString text =
        missing
            ? Text::tr("Cannot %1 \"%2\": there is no such path in the sandbox.").arg(what, displayPath(path))
            : Text::tr("Cannot %1 \"%2\": %3.").arg(what, displayPath(path), cause.text);
    return makeError(missing ? ErrorKind::PathNotFound : ErrorKind::FileSystemError, text, hintOf(errorNumber),
                     cause);
}

} // namespace Sandboxio::Docker
