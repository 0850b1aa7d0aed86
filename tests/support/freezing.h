// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

#include <functional>

namespace Sandboxio {

/*! Pauses a container by \a pause, which returns what went wrong, and does it again while the runtime gave up freezing:
    with cgroup v1 that is a game of chances, and runc leaves it to its caller to ask again
    (opencontainers/runc#4388). Returns what went wrong the last time; empty when nothing did. */
inline QString pauseForCertain(const std::function<QString()> &pause)
{
    constexpr int attempts = 5;
    QString problem;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        problem = pause();
        if (!problem.contains(QLatin1StringView("unable to freeze")))
            break;
    }
    return problem;
}

} // namespace Sandboxio
