// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "creation.h"
#include "dockerapi.h"
#include "dockersandbox.h"
#include "fileerror.h"
#include "guestrequest.h"
#include "texts.h"

#include <cerrno>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::seconds inspectionLimit(5);
// How long a container may take to end after its guest's connection broke.
constexpr std::chrono::seconds endLimit(3);

Purpose inspectPurpose()
{
    return {ErrorKind::ConnectError, Text::tr("look at the sandbox")};
}

Purpose killPurpose()
{
    return {ErrorKind::ConnectError, Text::tr("remove the sandbox")};
}

NetworkProbeResult::Kind probeKind(Guest::NetOutcome outcome)
{
    switch (outcome) {
    case Guest::NetOutcome::Connected:
        return NetworkProbeResult::Kind::Reached;
    case Guest::NetOutcome::Refused:
        return NetworkProbeResult::Kind::Refused;
    case Guest::NetOutcome::Unreachable:
        return NetworkProbeResult::Kind::Unreachable;
    case Guest::NetOutcome::TimedOut:
        return NetworkProbeResult::Kind::TimedOut;
    case Guest::NetOutcome::NameNotResolved:
    case Guest::NetOutcome::NameServerFailed:
        return NetworkProbeResult::Kind::NameNotResolved;
    case Guest::NetOutcome::Failed:
        break;
    }
    return NetworkProbeResult::Kind::NotTried;
}

NetworkProbeResult probeResult(const Guest::NetProbeResult &result)
{
    QString detail = QString::fromStdString(result.address);
    if (result.errorNumber != 0)
        detail += (detail.isEmpty() ? QString() : u": "_s) + errorNumberText(result.errorNumber);
    return {.kind = probeKind(result.outcome), .detail = detail};
}

SandboxState stateOf(const ContainerState &state)
{
    if (state.paused)
        return SandboxState::Paused;
    return state.running ? SandboxState::Running : SandboxState::Stopped;
}

} // namespace

Operation<ErrorInfo> DockerSandbox::lossReason()
{
    if (m_gone)
        return finishedOperation(*m_gone);
    if (m_paused && m_link && m_link->client().isUsable()) // it stands, and nobody answers at its other end
        return finishedOperation(pausedError());
    if (guest() && !m_setup.plainExec) // connected again meanwhile
        return finishedOperation(connectionLost(id()));
    if (!m_loss || m_loss->isEnded())
        m_loss = operationOf(lossSteps(shared_from_this()));
    return *m_loss;
}

void DockerSandbox::tellLoss(QObject *context, const std::function<void(const ErrorInfo &)> &tell)
{
    const Operation<ErrorInfo> reason = lossReason();
    reason.then(context, tell);
    reason.onError(context, tell);
    reason.onCancelled(context, [tell] { tell(endedBeforeStart()); });
}

// Connects again first: that it works is the surest sign of life, and in a healthy sandbox the quickest.
QCoro::Task<ErrorInfo> DockerSandbox::lossSteps(std::shared_ptr<DockerSandbox> self)
{
    std::optional<ErrorInfo> problem;
    try {
        if (!self->m_setup.plainExec)
            co_await relaySteps(self);
        else
            problem = connectionLost(self->id());
    } catch (const SandboxError &error) {
        problem = error.info();
    }
    if (!problem)
        co_return connectionLost(self->id());
    std::optional<ContainerState> state;
    try {
        state = co_await stateSteps(self, true);
    } catch (const SandboxError &error) {
        co_return error.info(); // the daemon itself cannot be asked
    }
    self->setPaused(state && state->paused);
    if (state && state->paused)
        co_return self->pausedError();
    if (state && state->running)
        co_return *problem;
    if (!self->m_gone)
        self->m_gone = sandboxGone(state, self->m_setup.details.managed, self->resources(),
                                   self->m_context.clock->wallTime());
    co_return ErrorInfo(*self->m_gone); // a copy: QCoro moves from what is returned
}

// Absent when the container no longer exists. With waitForEnd a running one gets a moment to end.
QCoro::Task<std::optional<ContainerState>> DockerSandbox::stateSteps(std::shared_ptr<DockerSandbox> self,
                                                                     bool waitForEnd)
{
    const Call call{.purpose = inspectPurpose(), .limit = inspectionLimit};
    for (bool waited = !waitForEnd;; waited = true) {
        std::optional<ErrorInfo> problem;
        try {
            const QByteArray body = co_await self->m_api->get(self->path(u"json"_s), {}, call);
            const ContainerState state = containerState(objectOf(body, call.purpose));
            if (waited || !state.running || state.paused)
                co_return state;
        } catch (const SandboxError &error) {
            problem = error.info();
        }
        if (problem && isStatus(*problem, 404))
            co_return std::nullopt;
        if (problem)
            problem->raise();
        try {
            co_await self->m_api->post(self->path(u"wait"_s), QUrlQuery(u"condition=not-running"_s), {},
                                       {.purpose = call.purpose, .limit = endLimit});
        } catch (const SandboxError &) {
            // It runs on, or is gone: the next look tells.
        }
    }
}

