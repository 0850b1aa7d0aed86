// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QStringList>

namespace Sandboxio::Live {

/*! What became of one attack on the lifetime of a sandbox, as measured. */
struct LifetimeRow
{
    QString attack;
    QString user = QStringLiteral("root");
    QString runtime = QStringLiteral("runc");
    QString answers; //!< what the tries were answered with; empty: nothing was looked at
    qint64 lifetimeMs = 0;
    qint64 endedMs = -1;      //!< after the sandbox was handed out; negative: it did not end
    qint64 latenessMs = 2000; //!< that is allowed
    bool isPaused = false;

    bool isInTime() const { return endedMs >= 0 && endedMs <= lifetimeMs + latenessMs; }
    QString toText() const;
};

/*! Prints \a row, and adds it to the Markdown table in the file that SANDBOXIO_LIFETIME_TABLE names, which several
    test programs may share. */
void addToLifetimeTable(const LifetimeRow &row);

} // namespace Sandboxio::Live
