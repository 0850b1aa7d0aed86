// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "../sandboxchoice.h"

namespace Sandboxio::Cli {

/*! The arguments of `sandboxio run`. */
struct RunArguments
{
    SandboxChoice sandbox;
    QStringList program; //!< argv
    std::optional<std::chrono::milliseconds> timeout;
    QMap<QString, QString> env;
    QString workingDirectory;
    bool interactive = false;
    bool detach = false; //!< start it as a background run
    bool json = false;   //!< arguments of the program may be called --json too
    bool operator==(const RunArguments &) const = default;
};

Parsed<RunArguments> parseRun(const QStringList &arguments);
QCoro::Task<int> executeRun(Session &session, QStringList arguments);

/*! The lifetime that a sandbox for one run needs: at least the run's own limit and a minute for what surrounds
 * it. */
std::chrono::milliseconds lifetimeFor(std::chrono::milliseconds lifetime,
                                      std::optional<std::chrono::milliseconds> timeout);

} // namespace Sandboxio::Cli
