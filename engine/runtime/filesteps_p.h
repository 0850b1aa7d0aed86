// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "recorder_p.h"
#include "taskhelpers_p.h"

#include <sandboxio/core/error.h>
#include <sandboxio/ports/filesystemport.h>

#include <QCoreApplication>

#include <functional>

namespace Sandboxio::Detail {

// What the operations on files share, whether their sandbox runs or has ended.

/*! How much is asked for and given at once, bytes. */
inline constexpr qint64 filePieceSize = 512 * 1024;

struct FileText
{
    Q_DECLARE_TR_FUNCTIONS(Sandboxio::FileSystem)
};

/*! \throws FileSystemError about \a path on this computer. */
[[noreturn]] void raiseLocal(const QString &path, const QString &why);
OperationRecord recordOf(RecordEvent event, const QStringList &paths);

template <typename T>
void throwIfCancelled(const OperationPromise<T> &promise)
{
    if (promise.isCancelRequested())
        throw OperationCancelled();
}

using TakePiece = std::function<void(const QByteArray &piece)>;
/*! Gives what is left of \a reader to \a take, piece by piece. */
template <typename T>
QCoro::Task<void> takePieces(std::shared_ptr<FileReaderPort> reader, OperationPromise<T> promise,
                             TakePiece take)
{
    while (true) {
        throwIfCancelled(promise);
        const QByteArray piece = co_await cancellable(promise, reader->read(filePieceSize));
        if (piece.isEmpty())
            co_return;
        take(piece);
    }
}

using OpeningFile = Operation<std::shared_ptr<FileReaderPort>>;
/*! All of the file that \a opening opens; \a path is for the error when that is longer than \a limit bytes. */
QCoro::Task<QByteArray> readWhole(OpeningFile opening, OperationPromise<QByteArray> promise,
                                  RecordDraftPtr draft, QString path, qint64 limit);
/*! The entries that \a listing gives, by their names. */
QCoro::Task<QList<FileInfo>> sortedEntries(Operation<QList<FileInfo>> listing,
                                           OperationPromise<QList<FileInfo>> promise);

} // namespace Sandboxio::Detail
