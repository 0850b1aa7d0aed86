// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "guestkill.h"

#include "dockersandbox.h"

#include <cerrno>

namespace Sandboxio::Docker {

namespace {

// A process does not outlive its sandbox.
QCoro::Task<> explainKill(OperationPromise<void> promise, std::shared_ptr<DockerSandbox> sandbox)
{
    try {
        const ErrorInfo reason = co_await sandbox->lossReason();
        if (reason.kind == ErrorKind::SandboxGone)
            promise.finish();
        else
            promise.fail(reason);
    } catch (const OperationCancelled &) {
        promise.cancelled();
    }
}

} // namespace

Operation<void> killRun(const std::shared_ptr<DockerSandbox> &sandbox, Guest::Client *client, Guest::RunId run)
{
    const OperationPromise<void> promise;
    const Operation<void> operation = promise.operation();
    if (!client) {
        explainKill(promise, sandbox);
        return operation;
    }
    client->killTree(run, [promise, sandbox](const std::expected<void, Guest::FileError> &reply) {
        if (reply || reply.error().errorNumber == ESRCH)
            promise.finish();
        else if (reply.error().connectionLost)
            explainKill(promise, sandbox);
        else
            promise.cancelled();
    });
    return operation;
}

} // namespace Sandboxio::Docker
