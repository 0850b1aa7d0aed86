// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/fileinfo.h>
#include <sandboxio/core/operation.h>
#include <sandboxio/runtime/export.h>
#include <sandboxio/runtime/filewatcher.h>

namespace Sandboxio {

namespace Detail {
class SandboxHandle;
}

/*! Whether a transfer compares what arrived with what was sent. */
enum class TransferVerification {
    None,
    /*! By the SHA-256 of each file, which is read once more in the sandbox for that; FileSystemError where it differs. An
        uploaded file stays in its place then, a downloaded one and folders are not put there. */
    Content
};

/*! Options of a transfer. */
struct TransferOptions
{
    /*! Permission bits of a new file in the sandbox; absent: those of the source, or 0644.
        ConfigurationError (SBX_E1000) for a folder. */
    std::optional<quint32> mode{};
    TransferVerification verification = TransferVerification::None;
};

/*! The files inside a sandbox. A cheap value, use it from any thread. Paths are as decodePath() makes them;
    relative ones start where run() starts; none is looked up on the host except the explicit local ones of
    upload() and download(). Errors: PathNotFound (SBX_E1701), FileSystemError (SBX_E1700), SandboxGone
    (SBX_E1204), CapabilityNotSupported (SBX_E1101). Cancelling leaves no partial file at either end. */
class SANDBOXIO_RUNTIME_EXPORT FileSystem
{
public:
    explicit FileSystem(std::shared_ptr<Detail::SandboxHandle> handle);
    ~FileSystem();
    FileSystem(const FileSystem &);
    FileSystem &operator=(const FileSystem &);

    static constexpr qint64 defaultReadLimit = 64 * 1024 * 1024;

    /*! The whole content of \a path. FileSystemError when it is longer than \a limit bytes: use download(). */
    Operation<QByteArray> read(const QString &path, qint64 limit = defaultReadLimit) const;
    /*! Replaces \a path by \a data in one step; mode and owner of an existing file stay. */
    Operation<void> write(const QString &path, const QByteArray &data) const;
    /*! Copies the host's file \a local to \a remote, in constant memory, with progress in bytes. A folder is copied with
        all that is in it, links as they are, to a \a remote that does not exist yet and does so only when all is
        copied; FileSystemError for what is neither file nor directory nor link. */
    Operation<void> upload(const QString &local, const QString &remote,
                           const TransferOptions &options = {}) const;
    /*! Copies \a remote to the host's file \a local, in constant memory, with progress in bytes. A character device
        such as /dev/null is written into; what is neither file nor character device is FileSystemError. A directory
        is copied as upload() copies a folder, with permission bits up to 0777. */
    Operation<void> download(const QString &remote, const QString &local,
                             const TransferOptions &options = {}) const;
    /*! The entries of one directory, sorted by name. */
    Operation<QList<FileInfo>> ls(const QString &path = QStringLiteral(".")) const;
    Operation<FileInfo> stat(const QString &path) const;
    /*! With \a parents, missing parents are made and an existing directory is no error. */
    Operation<void> mkdir(const QString &path, bool parents = false) const;
    /*! Without \a recursive a directory that is not empty is FileSystemError. */
    Operation<void> remove(const QString &path, bool recursive = false) const;
    /*! Renames a file or directory. FileSystemError when \a to exists: nothing is overwritten. */
    Operation<void> move(const QString &from, const QString &to) const;
    Operation<void> chmod(const QString &path, quint32 mode) const;
    enum class Recursion { Entries, Recursive };
    /*! Follows the changes of \a path, a file or a directory with its entries or with all below it. The caller owns
        the result; errors come as FileWatcher::failed(). Needs Capability::Watch. */
    [[nodiscard]] std::unique_ptr<FileWatcher> watch(const QString &path,
                                                     Recursion recursion = Recursion::Entries) const;

private:
    std::shared_ptr<Detail::SandboxHandle> m_handle;
};

} // namespace Sandboxio
