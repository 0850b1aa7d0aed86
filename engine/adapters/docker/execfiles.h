// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/ports/filesystemport.h>

#include <functional>
#include <memory>

namespace Sandboxio::Docker {

class DockerSandbox;
struct ExecFile;

/*! The files of a container without our guest, by `sh` and the usual tools, as the container's user. Each call is an
    exec, so its paths stand in the daemon's event stream. What was being uploaded when this program is killed stays as a
    hidden file. */
class ExecFiles final : public FileSystemPort
{
public:
    explicit ExecFiles(DockerSandbox &sandbox);

    Operation<FileInfo> stat(const QString &path) override;
    Operation<QList<FileInfo>> list(const QString &path) override;
    Operation<std::shared_ptr<FileReaderPort>> openRead(const QString &path) override;
    Operation<std::shared_ptr<FileWriterPort>> openWrite(const QString &path,
                                                         std::optional<quint32> mode) override;
    Operation<void> makeDirectory(const QString &path, bool parents) override;
    Operation<void> remove(const QString &path, bool recursive) override;
    Operation<void> move(const QString &from, const QString &to) override;
    Operation<void> makeLink(const QString &target, const QString &path) override;
    Operation<void> changeMode(const QString &path, quint32 mode) override;

private:
    template <typename T>
    Operation<T> onFile(const QString &path, const QString &what,
                        const std::function<Operation<T>(const ExecFile &)> &start) const;
    QByteArray absolute(const QString &path) const;

    DockerSandbox &m_sandbox;
};

} // namespace Sandboxio::Docker
