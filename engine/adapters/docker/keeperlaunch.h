// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "endpoint.h"

#include <sandboxio/core/isolation.h>
#include <sandboxio/core/operation.h>

namespace Sandboxio::Docker {

/*! Names the keeper's program; wins over the places beside this plugin. */
inline constexpr const char *keeperVariable = "SANDBOXIO_KEEPER";

/*! The program that ends sandboxes whose own first process cannot when their lifetime is over; empty: it is not installed. */
QString keeperProgram();
/*! Why sandboxes of \a endpoint cannot be paused; absent: they can. While one is paused its first process stands
    still, and only a keeper beside a daemon on this host can take its place. */
std::optional<ErrorInfo> pauseObstacle(const std::expected<Endpoint, ErrorInfo> &endpoint,
                                       const QString &keeper);
/*! Whether a program inside may be able to stop the first process, so that a keeper has to end the sandbox. Measured:
    `kill -STOP 1` does nothing under runc, and stops it under gVisor (2024-07). */
bool needsKeeper(IsolationTier tier);
/*! Who ends a sandbox with the guest as its first process, under a runtime of \a tier, for people; \a hasKeeper: a
    keeper can stand beside the daemon. */
QString lifetimeText(IsolationTier tier, bool hasKeeper);

/*! What a keeper needs. */
struct KeeperPost
{
    QString program;
    QString socketPath; //!< of the daemon
    QString containerId;
    std::chrono::milliseconds lifetimeLeft{0};
    bool untilGone =
        false; //!< not of a pause: stays until the container is over or another such keeper relieves it
};
/*! Starts a keeper and ends when it is at its post. It is no child of this program, has nothing of its environment, and
    goes when the container is over, and that of a pause when it goes on or is not paused within a minute. \a context lives in the
    calling thread, which needs an event loop. ConnectError when it does not come up. */
Operation<void> startKeeper(QObject *context, const KeeperPost &post);

} // namespace Sandboxio::Docker
