// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "session.h"

namespace Sandboxio::Cli {

/*! The arguments of a command that does the same with each of several sandboxes. */
struct SandboxNames
{
    QStringList ids; //!< at least one
    QList<Target> targets;
    bool operator==(const SandboxNames &) const = default;
};

Parsed<SandboxNames> parseSandboxNames(const CommandSyntax &syntax, const QStringList &arguments);

/*! Does something with one sandbox and adds to \a entry, which lives until then, what came of it. Throws SandboxError
    where that fails. */
using SandboxAction = QCoro::Task<> (*)(Session &session, ManagedSandbox row, QJsonObject &entry);

/*! The entry of \a row after \a act: `id`, `target`, `error` and what it added. A failure is in its `error`, and a warning that begins with \a failure, which has
    a place for the id. */
QCoro::Task<QJsonObject> sandboxEntry(Session &session, ManagedSandbox row, SandboxAction act, QString failure);
/*! Looks all sandboxes up, does \a act with one after the other whatever became of those before, shows the entries by
    \a render, and returns the exit code. */
QCoro::Task<int> forEachSandbox(Session &session, Parsed<SandboxNames> names, SandboxAction act,
                                QString failure,
                                QString (*render)(const QJsonObject &payload, const Style &style));

} // namespace Sandboxio::Cli
