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
class DockerSubject : public ContractSubject
{
public:
    /*! \a parameters go into the target, besides the proxy's address. */
    explicit DockerSubject(const QString &name = QStringLiteral("docker-guest"),
                           const QMap<QString, QString> &parameters = {});
    ~DockerSubject() override;

    QString name() const override { return m_name; }
    Target target() const override;
    QString unavailable() override;
    CreateOptions createOptions() const override;

private:
    void setProbes();
    void setFaultProbes();
    Fault withRule(const QString &rule);
    QString image() const;

    const QString m_name;
    const QMap<QString, QString> m_parameters;
    QTemporaryDir m_folder;
    std::atomic<int> m_createRequests = 0;
    std::unique_ptr<FaultProxy> m_proxy;
};

} // namespace Sandboxio::Docker
