// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "containerfacts.h"
#include "dockerapi.h"

#include <sandboxio/ports/enginecontext.h>
#include <sandboxio/ports/reapableport.h>

#include <memory>

namespace Sandboxio::Docker {

/*! Whether \a id can be an id or a name of a container. */
bool isContainerId(const QString &id);

/*! The managed containers of one daemon: lists them and removes single ones. */
class Reaper final : public ReapablePort
{
public:
    Reaper(std::shared_ptr<Api> api, EngineContext *engine, Target target);

    Operation<QList<ManagedSandbox>>
    listManaged(const QMap<QString, QString> &metadata,
                std::function<void(const QList<ManagedSandbox> &)> page) override;
    Operation<std::optional<ManagedSandbox>> inspectManaged(const QString &id) override;
    Operation<bool> killManaged(const QString &id) override;

private:
    std::shared_ptr<Api> m_api;
    EngineContext *m_engine;
    const Target m_target;
};

/*! The container \a id; absent when there is none. */
QCoro::Task<std::optional<ContainerFacts>> inspectContainer(std::shared_ptr<Api> api, QString id,
                                                            Purpose purpose);

} // namespace Sandboxio::Docker
