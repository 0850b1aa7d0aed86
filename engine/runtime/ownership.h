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
/*! Whether there is a process \a pid that this one may not look at, as where /proc hides those of other users. */
SANDBOXIO_RUNTIME_EXPORT bool isHiddenProcess(qint64 pid);
/*! When this host started, as its clock says at \a now, UTC. */
SANDBOXIO_RUNTIME_EXPORT QDateTime hostStartTime(const QDateTime &now);

/*! Who looks, and with what. */
struct Observer
{
    Owner here;              //!< this process
    QDateTime now;           //!< UTC
    QDateTime hostStartedAt; //!< UTC; invalid: not known
    std::function<std::optional<qint64>(qint64 pid)> startTimeOf = processStartTime;
    std::function<bool(qint64 pid)> isHidden = isHiddenProcess;
};

/*! Whether anybody still owns \a sandbox, how sure that is, and the evidence. A pure function of its arguments.

    An owner is dead for certain when it ran in this boot and pid namespace and its process is gone, also when its number
    is another process now; and when it ran before this host's last boot, if the ledger knows the sandbox. Without the
    ledger the latter is likely: hosts that were cloned share a machine id. Past its lifetime a sandbox is an orphan when
    its owner is dead, as sure as that is, and for certain when the provider itself says so; it is in use when its owner lives, which may have
    extended it; and nothing is known when the owner is on another host. Who says nothing about an owner, as the Python
    sandboxio does not, is never more than likely an orphan, and only past the lifetime. */
SANDBOXIO_RUNTIME_EXPORT Ownership classifyOwnership(const ManagedSandbox &sandbox, const Observer &observer);

} // namespace Sandboxio
