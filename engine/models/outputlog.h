// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/operation.h>
#include <sandboxio/models/outputspool.h>

#include <QObject>
#include <QPointer>

#include <array>

class QThread;

namespace Sandboxio {

namespace Detail {
class OutputWorker;
struct OutputMailbox;
} // namespace Detail

/*! Where and how much of a run's output is kept. */
struct OutputLogOptions
{
    /*! Empty: `output` in the user's cache folder. */
    QString directory;
    /*! Bytes kept on disk, at least 32 KiB. Beyond it the middle is dropped, see OutputSpool. */
    qint64 limit = qint64(2) * 1024 * 1024 * 1024;
};

/*! The output of one run as rows of text, for views that show a few of them at a time. Takes chunks as they
    arrive, keeps the bytes in an OutputSpool that a thread of its own writes and reads; nothing here touches the
    disk in the caller's thread. Lives in one thread, which needs an event loop.

    Memory stays bounded when the producer waits while pendingBytes() is high:
    \code
    const auto pull = [log, process, asking = std::make_shared<bool>(false)] {
        if (*asking || log->pendingBytes() >= OutputLog::enoughPending)
            return;
        *asking = true; // one call at a time, and none after the last
        process->nextChunk().then(log, [log, asking](const std::optional<OutputChunk> &chunk) {
            *asking = !chunk;
            if (chunk)
                log->append(*chunk); // changed() follows
            else
                log->finish();
        });
    };
    connect(log, &OutputLog::changed, log, pull);
    pull();
    \endcode */
class SANDBOXIO_MODELS_EXPORT OutputLog : public QObject
{
    Q_OBJECT
public:
    static constexpr qint64 enoughPending = 1024 * 1024; //!< bytes on their way that keep the thread busy

    struct Line
    {
        OutputStream stream = OutputStream::StandardOutput;
        QString text;       //!< as displayLine() makes it; of a gap, what is missing
        bool ended = true;  //!< as SpooledLine::ended
        bool isGap = false; //!< not output but a mark for what is not kept
        bool operator==(const Line &) const = default;
    };
    /*! Some rows, and what there was when they were read. */
    struct Page
    {
        qint64 first = 0; //!< the row of lines.first()
        QList<Line> lines;
        qint64 rowCount = 0;
        qint64 removedRows = 0; //!< as OutputSpool::removedRows()
        qint64 gapRow = -1;     //!< as OutputSpool::gapRow()
    };
    struct Position
    {
        qint64 row = 0;
        qsizetype column = 0; //!< in Line::text
        auto operator<=>(const Position &) const = default;
    };
    /*! What to look for; upper and lower case are the same. */
    struct Search
    {
        QString text;
        bool backward = false;
        Position from; //!< forward: the first place that may match; backward: the place before which it starts
    };
    struct Match
    {
        Position position;
        qsizetype length = 0;
        bool wrapped = false; //!< found after going on from the other end
        bool operator==(const Match &) const = default;
    };

    explicit OutputLog(const OutputLogOptions &options = {}, QObject *parent = nullptr);
    ~OutputLog() override;

    /*! The folder that an empty OutputLogOptions::directory means. */
    static QString defaultDirectory();

    /*! Rows that can be read now, maybe more than at the last changed(). */
    qint64 rowCount() const;
    /*! Rows \a first to \a first + \a count - 1, fewer at the end; after everything appended before. */
    Operation<Page> rows(qint64 first, qsizetype count);
    /*! The last \a count rows. */
    Operation<Page> lastRows(qsizetype count);
    /*! The text from \a from to \a to, lines separated by line feeds, folded ones joined; at most about \a limit
        characters. */
    Operation<QString> text(const Position &from, const Position &to, qsizetype limit);
    /*! Looks for \a search in the text of rows, once around; absent when it is nowhere. cancel() stops it. */
    Operation<std::optional<Match>> find(const Search &search);
    /*! Writes the bytes that \a stream has written so far, exactly as they came, to the file \a path, which
        appears when it is complete. Where bytes are not kept a line in square brackets says how many. Ends with
        the number of bytes that are missing; FileSystemError (SBX_E1700) when the file cannot be written.
        cancel() leaves no file. */
    Operation<qint64> save(OutputStream stream, const QString &path);

    /*! Bytes that \a stream has written so far, kept or not. */
    qint64 byteCount(OutputStream stream) const;
    /*! Bytes that were appended and are not stored by now. */
    qint64 pendingBytes() const;
    /*! Bytes that by now are not kept, because of the limit or because the disk refused them. */
    qint64 missingBytes() const;
    /*! What is not kept and why, for people; empty when all is kept. */
    QString storageProblem() const;
    /*! finish() was called and everything before it is stored. */
    bool isFinished() const;

public Q_SLOTS:
    void append(const Sandboxio::OutputChunk &chunk);
    /*! No more will come. */
    void finish();

Q_SIGNALS:
    /*! Bytes have been stored: there is more to read, and pendingBytes() is lower. */
    void changed();
    /*! The disk refused output for \a reason; from now on bytes are counted, not kept. Emitted once. */
    void storageFailed(const QString &reason);
    /*! isFinished() has become true. */
    void finished();

private:
    friend Detail::OutputMailbox;
    template <typename T, typename Call>
    Operation<T> ask(Call call);
    void startThread();
    void post(std::function<void(Detail::OutputWorker &)> call);
    void takeState();

    OutputLogOptions m_options;
    std::shared_ptr<Detail::OutputMailbox> m_mailbox;
    QPointer<QThread> m_thread;               // started with the first use; deletes itself when it has ended
    Detail::OutputWorker *m_worker = nullptr; // lives and dies with the thread
    std::array<qint64, 2> m_bytes{};
    bool m_failureTold = false;
    bool m_finishTold = false;
};

} // namespace Sandboxio
