// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/ports/backendport.h>
#include <sandboxio/ports/enginecontext.h>

#include <QtPlugin>

namespace Sandboxio {

/*! Root object of an adapter's plugin: a stateless factory, since Qt gives every loader in the process the same
    one.

    Metadata (JSON beside the plugin), read without loading code: `name` (the scheme), `title`, `version`,
    `default` (true for the backend used without a target), `demo` (true where nothing real runs), `credentials`
    (names of environment variables), `parameters` (names of DSN parameters besides `timeout`). */
class BackendPlugin
{
public:
    virtual ~BackendPlugin() = default;
    /*! The port of \a target. Called in the I/O thread; \a context outlives the result. Must not fail and must
       not touch the outside: what is wrong with the target shows in plan() and diagnose(). */
    virtual std::unique_ptr<BackendPort> create(EngineContext &context, const Target &target) = 0;
};

} // namespace Sandboxio

#define SANDBOXIO_BACKEND_IID "io.sandboxio.Backend/1"
Q_DECLARE_INTERFACE(Sandboxio::BackendPlugin, SANDBOXIO_BACKEND_IID)
