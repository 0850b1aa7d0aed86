// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "containerrequest.h"

#include "dockersandbox.h"
#include "guestvolume.h"
#include "texts.h"

#include <QJsonArray>

#include <cmath>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 bytesPerMb = 1024 * 1024;
constexpr double nanoCpusPerCpu = 1e9;
constexpr QLatin1StringView noNewPrivileges = "no-new-privileges"_L1;

QString networkMode(const CreatePlan &plan)
{
    return plan.options.network.egress == NetworkPolicy::Egress::Deny ? u"none"_s : u"bridge"_s;
}

qint64 nanoCpus(double cpus)
{
    return std::llround(cpus * nanoCpusPerCpu);
}

QJsonObject guestMount(const QString &volume, bool readOnly)
{
    return {{"Type"_L1, u"volume"_s},
            {"Source"_L1, volume},
            {"Target"_L1, QString::fromLatin1(guestDirectory)},
            {"ReadOnly"_L1, readOnly},
            {"VolumeOptions"_L1, QJsonObject{{"NoCopy"_L1, true}}}};
}

QJsonObject workMount(const CreatePlan &plan)
{
    QJsonObject labels = metadataLabels(plan.options.metadata);
    labels[QString::fromLatin1(managedLabel)] = u"true"_s;
    return {{"Type"_L1, u"volume"_s},
            {"Target"_L1, QString::fromLatin1(workDirectory)},
            {"VolumeOptions"_L1, QJsonObject{{"Labels"_L1, labels}}}};
}

QJsonObject hostConfig(const CreatePlan &plan, const QString &guestVolume)
{
    const Resources &caps = plan.options.resources;
    QJsonObject host{{"NetworkMode"_L1, networkMode(plan)},
                     {"CapDrop"_L1, QJsonArray{u"ALL"_s}},
                     {"SecurityOpt"_L1, QJsonArray{QString(noNewPrivileges)}},
                     {"Init"_L1, false},
                     {"AutoRemove"_L1, false},
                     {"RestartPolicy"_L1, QJsonObject{{"Name"_L1, u"no"_s}}},
                     {"LogConfig"_L1, QJsonObject{{"Type"_L1, u"none"_s}}},
                     {"Runtime"_L1, plan.runtime},
                     {"Mounts"_L1, QJsonArray{guestMount(guestVolume, true), workMount(plan)}}};
    if (caps.memoryMb) {
        host["Memory"_L1] = *caps.memoryMb * bytesPerMb;
        host["MemorySwap"_L1] = *caps.memoryMb * bytesPerMb;
    }
    if (caps.cpu)
        host["NanoCpus"_L1] = nanoCpus(*caps.cpu);
    if (caps.processes)
        host["PidsLimit"_L1] = *caps.processes;
    return host;
}

QJsonArray environment(const QMap<QString, QString> &variables)
{
    QJsonArray list;
    for (const auto &[name, value] : variables.asKeyValueRange())
        list.append(name + u'=' + value);
    return list;
}

ErrorInfo notInForce(const QString &what, const QString &found)
{
    return makeError(ErrorKind::CreationError,
                     Text::tr("The container came up without what was asked for: %1.").arg(what),
                     Text::tr("Look for a policy, proxy or plugin on the Docker host that changes requests."),
                     ErrorCause{std::nullopt, found});
}

std::optional<ErrorInfo> findNetworkMismatch(const CreatePlan &plan, const ContainerFacts &facts)
{
    const QString wanted = networkMode(plan);
    const bool onlyWanted = facts.networks.isEmpty() || facts.networks == QStringList{wanted};
    if (facts.networkMode == wanted && onlyWanted)
        return std::nullopt;
    return makeError(ErrorKind::NetworkPolicyViolation,
                     Text::tr("The container came up on another network than egress '%1' allows.")
                         .arg(egressName(plan.options.network.egress)),
                     Text::tr("Look for a policy, proxy or plugin on the Docker host that changes requests."),
                     ErrorCause{std::nullopt, facts.networkMode + u' ' + facts.networks.join(u' ')});
}

