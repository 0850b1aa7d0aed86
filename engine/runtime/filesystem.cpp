// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "filesystem.h"

#include "enginecore_p.h"
#include "filetransfer_p.h"
#include "taskhelpers_p.h"
#include "wholefile.h"

#include <sandboxio/core/error.h>

#include <QFile>
#include <QFileInfo>

#include <algorithm>

namespace Sandboxio {

using Detail::cancellable;
using Draft = Detail::RecordDraftPtr;
using Port = std::shared_ptr<SandboxPort>;
using Detail::TransferJobPtr;

namespace {

OperationRecord recordOf(RecordEvent event, const QStringList &paths)
{
    OperationRecord record;
    record.event = event;
    record.paths = paths;
    return record;
}

template <typename T>
void throwIfCancelled(const OperationPromise<T> &promise)
{
    if (promise.isCancelRequested())
        throw OperationCancelled();
}

QCoro::Task<QByteArray> readSteps(Port port, OperationPromise<QByteArray> promise, Draft draft, QString path,
                                  qint64 limit)
{
    const auto reader = co_await cancellable(promise, port->files()->openRead(path));
    QByteArray content;
    while (true) {
        throwIfCancelled(promise);
        const QByteArray piece = co_await reader->read(Detail::transferPieceSize);
        if (piece.isEmpty())
            co_return content;
        draft->record.bytesOut += piece.size();
        content += piece;
        if (content.size() > limit)
            makeError(ErrorKind::FileSystemError,
                      Detail::TransferText::tr("'%1' is longer than %2 bytes.").arg(path).arg(limit),
                      Detail::TransferText::tr("Use download(), or raise the limit of read()."))
                .raise();
    }
}

TransferJobPtr job(const Port &port, const OperationPromise<void> &promise, const Draft &draft,
                   FileSystem::Verification verification = FileSystem::Verification::None)
{
    return std::make_shared<Detail::TransferJob>(port, promise, draft, verification);
}

QCoro::Task<void> writeSteps(TransferJobPtr job, QString path, QByteArray data)
{
    job->progress.total = data.size();
    qint64 offset = 0;
    co_await Detail::copyIn(job, path, std::nullopt, [&] {
        const QByteArray piece = data.mid(offset, Detail::transferPieceSize);
        offset += piece.size();
        return piece;
    });
}

QCoro::Task<void> uploadFile(TransferJobPtr job, QString local, QString remote, std::optional<quint32> mode)
{
    QFile file(local);
    if (!file.open(QIODevice::ReadOnly))
        Detail::raiseLocalError(local, file.errorString());
    if (!mode)
        mode = static_cast<quint32>(file.permissions() & QFile::ExeOwner ? 0755 : 0644);
    job->progress.total = file.size();
    co_await Detail::copyIn(job, remote, mode, [&] {
        const QByteArray piece = file.read(Detail::transferPieceSize);
        if (piece.isEmpty() && file.error() != QFile::NoError)
            Detail::raiseLocalError(local, file.errorString());
        return piece;
    });
}

QCoro::Task<void> downloadFile(TransferJobPtr job, QString remote, QString local)
{
    WholeFile file(local);
    bool isOpen = false; // not before the remote file is: what is missing there leaves nothing here
    const auto open = [&] {
        if (!isOpen && !file.open())
            Detail::raiseLocalError(local, file.errorString());
        isOpen = true;
    };
    co_await Detail::copyOut(job, remote, [&](const QByteArray &piece) {
        open();
        if (!file.write(piece))
            Detail::raiseLocalError(local, file.errorString());
    });
    open();
    if (!file.commit())
        Detail::raiseLocalError(local, file.errorString());
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
        co_await downloadFile(job, remote, local);
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

QCoro::Task<QList<FileInfo>> listSteps(Port port, OperationPromise<QList<FileInfo>> promise, QString path)
{
    QList<FileInfo> entries = co_await cancellable(promise, port->files()->list(path));
    std::ranges::sort(entries, {}, &FileInfo::name);
    co_return entries;
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
    return m_handle->submitRecorded<QByteArray>(Capability::FileSystem, recordOf(RecordEvent::ReadFile, {path}),
                                                [path, limit](Port port, auto promise, Draft draft) {
                                                    return readSteps(std::move(port), promise, std::move(draft),
                                                                     path, limit);
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
            return QFileInfo(local).isDir() ? Detail::uploadFolder(upload, local, remote)
                                            : uploadFile(upload, local, remote, options.mode);
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
        [path](Port port, auto promise, const Draft &) { return listSteps(std::move(port), promise, path); });
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
