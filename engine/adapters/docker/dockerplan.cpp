// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerplan.h"

#include "imagefacts.h"
#include "keeperlaunch.h"
#include "texts.h"

#include <sandboxio/core/policychecks.h>
#include <sandboxio/ports/sandboxport.h>

#include <QUuid>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr double defaultCpus = 1;
constexpr double smallestCpus = 0.01;
constexpr qint64 defaultMemoryMb = 512;
constexpr qint64 smallestMemoryMb = 6;
constexpr int defaultProcesses = 512;
constexpr QLatin1StringView runsParameter = "runs"_L1;
constexpr QLatin1StringView runsByExec = "exec"_L1;
constexpr QLatin1StringView runsByGuest = "guest"_L1;

ErrorInfo refused(const QString &message, const QString &hint)
{
    return makeError(ErrorKind::ConfigurationError, message, hint);
}

void checkParameters(const Target &target, QList<ErrorInfo> &refusals)
{
    for (const auto &[name, value] : target.parameters.asKeyValueRange()) {
        if (name != "runtime"_L1 && name != "host"_L1 && name != "timeout"_L1 && name != runsParameter)
            refusals.append(refused(Text::tr("The Docker backend has no parameter '%1'.").arg(name),
                                    Text::tr("Its parameters are host, runtime, runs and timeout.")));
    }
    const QString runs = target.parameters.value(runsParameter);
    if (!runs.isEmpty() && runs != runsByExec && runs != runsByGuest)
        refusals.append(refused(Text::tr("The parameter 'runs' cannot be '%1'.").arg(runs),
                                Text::tr("Write runs=exec for plain execs, or leave it out.")));
}

void checkNetwork(const NetworkPolicy &network, QList<ErrorInfo> &refusals)
{
    const bool supported =
        network.egress == NetworkPolicy::Egress::Deny || network.egress == NetworkPolicy::Egress::Open;
    if (!supported)
        refusals.append(makeError(
            ErrorKind::CapabilityNotSupported,
            Text::tr("The Docker backend cannot enforce egress '%1'.").arg(egressName(network.egress)),
            Text::tr("Use egress 'deny', or choose a backend whose `sandboxio doctor` entry lists "
                     "'allowlist'.")));
    if (!network.ingressPorts.isEmpty())
        refusals.append(
            makeError(ErrorKind::CapabilityNotSupported,
                      Text::tr("The Docker backend cannot open ports of a sandbox to the outside."),
                      Text::tr("Leave ingressPorts empty, or choose a backend that declares 'Tunnels'.")));
}

/*! Whether \a cap can be in force; says so in \a plan when it cannot. */
bool keepsCap(Resources::Cap cap, bool enforceable, CreatePlan &plan)
{
    if (enforceable)
        return true;
    const QString name = capName(cap);
    if (plan.options.resources.waived.testFlag(cap)) {
        plan.remarks.append(Text::tr("The cap '%1' is not in force: it was waived.").arg(name));
        return false;
    }
    plan.refusals.append(
        refused(Text::tr("The Docker host cannot enforce the cap '%1'.").arg(name),
                Text::tr("Enable its cgroup controller on the Docker host (see `docker info`), or waive "
                         "the cap '%1' in so many words.")
                    .arg(name)));
    return true;
}

void planDisk(const DaemonFacts &daemon, CreatePlan &plan)
{
    Resources &resources = plan.options.resources;
    if (!resources.diskMb)
        return;
    if (resources.waived.testFlag(Resources::Cap::Disk)) {
        plan.remarks.append(
            Text::tr("The cap '%1' is not in force: it was waived.").arg(capName(Resources::Cap::Disk)));
        resources.diskMb.reset();
        return;
    }
    plan.refusals.append(refused(
        Text::tr(
            "The Docker host cannot enforce the cap 'disk': its storage driver '%1' is used without quota.")
            .arg(daemon.storageDriver),
        Text::tr("Leave diskMb out, or waive the cap 'disk' in so many words.")));
}

void checkRanges(const DaemonFacts &daemon, const Resources &resources, QList<ErrorInfo> &refusals)
{
    if (resources.cpu && (*resources.cpu < smallestCpus || *resources.cpu > daemon.cpus))
        refusals.append(refused(Text::tr("The cap 'cpu' of %1 is out of range.").arg(*resources.cpu),
                                Text::tr("Choose a value from %1 to %2.").arg(smallestCpus).arg(daemon.cpus)));
    if (resources.memoryMb && *resources.memoryMb < smallestMemoryMb)
        refusals.append(refused(Text::tr("The cap 'memory' of %1 MiB is too small.").arg(*resources.memoryMb),
                                Text::tr("Choose at least %1 MiB.").arg(smallestMemoryMb)));
}

