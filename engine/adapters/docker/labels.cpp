// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "labels.h"

#include "jsonvalues.h"

#include <QJsonDocument>

#include <array>
#include <cmath>
#include <limits>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr const char *ourVersion = "0.1";
constexpr std::array egressValues{NetworkPolicy::Egress::Deny, NetworkPolicy::Egress::AllowList,
                                  NetworkPolicy::Egress::Learn, NetworkPolicy::Egress::Open};
constexpr std::array tierValues{IsolationTier::Unknown, IsolationTier::Container, IsolationTier::GVisor,
                                IsolationTier::MicroVm};
constexpr std::array capValues{Resources::Cap::Cpu, Resources::Cap::Memory, Resources::Cap::Disk,
                               Resources::Cap::Processes};

QString key(const char *label)
{
    return QString::fromLatin1(label);
}

QString compact(const QJsonObject &object)
{
    return QString::fromUtf8(QJsonDocument(object).toJson(QJsonDocument::Compact));
}

QJsonObject parsed(const QJsonValue &label)
{
    return QJsonDocument::fromJson(label.toString().toUtf8()).object();
}

QJsonObject planObject(const CreatePlan &plan)
{
    const Resources &resources = plan.options.resources;
    QJsonObject caps;
    QJsonArray waived;
    if (resources.cpu)
        caps["cpu"_L1] = *resources.cpu;
    if (resources.memoryMb)
        caps["memoryMb"_L1] = *resources.memoryMb;
    if (resources.diskMb)
        caps["diskMb"_L1] = *resources.diskMb;
    if (resources.processes)
        caps["processes"_L1] = *resources.processes;
    for (const Resources::Cap cap : capValues) {
        if (resources.waived.testFlag(cap))
            waived.append(capName(cap));
    }
    return {{"egress"_L1, egressName(plan.options.network.egress)},
            {"caps"_L1, caps},
            {"waived"_L1, waived},
            {"tier"_L1, isolationTierName(plan.tier)},
            {"tierSource"_L1, plan.tierSource},
            {"template"_L1, plan.templateId},
            {"runtime"_L1, plan.runtime}};
}

QJsonObject ownerObject(const Owner &owner)
{
    QJsonObject object{{"hostId"_L1, owner.hostId},
                       {"bootId"_L1, owner.bootId},
                       {"pidNamespace"_L1, owner.pidNamespace},
                       {"user"_L1, owner.user},
                       {"session"_L1, owner.session}};
    if (owner.pid)
        object["pid"_L1] = *owner.pid;
    if (owner.startTime)
        object["startTime"_L1] = *owner.startTime;
    return object;
}

Owner readOwner(const QJsonObject &labels)
{
    const QJsonObject object = parsed(labels.value(key(ownerLabel)));
    if (object.isEmpty()) {
        Owner owner;
        owner.session = labels.value(key(sessionLabel)).toString();
        owner.foreign = true;
        return owner;
    }
    return {.hostId = object.value("hostId"_L1).toString(),
            .bootId = object.value("bootId"_L1).toString(),
            .pidNamespace = object.value("pidNamespace"_L1).toString(),
            .pid = positiveNumber(object.value("pid"_L1)),
            .startTime = positiveNumber(object.value("startTime"_L1)),
            .user = object.value("user"_L1).toString(),
            .session = object.value("session"_L1).toString()};
}

std::optional<std::chrono::milliseconds> readLifetime(const QString &text)
{
    bool ok = false;
    const double seconds = text.toDouble(&ok);
    constexpr double longest = 10.0 * 365 * 24 * 3600;
    if (!ok || !std::isfinite(seconds) || seconds <= 0 || seconds > longest)
        return std::nullopt;
    return std::chrono::milliseconds(std::llround(seconds * 1000));
}

void readPlan(const QJsonObject &object, LabelFacts &facts)
{
    const QString egress = object.value("egress"_L1).toString();
    for (const NetworkPolicy::Egress value : egressValues) {
        if (egressName(value) == egress)
            facts.egress = value;
    }
    const QString tier = object.value("tier"_L1).toString();
    for (const IsolationTier value : tierValues) {
        if (isolationTierName(value) == tier)
            facts.tier = value;
    }
    const QJsonArray waived = object.value("waived"_L1).toArray();
    for (const Resources::Cap cap : capValues)
        facts.resources.waived.setFlag(cap, waived.contains(capName(cap)));
    const QJsonObject caps = object.value("caps"_L1).toObject();
    if (const double cpu = caps.value("cpu"_L1).toDouble(); cpu > 0)
        facts.resources.cpu = cpu;
    facts.resources.memoryMb = positiveNumber(caps.value("memoryMb"_L1));
    facts.resources.diskMb = positiveNumber(caps.value("diskMb"_L1));
    const auto processes = positiveNumber(caps.value("processes"_L1));
    if (processes && *processes <= std::numeric_limits<int>::max())
        facts.resources.processes = static_cast<int>(*processes);
    facts.tierSource = object.value("tierSource"_L1).toString();
    facts.templateId = object.value("template"_L1).toString();
    facts.runtime = object.value("runtime"_L1).toString();
}

} // namespace

QJsonObject metadataLabels(const QMap<QString, QString> &metadata)
{
    QJsonObject labels;
    for (const auto &[name, value] : metadata.asKeyValueRange())
        labels[key(metadataPrefix) + name] = value;
    return labels;
}

QJsonObject labelsOf(const CreatePlan &plan, const Owner &owner)
{
    QJsonObject labels = metadataLabels(plan.options.metadata);
    labels[key(managedLabel)] = u"true"_s;
    labels[key(sessionLabel)] = owner.session;
    labels[key(timeoutLabel)] =
        QString::number(static_cast<double>(plan.options.timeout.count()) / 1000, 'g', 12);
    labels[key(planLabel)] = compact(planObject(plan));
    labels[key(ownerLabel)] = compact(ownerObject(owner));
    labels[key(versionLabel)] = key(ourVersion);
    return labels;
}

LabelFacts readLabels(const QJsonObject &labels)
{
    LabelFacts facts{.managed = labels.value(key(managedLabel)).toString() == "true"_L1,
                     .owner = readOwner(labels),
                     .lifetime = readLifetime(labels.value(key(timeoutLabel)).toString())};
    const QString prefix = key(metadataPrefix);
    for (auto it = labels.begin(); it != labels.end(); ++it) {
        if (it.key().startsWith(prefix) && it.key().size() > prefix.size())
            facts.metadata.insert(it.key().sliced(prefix.size()), it.value().toString());
    }
    readPlan(parsed(labels.value(key(planLabel))), facts);
    return facts;
}

} // namespace Sandboxio::Docker
