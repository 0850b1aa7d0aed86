// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "filesteps_p.h"
#include "filesystem.h"

#include <sandboxio/core/task.h>
#include <sandboxio/ports/sandboxport.h>

namespace Sandboxio::Detail {

using OpenFile = std::function<OpeningFile(const QString &path)>;

/*! What the steps of one upload or download share. Lives in the I/O thread. */
struct TransferJob
{
    OpenFile open;
    std::shared_ptr<SandboxPort> port; //!< null where files are only read
    OperationPromise<void> promise;
    RecordDraftPtr draft;
    TransferVerification verification = TransferVerification::None;
    OperationProgress progress{};
    bool isFolder = false; //!< one to download, whose size nobody knows before

    /*! Throws OperationCancelled when the operation is to end. */
    void throwIfCancelled() const;
    /*! Tells that \a bytes more are done. */
    void advance(qint64 bytes);
};
using TransferJobPtr = std::shared_ptr<TransferJob>;

using NextPiece = std::function<QByteArray()>;

/*! Writes what \a next gives, until that is empty, to the new file \a remote and puts it in place. Whatever goes wrong,
    nothing partial is left. */
QCoro::Task<void> copyIn(TransferJobPtr job, QString remote, std::optional<quint32> mode, NextPiece next);
/*! Gives the content of \a remote to \a take, piece by piece. */
QCoro::Task<void> copyOut(TransferJobPtr job, QString remote, TakePiece take);

/*! Copies \a remote to the file \a local of this computer: whole, or nothing of it. */
QCoro::Task<void> downloadFile(TransferJobPtr job, QString remote, QString local);

/*! Copies the folder \a local of this computer to \a remote, which must not exist yet and does so only when all is
    copied. Links go as they are. */
QCoro::Task<void> uploadFolder(TransferJobPtr job, QString local, QString remote);
/*! Copies the directory \a remote to the folder \a local of this computer; as uploadFolder(). No name that the sandbox
    tells leads out of it. */
QCoro::Task<void> downloadFolder(TransferJobPtr job, QString remote, QString local);

} // namespace Sandboxio::Detail
