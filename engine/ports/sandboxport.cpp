// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "sandboxport.h"

#include <QCoreApplication>

namespace Sandboxio {

SandboxPort::~SandboxPort() = default;

ErrorInfo capabilityNotSupported(Capability capability)
{
    const QString name = capabilityName(capability);
    return makeError(
        ErrorKind::CapabilityNotSupported,
        QCoreApplication::translate("Sandboxio::Ports", "This sandbox does not support %1.").arg(name),
        QCoreApplication::translate("Sandboxio::Ports",
                                    "Choose a backend that `sandboxio doctor` lists with %1.")
            .arg(name));
}

Operation<NetworkProbeResult> SandboxPort::probe(const NetworkProbe &)
{
    return failedOperation<NetworkProbeResult>(capabilityNotSupported(Capability::NetworkPolicy));
}

Operation<void> SandboxPort::pause()
{
    return failedOperation<void>(capabilityNotSupported(Capability::PauseResume));
}

Operation<void> SandboxPort::resume()
{
    return failedOperation<void>(capabilityNotSupported(Capability::PauseResume));
}

Operation<SandboxStats> SandboxPort::stats()
{
    return failedOperation<SandboxStats>(capabilityNotSupported(Capability::Stats));
}

Operation<void> SandboxPort::extend(std::chrono::milliseconds)
{
    return failedOperation<void>(capabilityNotSupported(Capability::ExtendLifetime));
}

Operation<QString> SandboxPort::createContext(const QString &)
{
    return failedOperation<QString>(capabilityNotSupported(Capability::StatefulCode));
}

Operation<QStringList> SandboxPort::listContexts()
{
    return failedOperation<QStringList>(capabilityNotSupported(Capability::StatefulCode));
}

Operation<void> SandboxPort::interruptContext(const QString &)
{
    return failedOperation<void>(capabilityNotSupported(Capability::StatefulCode));
}

Operation<void> SandboxPort::restartContext(const QString &)
{
    return failedOperation<void>(capabilityNotSupported(Capability::StatefulCode));
}

Operation<void> SandboxPort::removeContext(const QString &)
{
    return failedOperation<void>(capabilityNotSupported(Capability::StatefulCode));
}

Operation<QString> SandboxPort::startBackground(const ProcessRequest &)
{
    return failedOperation<QString>(capabilityNotSupported(Capability::Detach));
}

std::unique_ptr<ProcessPort> SandboxPort::attach(const AttachRequest &, ProcessEvents *)
{
    return nullptr;
}

Operation<QList<BackgroundRun>> SandboxPort::backgroundRuns()
{
    return failedOperation<QList<BackgroundRun>>(capabilityNotSupported(Capability::Detach));
}

Operation<void> SandboxPort::removeBackgroundRun(const QString &)
{
    return failedOperation<void>(capabilityNotSupported(Capability::Detach));
}

void *SandboxPort::nativeHandle()
{
    return nullptr;
}

} // namespace Sandboxio
