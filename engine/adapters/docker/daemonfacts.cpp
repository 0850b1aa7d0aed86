// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "daemonfacts.h"

#include "jsonvalues.h"
#include "texts.h"

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

QString DaemonFacts::imageArchitecture() const
{
    if (architecture == "x86_64"_L1)
        return u"amd64"_s;
    if (architecture == "aarch64"_L1)
        return u"arm64"_s;
    return architecture;
}

DaemonFacts daemonFacts(const QJsonObject &info)
{
    DaemonFacts facts;
    facts.serverVersion = info.value("ServerVersion"_L1).toString();
    facts.operatingSystem = info.value("OperatingSystem"_L1).toString();
    facts.architecture = info.value("Architecture"_L1).toString();
    facts.storageDriver = info.value("Driver"_L1).toString();
    facts.cgroupVersion = info.value("CgroupVersion"_L1).toString();
    facts.defaultRuntime = info.value("DefaultRuntime"_L1).toString();
    facts.runtimes = info.value("Runtimes"_L1).toObject().keys();
    facts.enforceable.setFlag(Resources::Cap::Memory, info.value("MemoryLimit"_L1).toBool());
    facts.enforceable.setFlag(Resources::Cap::Processes, info.value("PidsLimit"_L1).toBool());
    facts.enforceable.setFlag(Resources::Cap::Cpu,
                              info.value("CpuCfsQuota"_L1).toBool() && info.value("CpuCfsPeriod"_L1).toBool());
    facts.swapLimit = info.value("SwapLimit"_L1).toBool();
    facts.cpus = info.value("NCPU"_L1).toInt();
    facts.warnings = stringList(info.value("Warnings"_L1));
    facts.rootless = stringList(info.value("SecurityOptions"_L1)).contains(u"name=rootless"_s);
    return facts;
}

RuntimeTier runtimeTier(const QString &name)
{
    const QString lower = name.toLower();
    if (lower == "runc"_L1 || lower == "crun"_L1 || lower == "youki"_L1 || lower == "io.containerd.runc.v2"_L1)
        return {IsolationTier::Container,
                Text::tr("Runtime '%1': Linux namespaces on the host's kernel.").arg(name)};
    if (lower.startsWith("runsc"_L1) || lower.startsWith("io.containerd.runsc"_L1))
        return {IsolationTier::GVisor,
                Text::tr("Runtime '%1': gVisor's own kernel; by its name, gVisor documentation of 2024-07.")
                    .arg(name)};
    if (lower.startsWith("kata"_L1) || lower.startsWith("io.containerd.kata"_L1))
        return {
            IsolationTier::MicroVm,
            Text::tr(
                "Runtime '%1': Kata Containers' virtual machine; by its name, Kata documentation of 2024-07.")
                .arg(name)};
    return {IsolationTier::Unknown, Text::tr("Nothing is known of the runtime '%1'.").arg(name)};
}

} // namespace Sandboxio::Docker
