// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "daemonfacts.h"

#include <sandboxio/ports/createplan.h>

#include <expected>
#include <optional>

namespace Sandboxio::Docker {

inline constexpr const char *fallbackTemplate = "python:3.12-slim";
/*! Names the image used when neither options nor DSN do. */
inline constexpr const char *defaultTemplateVariable = "SANDBOXIO_DOCKER_DEFAULT_TEMPLATE";

/*! What a plan is made from. */
struct PlanInput
{
    Target target = {};
    CreateOptions options = {};
    QString defaultTemplate = {};           //!< used when nothing else names one
    std::optional<DaemonFacts> daemon = {}; //!< absent: it could not be asked, see problems
    bool templatePresent = true;            //!< the image is on the daemon's host
    bool keeperPossible = false;            //!< see canBeKept()
    QList<ErrorInfo> problems = {};         //!< found on the way: no daemon, no guest for the architecture
};

/*! The image that \a target and \a options ask for together; ConfigurationError when they disagree or it is no
 * name. */
std::expected<QString, ErrorInfo> resolveTemplate(const Target &target, const CreateOptions &options,
                                                  const QString &defaultTemplate);
/*! Whether \a target asks for runs by plain exec, although there is a guest: the parameter `runs` is "exec". */
bool wantsPlainExec(const Target &target);
/*! The plan. A pure function apart from the fresh name. */
CreatePlan makePlan(const PlanInput &input);

} // namespace Sandboxio::Docker
