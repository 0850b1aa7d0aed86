// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/operation.h>
#include <sandboxio/ports/backendport.h>

namespace Sandboxio {

/*! The least that a third party can write: sandboxes that declare nothing, no listing, no events. */
class BareSandbox : public SandboxPort
{
public:
    QString id() const override { return QStringLiteral("bare"); }
    SandboxDetails details() const override { return {}; }
    Operation<ManagedSandbox> inspect() override { return finishedOperation(ManagedSandbox()); }
    std::unique_ptr<ProcessPort> start(const ProcessRequest &, ProcessEvents *) override { return nullptr; }
    QStringList languages() const override { return {}; }
    FileSystemPort *files() override { return nullptr; }
    Operation<void> kill() override { return finishedOperation(); }
    void *nativeHandle() override { return this; }
};

class BareBackend : public BackendPort
{
public:
    Capabilities capabilities() const override { return {}; }
    Operation<CreatePlan> plan(const CreateOptions &options) override
    {
        CreatePlan plan;
        plan.options = options;
        plan.name = QStringLiteral("bare");
        return finishedOperation(plan);
    }
    Operation<std::shared_ptr<SandboxPort>> create(const CreatePlan &) override
    {
        return finishedOperation(std::shared_ptr<SandboxPort>(std::make_shared<BareSandbox>()));
    }
    Operation<std::shared_ptr<SandboxPort>> connectTo(const QString &, bool) override
    {
        return failedOperation<std::shared_ptr<SandboxPort>>(
            makeError(ErrorKind::ConnectError, QStringLiteral("There is none.")));
    }
    Operation<QList<Diagnosis>> diagnose() override { return finishedOperation(QList<Diagnosis>()); }
};

} // namespace Sandboxio
