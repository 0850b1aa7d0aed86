// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "execkill.h"

#include "apierror.h"
#include "dockersandbox.h"
#include "steps.h"
#include "texts.h"

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr auto killLimit = std::chrono::minutes(1);
constexpr auto retryPause = std::chrono::milliseconds(200);
constexpr auto endPause = std::chrono::milliseconds(20);

/*! Whether nothing with the mark is left. First as the run's user, who may always kill his own; as root when
    something became another user's. */
QCoro::Task<bool> killMarked(ExecRun run)
{
    ExecAnswer answer = co_await run.sandbox->askPlainExec(killArguments(run.mark), run.user, {});
    if (answer.exitCode == static_cast<int>(KillResult::Survivors))
        answer = co_await run.sandbox->askPlainExec(killArguments(run.mark), u"0"_s, {});
    co_return answer.exitCode == static_cast<int>(KillResult::NothingLeft);
}

/*! A daemon forgets execs some minutes after their end. */
QCoro::Task<bool> stillRuns(ExecRun run)
{
    std::optional<ErrorInfo> problem;
    try {
        co_return (co_await run.sandbox->plainExecState(run.exec)).running;
    } catch (const SandboxError &error) {
        problem = error.info();
    }
    if (!isStatus(*problem, 404))
        problem->raise();
    co_return false;
}

ErrorInfo notKilled()
{
    return makeError(ErrorKind::ConnectError, Text::tr("Something of the run could not be killed."),
                     Text::tr("End the container, or kill it with `docker exec` as root."));
}

} // namespace

QCoro::Task<> killRun(ExecRun run)
{
    const auto begin = run.sandbox->engine().clock->now();
    co_await run.startSettled;
    while (true) {
        std::optional<ErrorInfo> problem;
        auto pause = retryPause;
        try {
            // In this order: what the main process made before its end is found after it.
            const bool ran = co_await stillRuns(run);
            const bool nothingLeft = co_await killMarked(run);
            if (nothingLeft && !ran)
                co_return;
            if (nothingLeft) {
                run.letGo();
                pause = endPause;
            }
        } catch (const SandboxError &error) {
            problem = error.info();
        }
        if (problem && (co_await run.sandbox->lossReason()).kind == ErrorKind::SandboxGone)
            co_return;
        if (run.sandbox->engine().clock->now() - begin > killLimit)
            problem.value_or(notKilled()).raise();
        co_await pauseFor(&run.sandbox->engine(), pause);
    }
}

} // namespace Sandboxio::Docker
