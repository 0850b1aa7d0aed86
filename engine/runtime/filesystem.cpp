// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "filesystem.h"

#include "enginecore_p.h"
#include "filesteps_p.h"
#include "filetransfer_p.h"

#include <QFile>
#include <QFileInfo>

namespace Sandboxio {

using Detail::cancellable;
using Detail::recordOf;
using Detail::TransferJobPtr;
using Draft = Detail::RecordDraftPtr;
using Port = std::shared_ptr<SandboxPort>;

namespace {

TransferJobPtr job(const Port &port, const OperationPromise<void> &promise, const Draft &draft,
                   TransferVerification verification = TransferVerification::None)
{
    const auto open = [port](const QString &path) {
        return port->files()->openRead(path);
    };
    return std::make_shared<Detail::TransferJob>(open, port, promise, draft, verification);
}

QCoro::Task<void> writeSteps(TransferJobPtr job, QString path, QByteArray data)
{
    job->progress.total = data.size();
    qint64 offset = 0;
    co_await Detail::copyIn(job, path, std::nullopt, [&] {
        const QByteArray piece = data.mid(offset, Detail::filePieceSize);
        offset += piece.size();
        return piece;
    });
}

QCoro::Task<void> uploadFile(TransferJobPtr job, QString local, QString remote, std::optional<quint32> mode)
{
    QFile file(local);
    if (!file.open(QIODevice::ReadOnly))
        Detail::raiseLocal(local, file.errorString());
    if (!mode)
        mode = static_cast<quint32>(file.permissions() & QFile::ExeOwner ? 0755 : 0644);
    job->progress.total = file.size();
    co_await Detail::copyIn(job, remote, mode, [&] {
        const QByteArray piece = file.read(Detail::filePieceSize);
        if (piece.isEmpty() && file.error() != QFile::NoError)
            Detail::raiseLocal(local, file.errorString());
        return piece;
    });
}

QCoro::Task<void> uploadSteps(TransferJobPtr job, QString local, QString remote, std::optional<quint32> mode)
{
    const bool isFolder = QFileInfo(local).isDir();
    if (isFolder && mode)
        makeError(
            ErrorKind::ConfigurationError,
            Detail::FileText::tr("One mode cannot be given to all that is in the folder '%1'.").arg(local),
            Detail::FileText::tr("Leave TransferOptions::mode unset: everything keeps its own."))
            .raise();
    co_await (isFolder ? Detail::uploadFolder(job, local, remote) : uploadFile(job, local, remote, mode));
}

QCoro::Task<bool> isDirectory(Port port, OperationPromise<void> promise, QString path)
{
    const FileInfo info = co_await cancellable(promise, port->files()->stat(path));
    co_return info.type == FileInfo::Type::Directory;
}

QCoro::Task<void> downloadSteps(TransferJobPtr job, QString remote, QString local)
{
    std::exception_ptr failure;
    try {
        co_await Detail::downloadFile(job, remote, local);
        co_return;
    } catch (const PathNotFound &) {
        throw;
    } catch (const FileSystemError &) {
        failure = std::current_exception(); // perhaps because it is a directory, which costs a look only then
    }
    if (job->progress.done > 0 || !co_await isDirectory(job->port, job->promise, remote))
        std::rethrow_exception(failure);
    co_await Detail::downloadFolder(job, remote, local);
}

} // namespace

FileSystem::FileSystem(std::shared_ptr<Detail::SandboxHandle> handle)
    : m_handle(std::move(handle))
{}
FileSystem::~FileSystem() = default;
FileSystem::FileSystem(const FileSystem &) = default;
FileSystem &FileSystem::operator=(const FileSystem &) = default;

Operation<QByteArray> FileSystem::read(const QString &path, qint64 limit) const
{
    return m_handle->submitRecorded<QByteArray>(
        Capability::FileSystem, recordOf(RecordEvent::ReadFile, {path}),
        [path, limit](const Port &port, auto promise, Draft draft) {
            return Detail::readWhole(port->files()->openRead(path), promise, std::move(draft), path, limit);
        });
}

Operation<void> FileSystem::write(const QString &path, const QByteArray &data) const
{
    return m_handle->submitRecorded<void>(Capability::FileSystem, recordOf(RecordEvent::WriteFile, {path}),
                                          [path, data](const Port &port, auto promise, const Draft &draft) {
                                              return writeSteps(job(port, promise, draft), path, data);
                                          });
}

Operation<void> FileSystem::upload(const QString &local, const QString &remote,
                                   const TransferOptions &options) const
{
    return m_handle->submitRecorded<void>(
        Capability::UploadDownload, recordOf(RecordEvent::Upload, {local, remote}),
        [local, remote, options](const Port &port, auto promise, const Draft &draft) {
            const TransferJobPtr upload = job(port, promise, draft, options.verification);
            return uploadSteps(upload, local, remote, options.mode);
        });
}

Operation<void> FileSystem::download(const QString &remote, const QString &local,
                                     const TransferOptions &options) const
{
    return m_handle->submitRecorded<void>(
        Capability::UploadDownload, recordOf(RecordEvent::Download, {remote, local}),
        [remote, local, options](const Port &port, auto promise, const Draft &draft) {
            return downloadSteps(job(port, promise, draft, options.verification), remote, local);
        });
}

Operation<QList<FileInfo>> FileSystem::ls(const QString &path) const
{
    return m_handle->submitRecorded<QList<FileInfo>>(
        Capability::FileSystem, recordOf(RecordEvent::ListDirectory, {path}),
        [path](const Port &port, auto promise, const Draft &) {
            return Detail::sortedEntries(port->files()->list(path), promise);
        });
}

Operation<FileInfo> FileSystem::stat(const QString &path) const
{
    return m_handle->submitRecorded<FileInfo>(Capability::FileSystem, recordOf(RecordEvent::StatFile, {path}),
                                              [path](const Port &port, auto promise, const Draft &) {
                                                  return cancellable(promise, port->files()->stat(path));
                                              });
}

Operation<void> FileSystem::mkdir(const QString &path, bool parents) const
{
    return m_handle->submitRecorded<void>(Capability::FileSystem, recordOf(RecordEvent::MakeDirectory, {path}),
                                          [path, parents](const Port &port, auto promise, const Draft &) {
                                              return cancellable(promise,
                                                                 port->files()->makeDirectory(path, parents));
                                          });
}

Operation<void> FileSystem::remove(const QString &path, bool recursive) const
{
    return m_handle->submitRecorded<void>(Capability::FileSystem, recordOf(RecordEvent::RemoveFile, {path}),
                                          [path, recursive](const Port &port, auto promise, const Draft &) {
                                              return cancellable(promise,
                                                                 port->files()->remove(path, recursive));
                                          });
}

Operation<void> FileSystem::move(const QString &from, const QString &to) const
{
    return m_handle->submitRecorded<void>(Capability::FileSystem, recordOf(RecordEvent::MoveFile, {from, to}),
                                          [from, to](const Port &port, auto promise, const Draft &) {
                                              return cancellable(promise, port->files()->move(from, to));
                                          });
}

Operation<void> FileSystem::chmod(const QString &path, quint32 mode) const
{
    return m_handle->submitRecorded<void>(Capability::FileSystem, recordOf(RecordEvent::ChangeMode, {path}),
                                          [path, mode](const Port &port, auto promise, const Draft &) {
                                              return cancellable(promise,
                                                                 port->files()->changeMode(path, mode));
                                          });
}

std::unique_ptr<FileWatcher> FileSystem::watch(const QString &path, Recursion recursion) const
{
    return std::make_unique<FileWatcher>(m_handle, path, recursion == Recursion::Recursive);
}

} // namespace Sandboxio
