// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/testing/contractsubject.h>

#include <support/faultproxy.h>

#include <QTemporaryDir>

#include <atomic>

namespace Sandboxio::Docker {

/*! The Docker daemon as the contract suite sees it. All traffic goes through a proxy that injects the faults; the
    probes ask the daemon itself, by its own command line. */
class DockerSubject final : public ContractSubject
{
public:
    DockerSubject();
    ~DockerSubject() override;

    QString name() const override { return QStringLiteral("docker"); }
    Target target() const override;
    QString unavailable() override;
    CreateOptions createOptions() const override;

private:
    void setProbes();
    void setFaultProbes();
    Fault withRule(const QString &rule);
    QString image() const;

    QTemporaryDir m_folder;
    std::atomic<int> m_createRequests = 0;
    std::unique_ptr<FaultProxy> m_proxy;
};

} // namespace Sandboxio::Docker
