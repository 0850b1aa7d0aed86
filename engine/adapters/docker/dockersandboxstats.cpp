// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerapi.h"
#include "dockersandbox.h"
#include "statssample.h"
#include "texts.h"

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

Operation<SandboxStats> DockerSandbox::stats()
{
    return operationOf(statsSteps(shared_from_this()));
}

// One-shot: otherwise the daemon takes a second for a second sample of its own.
QCoro::Task<SandboxStats> DockerSandbox::statsSteps(std::shared_ptr<DockerSandbox> self)
{
    const Call call{.purpose = {ErrorKind::ConnectError, Text::tr("look at what the sandbox uses")}};
    std::optional<ErrorInfo> problem;
    std::optional<SandboxStats> sample;
    try {
        const QByteArray body = co_await self->m_api->get(
            self->path(u"stats"_s), {{u"stream"_s, u"false"_s}, {u"one-shot"_s, u"true"_s}}, call);
        sample = statsSample(objectOf(body, call.purpose));
    } catch (const SandboxError &error) {
        problem = error.info();
    }
    if (sample)
        co_return SandboxStats(*sample);
    const std::optional<ContainerState> state = co_await stateSteps(self, false);
    if (!state || !state->running)
        sandboxGone(state, self->m_setup.details.managed, self->resources(), self->m_context.clock->wallTime())
            .raise();
    problem.value_or(malformedAnswer(u"no time of the sample"_s, call.purpose)).raise();
}

} // namespace Sandboxio::Docker
