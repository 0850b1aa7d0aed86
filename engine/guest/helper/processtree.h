// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

namespace Sandboxio::Guest {

/// Quick: asks each process for its children, which the kernel may leave out while others end. Thorough: looks at all
/// processes there are, which many at the same time cannot afford.
enum class TreeSearch { Quick, Thorough };

/// One pass over the process tree below \a root: stops every descendant, again and again until no
/// new one appears, then kills them all. Whoever is between two parents at that moment is met by the
/// next pass, so call it until the root has no children left. Returns how many were alive.
int killDescendants(pid_t root, TreeSearch search);

/// Parent of \a pid and whether it is alive (no zombie), from /proc; false when there is no such process.
bool readProcess(pid_t pid, pid_t &parent, bool &alive);

} // namespace Sandboxio::Guest
