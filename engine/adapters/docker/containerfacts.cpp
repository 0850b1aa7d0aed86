// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "containerfacts.h"

#include "guestvolume.h"
#include "jsonvalues.h"

#include <QTimeZone>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

/*! The daemon writes nanoseconds, and the year 1 for "never". */
QDateTime parseTime(const QString &text)
{
    const QDateTime time = QDateTime::fromString(text, Qt::ISODateWithMs).toUTC();
    return time.isValid() && time.date().year() > 1 ? time : QDateTime();
}

QMap<QString, QString> environment(const QJsonValue &value)
{
    QMap<QString, QString> result;
    const QStringList assignments = stringList(value);
    for (const QString &assignment : assignments) {
        const qsizetype equals = assignment.indexOf(u'=');
        if (equals > 0)
            result.insert(assignment.first(equals), assignment.sliced(equals + 1));
    }
    return result;
}

QString guestVolumeOf(const QJsonArray &mounts)
{
    for (const QJsonValue mount : mounts) {
        const QString name = mount["Name"_L1].toString();
        if (mount["Destination"_L1].toString() == QLatin1StringView(guestDirectory) &&
            name.startsWith(QLatin1StringView(guestVolumePrefix)))
            return name;
    }
    return {};
}

void readHostConfig(const QJsonObject &host, ContainerFacts &facts)
{
    facts.runtime = host.value("Runtime"_L1).toString();
    facts.networkMode = host.value("NetworkMode"_L1).toString();
    facts.securityOptions = stringList(host.value("SecurityOpt"_L1));
    facts.droppedCapabilities = stringList(host.value("CapDrop"_L1));
    facts.addedCapabilities = stringList(host.value("CapAdd"_L1));
    facts.privileged = host.value("Privileged"_L1).toBool();
    facts.memory = positiveNumber(host.value("Memory"_L1));
    facts.memorySwap = positiveNumber(host.value("MemorySwap"_L1));
    facts.nanoCpus = positiveNumber(host.value("NanoCpus"_L1));
    facts.pids = positiveNumber(host.value("PidsLimit"_L1));
}

ManagedSandbox fromLabels(const LabelFacts &labels, const Target &target, const QDateTime &begin,
                          const QDateTime &now)
{
    ManagedSandbox sandbox;
    sandbox.target = target;
    sandbox.metadata = labels.metadata;
    sandbox.tier = labels.tier;
    sandbox.templateId = labels.templateId;
    sandbox.egress = labels.egress;
    sandbox.owner = labels.owner;
    sandbox.lastSeen = now;
    if (labels.lifetime && begin.isValid())
        sandbox.expiresAt = begin.addDuration(*labels.lifetime);
    return sandbox;
}

QString withoutSlash(const QString &name)
{
    return name.startsWith(u'/') ? name.sliced(1) : name;
}

} // namespace

SandboxState sandboxState(const QString &status)
{
    if (status == "created"_L1 || status == "initialized"_L1)
        return SandboxState::Creating;
    if (status == "running"_L1 || status == "restarting"_L1)
        return SandboxState::Running;
    if (status == "paused"_L1)
        return SandboxState::Paused;
    if (status == "exited"_L1 || status == "removing"_L1 || status == "stopped"_L1 || status == "stopping"_L1)
        return SandboxState::Stopped;
    return status == "dead"_L1 ? SandboxState::Failed : SandboxState::Unknown;
}

std::optional<ContainerFacts> containerFacts(const QJsonObject &inspected)
{
    ContainerFacts facts;
    facts.id = inspected.value("Id"_L1).toString();
    if (facts.id.isEmpty())
        return std::nullopt;
    const QJsonObject config = inspected.value("Config"_L1).toObject();
    const QJsonObject state = inspected.value("State"_L1).toObject();
    facts.name = withoutSlash(inspected.value("Name"_L1).toString());
    facts.image = config.value("Image"_L1).toString();
    facts.user = config.value("User"_L1).toString();
    facts.workingDirectory = config.value("WorkingDir"_L1).toString();
    facts.state = sandboxState(state.value("Status"_L1).toString());
    facts.createdAt = parseTime(inspected.value("Created"_L1).toString());
    facts.startedAt = parseTime(state.value("StartedAt"_L1).toString());
    facts.labels = readLabels(config.value("Labels"_L1).toObject());
    facts.env = environment(config.value("Env"_L1));
    facts.networks = inspected["NetworkSettings"_L1]["Networks"_L1].toObject().keys();
    facts.guestVolume = guestVolumeOf(inspected.value("Mounts"_L1).toArray());
    readHostConfig(inspected.value("HostConfig"_L1).toObject(), facts);
    return facts;
}

ManagedSandbox managedSandbox(const ContainerFacts &facts, const Target &target, const QDateTime &now)
{
    const QDateTime begin = facts.startedAt.isValid() ? facts.startedAt : facts.createdAt;
    ManagedSandbox sandbox = fromLabels(facts.labels, target, begin, now);
    sandbox.id = facts.id;
    sandbox.name = facts.name;
    sandbox.state = facts.state;
    sandbox.createdAt = facts.createdAt;
    if (sandbox.templateId.isEmpty())
        sandbox.templateId = facts.image;
    return sandbox;
}

std::optional<ManagedSandbox> managedSandboxOfEntry(const QJsonObject &entry, const Target &target,
                                                    const QDateTime &now)
{
    const QString id = entry.value("Id"_L1).toString();
    const LabelFacts labels = readLabels(entry.value("Labels"_L1).toObject());
    if (id.isEmpty() || !labels.managed)
        return std::nullopt;
    const qint64 created = entry.value("Created"_L1).toInteger(0);
    const QDateTime createdAt =
        created > 0 ? QDateTime::fromSecsSinceEpoch(created, QTimeZone::UTC) : QDateTime();
    ManagedSandbox sandbox = fromLabels(labels, target, createdAt, now);
    sandbox.id = id;
    sandbox.name = withoutSlash(entry["Names"_L1][0].toString());
    sandbox.state = sandboxState(entry.value("State"_L1).toString());
    sandbox.createdAt = createdAt;
    if (sandbox.templateId.isEmpty())
        sandbox.templateId = entry.value("Image"_L1).toString();
    return sandbox;
}

} // namespace Sandboxio::Docker
