// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "endpoint.h"

#include <sandboxio/core/isolation.h>
#include <sandboxio/core/operation.h>

namespace Sandboxio::Docker {

/*! Names the keeper's program; wins over the places beside this plugin. */
inline constexpr const char *keeperVariable = "SANDBOXIO_KEEPER";

/*! The program that ends sandboxes whose own first process cannot; empty: it is not installed. */
QString keeperProgram();
/*! Why \a keeper cannot stand beside the daemon at \a endpoint; absent: it can. Without it sandboxes there cannot be
    paused, since what would end them then stands still, nor be created where needsKeeper(). */
std::optional<ErrorInfo> keeperObstacle(const std::expected<Endpoint, ErrorInfo> &endpoint,
                                        const QString &keeper);
/*! Whether nothing is in the way of the keeper that is installed. */
bool canBeKept(const std::expected<Endpoint, ErrorInfo> &endpoint);
/*! Whether a keeper that this user started stands beside the container \a containerId until it is gone. */
bool keeperStands(const QString &containerId);
/*! Whether a program inside may be able to stop the first process, so that a keeper has to end the sandbox. Measured:
    `kill -STOP 1` does nothing under runc, and stops it under gVisor (2024-07). */
bool needsKeeper(IsolationTier tier);
/*! Who ends a sandbox with the guest as its first process, under a runtime of \a tier, for people; \a hasKeeper: a
    keeper stands beside it, or comes with a pause. */
QString lifetimeText(IsolationTier tier, bool hasKeeper);

/*! What a keeper needs. */
struct KeeperPost
{
    QString program;
    QString socketPath; //!< of the daemon
    QString containerId;
    std::chrono::milliseconds lifetimeLeft{0};
    /*! Not of a pause: it stays until the container is over or another such keeper relieves it. */
    bool untilGone = false;
};
/*! Starts a keeper and ends when it is at its post. It is no child of this program, has nothing of its environment, and
    goes when the container is over, and that of a pause when it goes on or is not paused within a minute. \a context lives
    in the calling thread, which needs an event loop. ConnectError when it does not come up. */
Operation<void> startKeeper(QObject *context, const KeeperPost &post);

} // namespace Sandboxio::Docker
