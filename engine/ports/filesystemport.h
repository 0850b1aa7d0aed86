// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/fileinfo.h>
#include <sandboxio/core/operation.h>

namespace Sandboxio {

/*! An open file being read, in order. Destroying it closes the file. */
class SANDBOXIO_CORE_EXPORT FileReaderPort
{
public:
    virtual ~FileReaderPort();
    /*! Size when it was opened, bytes; absent where it is not known. */
    virtual std::optional<qint64> size() const = 0;
    /*! The next bytes, at most \a maximum; empty at the end. One call at a time. */
    virtual Operation<QByteArray> read(qint64 maximum) = 0;
};

/*! A file being written beside its final place. Destroying it without commit() leaves nothing. */
class SANDBOXIO_CORE_EXPORT FileWriterPort
{
public:
    virtual ~FileWriterPort();
    /*! Appends \a data; ends when the next may come. One call at a time. */
    virtual Operation<void> write(const QByteArray &data) = 0;
    /*! Puts the file in place in one step, keeping mode and owner of what was there. */
    virtual Operation<void> commit() = 0;
    /*! Removes what was written. */
    virtual Operation<void> abort() = 0;
};

/*! A file or directory being watched. Destroying it ends the watch, and cancels a next() that waits. */
class SANDBOXIO_CORE_EXPORT FileWatchPort
{
public:
    virtual ~FileWatchPort();
    /*! Ends when something changed, with all that was not told yet, in order, equal neighbours told once. One call
       at a time. What happens between two calls is kept, up to a bound; beyond it a FileChange::Overflow stands
       for what was dropped. PathNotFound when the watched path itself is gone, after that was told as Removed or
       Renamed; nothing follows an error. */
    virtual Operation<QList<FileChange>> next() = 0;
};

/*! Files inside one sandbox. Lives in the I/O thread. Paths as decodePath() makes them; relative ones start
    where runs start; none is ever looked up on the host. A missing path is PathNotFound (SBX_E1701), everything
    else that fails FileSystemError (SBX_E1700), or SandboxGone. */
class SANDBOXIO_CORE_EXPORT FileSystemPort
{
public:
    virtual ~FileSystemPort();
    virtual Operation<FileInfo> stat(const QString &path) = 0;
    /*! The entries of a directory, one level, in no order. */
    virtual Operation<QList<FileInfo>> list(const QString &path) = 0;
    virtual Operation<std::shared_ptr<FileReaderPort>> openRead(const QString &path) = 0;
    /*! \a mode: permission bits of a new file; absent: 0644 under the umask. Missing parents are PathNotFound.
     */
    virtual Operation<std::shared_ptr<FileWriterPort>> openWrite(const QString &path,
                                                                 std::optional<quint32> mode) = 0;
    virtual Operation<void> makeDirectory(const QString &path, bool parents) = 0;
    /*! Without \a recursive a directory that is not empty is FileSystemError. */
    virtual Operation<void> remove(const QString &path, bool recursive) = 0;
    /*! Renames a file or directory. FileSystemError when \a to exists: nothing is overwritten. */
    virtual Operation<void> move(const QString &from, const QString &to) = 0;
    /*! Makes the symbolic link \a path to \a target, which is not looked up. FileSystemError when \a path exists, and
        where there are no links (the default here). */
    virtual Operation<void> makeLink(const QString &target, const QString &path);
    virtual Operation<void> changeMode(const QString &path, quint32 mode) = 0;
    /*! Ends when the watch is in force: every change after that is told by the result, whoever makes it. A
       directory: its entries, with \a recursive all below it, those made later included; links are not followed.
       Without Capability::Watch CapabilityNotSupported (the default here). */
    virtual Operation<std::shared_ptr<FileWatchPort>> watch(const QString &path, bool recursive);
};

} // namespace Sandboxio
