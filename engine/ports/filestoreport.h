// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/managedsandbox.h>
#include <sandboxio/ports/filesystemport.h>

namespace Sandboxio {

/*! The files that a sandbox has left behind: to be looked at and read, never changed. Lives in the I/O thread and may
    outlive its backend. Paths and errors are those of FileSystemPort, with these differences: sizes of directories are
    0; owners may be numbers; `..` in a path may be resolved by name instead of through links; what lived in memory or
    is no file (sockets) is not there. Cancelling ends an operation at once, a transfer included. */
class SANDBOXIO_CORE_EXPORT StoredFilesPort
{
public:
    virtual ~StoredFilesPort();
    /*! As the provider described it when this was opened. */
    virtual ManagedSandbox managed() const = 0;
    /*! A link is told, not followed. */
    virtual Operation<FileInfo> stat(const QString &path) = 0;
    /*! The entries of a directory, one level, in no order; a link to one is followed. In memory for the entries alone,
       whatever stands below them, though a provider may have to send that too. */
    virtual Operation<QList<FileInfo>> list(const QString &path) = 0;
    /*! In constant memory; nothing is fetched far ahead of who reads. Links are followed. */
    virtual Operation<std::shared_ptr<FileReaderPort>> openRead(const QString &path) = 0;
};

/*! Reads the files of managed sandboxes that have ended and were not removed yet. Optional. */
class SANDBOXIO_CORE_EXPORT FileStorePort
{
public:
    virtual ~FileStorePort();
    /*! Reads the labels and the state again. ConnectError when there is no such sandbox, when it is not managed, and
       when it has not ended: SandboxPort::files() shows those, with what they hold in memory. Starts nothing and
       changes nothing. */
    virtual Operation<std::shared_ptr<StoredFilesPort>> open(const QString &id) = 0;
};

} // namespace Sandboxio
