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
    /*! Starts \a command as a background run: it belongs to the sandbox from its first moment, survives this program
        and ends with the sandbox, with removeBackgroundRun() or by itself. Ends with the id for attach() when the
        program runs. RunOptions::timeout must be unset (the lifetime ends it); its input is
        RunOptions::standardInput or nothing, but on a terminal what attachments write. The sandbox keeps the newest
        output of each stream, bounded: see BackgroundRun. Leaves the run's one record, which ends as detached.
        Cancelled: nothing is left of it. All four need Capability::Detach; an unknown id is ConfigurationError
        (SBX_E1000).

        \code
        const QString id = co_await sandbox->startBackground(Command::shell(u"make -j4"_s));
        // … in this program or another one
        auto process = sandbox->attach(id);
        connect(process.get(), &Process::outputReceived, log, [log](const OutputChunk &chunk) { log->append(chunk); });
        std::ignore = process->start(Process::ConsumerMode::Signals);
        \endcode */
    Operation<QString> startBackground(const Command &command, const RunOptions &options = {}) const;
    /*! A handle to read a background run with, from the given byte of each stream on; Process::start() begins that
        and fails with ConfigurationError for an unknown \a id or an offset beyond what was written. What is not kept
        any longer is told by OutputChunk::lostBefore. Any number may be attached at once; what is written to a
        terminal is taken from the first of them. Destroying the handle lets go of the run, Process::kill() kills it.
        Each attachment leaves a record of its own. \throws CapabilityNotSupported (SBX_E1101), ConfigurationError
        (SBX_E1000) for negative offsets. */
    std::unique_ptr<Process> attach(const QString &id, const AttachOptions &from = {}) const;
    /*! Those that run or have ended and were not removed, oldest first. */
    Operation<QList<BackgroundRun>> backgroundRuns() const;
    /*! Kills what still runs of it, and forgets it and its output. */
    Operation<void> removeBackgroundRun(const QString &id) const;
    /*! Languages of runCode(); the first is the default. */
    QStringList languages() const;

    FileSystem files() const;

    /*! Ends the sandbox and everything that belongs to it. Idempotent; bounded by the teardown grace, after
       which the OrphanedSandbox warning names what may be left. */
    Operation<void> kill() const;
    /*! Tries the ways out from inside, each with a positive control from outside. Takes a few seconds. */
    Operation<PolicyReport> verifyPolicy() const;
    /*! Freezes everything in it. Nothing runs until resume(): runs that are under way stand still with their
       limits going on, new ones and files fail with ConnectError (SBX_E1202). The lifetime goes on and is
       enforced. Does nothing when it is paused already; cancelling it does not undo it. */
    Operation<void> pause() const;
    /*! Lets everything in it go on. Does nothing when it runs. */
    Operation<void> resume() const;
    /*! One sample of what it uses. Never wakes or extends anything; nothing is sampled unless it is asked.

       \code
       const SandboxStats before = co_await sandbox->stats();
       // … a moment later
       const SandboxStats now = co_await sandbox->stats();
       qInfo() << now.memoryUsed.value_or(0) << processorsBusy(before, now).value_or(0);
       \endcode */
    Operation<SandboxStats> stats() const;
    /*! Sets the remaining lifetime. */
    Operation<void> extend(std::chrono::milliseconds lifetime) const;

    /*! Starts an interpreter that keeps its state from one runCode() to the next, and ends with its id for
       RunCodeOptions::context. Code in one context runs one piece after the other, and the wait counts for its limit;
       contexts run at the same time. Code past its limit or cancelled is interrupted and leaves the state; where that
       does not end it, the interpreter is killed and the error says so. Values of expressions are in
       ExecResult::results. All five need Capability::StatefulCode; an unknown id or language is ConfigurationError
       (SBX_E1000). */
    Operation<QString> createContext(const QString &language = QStringLiteral("python")) const;
    /*! Also those whose interpreter has ended: what is run there fails with ExecutionError (SBX_E1301) until it is
       restarted. */
    Operation<QStringList> listContexts() const;
    /*! Interrupts what runs there, as Ctrl+C does; nothing when nothing runs. Ends when the signal is on its way. */
    Operation<void> interruptContext(const QString &context) const;
    /*! Kills the interpreter with all that it started and starts another; the id stays, the state is lost. */
    Operation<void> restartContext(const QString &context) const;
    /*! Kills the interpreter with all that it started; what runs there ends by signal 9. */
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