void planResources(const DaemonFacts &daemon, CreatePlan &plan)
{
    Resources &resources = plan.options.resources;
    resources.cpu = resources.cpu.value_or(defaultCpus);
    resources.memoryMb = resources.memoryMb.value_or(defaultMemoryMb);
    resources.processes = resources.processes.value_or(defaultProcesses);
    checkRanges(daemon, resources, plan.refusals);
    const bool memory = daemon.enforceable.testFlag(Resources::Cap::Memory) && daemon.swapLimit;
    if (!keepsCap(Resources::Cap::Cpu, daemon.enforceable.testFlag(Resources::Cap::Cpu), plan))
        resources.cpu.reset();
    if (!keepsCap(Resources::Cap::Memory, memory, plan))
        resources.memoryMb.reset();
    if (!keepsCap(Resources::Cap::Processes, daemon.enforceable.testFlag(Resources::Cap::Processes), plan))
        resources.processes.reset();
    planDisk(daemon, plan);
    if (resources.gpu)
        plan.refusals.append(capabilityNotSupported(Capability::Gpu));
}

void planRuntime(const DaemonFacts &daemon, CreatePlan &plan)
{
    const QString asked = plan.target.parameters.value(u"runtime"_s);
    plan.runtime = asked.isEmpty() ? daemon.defaultRuntime : asked;
    if (!asked.isEmpty() && !daemon.runtimes.contains(asked)) {
        plan.refusals.append(refused(Text::tr("The Docker host has no runtime '%1'.").arg(asked),
                                     Text::tr("It has: %1.").arg(daemon.runtimes.join(u", "_s))));
        return;
    }
    const RuntimeTier judged = runtimeTier(plan.runtime);
    plan.tier = judged.tier;
    plan.tierSource = judged.source;
}

// Nothing of the daemon ends a container by the clock.
void planLifetime(bool keeperPossible, CreatePlan &plan)
{
    const bool canBePaused = keeperPossible && !wantsPlainExec(plan.target);
    plan.lifetimeMechanism = lifetimeText(plan.tier, needsKeeper(plan.tier) ? keeperPossible : canBePaused);
    if (!needsKeeper(plan.tier) || keeperPossible)
        return;
    const QString fact =
        Text::tr("Under '%1' a program inside may stop the process that ends the sandbox.").arg(plan.runtime);
    if (plan.options.acceptClientSideLifetime) {
        plan.remarks.append(fact);
        return;
    }
    plan.refusals.append(refused(
        Text::tr("%1 No keeper can stand beside this daemon to end it from outside.").arg(fact),
        Text::tr(
            "Use a daemon on this host by its local socket with sandboxio-keeper installed, or accept it: "
            "`sandboxio create --accept-client-side-lifetime`, CreateOptions::acceptClientSideLifetime.")));
}

void checkIsolation(CreatePlan &plan)
{
    const std::optional<IsolationTier> required = plan.options.requireIsolation;
    if (!required || satisfies(plan.tier, *required))
        return;
    plan.refusals.append(refused(
        Text::tr("The runtime '%1' gives isolation '%2', and '%3' is required.")
            .arg(plan.runtime, isolationTierName(plan.tier), isolationTierName(*required)),
        Text::tr("Register a stronger runtime with the daemon and name it: docker://IMAGE?runtime=NAME.")));
}

} // namespace

std::expected<QString, ErrorInfo> resolveTemplate(const Target &target, const CreateOptions &options,
                                                  const QString &defaultTemplate)
{
    if (!target.templateId.isEmpty() && !options.templateId.isEmpty() &&
        target.templateId != options.templateId)
        return std::unexpected(refused(Text::tr("The DSN names the image '%1' and the options name '%2'.")
                                           .arg(target.templateId, options.templateId),
                                       Text::tr("Name it in one place.")));
    QString name = options.templateId.isEmpty() ? target.templateId : options.templateId;
    if (name.isEmpty())
        name = defaultTemplate.isEmpty() ? QString::fromLatin1(fallbackTemplate) : defaultTemplate;
    if (!parseImageReference(name))
        return std::unexpected(refused(Text::tr("'%1' is not the name of an image.").arg(name),
                                       Text::tr("Write it like python:3.12-slim, in lower case.")));
    return name;
}

bool wantsPlainExec(const Target &target)
{
    return target.parameters.value(runsParameter) == runsByExec;
}

CreatePlan makePlan(const PlanInput &input)
{
    CreatePlan plan;
    plan.target = input.target;
    plan.options = input.options;
    plan.name = u"sandboxio-"_s + QUuid::createUuid().toString(QUuid::WithoutBraces);
    if (const auto wrong = checkCreateOptions(input.options))
        plan.refusals.append(*wrong);
    checkParameters(input.target, plan.refusals);
    if (wantsPlainExec(input.target))
        plan.remarks.append(Text::tr("Runs are plain `docker exec`s: slower, with fewer capabilities."));
    if (const auto name = resolveTemplate(input.target, input.options, input.defaultTemplate)) {
        plan.templateId = *name;
        plan.templateMissing = !input.templatePresent;
    } else {
        plan.refusals.append(name.error());
    }
    checkNetwork(input.options.network, plan.refusals);
    if (input.daemon) {
        planRuntime(*input.daemon, plan);
        planLifetime(input.keeperPossible, plan);
        planResources(*input.daemon, plan);
        checkIsolation(plan);
    }
    plan.refusals.append(input.problems);
    return plan;
}

} // namespace Sandboxio::Docker
