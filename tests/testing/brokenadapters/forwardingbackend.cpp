// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "forwardingbackend.h"

namespace Sandboxio::Broken {

ForwardingBackend::ForwardingBackend(const Setting &setting, std::unique_ptr<BackendPort> inner)
    : m_setting(setting)
    , m_inner(std::move(inner))
{}

ForwardingBackend::~ForwardingBackend() = default;

Capabilities ForwardingBackend::capabilities() const
{
    return m_inner->capabilities();
}

Operation<CreatePlan> ForwardingBackend::plan(const CreateOptions &options)
{
    return m_inner->plan(options);
}

Operation<std::shared_ptr<SandboxPort>> ForwardingBackend::create(const CreatePlan &plan)
{
    return forwarded(m_setting.io(), m_inner->create(plan),
                     [self = QPointer(this)](const auto &port) { return self ? self->wrapped(port) : port; });
}

Operation<std::shared_ptr<SandboxPort>> ForwardingBackend::connectTo(const QString &id, bool allowForeign)
{
    return forwarded(m_setting.io(), m_inner->connectTo(id, allowForeign),
                     [self = QPointer(this)](const auto &port) { return self ? self->wrapped(port) : port; });
}

Operation<QList<Diagnosis>> ForwardingBackend::diagnose()
{
    return m_inner->diagnose();
}

ReapablePort *ForwardingBackend::reapable()
{
    return this;
}

EventPort *ForwardingBackend::events()
{
    return m_inner->events();
}

FileStorePort *ForwardingBackend::fileStore()
{
    return m_inner->fileStore();
}

Operation<QList<ManagedSandbox>>
ForwardingBackend::listManaged(const QMap<QString, QString> &metadata,
                               std::function<void(const QList<ManagedSandbox> &)> page)
{
    return m_inner->reapable()->listManaged(metadata, std::move(page));
}

Operation<std::optional<ManagedSandbox>> ForwardingBackend::inspectManaged(const QString &id)
{
    return m_inner->reapable()->inspectManaged(id);
}

Operation<bool> ForwardingBackend::killManaged(const QString &id)
{
    return m_inner->reapable()->killManaged(id);
}

std::shared_ptr<SandboxPort> ForwardingBackend::wrapped(const std::shared_ptr<SandboxPort> &port)
{
    return port;
}

} // namespace Sandboxio::Broken
