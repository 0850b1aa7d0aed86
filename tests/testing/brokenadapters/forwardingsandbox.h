// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "forwardingbackend.h"

namespace Sandboxio::Broken {

/*! A sandbox that does what another one does. */
class ForwardingSandbox : public SandboxPort
{
public:
    ForwardingSandbox(const Setting &setting, std::shared_ptr<SandboxPort> inner);
    ~ForwardingSandbox() override;

    QString id() const override;
    SandboxDetails details() const override;
    Operation<ManagedSandbox> inspect() override;
    std::unique_ptr<ProcessPort> start(const ProcessRequest &request, ProcessEvents *events) override;
    QStringList languages() const override;
    FileSystemPort *files() override;
    Operation<void> kill() override;
    Operation<NetworkProbeResult> probe(const NetworkProbe &probe) override;
    Operation<SandboxStats> stats() override;
    Operation<void> pause() override;
    Operation<void> resume() override;
    Operation<void> extend(std::chrono::milliseconds lifetime) override;
    Operation<QString> createContext(const QString &language) override;
    Operation<QStringList> listContexts() override;
    Operation<void> interruptContext(const QString &context) override;
    Operation<void> restartContext(const QString &context) override;
    Operation<void> removeContext(const QString &context) override;
    Operation<QString> startBackground(const ProcessRequest &request) override;
    std::unique_ptr<ProcessPort> attach(const AttachRequest &request, ProcessEvents *events) override;
    Operation<QList<BackgroundRun>> backgroundRuns() override;
    Operation<void> removeBackgroundRun(const QString &id) override;
    void *nativeHandle() override;

protected:
    Setting m_setting;
    std::shared_ptr<SandboxPort> m_inner;
};

/*! Declares \a capability. What it does not override is refused by the other sandbox. */
template <Capability capability>
class Declares : public ForwardingSandbox
{
public:
    using ForwardingSandbox::ForwardingSandbox;
    SandboxDetails details() const override
    {
        SandboxDetails details = ForwardingSandbox::details();
        details.capabilities |= capability;
        return details;
    }
};

} // namespace Sandboxio::Broken
