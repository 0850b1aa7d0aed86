// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "uniquefd.h"

#include <array>
#include <cstdint>
#include <string>
#include <sys/resource.h>
#include <sys/types.h>
#include <vector>

namespace Sandboxio::Guest {

struct SpawnPlan
{
    std::vector<std::string> argv;
    std::vector<std::string> environment;
    bool clearEnvironment = false;
    std::string workingDirectory;
    std::string term; ///< not empty: descriptor 0 becomes the controlling terminal
    std::array<int, 4> descriptors{-1, -1, -1, -1}; ///< the last is optional
    rlimit openFiles{};
};

/// What a supervisor writes into its report pipe, whole records only.
struct SupervisorReport
{
    /// Forked comes from the process itself before it executes anything, so that it is known even
    /// when it kills its supervisor at once.
    enum Kind : std::int32_t { Forked, Started, NotStarted, Ended };
    Kind kind;
    std::int32_t first;  ///< Forked, Started: pid. NotStarted: errno. Ended: the wait status
    std::int32_t second; ///< NotStarted: the SpawnStage. Ended: 1 when no other process of the run is left
};

struct Supervisor
{
    pid_t pid = -1;
    UniqueFd report; ///< non-blocking
};

/// Forks a supervisor: a subreaper in its own session which starts the process, reports its end and
/// stays as long as any descendant lives. pid is -1 with errno when there was no fork.
Supervisor startSupervisor(const SpawnPlan &plan);

/// Closes every descriptor from \a first on.
void closeDescriptorsFrom(int first);

} // namespace Sandboxio::Guest
