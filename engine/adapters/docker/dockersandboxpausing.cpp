// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "codelanguages.h"
#include "dockerapi.h"
#include "dockersandbox.h"
#include "fileerror.h"
#include "guestrequest.h"
#include "keeperlaunch.h"
#include "texts.h"

#include <sandboxio/core/path.h>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

// With cgroup v1 freezing is a game of chances: runc gives up after a while on a busy machine and leaves it to its
// caller to ask again (opencontainers/runc#4388).
constexpr int freezeAttempts = 5;

bool gaveUpFreezing(const ErrorInfo &error)
{
    return error.cause && error.cause->text.contains("unable to freeze"_L1);
}

Purpose pausePurpose(bool freeze)
{
    return {ErrorKind::ConnectError, freeze ? Text::tr("pause the sandbox") : Text::tr("resume the sandbox")};
}

// How much of the lifetime is left only the guest knows: it may have been extended.
Operation<Guest::Status> askGuest(const std::shared_ptr<DockerSandbox> &sandbox)
{
    const auto make = [](Guest::Client &guest, const Guest::Reply<Guest::Status> &reply) {
        guest.status(reply);
    };
    const auto error = [](int errorNumber) {
        return makeError(ErrorKind::ConnectError, Text::tr("The sandbox does not say how long it lives."),
                         Text::tr("Try again; if it stays, kill the sandbox and create a new one."),
                         {.status = errorNumber, .text = errorNumberText(errorNumber)});
    };
    return sendToGuest<Guest::Status>({sandbox, make, error});
}

} // namespace

Capabilities daemonCapabilities(const Api &api, bool plainExec)
{
    Capabilities capabilities = Capability::NetworkPolicy | Capability::Stats;
    capabilities.setFlag(Capability::PauseResume, !plainExec && canBeKept(api.endpoint()));
    return capabilities;
}

bool DockerSandbox::isKept() const
{
    return needsKeeper(m_setup.tier) && canBeKept(m_api->endpoint());
}

Operation<void> DockerSandbox::startLifetimeKeeper(std::chrono::milliseconds lifetime)
{
    // The guest comes first where it can: its end of the sandbox says why.
    constexpr auto grace = std::chrono::seconds(1);
    KeeperPost post = keeperPost(lifetime + grace);
    post.untilGone = true;
    return startKeeper(m_context.ioObject, post);
}

KeeperPost DockerSandbox::keeperPost(std::chrono::milliseconds lifetimeLeft) const
{
    return {.program = keeperProgram(),
            .socketPath = m_api->endpoint().value_or(Endpoint{}).path,
            .containerId = id(),
            .lifetimeLeft = lifetimeLeft};
}

ErrorInfo DockerSandbox::pausedError() const
{
    return makeError(ErrorKind::ConnectError, Text::tr("The sandbox is paused: nothing in it runs or answers."),
                     m_setup.details.capabilities.testFlag(Capability::PauseResume)
                         ? Text::tr("Resume it: `sandboxio resume %1`.").arg(id().left(12))
                         : Text::tr("Let it go on: `docker unpause %1`.").arg(id().left(12)));
}

void DockerSandbox::setPaused(bool paused)
{
    m_paused = paused;
    if (paused)
        m_setup.details.managed.state = SandboxState::Paused;
    else if (m_setup.details.managed.state == SandboxState::Paused)
        m_setup.details.managed.state = SandboxState::Running;
}

QCoro::Task<std::optional<ErrorInfo>> DockerSandbox::pauseLookSteps(std::shared_ptr<DockerSandbox> self)
{
    const std::optional<ContainerState> state = co_await stateSteps(self, false);
    self->setPaused(state && state->paused);
    co_return state && state->paused ? std::optional(self->pausedError()) : std::nullopt;
}

Operation<void> DockerSandbox::attachPaused()
{
    return operationOf(pausedSteps(shared_from_this()));
}

QCoro::Task<> DockerSandbox::pausedSteps(std::shared_ptr<DockerSandbox> self)
{
    self->setPaused(true);
    QStringList found;
    for (const CodeLanguage &language : codeLanguages()) {
        for (const QByteArray &directory : searchDirectories(self->m_setup.searchPath)) {
            const QString program = decodePath(directory) + u'/' + language.program;
            try {
                co_await self->m_api->head(self->path(u"archive"_s), {{u"path"_s, program}},
                                           {.purpose = connectPurpose()});
                found.append(language.name);
                break;
            } catch (const SandboxError &error) {
                if (!isStatus(error.info(), 404))
                    throw;
            }
        }
    }
    self->setLanguages(found);
}

Operation<void> DockerSandbox::pause()
{
    if (!m_setup.details.capabilities.testFlag(Capability::PauseResume))
        return SandboxPort::pause();
    return operationOf(pauseSteps(shared_from_this()));
}

QCoro::Task<> DockerSandbox::pauseSteps(std::shared_ptr<DockerSandbox> self)
{
    if (co_await pauseLookSteps(self))
        co_return;
    const Guest::Status status = co_await askGuest(self);
    const std::chrono::milliseconds left(std::max<quint64>(status.lifetimeLeftMs, 1));
    co_await (self->isKept() ? self->startLifetimeKeeper(left)
                             : startKeeper(self->m_context.ioObject, self->keeperPost(left)));
    co_await freezeSteps(self, true);
}

Operation<void> DockerSandbox::resume()
{
    if (!m_setup.details.capabilities.testFlag(Capability::PauseResume))
        return SandboxPort::resume();
    return operationOf(freezeSteps(shared_from_this(), false));
}

QCoro::Task<> DockerSandbox::freezeSteps(std::shared_ptr<DockerSandbox> self, bool freeze)
{
    std::optional<ErrorInfo> problem;
    for (int attempt = 0; attempt < freezeAttempts; ++attempt) {
        problem = co_await tryFreezeSteps(self, freeze);
        if (!problem)
            co_return;
        if (!gaveUpFreezing(*problem))
            break;
    }
    problem->raise();
}

// Where the daemon refuses, what counts is how the sandbox is: somebody else may have done it.
QCoro::Task<std::optional<ErrorInfo>> DockerSandbox::tryFreezeSteps(std::shared_ptr<DockerSandbox> self,
                                                                    bool freeze)
{
    std::optional<ErrorInfo> problem;
    try {
        co_await self->m_api->post(self->path(freeze ? u"pause"_s : u"unpause"_s), {}, {},
                                   {.purpose = pausePurpose(freeze)});
    } catch (const SandboxError &error) {
        problem = error.info();
    }
    if (!problem) {
        self->setPaused(freeze);
        co_return std::nullopt;
    }
    const std::optional<ContainerState> state = co_await stateSteps(self, false);
    self->setPaused(state && state->paused);
    if (!state || !state->running)
        sandboxGone(state, self->m_setup.details.managed, self->resources(), self->m_context.clock->wallTime())
            .raise();
    co_return state->paused == freeze ? std::nullopt : problem;
}

} // namespace Sandboxio::Docker
