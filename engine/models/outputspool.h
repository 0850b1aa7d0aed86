// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/execresult.h>
#include <sandboxio/models/export.h>

#include <QFile>
#include <QList>

#include <memory>

namespace Sandboxio {

/*! One stored line: at most OutputSpool::maximumLine bytes of one stream. A longer line is stored as several.
 */
struct SpooledLine
{
    OutputStream stream = OutputStream::StandardOutput;
    QByteArray data;   //!< without the line feed
    bool ended = true; //!< a line feed followed; false for a folded line or the last one
    bool operator==(const SpooledLine &) const = default;
};

/*! Lines on disk, in the order they were added, in a private file that is removed with the object. In memory
    there is one position for every blockLines lines. Not thread-safe. */
class SANDBOXIO_MODELS_EXPORT OutputSpool
{
public:
    static constexpr qsizetype maximumLine = 4096; //!< bytes
    static constexpr qsizetype blockLines = 128;

    /*! \a directory: where the file goes; made with mode 0700 when absent. Nothing is opened before the first
     * line. */
    explicit OutputSpool(const QString &directory);
    ~OutputSpool();
    Q_DISABLE_COPY_MOVE(OutputSpool)

    /*! Adds a line. False when it could not be stored, see errorText(). */
    bool append(OutputStream stream, QByteArrayView data, bool ended);
    qint64 lineCount() const { return m_lineCount; }
    /*! Bytes in the file and on their way to it. */
    qint64 size() const { return m_written + m_pending.size(); }
    /*! Lines \a first to \a first + \a count - 1, fewer at the end. */
    QList<SpooledLine> read(qint64 first, qsizetype count);
    QString errorText() const { return m_errorText; }
    /*! The path of the file; empty before the first line. */
    QString filePath() const;

    /*! Removes spools in \a directory that a crashed program left and that are older than \a days. */
    static void removeStale(const QString &directory, int days);

private:
    bool open();
    bool flush();
    QByteArray block(qsizetype number);

    QString m_directory;
    std::unique_ptr<QFile> m_file;
    QByteArray m_pending;
    QList<qint64> m_blocks; // file position of every blockLines-th line
    qint64 m_lineCount = 0;
    qint64 m_written = 0;
    QString m_errorText;
    qsizetype m_cachedNumber = -1; // the block read last: views read near-by lines again and again
    QByteArray m_cachedBlock;
};

} // namespace Sandboxio
