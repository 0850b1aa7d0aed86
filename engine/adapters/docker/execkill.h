// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "execscripts.h"

#include <sandboxio/core/task.h>

#include <functional>
#include <memory>

namespace Sandboxio::Docker {

class DockerSandbox;

/*! A plain-exec run as its killer needs it; the run itself may be forgotten meanwhile. */
struct ExecRun
{
    std::shared_ptr<DockerSandbox> sandbox;
    QString exec; //!< its id
    RunMark mark = 0;
    QString user = {};                //!< whose run it is; empty: the container's
    Operation<void> startSettled;     //!< ends when the daemon has answered the start
    std::function<void()> letGo = {}; //!< closes its output: the daemon waits for that
};

/*! Kills every process of \a run and ends when the daemon says that its main process has ended and nothing with its
    mark was found after that, or when the sandbox is gone. Tries for a minute; fails with what stood in the way. */
QCoro::Task<> killRun(ExecRun run);

} // namespace Sandboxio::Docker
