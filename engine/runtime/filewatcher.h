// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/fileinfo.h>
#include <sandboxio/runtime/export.h>

#include <QList>
#include <QObject>

#include <memory>

namespace Sandboxio {

namespace Detail {
class FileWatchMailbox;
class SandboxHandle;
} // namespace Detail

/*! Follows the changes of a file or directory inside a sandbox. Made by FileSystem::watch(), lives in the caller's
    thread, which needs an event loop. Destroying it ends the watch.

    Memory stays flat however slow the receiver is: the next changes are asked for when the last ones were told, and
    where too many came meanwhile, FileChange::Kind::Overflow says so.

    \code
    std::unique_ptr<FileWatcher> watcher = sandbox->files().watch(u"src"_s, FileSystem::Recursion::Recursive);
    connect(watcher.get(), &FileWatcher::changed, this, [](const QList<FileChange> &changes) { … });
    connect(watcher.get(), &FileWatcher::failed, this, [](const ErrorInfo &error) { … });
    \endcode */
class SANDBOXIO_RUNTIME_EXPORT FileWatcher : public QObject
{
    Q_OBJECT
public:
    /*! For FileSystem::watch(). */
    FileWatcher(std::shared_ptr<Detail::SandboxHandle> handle, const QString &path, bool recursive);
    ~FileWatcher() override;

    QString path() const { return m_path; }

Q_SIGNALS:
    /*! From now on every change is told; what was there before is for FileSystem::ls(). Once. */
    void started();
    /*! Never empty, in order. */
    void changed(const QList<Sandboxio::FileChange> &changes);
    /*! The end: nothing follows. PathNotFound (SBX_E1701): the watched path is not there or has gone;
        CapabilityNotSupported (SBX_E1101); SandboxGone (SBX_E1204); FileSystemError (SBX_E1700): too much to watch,
        among others. Once, and not when the watcher is destroyed or its engine shuts down. */
    void failed(const Sandboxio::ErrorInfo &error);

private:
    void drain();

    QString m_path;
    std::shared_ptr<Detail::FileWatchMailbox> m_mailbox;
    std::function<void()> m_cancel;
};

} // namespace Sandboxio
