// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "forwardedoperation.h"

#include <sandboxio/fake/fakescript.h>
#include <sandboxio/ports/backendport.h>
#include <sandboxio/ports/enginecontext.h>

#include <QPointer>

namespace Sandboxio::Broken {

/*! What the decorators of one backend share. */
struct Setting
{
    EngineContext *context = nullptr;
    std::shared_ptr<Fake::Script> script; //!< the provider behind the adapter
    QObject *io() const { return context->ioObject; }
};

/*! A backend that does what another one does. Subclasses override what they break. */
class ForwardingBackend : public QObject, public BackendPort, public ReapablePort
{
public:
    ForwardingBackend(const Setting &setting, std::unique_ptr<BackendPort> inner);
    ~ForwardingBackend() override;

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

protected:
    using SandboxOperation = Operation<std::shared_ptr<SandboxPort>>;
    using SandboxPromise = OperationPromise<std::shared_ptr<SandboxPort>>;

    /*! The port that stands for \a port. */
    virtual std::shared_ptr<SandboxPort> wrapped(const std::shared_ptr<SandboxPort> &port);

    Setting m_setting;
    std::unique_ptr<BackendPort> m_inner;
};

/*! A backend whose sandboxes are of the class \a Port. */
template <typename Port>
class WithSandbox final : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;

private:
    std::shared_ptr<SandboxPort> wrapped(const std::shared_ptr<SandboxPort> &port) override
    {
        return std::make_shared<Port>(m_setting, port);
    }
};

} // namespace Sandboxio::Broken
