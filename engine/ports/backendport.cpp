// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "backendport.h"

namespace Sandboxio {

BackendPort::~BackendPort() = default;

ReapablePort *BackendPort::reapable()
{
    return nullptr;
}

EventPort *BackendPort::events()
{
    return nullptr;
}

FileStorePort *BackendPort::fileStore()
{
    return nullptr;
}

} // namespace Sandboxio
