// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/task.h>
#include <sandboxio/ports/enginecontext.h>
#include <sandboxio/ports/sandboxport.h>
#include <sandboxio/runtime/policyreport.h>

namespace Sandboxio::Detail {

/*! Tries TCP and UDP from inside the sandbox of \a port to a canary on this host, each after its positive
 * control. */
QCoro::Task<PolicyReport> verifyPolicySteps(EngineContext &context, std::shared_ptr<SandboxPort> port,
                                            OperationPromise<PolicyReport> promise);

} // namespace Sandboxio::Detail
