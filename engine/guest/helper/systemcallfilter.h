// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <linux/filter.h>
#include <sys/types.h>
#include <vector>

namespace Sandboxio::Guest {

enum class Machine { Amd64, Arm64 }; ///< each with the 32-bit programs that it can run

/// A seccomp program that refuses, with EPERM, what changes the scheduling, the I/O priority or the limits of the
/// process \a init: by its id, by its process group \a group (0: it has none here) or by its user. It must have one
/// thread only. Everything else is allowed, so the same calls go on working for oneself and for others.
std::vector<sock_filter> initProtection(Machine machine, pid_t init, pid_t group);

/// Puts initProtection() of the calling process in force for it and for everything that it starts, and makes the
/// kernel give no privileges on execution any more, which a filter needs. False with errno where there are no filters.
bool protectInit();

} // namespace Sandboxio::Guest
