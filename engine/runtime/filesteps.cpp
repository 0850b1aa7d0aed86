// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "filesteps_p.h"

#include <sandboxio/core/path.h>

#include <algorithm>

namespace Sandboxio::Detail {

void raiseLocal(const QString &path, const QString &why)
{
    makeError(ErrorKind::FileSystemError, FileText::tr("The local file '%1': %2").arg(path, why),
              FileText::tr("Check the path, its permissions and the free space."))
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
    co_await takePieces(reader, promise, [&](const QByteArray &piece) {
        draft->record.bytesOut += piece.size();
        content += piece;
        if (content.size() > limit)
            makeError(ErrorKind::FileSystemError,
                      FileText::tr("'%1' is longer than %2 bytes.").arg(displayPath(path)).arg(limit),
                      FileText::tr("Use download(), or raise the limit of read()."))
                .raise();
    });
    co_return content;
}

QCoro::Task<QList<FileInfo>> sortedEntries(Operation<QList<FileInfo>> listing,
                                           OperationPromise<QList<FileInfo>> promise)
{
    QList<FileInfo> entries = co_await cancellable(promise, listing);
    std::ranges::sort(entries, {}, &FileInfo::name);
    co_return entries;
}

} // namespace Sandboxio::Detail
