// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/execresult.h>
#include <sandboxio/models/export.h>

#include <QFile>
#include <QList>

#include <array>
#include <deque>
#include <functional>
#include <memory>

namespace Sandboxio {

/*! One row of stored output: a line of one stream, at most OutputSpool::maximumLine bytes; a longer line is
    several rows. */
struct SpooledLine
{
    enum class Kind {
        Text,
        Gap,     //!< not output: stands for missingBytes beyond the limit
        Refused, //!< not output: stands for missingBytes that the disk did not take
    };
    Kind kind = Kind::Text;
    OutputStream stream = OutputStream::StandardOutput;
    QByteArray data;   //!< without the line feed
    bool ended = true; //!< a line feed followed; false for a folded line or the last one
    qint64 missingBytes = 0;
    bool operator==(const SpooledLine &) const = default;
};

/*! The bytes of a run on disk, read as lines: in a private file that is removed with the object. Lines keep the
    order in which they ended; the bytes of each stream are kept exactly.

    Up to the limit everything is kept. Beyond it the first half of the limit stays, and of the rest the newest
    part; one row of Kind::Gap stands for what lies between. When the disk refuses a write nothing more is kept:
    the last row, of Kind::Refused, tells how much. Memory holds the block being filled and 32 bytes for every block of
    the file. Not thread-safe. */
class SANDBOXIO_MODELS_EXPORT OutputSpool
{
public:
    static constexpr qsizetype maximumLine = 1024; //!< bytes

    /*! \a directory: where the file goes; made with mode 0700 when absent. Nothing is opened before a block is
       full. \a limit: bytes on disk, at least 32 KiB. */
    OutputSpool(const QString &directory, qint64 limit);
    ~OutputSpool();
    Q_DISABLE_COPY_MOVE(OutputSpool)

    /*! Takes the next bytes of \a stream, cut anywhere. */
    void append(OutputStream stream, QByteArrayView data);
    /*! No more will come: what has not ended is stored as it is. */
    void finish();

    /*! Rows that can be read: lines, also those that have not ended, and gaps. */
    qint64 rowCount() const;
    /*! Rows \a first to \a first + \a count - 1, fewer at the end. */
    QList<SpooledLine> read(qint64 first, qsizetype count);
    /*! Rows that have gone from the middle since the beginning: what stood in row n stands in row n minus the
       difference, if it is beyond the gap. */
    qint64 removedRows() const { return m_gap.lines > 0 ? m_gap.lines - 1 : 0; }
    /*! The row of the gap in the middle; -1 without one. */
    qint64 gapRow() const { return m_gap.lines > 0 ? headLines() : -1; }
    /*! Bytes that are not kept because of the limit. */
    qint64 gapBytes() const { return m_gap.bytes(); }
    /*! Bytes that are not kept because the disk refused them. */
    qint64 refusedBytes() const { return m_refused[0] + m_refused[1]; }
    /*! Why nothing more is kept; empty while the disk takes everything. */
    QString errorText() const { return m_errorText; }
    /*! The path of the file; empty before there is one. */
    QString filePath() const;

    /*! Hands the bytes of \a stream, exactly as they came, to \a sink in order; \a gap is called in between
       where bytes are missing. Both return false to end early. Returns whether all was handed out and could be
       read. */
    bool exportBytes(OutputStream stream, const std::function<bool(QByteArrayView)> &sink,
                     const std::function<bool(qint64 missing)> &gap);
    /*! The stored bytes of the block that holds row \a row, of both streams, for a quick look; \a nextRow is the
       first row after it, \a firstRow its first. Gaps and lines that have not ended are blocks of their own. */
    QByteArray blockOfRow(qint64 row, qint64 *firstRow, qint64 *nextRow);

    /*! Removes spools in \a directory that a crashed program left and that are older than \a days. */
    static void removeStale(const QString &directory, int days);

private:
    struct Block
    {
        qint64 firstLine = 0; // counted from the beginning of the run, lines in the gap included
        qint64 slot = 0;
        qint32 lines = 0;
        qint32 size = 0; // with the headers of runs
        std::array<qint32, 2> streamBytes{};
    };
    struct Gap
    {
        qint64 lines = 0;
        std::array<qint64, 2> streamBytes{};
        qint64 bytes() const { return streamBytes[0] + streamBytes[1]; }
    };

    bool open();
    bool write(QByteArrayView bytes);
    void store(OutputStream stream, QByteArrayView bytes, qint32 lines);
    void closeBlock();
    qint64 takeSlot();
    qint64 headLines() const { return m_head.empty() ? 0 : m_head.back().firstLine + m_head.back().lines; }
    qint64 storedLines() const { return m_open.firstLine + m_open.lines - m_gap.lines; }
    const Block *blockOfLine(qint64 line) const;
    QByteArray bytesOf(const Block &block);
    bool exportBlock(const Block &block, OutputStream stream, const std::function<bool(QByteArrayView)> &sink);

    QString m_directory;
    qsizetype m_blockSize;
    qint64 m_slots; // of the head, and as many of the tail
    std::unique_ptr<QFile> m_file;
    std::deque<Block> m_head;
    std::deque<Block> m_tail; // its slots are used in turn
    Gap m_gap;
    Block m_open;                        // the block being filled
    QByteArray m_openBytes;              // its bytes
    qsizetype m_runStart = -1;           // of the run being extended in m_openBytes
    std::array<QByteArray, 2> m_partial; // the line of a stream that has not ended
    std::array<qint64, 2> m_refused{};
    QString m_errorText;
    qint64 m_cachedSlot = -1; // the block read last: views read near-by rows again and again
    QByteArray m_cachedBlock;
};

} // namespace Sandboxio
