// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/managedsandbox.h>
#include <sandboxio/core/resources.h>

#include <QJsonObject>

#include <optional>

namespace Sandboxio::Docker {

/*! What an inspection says about how a container is, or how it ended. A plain value, any thread. */
struct ContainerState
{
    bool running = false; //!< also while paused
    bool paused = false;
    bool outOfMemory = false;
    int exitCode = 0; //!< meaningful when not running
    bool operator==(const ContainerState &) const = default;
};

/*! From the answer of `GET /containers/ID/json`. */
ContainerState containerState(const QJsonObject &inspection);

/*! SandboxGone with the evidence: \a state is absent when the container no longer exists. \a now is compared
    with
    \a managed.expiresAt; \a resources tells the memory cap. */
ErrorInfo sandboxGone(const std::optional<ContainerState> &state, const ManagedSandbox &managed,
                      const Resources &resources, const QDateTime &now);

/*! The error of a run whose connection broke while its sandbox lives on: nobody knows how it ended. */
ErrorInfo connectionLost(const QString &id);

} // namespace Sandboxio::Docker
