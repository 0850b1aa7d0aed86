// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "filetransfer_p.h"

#include "taskhelpers_p.h"
#include "wholefile.h"

#include <sandboxio/core/error.h>
#include <sandboxio/core/path.h>

#include <QCryptographicHash>

namespace Sandboxio::Detail {

namespace {

/*! The SHA-256 of what passes, where somebody wants to compare it. */
class Digest
{
public:
    explicit Digest(TransferVerification verification)
        : m_isWanted(verification == TransferVerification::Content)
    {}
    void add(const QByteArray &piece)
    {
        if (m_isWanted)
            m_hash.addData(piece);
    }
    bool isWanted() const { return m_isWanted; }
    QByteArray hex() const { return m_hash.result().toHex(); }

private:
    bool m_isWanted;
    QCryptographicHash m_hash{QCryptographicHash::Sha256};
};

QCoro::Task<void> readAll(TransferJobPtr job, QString remote, TakePiece each)
{
    const auto reader = co_await cancellable(job->promise, job->open(remote));
    if (!job->isFolder && !job->progress.total)
        job->progress.total = reader->size();
    co_await takePieces(reader, job->promise, each);
}

QCoro::Task<void> compare(TransferJobPtr job, QString remote, QByteArray expected)
{
    Digest there(TransferVerification::Content);
    co_await readAll(job, remote, [&there](const QByteArray &piece) { there.add(piece); });
    if (there.hex() != expected)
        makeError(
            ErrorKind::FileSystemError,
            FileText::tr("'%1' is not what was copied: its SHA-256 is %2 instead of %3.")
                .arg(displayPath(remote), QString::fromLatin1(there.hex()), QString::fromLatin1(expected)),
            FileText::tr("Something in the sandbox has changed it meanwhile: copy it again."))
            .raise();
}

} // namespace

void TransferJob::throwIfCancelled() const
{
    Detail::throwIfCancelled(promise);
}

void TransferJob::advance(qint64 bytes)
{
    progress.done += bytes;
    promise.reportProgress(progress);
}

QCoro::Task<void> copyIn(TransferJobPtr job, QString remote, std::optional<quint32> mode, NextPiece next)
{
    const auto writer = co_await cancellable(job->promise, job->port->files()->openWrite(remote, mode));
    Digest sent(job->verification);
    std::exception_ptr failure;
    try {
        while (true) {
            job->throwIfCancelled();
            const QByteArray piece = next();
            if (piece.isEmpty())
                break;
            sent.add(piece);
            co_await writer->write(piece);
            job->draft->record.bytesIn += piece.size();
            job->advance(piece.size());
        }
        co_await writer->commit();
    } catch (const QException &) {
        failure = std::current_exception();
    }
    if (failure) {
        try {
            co_await writer->abort();
        } catch (const QException &) {
            // The first failure is the one to report.
        }
        std::rethrow_exception(failure);
    }
    if (sent.isWanted())
        co_await compare(job, remote, sent.hex());
}

QCoro::Task<void> copyOut(TransferJobPtr job, QString remote, TakePiece take)
{
    Digest received(job->verification);
    co_await readAll(job, remote, [&](const QByteArray &piece) {
        received.add(piece);
        take(piece);
        job->draft->record.bytesOut += piece.size();
        job->advance(piece.size());
    });
    if (received.isWanted())
        co_await compare(job, remote, received.hex());
}

QCoro::Task<void> downloadFile(TransferJobPtr job, QString remote, QString local)
{
    WholeFile file(local);
    bool isOpen = false; // not before the remote file is: what is missing there leaves nothing here
    const auto open = [&] {
        if (!isOpen && !file.open())
            raiseLocal(local, file.errorString());
        isOpen = true;
    };
    co_await copyOut(job, remote, [&](const QByteArray &piece) {
        open();
        if (!file.write(piece))
            raiseLocal(local, file.errorString());
    });
    open();
    if (!file.commit())
        raiseLocal(local, file.errorString());
}

} // namespace Sandboxio::Detail
