// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/capability.h>
#include <sandboxio/core/command.h>
#include <sandboxio/core/createoptions.h>
#include <sandboxio/core/runoptions.h>
#include <sandboxio/ports/sandboxport.h>
#include <sandboxio/runtime/filesystem.h>
#include <sandboxio/runtime/policyreport.h>
#include <sandboxio/runtime/process.h>

#include <memory>

namespace Sandboxio {

class Sandbox;
using SandboxPtr = std::shared_ptr<Sandbox>;

/*! One live sandbox. A shared value without thread: use it from any. When the last copy goes, the sandbox lives
    on until its lifetime ends; ScopedSandbox ends it. Calls after the engine is gone fail with
    ConfigurationError (SBX_E1000).

    Errors of every asynchronous member besides those named: SandboxGone (SBX_E1204) when it ceased to exist,
    CapabilityNotSupported (SBX_E1101) when the capability is not declared, ConfigurationError (SBX_E1000) for
    bad arguments. Cancelling a run kills its process tree and nothing else. */
class SANDBOXIO_RUNTIME_EXPORT Sandbox
{
public:
    ~Sandbox();
    Q_DISABLE_COPY_MOVE(Sandbox)

    QString id() const;
    Target target() const;
    Capabilities capabilities() const;
    IsolationTier isolation() const;
    /*! What was known at creation or connection, without asking. */
    SandboxDetails details() const;
    /*! Asks the provider for state and expiry. Never wakes or extends anything. */
    Operation<ManagedSandbox> info() const;

    /*! Runs \a command and collects its output. \throws ExecutionTimeout (SBX_E1302), ResourceLimitExceeded
       (SBX_E1402) besides the common ones. An exit code other than 0 is a result, not an error. */
    Operation<ExecResult> run(const Command &command, const RunOptions &options = {}) const;
    /*! Runs \a code; it travels by file or frame, never by argv. Syntax and runtime errors are a non-zero
     * result. */
    Operation<ExecResult> runCode(const QString &code, const RunCodeOptions &options = {}) const;
    /*! A handle to start \a command with and to follow its output. \throws CapabilityNotSupported (SBX_E1101).
     */
    std::unique_ptr<Process> stream(const Command &command, const RunOptions &options = {}) const;
    /*! The same for code. */
    std::unique_ptr<Process> streamCode(const QString &code, const RunCodeOptions &options = {}) const;
    /*! Languages of runCode(); the first is the default. */
    QStringList languages() const;

    FileSystem files() const;

    /*! Ends the sandbox and everything that belongs to it. Idempotent; bounded by the teardown grace, after
       which the OrphanedSandbox warning names what may be left. */
    Operation<void> kill() const;
    /*! Tries the ways out from inside, each with a positive control from outside. Takes a few seconds. */
    Operation<PolicyReport> verifyPolicy() const;
    Operation<void> pause() const;
    Operation<void> resume() const;
    /*! Sets the remaining lifetime. */
    Operation<void> extend(std::chrono::milliseconds lifetime) const;

    Operation<QString> createContext(const QString &language = QStringLiteral("python")) const;
    Operation<QStringList> listContexts() const;
    Operation<void> interruptContext(const QString &context) const;
    Operation<void> restartContext(const QString &context) const;
    Operation<void> removeContext(const QString &context) const;

    /*! The provider's description of the sandbox. Outside the stability contract. */
    QVariantMap native() const;
    /*! Runs \a function in the I/O thread with the adapter's live object. Outside the stability contract. */
    Operation<void> withNative(std::function<void(void *)> function) const;

private:
    friend class Engine;
    friend class ScopedSandbox;
    friend class Detail::SandboxHandle;
    explicit Sandbox(std::shared_ptr<Detail::SandboxHandle> handle);
    std::shared_ptr<Detail::SandboxHandle> m_handle;
};

} // namespace Sandboxio

Q_DECLARE_METATYPE(Sandboxio::SandboxPtr)
