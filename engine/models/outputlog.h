// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/models/outputspool.h>

#include <QObject>

#include <array>

namespace Sandboxio {

/*! Where and how much of a run's output is kept. */
struct OutputLogOptions
{
    /*! Empty: `output` in the user's cache folder. */
    QString directory;
    /*! Bytes kept on disk. What comes after is counted, not kept. */
    qint64 limit = 256 * 1024 * 1024;
};

/*! The output of one run as lines, for views that show a few of them at a time. Takes chunks as they arrive,
    keeps the bytes in an OutputSpool, memory stays bounded. Lives in one thread.

    \code
    connect(process, &Process::outputReceived, log, &OutputLog::append);
    connect(process, &Process::ended, log, &OutputLog::finish);
    \endcode */
class SANDBOXIO_MODELS_EXPORT OutputLog : public QObject
{
    Q_OBJECT
public:
    struct Line
    {
        OutputStream stream = OutputStream::StandardOutput;
        QString text;      //!< as displayLine() makes it
        bool ended = true; //!< as SpooledLine::ended
        bool operator==(const Line &) const = default;
    };

    explicit OutputLog(const OutputLogOptions &options = {}, QObject *parent = nullptr);
    ~OutputLog() override;

    /*! The folder that an empty OutputLogOptions::directory means. */
    static QString defaultDirectory();

    /*! Lines that can be read, including lines that have not ended yet. */
    qint64 lineCount() const;
    QList<Line> lines(qint64 first, qsizetype count) const;
    /*! Bytes that \a stream has written so far, kept or not. */
    qint64 byteCount(OutputStream stream) const;
    /*! Bytes that were not kept because of the limit or because the disk refused them. */
    qint64 droppedBytes() const { return m_dropped; }
    /*! Why nothing more is kept, for people; empty when all is kept. */
    QString storageProblem() const;
    bool isFinished() const { return m_finished; }

public Q_SLOTS:
    void append(const Sandboxio::OutputChunk &chunk);
    /*! No more will come. */
    void finish();

Q_SIGNALS:
    /*! There is more than before. Emitted once after any number of append() in one turn of the event loop. */
    void changed();

private:
    struct Partial // the line of a stream that has not ended
    {
        QByteArray data;
        qint64 total = 0;
    };
    Partial &partial(OutputStream stream) { return m_partial[stream == OutputStream::StandardError ? 1 : 0]; }
    void store(OutputStream stream, QByteArrayView line, bool ended);
    void announce();

    OutputLogOptions m_options;
    mutable OutputSpool m_spool; // reading moves its file position and cache
    std::array<Partial, 2> m_partial;
    qint64 m_dropped = 0;
    bool m_full = false;
    bool m_finished = false;
    bool m_announced = false;
};

} // namespace Sandboxio
