// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/target.h>
#include <sandboxio/runtime/filesystem.h>

namespace Sandboxio {

namespace Detail {
class EngineLink;
}

/*! The files of a sandbox that has ended: what its lifetime left behind, until somebody removes it. They can be looked
    at and fetched, nothing can be changed, and nothing is started or extended by it. A cheap value, use it from any
    thread; Engine::storedFiles() makes it.

    Paths are as decodePath() makes them, relative ones start where runs started. What lived in memory (a tmpfs) is gone
    with the sandbox. Compared with FileSystem, directories have the size 0, owners may be numbers, and `..` may be
    resolved by name instead of through links.

    Each operation reads the labels and the state again and leaves one record. Errors: ConnectError (SBX_E1202) when
    there is no such sandbox, it is not managed, it has not ended (connect to it and use Sandbox::files()), or the
    provider does not answer; SandboxGone (SBX_E1204) when it is removed meanwhile; PathNotFound (SBX_E1701),
    FileSystemError (SBX_E1700); CapabilityNotSupported (SBX_E1101) where the backend cannot do it; ConfigurationError
    (SBX_E1000) when the engine is gone, and the errors of a target. Cancelling takes effect at once and leaves nothing partial.

    \code
    const StoredFiles files = engine.storedFiles(sandbox->target(), sandbox->id());
    for (const FileInfo &entry : files.ls().result())
        qInfo() << entry.name << entry.size;
    files.download(u"report.html"_s, u"report.html"_s).result();
    \endcode */
class SANDBOXIO_RUNTIME_EXPORT StoredFiles
{
public:
    ~StoredFiles();
    StoredFiles(const StoredFiles &);
    StoredFiles &operator=(const StoredFiles &);

    /*! As given to Engine::storedFiles(). */
    QString id() const;
    Target target() const;

    /*! The whole content of \a path. FileSystemError when it is longer than \a limit bytes: use download(). */
    Operation<QByteArray> read(const QString &path, qint64 limit = FileSystem::defaultReadLimit) const;
    /*! Copies the file \a remote to the host's file \a local, in constant memory, with progress in bytes, as
        FileSystem::download() does; a directory is FileSystemError. */
    Operation<void> download(const QString &remote, const QString &local,
                             const TransferOptions &options = {}) const;
    /*! The entries of one directory, sorted by name. Where the provider can only send a directory with all that stands
        below it, this takes as long as fetching that would, in memory for the entries alone. */
    Operation<QList<FileInfo>> ls(const QString &path = QStringLiteral(".")) const;
    /*! What \a path is; a link is told, not followed. */
    Operation<FileInfo> stat(const QString &path) const;

private:
    friend class Engine;
    struct Place;
    StoredFiles(const std::shared_ptr<Detail::EngineLink> &link, const Target &target, const QString &id);
    std::shared_ptr<const Place> m_place;
};

} // namespace Sandboxio
