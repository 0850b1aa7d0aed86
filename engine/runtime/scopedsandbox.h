// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/runtime/sandbox.h>

namespace Sandboxio {

/*! Ends a sandbox at the end of a scope, whatever way the scope is left. The destructor hands the kill to the
    engine and waits for it at most the teardown grace, except in a GUI thread, where it does not wait.
    Coroutines await close() before they return. */
class SANDBOXIO_RUNTIME_EXPORT ScopedSandbox
{
public:
    explicit ScopedSandbox(SandboxPtr sandbox);
    ~ScopedSandbox();
    Q_DISABLE_COPY_MOVE(ScopedSandbox)

    Sandbox *operator->() const { return m_sandbox.get(); }
    Sandbox &operator*() const { return *m_sandbox; }
    /*! Ends the sandbox now; the destructor then does nothing. */
    Operation<void> close();
    /*! Gives up the duty: the sandbox lives on. */
    SandboxPtr release();

private:
    SandboxPtr m_sandbox;
};

} // namespace Sandboxio
