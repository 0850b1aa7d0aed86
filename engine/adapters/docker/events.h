// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "dockerapi.h"

#include <sandboxio/ports/enginecontext.h>
#include <sandboxio/ports/eventport.h>

#include <memory>

namespace Sandboxio::Docker {

/*! Change events of the managed containers of one daemon. */
class Events final : public EventPort
{
public:
    Events(std::shared_ptr<Api> api, EngineContext *engine);
    std::unique_ptr<EventSubscription> subscribe(std::function<void(const BackendEvent &)> handler) override;

private:
    std::shared_ptr<Api> m_api;
    EngineContext *m_engine;
};

} // namespace Sandboxio::Docker
