// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/export.h>

#include <QByteArray>
#include <QList>
#include <QMap>
#include <QMetaType>
#include <QString>

#include <chrono>
#include <optional>

namespace Sandboxio {

/*! The stream that bytes came from. With a terminal (pty) everything is StandardOutput. */
enum class OutputStream { StandardOutput = 1, StandardError = 2 };

/*! A piece of output as it arrived. Order is kept within a stream; between streams nothing is promised, \a
    arrival tells only when the bytes came in. Pieces end anywhere, also inside a UTF-8 sequence. */
struct OutputChunk
{
    OutputStream stream = OutputStream::StandardOutput;
    QByteArray data;
    qint64 offset = 0;                   //!< position of the first byte in its stream
    std::chrono::nanoseconds arrival{0}; //!< since the start of the run, on the engine's clock
    /*! So many bytes directly before \a offset will never come: the provider kept them no longer. A piece that tells
        of such a gap may be empty. Zero except for background runs. */
    qint64 lostBefore = 0;
    bool operator==(const OutputChunk &) const = default;
};

/*! How a run ended. Never an invented 0: what is not known is Unknown. */
struct RunOutcome
{
    enum class Kind {
        Exited,
        Signalled,
        TimedOut,
        Cancelled,
        Killed,
        SandboxGone,
        Unknown,
        Detached //!< this handle has let go of a background run, which goes on
    };
    Kind kind = Kind::Unknown;
    int value = 0; //!< exit code for Exited, signal number for Signalled, otherwise meaningless
    bool operator==(const RunOutcome &) const = default;
};

/*! A result of code richer than text: one value in several formats, by MIME type. */
struct RichOutput
{
    QMap<QString, QByteArray> bundle;
    bool operator==(const RichOutput &) const = default;
};

/*! What a finished run left.

    Buffered streams are capped (RunOptions::outputLimit): head and tail are kept, the middle is dropped and
    counted in the total. `results` is absent where the backend has no rich results; they are never made up from
    standardOutput. */
struct SANDBOXIO_CORE_EXPORT ExecResult
{
    std::optional<int> exitCode; //!< absent when the program ended by a signal
    std::optional<int> signal;   //!< the signal that ended it
    QByteArray standardOutput;   //!< empty when streamed
    QByteArray standardError;    //!< empty when streamed
    std::optional<QList<RichOutput>> results;
    bool streamed = false;
    bool streamsOpen = false;       //!< a process that goes on held a stream when the run was taken as ended
    bool truncated = false;         //!< a stream was longer than the cap, or has a gap
    qint64 standardOutputBytes = 0; //!< all bytes the program wrote, kept or not
    qint64 standardErrorBytes = 0;
    std::chrono::nanoseconds duration{0};

    bool operator==(const ExecResult &) const = default;

    /*! Standard output decoded as UTF-8; invalid bytes become U+FFFD. */
    QString text() const;
    /*! Whether the program exited with 0. */
    bool succeeded() const;
    /*! Throws ExecutionError (SBX_E1301) unless succeeded(). */
    void throwIfFailed() const;
};

/*! The status as people say it: "exited 3", "signal 9", "timed out". Not translated: it is used in JSON too. */
SANDBOXIO_CORE_EXPORT QString outcomeText(const RunOutcome &outcome);

/*! The last \a maximum bytes of a program's error output as text, to say why it failed. */
SANDBOXIO_CORE_EXPORT QString lastLines(const QByteArray &output, qsizetype maximum);

} // namespace Sandboxio

Q_DECLARE_METATYPE(Sandboxio::OutputChunk)
Q_DECLARE_METATYPE(Sandboxio::RunOutcome)
Q_DECLARE_METATYPE(Sandboxio::ExecResult)
