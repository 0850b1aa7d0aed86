// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "filesystem.h"
#include "recorder_p.h"

#include <sandboxio/core/task.h>
#include <sandboxio/ports/sandboxport.h>

#include <QCoreApplication>

#include <functional>

namespace Sandboxio::Detail {

struct TransferText
{
    Q_DECLARE_TR_FUNCTIONS(Sandboxio::FileSystem)
};

/*! What the steps of one upload or download share. Lives in the I/O thread. */
struct TransferJob
{
    std::shared_ptr<SandboxPort> port;
    OperationPromise<void> promise;
    RecordDraftPtr draft;
    FileSystem::Verification verification = FileSystem::Verification::None;
    OperationProgress progress{};
    bool isFolder = false; //!< whose size is not that of the file at hand

    /*! Throws OperationCancelled when the operation is to end. */
    void throwIfCancelled() const;
    /*! Tells that \a bytes more are done. */
    void advance(qint64 bytes);
};
using TransferJobPtr = std::shared_ptr<TransferJob>;

inline constexpr qint64 transferPieceSize = 512 * 1024;

/*! Raises FileSystemError for the file \a path of this computer. */
[[noreturn]] void raiseLocalError(const QString &path, const QString &why);

using NextPiece = std::function<QByteArray()>;
using TakePiece = std::function<void(const QByteArray &piece)>;

/*! Writes what \a next gives, until that is empty, to the new file \a remote and puts it in place. Whatever goes wrong,
    nothing partial is left. */
QCoro::Task<void> copyIn(TransferJobPtr job, QString remote, std::optional<quint32> mode, NextPiece next);
/*! Gives the content of \a remote to \a take, piece by piece. */
QCoro::Task<void> copyOut(TransferJobPtr job, QString remote, TakePiece take);

/*! Copies the folder \a local of this computer to \a remote, which must not exist yet and does so only when all is
    copied. Links go as they are. */
QCoro::Task<void> uploadFolder(TransferJobPtr job, QString local, QString remote);
/*! Copies the directory \a remote to the folder \a local of this computer; as uploadFolder(). No name that the sandbox
    tells leads out of it. */
QCoro::Task<void> downloadFolder(TransferJobPtr job, QString remote, QString local);

} // namespace Sandboxio::Detail
