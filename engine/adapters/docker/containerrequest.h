// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "containerfacts.h"
#include "imagefacts.h"

#include <sandboxio/ports/createplan.h>

#include <QJsonObject>

#include <optional>

namespace Sandboxio::Docker {

/*! Where runs start; a volume of the sandbox's own. */
inline constexpr const char *workDirectory = "/work";

/*! The body of `POST /containers/create` for \a plan, with the guest from \a guestVolume as first process.
    Holds no secret: those are given per run. */
QJsonObject containerRequest(const CreatePlan &plan, const Owner &owner, const QString &guestVolume);
/*! The body for a container that is never started and only mounts \a guestVolume, to fill it. */
QJsonObject fillRequest(const CreatePlan &plan, const Owner &owner, const QString &guestVolume,
                        const QString &guestVersion);

/*! What of \a plan is not in force in the container \a facts, as the error of create(); absent: all is. */
std::optional<ErrorInfo> findMismatch(const CreatePlan &plan, const ImageFacts &image,
                                      const ContainerFacts &facts);

} // namespace Sandboxio::Docker
