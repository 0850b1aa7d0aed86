// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerbackend.h"

#include "dockerplan.h"
#include "keeperlaunch.h"
#include "texts.h"

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

using Status = Diagnosis::Status;

QString withCause(const ErrorInfo &error)
{
    const QString cause = error.cause ? error.cause->text : QString();
    return cause.isEmpty() ? error.message : u"%1 (%2)"_s.arg(error.message, cause);
}

Diagnosis ofError(const QString &subject, const ErrorInfo &error)
{
    return {Status::Failed, subject, withCause(error), error.hint};
}

Diagnosis ofCaps(const DaemonFacts &daemon)
{
    const QString subject = Text::tr("caps");
    QStringList missing;
    for (const auto cap : {Resources::Cap::Cpu, Resources::Cap::Memory, Resources::Cap::Processes}) {
        if (!daemon.enforceable.testFlag(cap))
            missing.append(capName(cap));
    }
    if (!daemon.swapLimit && !missing.contains(capName(Resources::Cap::Memory)))
        missing.append(Text::tr("memory without swap"));
    if (missing.isEmpty())
        return {Status::Good, subject, Text::tr("cpu, memory and processes can be enforced"), {}};
    return {
        Status::Warning, subject, Text::tr("Cannot be enforced: %1.").arg(missing.join(u", "_s)),
        Text::tr("Enable the cgroup controllers on the Docker host; until then these caps must be waived.")};
}

Diagnosis ofRuntimes(const DaemonFacts &daemon)
{
    const RuntimeTier judged = runtimeTier(daemon.defaultRuntime);
    const QString finding =
        Text::tr("default %1 (%2); registered: %3")
            .arg(daemon.defaultRuntime, isolationTierName(judged.tier), daemon.runtimes.join(u", "_s));
    if (judged.tier != IsolationTier::Unknown)
        return {Status::Good, Text::tr("isolation"), finding, {}};
    return {Status::Warning, Text::tr("isolation"), finding,
            Text::tr("Name a runtime whose isolation is known: docker://IMAGE?runtime=runc.")};
}

Diagnosis ofLifetime(const Api &api, const DaemonFacts &daemon)
{
    const QString keeper = keeperProgram();
    const auto obstacle = keeperObstacle(api.endpoint(), keeper);
    const QString mechanism = lifetimeText(runtimeTier(daemon.defaultRuntime).tier, !obstacle);
    if (obstacle)
        return {Status::Warning, Text::tr("lifetime"), mechanism + u' ' + obstacle->message, obstacle->hint};
    return {Status::Good, Text::tr("lifetime"), u"%1 (%2)"_s.arg(mechanism, keeper), {}};
}

QCoro::Task<Diagnosis> ofImage(std::shared_ptr<BackendState> state)
{
    const QString subject = Text::tr("default image");
    const auto name = resolveTemplate(state->target, {}, qEnvironmentVariable(defaultTemplateVariable));
    if (!name)
        co_return ofError(subject, name.error());
    const Purpose purpose{ErrorKind::CreationError, Text::tr("look at the image '%1'").arg(*name)};
    std::optional<ErrorInfo> problem;
    try {
        co_await state->api->get(u"/images/%1/json"_s.arg(*name), {}, {.purpose = purpose});
    } catch (const SandboxError &error) {
        problem = error.info();
    }
    if (!problem)
        co_return Diagnosis{Status::Good, subject, Text::tr("'%1' is on the Docker host").arg(*name), {}};
    if (!isStatus(*problem, 404))
        co_return ofError(subject, *problem);
    co_return Diagnosis{Status::Warning, subject,
                        Text::tr("'%1' is not on the Docker host; it is pulled when needed").arg(*name),
                        Text::tr("Run `docker pull %1`, or name another image in %2.")
                            .arg(*name, QLatin1StringView(defaultTemplateVariable))};
}

} // namespace

QCoro::Task<QList<Diagnosis>> diagnosisSteps(std::shared_ptr<BackendState> state)
{
    const Purpose purpose{ErrorKind::ConnectError, Text::tr("ask the Docker daemon")};
    const QString daemonSubject = Text::tr("daemon");
    QList<Diagnosis> lines;
    std::optional<ErrorInfo> problem;
    try {
        const DaemonVersion version = co_await state->api->version(purpose);
        const DaemonFacts daemon = co_await askDaemon(state, purpose);
        const Endpoint endpoint = state->api->endpoint().value_or(Endpoint{});
        lines.append({Status::Good,
                      daemonSubject,
                      Text::tr("%1 at %2 (from %3), API 1.%4, cgroup v%5, storage %6")
                          .arg(daemon.serverVersion, endpoint.toString(), endpoint.origin)
                          .arg(version.apiMinor)
                          .arg(daemon.cgroupVersion, daemon.storageDriver),
                      {}});
        lines.append(ofRuntimes(daemon));
        lines.append(ofCaps(daemon));
        const auto guest = guestFor(*state, daemon.imageArchitecture());
        lines.append(guest ? Diagnosis{Status::Good,
                                       Text::tr("guest"),
                                       u"%1 %2"_s.arg(guest->architecture, guest->version),
                                       {}}
                           : ofError(Text::tr("guest"), guest.error()));
        lines.append(ofLifetime(*state->api, daemon));
        lines.append(co_await ofImage(state));
    } catch (const SandboxError &error) {
        problem = error.info();
    }
    if (problem)
        lines.append(ofError(daemonSubject, *problem));
    co_return lines;
}

} // namespace Sandboxio::Docker
