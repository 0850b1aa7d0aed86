// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/backgroundrun.h>
#include <sandboxio/ports/processport.h>

#include <memory>

namespace Sandboxio::Docker {

class DockerSandbox;

/*! Kills what is left of it; of one that is not there nothing is. */
Operation<void> killBackgroundRun(const std::shared_ptr<DockerSandbox> &sandbox, const QString &id);
ErrorInfo unknownBackgroundRun(const QString &id);

} // namespace Sandboxio::Docker