std::optional<ErrorInfo> findCapMismatch(const Resources &caps, const ContainerFacts &facts)
{
    const auto differs = [](std::optional<qint64> wanted, std::optional<qint64> found) {
        return wanted && wanted != found;
    };
    const auto text = [](std::optional<qint64> value) {
        return value ? QString::number(*value) : u"none"_s;
    };
    const auto memory = caps.memoryMb.transform([](qint64 mb) { return mb * bytesPerMb; });
    const std::optional<qint64> pids = caps.processes;
    if (differs(memory, facts.memory) || differs(memory, facts.memorySwap))
        return notInForce(Text::tr("the cap 'memory'"), text(facts.memory) + u' ' + text(facts.memorySwap));
    if (differs(caps.cpu.transform(nanoCpus), facts.nanoCpus))
        return notInForce(Text::tr("the cap 'cpu'"), text(facts.nanoCpus));
    if (differs(pids, facts.pids))
        return notInForce(Text::tr("the cap 'processes'"), text(facts.pids));
    return std::nullopt;
}

bool forbidsNewPrivileges(const ContainerFacts &facts)
{
    return facts.securityOptions.contains(noNewPrivileges) ||
           facts.securityOptions.contains("no-new-privileges:true"_L1) ||
           facts.securityOptions.contains("no-new-privileges=true"_L1);
}

} // namespace

QJsonObject containerRequest(const CreatePlan &plan, const Owner &owner, const QString &guestVolume)
{
    const QString lifetime = QString::number(plan.options.timeout.count());
    return {{"Image"_L1, plan.templateId},
            {"Hostname"_L1, u"sandbox"_s},
            {"Entrypoint"_L1,
             QJsonArray{QString::fromLatin1(guestProgram), u"serve"_s, u"--lifetime-ms"_s, lifetime}},
            {"Cmd"_L1, QJsonArray()},
            {"Env"_L1, environment(plan.options.env)},
            {"WorkingDir"_L1, QString::fromLatin1(workDirectory)},
            {"Labels"_L1, labelsOf(plan, owner)},
            {"Tty"_L1, false},
            {"OpenStdin"_L1, true},
            {"StdinOnce"_L1, false},
            {"AttachStdin"_L1, true},
            {"AttachStdout"_L1, true},
            {"AttachStderr"_L1, true},
            {"StopSignal"_L1, u"SIGKILL"_s},
            {"Healthcheck"_L1, QJsonObject{{"Test"_L1, QJsonArray{u"NONE"_s}}}},
            {"HostConfig"_L1, hostConfig(plan, guestVolume)}};
}

QJsonObject fillRequest(const CreatePlan &plan, const Owner &owner, const QString &guestVolume,
                        const QString &guestVersion)
{
    QJsonObject labels = labelsOf(plan, owner);
    labels[QString::fromLatin1(guestLabel)] = guestVersion;
    const QJsonObject host{{"NetworkMode"_L1, u"none"_s},
                           {"LogConfig"_L1, QJsonObject{{"Type"_L1, u"none"_s}}},
                           {"Mounts"_L1, QJsonArray{guestMount(guestVolume, false)}}};
    return {{"Image"_L1, plan.templateId},
            {"Entrypoint"_L1, QJsonArray{QString::fromLatin1(guestProgram)}},
            {"Labels"_L1, labels},
            {"HostConfig"_L1, host}};
}

std::optional<ErrorInfo> findMismatch(const CreatePlan &plan, const ImageFacts &image,
                                      const ContainerFacts &facts)
{
    if (const auto network = findNetworkMismatch(plan, facts))
        return network;
    if (const auto cap = findCapMismatch(plan.options.resources, facts))
        return cap;
    if (facts.privileged || !facts.addedCapabilities.isEmpty() || !facts.droppedCapabilities.contains(u"ALL"_s))
        return notInForce(Text::tr("no capabilities"), facts.addedCapabilities.join(u' '));
    if (!forbidsNewPrivileges(facts))
        return notInForce(Text::tr("no new privileges"), facts.securityOptions.join(u' '));
    if (facts.runtime != plan.runtime)
        return notInForce(Text::tr("the runtime '%1'").arg(plan.runtime), facts.runtime);
    if (facts.user != image.user)
        return notInForce(Text::tr("the image's user '%1'").arg(image.user), facts.user);
    if (!facts.labels.managed)
        return notInForce(Text::tr("our labels"), {});
    return std::nullopt;
}

} // namespace Sandboxio::Docker
