// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "filesystem.h"

#include "enginecore_p.h"
#include "taskhelpers_p.h"
#include "wholefile.h"

#include <sandboxio/core/error.h>

#include <QCoreApplication>
#include <QFile>

#include <algorithm>

namespace Sandboxio {

using Detail::cancellable;
using Draft = Detail::RecordDraftPtr;
using Port = std::shared_ptr<SandboxPort>;

namespace {

constexpr qint64 pieceSize = 512 * 1024;

QString fileText(const char *text)
{
    return QCoreApplication::translate("Sandboxio::FileSystem", text);
}

[[noreturn]] void raiseLocal(const QString &path, const QString &why)
{
    makeError(ErrorKind::FileSystemError,
              fileText(QT_TRANSLATE_NOOP("Sandboxio::FileSystem", "The local file '%1': %2")).arg(path, why),
              fileText(QT_TRANSLATE_NOOP("Sandboxio::FileSystem",
                                         "Check the path, its permissions and the free space.")))
        .raise();
}

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
        const QByteArray piece = co_await reader->read(pieceSize);
        if (piece.isEmpty())
            co_return content;
        draft->record.bytesOut += piece.size();
        content += piece;
        if (content.size() > limit)
            makeError(ErrorKind::FileSystemError,
                      fileText(QT_TRANSLATE_NOOP("Sandboxio::FileSystem", "'%1' is longer than %2 bytes."))
                          .arg(path)
                          .arg(limit),
                      fileText(QT_TRANSLATE_NOOP("Sandboxio::FileSystem",
                                                 "Use download(), or raise the limit of read().")))
                .raise();
    }
}

// Writes what \a next gives piece by piece and commits; whatever goes wrong, nothing partial is left.
QCoro::Task<void> writeAll(std::shared_ptr<FileWriterPort> writer, OperationPromise<void> promise, Draft draft,
                           std::function<QByteArray()> next, std::optional<qint64> total)
{
    std::exception_ptr failure;
    try {
        qint64 done = 0;
        while (true) {
            throwIfCancelled(promise);
            const QByteArray piece = next();
            if (piece.isEmpty())
                break;
            co_await writer->write(piece);
            done += piece.size();
            draft->record.bytesIn = done;
            promise.reportProgress({done, total, {}});
        }
        co_await writer->commit();
        co_return;
    } catch (const QException &) {
        failure = std::current_exception();
    }
    try {
        co_await writer->abort();
    } catch (const QException &) {
        // The first failure is the one to report.
    }
    std::rethrow_exception(failure);
}

QCoro::Task<void> writeSteps(Port port, OperationPromise<void> promise, Draft draft, QString path,
                             QByteArray data)
{
    const auto writer = co_await cancellable(promise, port->files()->openWrite(path, std::nullopt));
    qint64 offset = 0;
    const auto next = [&] {
        const QByteArray piece = data.mid(offset, pieceSize);
        offset += piece.size();
        return piece;
    };
    co_await writeAll(writer, promise, draft, next, data.size());
}

QCoro::Task<void> uploadSteps(Port port, OperationPromise<void> promise, Draft draft, QString local,
                              QString remote, TransferOptions options)
{
    QFile file(local);
    if (!file.open(QIODevice::ReadOnly))
        raiseLocal(local, file.errorString());
    if (!options.mode)
        options.mode = static_cast<quint32>(file.permissions() & QFile::ExeOwner ? 0755 : 0644);
    const auto writer = co_await cancellable(promise, port->files()->openWrite(remote, options.mode));
    const auto next = [&] {
        const QByteArray piece = file.read(pieceSize);
        if (piece.isEmpty() && file.error() != QFile::NoError)
            raiseLocal(local, file.errorString());
        return piece;
    };
    co_await writeAll(writer, promise, draft, next, file.size());
}

QCoro::Task<void> downloadSteps(Port port, OperationPromise<void> promise, Draft draft, QString remote,
                                QString local)
{
    const auto reader = co_await cancellable(promise, port->files()->openRead(remote));
    WholeFile file(local);
    if (!file.open())
        raiseLocal(local, file.errorString());
    qint64 done = 0;
    while (true) {
        throwIfCancelled(promise);
        const QByteArray piece = co_await reader->read(pieceSize);
        if (piece.isEmpty())
            break;
        if (!file.write(piece))
            raiseLocal(local, file.errorString());
        done += piece.size();
        draft->record.bytesOut = done;
        promise.reportProgress({done, reader->size(), {}});
    }
    if (!file.commit())
        raiseLocal(local, file.errorString());
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
                                          [path, data](Port port, auto promise, Draft draft) {
                                              return writeSteps(std::move(port), promise, std::move(draft),
                                                                path, data);
                                          });
}

Operation<void> FileSystem::upload(const QString &local, const QString &remote,
                                   const TransferOptions &options) const
{
    return m_handle->submitRecorded<void>(
        Capability::UploadDownload, recordOf(RecordEvent::Upload, {local, remote}),
        [local, remote, options](Port port, auto promise, Draft draft) {
            return uploadSteps(std::move(port), promise, std::move(draft), local, remote, options);
        });
}

Operation<void> FileSystem::download(const QString &remote, const QString &local) const
{
    return m_handle->submitRecorded<void>(
        Capability::UploadDownload, recordOf(RecordEvent::Download, {remote, local}),
        [remote, local](Port port, auto promise, Draft draft) {
            return downloadSteps(std::move(port), promise, std::move(draft), remote, local);
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
