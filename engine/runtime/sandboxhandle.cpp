// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "sandboxhandle_p.h"

#include "enginecore_p.h"

namespace Sandboxio::Detail {

SandboxHandle::SandboxHandle(std::shared_ptr<EngineLink> engineLink, quint64 portKey, SandboxDetails known,
                             QStringList knownLanguages, std::chrono::milliseconds teardownGrace,
                             std::shared_ptr<Redactor> knownSecrets)
    : link(std::move(engineLink))
    , key(portKey)
    , details(std::move(known))
    , languages(std::move(knownLanguages))
    , grace(teardownGrace)
    , redactor(std::move(knownSecrets))
{}

SandboxHandle::~SandboxHandle()
{
    link->post([key = key](EngineCore &core) { core.releasePort(key); });
}

ErrorInfo SandboxHandle::refused(const OperationRecord &record, const ErrorInfo &error) const
{
    const ErrorInfo safe = redacted(*redactor, error);
    link->post([record, safe, managed = details.managed](EngineCore &core) {
        core.recorder().refuse(core.recorder().begin(managed, record), safe);
    });
    return safe;
}

ErrorInfo SandboxHandle::refused(const ProcessRequest &request, const ErrorInfo &error) const
{
    const ErrorInfo safe = redacted(*redactor, error);
    link->post([request, safe, managed = details.managed](EngineCore &core) {
        core.recorder().refuse(core.recorder().begin(managed, request), safe);
    });
    return safe;
}

SandboxPtr SandboxHandle::makeSandbox(std::shared_ptr<SandboxHandle> handle)
{
    return SandboxPtr(new Sandbox(std::move(handle)));
}

} // namespace Sandboxio::Detail
