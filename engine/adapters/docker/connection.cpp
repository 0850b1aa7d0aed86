// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "containerrequest.h"
#include "dockerbackend.h"
#include "dockerplan.h"
#include "dockersandbox.h"
#include "keeperlaunch.h"
#include "texts.h"

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

ErrorInfo connectionError(const QString &message, const QString &hint = {})
{
    return makeError(ErrorKind::ConnectError, message, hint);
}

/*! Why \a facts cannot be attached to; absent: it can. */
std::optional<ErrorInfo> findObstacle(const std::optional<ContainerFacts> &facts, const QString &id,
                                      bool allowForeign)
{
    if (!facts)
        return connectionError(Text::tr("There is no sandbox '%1' on the Docker host.").arg(id));
    if (!facts->labels.managed && !allowForeign)
        return connectionError(
            Text::tr("The container '%1' is not a sandbox of ours.").arg(id),
            Text::tr("Allow foreign containers in so many words, if that is what you want."));
    if (facts->state != SandboxState::Running && facts->state != SandboxState::Paused)
        return connectionError(
            Text::tr("The sandbox '%1' is %2.").arg(id, sandboxStateName(facts->state)),
            Text::tr("Create a new sandbox; an ended one cannot be used again. Its files can still be "
                     "read: `sandboxio ls %1`, `sandboxio cp %1:PATH .`")
                .arg(id));
    return std::nullopt;
}

SandboxDetails sandboxDetails(const ContainerFacts &facts, const BackendState &state, bool plainExec)
{
    SandboxDetails details;
    details.managed = managedSandbox(facts, state.target, state.engine->clock->wallTime());
    if (!facts.guestVolume.isEmpty()) {
        details.capabilities = daemonCapabilities(*state.api, plainExec);
        const IsolationTier tier = runtimeTier(facts.runtime).tier;
        details.lifetimeMechanism =
            lifetimeText(tier, needsKeeper(tier) ? keeperStands(facts.id)
                                                 : details.capabilities.testFlag(Capability::PauseResume));
    } else {
        details.capabilities = Capability::Stats;
        details.lifetimeMechanism = Text::tr("Nothing of ours ends this container.");
    }
    details.resources = facts.labels.resources;
    details.tierSource = facts.labels.tierSource;
    details.workingDirectory = facts.workingDirectory.isEmpty() ? u"/"_s : facts.workingDirectory;
    details.secretsAvailable = false;
    details.native = {
        {u"containerId"_s, facts.id}, {u"runtime"_s, facts.runtime}, {u"networkMode"_s, facts.networkMode}};
    return details;
}

} // namespace

QCoro::Task<std::shared_ptr<SandboxPort>> connectSteps(std::shared_ptr<BackendState> state, QString id,
                                                       bool allowForeign)
{
    const Purpose purpose{ErrorKind::ConnectError, Text::tr("connect to the sandbox '%1'").arg(id)};
    const auto facts = co_await inspectContainer(state->api, id, purpose);
    if (const auto obstacle = findObstacle(facts, id, allowForeign))
        obstacle->raise();
    const bool plainExec = wantsPlainExec(state->target) || facts->guestVolume.isEmpty();
    if (plainExec && facts->state == SandboxState::Paused) { // only a running one tells what can be done in it
        connectionError(
            Text::tr("The container '%1' is paused; what can be run in it shows only while it runs.").arg(id),
            Text::tr("Let it go on first: `docker unpause %1`.").arg(id))
            .raise();
    }
    const auto sandbox = DockerSandbox::make(state->api, *state->engine,
                                             {.details = sandboxDetails(*facts, *state, plainExec),
                                              .env = {},
                                              .secrets = {},
                                              .searchPath = facts->env.value(u"PATH"_s),
                                              .plainExec = plainExec,
                                              .tier = runtimeTier(facts->runtime).tier});
    if (facts->state == SandboxState::Paused) // is let be: the first use connects
        co_await sandbox->attachPaused();
    else if (facts->guestVolume.isEmpty())
        co_await sandbox->usePlainExec();
    else
        co_await sandbox->relay();
    co_return sandbox;
}

} // namespace Sandboxio::Docker
