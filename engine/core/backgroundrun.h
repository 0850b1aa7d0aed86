// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/execresult.h>

#include <QDateTime>
#include <QStringList>

namespace Sandboxio {

/*! A run that belongs to its sandbox instead of to the program that started it, as the sandbox tells of it. It and
    what is kept of its output stay until it is removed or the sandbox ends. */
struct BackgroundRun
{
    /*! What is known of one output stream. */
    struct Stream
    {
        qint64 written = 0; //!< bytes that the run has written so far
        qint64 kept = 0;    //!< the last so many of them can still be read
        bool operator==(const Stream &) const = default;
    };
    QString id;
    QStringList arguments;         //!< what was started, without secrets; very long ones are cut
    QDateTime startedAt;           //!< UTC, by the sandbox's clock
    bool isTerminal = false;       //!< it runs on a terminal: attachments may write and resize
    int attachments = 0;           //!< how many read it now
    std::optional<RunOutcome> end; //!< how the main process ended; absent while it runs
    Stream standardOutput;
    Stream standardError;
    bool operator==(const BackgroundRun &) const = default;
};

/*! Where reading a background run begins, in bytes from the start of each stream. */
struct AttachOptions
{
    qint64 standardOutputOffset = 0;
    qint64 standardErrorOffset = 0;
    bool operator==(const AttachOptions &) const = default;
};

} // namespace Sandboxio

Q_DECLARE_METATYPE(Sandboxio::BackgroundRun)
