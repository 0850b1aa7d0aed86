// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/ports/createplan.h>
#include <sandboxio/ports/eventport.h>
#include <sandboxio/ports/filestoreport.h>
#include <sandboxio/ports/reapableport.h>
#include <sandboxio/ports/sandboxport.h>

namespace Sandboxio {

/*! One line of a diagnosis. */
struct Diagnosis
{
    enum class Status { Good, Warning, Failed };
    Status status = Status::Good;
    QString subject; //!< what was looked at, for example "daemon"
    QString finding; //!< what was seen; names of variables, never values
    QString fix;     //!< set when status is not Good
    bool operator==(const Diagnosis &) const = default;
};

/*! One target of a backend: what an adapter implements. Created by its plugin for an engine, lives and is
    called in the I/O thread only, single-threaded, no locks. Operations end later, never inline, exactly once; a
    cancel request ends them as cancelled when nothing is left behind. */
class SANDBOXIO_CORE_EXPORT BackendPort
{
public:
    virtual ~BackendPort();

    virtual Capabilities capabilities() const = 0;

    /*! What create() would do with \a options: resolved template, runtime, tier, refusals. No side effects. */
    virtual Operation<CreatePlan> plan(const CreateOptions &options) = 0;
    /*! Creates a usable sandbox with policy and caps in force before user code can run, under plan.name. The
       steps create and start are never aborted on the wire: on cancel they are let end, then what they made is
       removed by name before the operation ends as cancelled. Never resends. Errors: CreationError,
       CreateTimeout, AuthError, RateLimitError, ConfigurationError, NetworkPolicyViolation. */
    virtual Operation<std::shared_ptr<SandboxPort>> create(const CreatePlan &plan) = 0;
    /*! Attaches to a running or paused sandbox; never creates one, never changes its lifetime. ConnectError
       when it is unknown, stopped, or not managed and \a allowForeign is not set. */
    virtual Operation<std::shared_ptr<SandboxPort>> connectTo(const QString &id, bool allowForeign) = 0;
    /*! Looks whether the target can be used. Costs no money, creates nothing, takes at most a few seconds. */
    virtual Operation<QList<Diagnosis>> diagnose() = 0;

    /*! Null where the backend cannot list. Owned by the backend. */
    virtual ReapablePort *reapable();
    /*! Null where the backend has no events. Owned by the backend. */
    virtual EventPort *events();
    /*! Null where the files of a sandbox cannot be read once it has ended. Owned by the backend. */
    virtual FileStorePort *fileStore();
};

} // namespace Sandboxio