Operation<ManagedSandbox> DockerSandbox::inspect()
{
    return operationOf(inspectSteps(shared_from_this()));
}

QCoro::Task<ManagedSandbox> DockerSandbox::inspectSteps(std::shared_ptr<DockerSandbox> self)
{
    const std::optional<ContainerState> state = co_await stateSteps(self, false);
    ManagedSandbox &managed = self->m_setup.details.managed;
    if (!state)
        sandboxGone({}, managed, self->resources(), self->m_context.clock->wallTime()).raise();
    self->setPaused(state->paused);
    managed.state = stateOf(*state);
    managed.lastSeen = self->m_context.clock->wallTime();
    co_return ManagedSandbox(managed);
}

Operation<void> DockerSandbox::kill()
{
    return operationOf(killSteps(shared_from_this()));
}

QCoro::Task<> DockerSandbox::killSteps(std::shared_ptr<DockerSandbox> self)
{
    const Call call{.purpose = killPurpose()};
    std::optional<ErrorInfo> problem;
    if (self->isKept()) // by others, too, it may have been paused
        co_await letGoOn(self->m_api, self->id());
    try {
        co_await self->m_api->remove(self->path(), QUrlQuery(u"force=1&v=1"_s), call);
    } catch (const SandboxError &error) {
        problem = error.info();
    }
    if (problem && isStatus(*problem, 409)) { // somebody else is removing it
        problem.reset();
        try {
            co_await self->m_api->post(self->path(u"wait"_s), QUrlQuery(u"condition=removed"_s), {}, call);
        } catch (const SandboxError &error) {
            problem = error.info();
        }
    }
    if (problem && !isStatus(*problem, 404))
        problem->raise();
    if (!self->m_gone)
        self->m_gone = sandboxGone({}, self->m_setup.details.managed, self->resources(),
                                   self->m_context.clock->wallTime());
}

Operation<NetworkProbeResult> DockerSandbox::probe(const NetworkProbe &probe)
{
    const bool udp = probe.protocol == NetworkProbe::Protocol::Udp;
    const Guest::NetProbe request{.host = probe.host.toStdString(),
                                  .port = probe.port,
                                  .protocol = udp ? Guest::NetProtocol::Udp : Guest::NetProtocol::Tcp,
                                  .timeoutMs =
                                      static_cast<quint32>(std::clamp<qint64>(probe.limit.count(), 1, 60'000)),
                                  .payload = udp ? probe.payload.toStdString() : std::string()};
    const auto make = [request](Guest::Client &guest, const Guest::Reply<NetworkProbeResult> &reply) {
        guest.netProbe(request, [reply](const std::expected<Guest::NetProbeResult, Guest::FileError> &result) {
            reply(result.transform(probeResult));
        });
    };
    const auto error = [](int errorNumber) {
        return makeError(ErrorKind::ConnectError, Text::tr("The sandbox could not try the network."), {},
                         {.status = errorNumber, .text = errorNumberText(errorNumber)});
    };
    return sendToGuest<NetworkProbeResult>({shared_from_this(), make, error});
}

Operation<void> DockerSandbox::extend(std::chrono::milliseconds lifetime)
{
    if (lifetime.count() <= 0) {
        return failedOperation<void>(makeError(ErrorKind::ConfigurationError,
                                               Text::tr("A lifetime must be positive."),
                                               Text::tr("Give the time from now, or kill the sandbox.")));
    }
    if (!m_setup.details.capabilities.testFlag(Capability::ExtendLifetime))
        return SandboxPort::extend(lifetime);
    return operationOf(extendSteps(shared_from_this(), lifetime));
}

QCoro::Task<> DockerSandbox::extendSteps(std::shared_ptr<DockerSandbox> self,
                                         std::chrono::milliseconds lifetime)
{
    if (self->isKept()) // first: a keeper of the old time would end what now lives longer
        co_await self->startLifetimeKeeper(lifetime);
    const auto make = [lifetime, self](Guest::Client &guest, const Guest::Reply<void> &reply) {
        guest.extend(static_cast<quint64>(lifetime.count()),
                     [reply, self](const std::expected<Guest::Status, Guest::FileError> &status) {
                         if (status) {
                             self->m_setup.details.managed.expiresAt =
                                 self->m_context.clock->wallTime().addMSecs(
                                     static_cast<qint64>(status->lifetimeLeftMs));
                         }
                         reply(status.transform([](const Guest::Status &) {}));
                     });
    };
    const auto error = [](int errorNumber) {
        ErrorInfo problem = capabilityNotSupported(Capability::ExtendLifetime);
        problem.cause = ErrorCause{.status = errorNumber, .text = errorNumberText(errorNumber)};
        return problem;
    };
    co_await sendToGuest<void>({self, make, error});
}

} // namespace Sandboxio::Docker
