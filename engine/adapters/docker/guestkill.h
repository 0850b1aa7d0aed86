// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/operation.h>
#include <sandboxio/guest/client/client.h>

#include <memory>

namespace Sandboxio::Docker {

class DockerSandbox;

/*! Kills the process tree of \a run. Where the connection that could is gone (\a client is null), or goes, it ends all
    the same when the sandbox is gone, and otherwise fails with why the connection was lost. */
Operation<void> killRun(const std::shared_ptr<DockerSandbox> &sandbox, Guest::Client *client, Guest::RunId run);

} // namespace Sandboxio::Docker
