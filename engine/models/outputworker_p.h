// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "outputlog.h"

#include <atomic>
#include <mutex>

namespace Sandboxio::Detail {

/*! What the log knows about its spool. */
struct OutputState
{
    qint64 rowCount = 0;
    qint64 gapBytes = 0;
    qint64 refusedBytes = 0;
    qint64 acceptedBytes = 0;
    QString errorText;
    bool finished = false;
};

/*! Carries the state from the worker to its log: one wake-up at a time. The log may die at any moment. */
struct OutputMailbox
{
    std::mutex mutex;
    OutputLog *log = nullptr;
    OutputState state;
    bool wakePosted = false;
    std::atomic_bool stop = false; //!< the log is gone, whatever takes long ends

    OutputState current();
    void publish(const OutputState &now);
};

/*! What stands, for people, for \a bytes of the middle that \a limit leaves no room for. */
QString gapText(qint64 bytes, qint64 limit);
/*! What stands for \a bytes that the disk refused for \a reason. */
QString refusedText(qint64 bytes, const QString &reason);

/*! The part of an OutputLog that lives in its thread: writes, reads and searches the spool. */
class OutputWorker : public QObject
{
    Q_OBJECT
public:
    OutputWorker(std::shared_ptr<OutputMailbox> mailbox, const OutputLogOptions &options);
    ~OutputWorker() override;

    void append(const OutputChunk &chunk);
    void finish();
    OutputLog::Page rows(qint64 first, qsizetype count);
    OutputLog::Page lastRows(qsizetype count);
    QString text(const OutputLog::Position &from, const OutputLog::Position &to, qsizetype limit);
    void find(const OutputLog::Search &search,
              const OperationPromise<std::optional<OutputLog::Match>> &promise);
    void save(OutputStream stream, const QString &path, const OperationPromise<qint64> &promise);

private:
    using Stop = std::function<bool()>;
    void publish();
    OutputLog::Line shown(const SpooledLine &line) const;
    std::optional<OutputLog::Match> findForward(const OutputLog::Search &search, qint64 end,
                                                const Stop &stopped);
    std::optional<OutputLog::Match> findBackward(const OutputLog::Search &search, qint64 end,
                                                 const Stop &stopped);

    std::shared_ptr<OutputMailbox> m_mailbox;
    qint64 m_limit;
    OutputSpool m_spool;
    qint64 m_accepted = 0;
    bool m_finished = false;
};

} // namespace Sandboxio::Detail
