// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/fake/fakeclock.h>
#include <sandboxio/fake/fakescript.h>
#include <sandboxio/testing/contractsubject.h>

namespace Sandboxio::Fake {

/*! The in-memory backend as the contract suite sees it: one script is the provider, all engines share its virtual
    clock. With \a wrap, the ports that the factory makes are wrapped, for instance to break them. */
class FakeSubject : public ContractSubject
{
public:
    explicit FakeSubject(std::function<Factory(Factory)> wrap = {});
    ~FakeSubject() override;

    QString name() const override { return QStringLiteral("fake"); }
    Target target() const override;
    std::unique_ptr<Engine> makeEngine() override;
    EngineOptions engineOptions() const override;

    std::shared_ptr<Script> script = std::make_shared<Script>();
    std::shared_ptr<VirtualClock> clock = std::make_shared<VirtualClock>();

private:
    void setCommands();
    void setProbes();
    void setFaultProbes();
    Fault withFaults(const std::function<void(Faults &)> &change);

    Factory m_factory;
};

} // namespace Sandboxio::Fake
