// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/guest/protocol/filemessages.h>
#include <sandboxio/ports/filesystemport.h>

#include <memory>

namespace Sandboxio::Docker {

class DockerSandbox;

/*! The files of a sandbox through its guest. */
class GuestFiles final : public FileSystemPort
{
public:
    explicit GuestFiles(DockerSandbox &sandbox);

    /*! Describes a symbolic link itself. */
    Operation<FileInfo> stat(const QString &path) override;
    Operation<QList<FileInfo>> list(const QString &path) override;
    Operation<std::shared_ptr<FileReaderPort>> openRead(const QString &path) override;
    Operation<std::shared_ptr<FileWriterPort>> openWrite(const QString &path,
                                                         std::optional<quint32> mode) override;
    Operation<void> makeDirectory(const QString &path, bool parents) override;
    Operation<void> remove(const QString &path, bool recursive) override;
    /*! FileSystemError when something is at \a to. */
    Operation<void> move(const QString &from, const QString &to) override;
    Operation<void> makeLink(const QString &target, const QString &path) override;
    Operation<void> changeMode(const QString &path, quint32 mode) override;
    Operation<std::shared_ptr<FileWatchPort>> watch(const QString &path, bool recursive) override;

    /*! Writes \a data to a new file called \a name that only the sandbox's user may read, in /tmp or where that
       is not possible in the working directory; ends with its absolute path. */
    Operation<QString> writePrivate(const QString &name, const QByteArray &data);
    /*! Removes a file and does not care whether that worked. */
    void removeQuietly(const QString &path);

private:
    DockerSandbox &m_sandbox;
};

/*! What the guest says of a file, as \a path. */
FileInfo fileInfo(const Guest::FileInfo &info, const QString &path);

/*! The path of the entry \a name in \a directory, as somebody wrote it; relative ones stay so. */
QString joined(const QString &directory, const QString &name);

} // namespace Sandboxio::Docker
