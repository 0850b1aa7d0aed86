// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/managedsandbox.h>
#include <sandboxio/runtime/export.h>

#include <functional>

namespace Sandboxio {

/*! This process as an owner label names it. */
SANDBOXIO_RUNTIME_EXPORT Owner currentOwner(const QString &session);
/*! Start time of process \a pid in clock ticks since boot; absent when there is none. */
SANDBOXIO_RUNTIME_EXPORT std::optional<qint64> processStartTime(qint64 pid);

/*! Whether anybody still owns \a sandbox, with the evidence. Orphan only on proof: its lifetime is over, or its
    owner ran on this host, in this boot and pid namespace, and is dead. A pure function: \a here is this
    process, \a now the time, \a startTimeOf looks processes up. */
SANDBOXIO_RUNTIME_EXPORT Ownership
classifyOwnership(const ManagedSandbox &sandbox, const Owner &here, const QDateTime &now,
                  const std::function<std::optional<qint64>(qint64)> &startTimeOf);

} // namespace Sandboxio
