// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "fakeprovider_p.h"

#include <QObject>

#include <map>

namespace Sandboxio::Fake {

class CreateJob;

class Backend final : public QObject,
                      public BackendPort,
                      public ReapablePort,
                      public EventPort,
                      public FileStorePort
{
    Q_OBJECT
public:
    Backend(const EngineContext &context, const Target &target, std::shared_ptr<Script> script);
    ~Backend() override;

    Capabilities capabilities() const override;
    Operation<CreatePlan> plan(const CreateOptions &options) override;
    Operation<std::shared_ptr<SandboxPort>> create(const CreatePlan &plan) override;
    Operation<std::shared_ptr<SandboxPort>> connectTo(const QString &id, bool allowForeign) override;
    Operation<QList<Diagnosis>> diagnose() override;
    ReapablePort *reapable() override;
    EventPort *events() override;
    FileStorePort *fileStore() override;

    Operation<QList<ManagedSandbox>>
    listManaged(const QMap<QString, QString> &metadata,
                std::function<void(const QList<ManagedSandbox> &)> page) override;
    Operation<std::optional<ManagedSandbox>> inspectManaged(const QString &id) override;
    Operation<bool> killManaged(const QString &id) override;

    Operation<std::shared_ptr<StoredFilesPort>> open(const QString &id) override;

    std::unique_ptr<EventSubscription> subscribe(std::function<void(const BackendEvent &)> handler) override;

private:
    void armLifetime(const QString &id);
    std::expected<Record, ErrorInfo> findRecord(const QString &id, bool allowForeign) const;
    ManagedSandbox shown(const Record &record) const;

    std::shared_ptr<Provider> m_provider;
    QList<ErrorInfo> m_targetErrors;
    std::map<QString, std::unique_ptr<ArmedTimer>> m_lifetimes;
};

/*! What create() would do with \a options, and what it refuses. A pure function apart from the name. */
CreatePlan planFor(const Provider &provider, const CreateOptions &options);

} // namespace Sandboxio::Fake
