// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "filesteps_p.h"

#include <algorithm>

namespace Sandboxio::Detail {

void raiseLocal(const QString &path, const QString &why)
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

QCoro::Task<QByteArray> readWhole(OpeningFile opening, OperationPromise<QByteArray> promise,
                                  RecordDraftPtr draft, QString path, qint64 limit)
{
    const auto reader = co_await cancellable(promise, opening);
    QByteArray content;
    while (true) {
        throwIfCancelled(promise);
        const QByteArray piece = co_await cancellable(promise, reader->read(filePieceSize));
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

QCoro::Task<QList<FileInfo>> sortedEntries(Operation<QList<FileInfo>> listing,
                                           OperationPromise<QList<FileInfo>> promise)
{
    QList<FileInfo> entries = co_await cancellable(promise, listing);
    std::ranges::sort(entries, {}, &FileInfo::name);
    co_return entries;
}

} // namespace Sandboxio::Detail
