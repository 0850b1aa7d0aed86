// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "dockerapi.h"

#include <sandboxio/ports/enginecontext.h>
#include <sandboxio/ports/filestoreport.h>

#include <memory>

namespace Sandboxio::Docker {

/*! The files of stopped containers, by `GET /containers/{id}/archive`, volumes included.

    The daemon archives a directory with all that stands below it and has no way to ask for less: a listing reads that
    too and keeps only the entries. Measured (Docker 26.1.5, local socket, two busy cores): 140 to 260 MB/s. In a running container the
    endpoint would not show what is mounted inside, so those are refused. */
class ArchiveStore final : public FileStorePort
{
public:
    ArchiveStore(std::shared_ptr<Api> api, EngineContext *engine, Target target);

    Operation<std::shared_ptr<StoredFilesPort>> open(const QString &id) override;

private:
    std::shared_ptr<Api> m_api;
    EngineContext *m_engine;
    const Target m_target;
};

} // namespace Sandboxio::Docker
