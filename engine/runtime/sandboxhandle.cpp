// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "sandboxhandle_p.h"

#include "enginecore_p.h"

namespace Sandboxio::Detail {

SandboxHandle::SandboxHandle(std::shared_ptr<EngineLink> engineLink, quint64 portKey, SandboxDetails known,
                             QStringList knownLanguages, std::chrono::milliseconds teardownGrace)
    : link(std::move(engineLink))
    , key(portKey)
    , details(std::move(known))
    , languages(std::move(knownLanguages))
    , grace(teardownGrace)
{}

SandboxHandle::~SandboxHandle()
{
    link->post([key = key](EngineCore &core) { core.releasePort(key); });
}

SandboxPtr SandboxHandle::makeSandbox(std::shared_ptr<SandboxHandle> handle)
{
    return SandboxPtr(new Sandbox(std::move(handle)));
}

} // namespace Sandboxio::Detail
