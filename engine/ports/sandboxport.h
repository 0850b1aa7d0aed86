// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/capability.h>
#include <sandboxio/core/managedsandbox.h>
#include <sandboxio/core/operation.h>
#include <sandboxio/core/resources.h>
#include <sandboxio/core/sandboxstats.h>
#include <sandboxio/ports/filesystemport.h>
#include <sandboxio/ports/processport.h>

#include <QVariantMap>

namespace Sandboxio {

/*! One attempt to reach the outside from inside. */
struct NetworkProbe
{
    enum class Protocol { Tcp, Udp };
    QString host; //!< address, or a name to resolve inside
    quint16 port = 0;
    Protocol protocol = Protocol::Tcp;
    std::chrono::milliseconds limit = std::chrono::seconds(2);
    QByteArray payload = "?"; //!< UDP: the datagram that is sent; any answer counts
};

/*! What became of it. */
struct NetworkProbeResult
{
    enum class Kind { Reached, Refused, Unreachable, TimedOut, NameNotResolved, NotTried };
    Kind kind = Kind::NotTried;
    QString detail;
};

/*! What is known about a sandbox without asking the provider. */
struct SandboxDetails
{
    ManagedSandbox managed;
    Capabilities capabilities;
    Resources resources; //!< caps in force
    QString tierSource;
    QString lifetimeMechanism;    //!< who ends the sandbox when this program is gone
    QString transport;            //!< how runs reach it, for people
    QString workingDirectory;     //!< absolute, where runs start and relative paths are resolved
    bool secretsAvailable = true; //!< false after connecting from a process that does not know them
    QVariantMap native; //!< the provider's own description, without secrets; outside the stability contract
};

/*! One live sandbox. Lives in the I/O thread and is destroyed there. Destroying it lets go of the connection;
    the sandbox lives on. Members whose capability is not declared end with CapabilityNotSupported (the defaults
    here). */
class SANDBOXIO_CORE_EXPORT SandboxPort
{
public:
    virtual ~SandboxPort();

    virtual QString id() const = 0;
    virtual SandboxDetails details() const = 0;
    /*! Asks the provider for state and expiry. Never wakes or extends anything. */
    virtual Operation<ManagedSandbox> inspect() = 0;

    /*! Starts a process and reports to \a events, which outlives the result. \a request has been checked. */
    virtual std::unique_ptr<ProcessPort> start(const ProcessRequest &request, ProcessEvents *events) = 0;
    /*! Languages of runCode(), first the default. */
    virtual QStringList languages() const = 0;
    /*! The files; null without Capability::FileSystem. Owned by the sandbox. */
    virtual FileSystemPort *files() = 0;

    /*! Ends and removes the sandbox with everything that belongs to it. Idempotent, silent on a dead sandbox.
     */
    virtual Operation<void> kill() = 0;
    /*! Tries to reach something from inside; part of verifyPolicy(). */
    virtual Operation<NetworkProbeResult> probe(const NetworkProbe &probe);

    /*! Freezes all that runs in it, and thaws it again. Neither changes the lifetime, which goes on while it is
       paused; both do nothing where it is in that state already. */
    virtual Operation<void> pause();
    virtual Operation<void> resume();
    /*! One sample. Never wakes or extends anything, and samples nothing unless it is asked. */
    virtual Operation<SandboxStats> stats();
    /*! Sets the remaining lifetime to \a lifetime from now. */
    virtual Operation<void> extend(std::chrono::milliseconds lifetime);
    virtual Operation<QString> createContext(const QString &language);
    virtual Operation<QStringList> listContexts();
    virtual Operation<void> interruptContext(const QString &context);
    virtual Operation<void> restartContext(const QString &context);
    virtual Operation<void> removeContext(const QString &context);

    /*! Starts a command that belongs to the sandbox from its first moment, and ends with its id when the program
        runs and has all its input. Without a timeout; its input is options.standardInput or nothing, except on a
        terminal, which takes what attachments write. Cancelled: what was started is removed again. */
    virtual Operation<QString> startBackground(const ProcessRequest &request);
    /*! Reads a background run from request.from on: started(), output and, once there, the end are told as those
        of start(); bytes that are kept no longer are outputLost(). An unknown id, or an offset beyond what was
        written, is failed() with ConfigurationError. Destroying the result lets go of the run; its killTree() kills
        the run. Null without Capability::Detach. */
    virtual std::unique_ptr<ProcessPort> attach(const AttachRequest &request, ProcessEvents *events);
    /*! Those that were not removed, oldest first. */
    virtual Operation<QList<BackgroundRun>> backgroundRuns();
    /*! Kills what still runs of it and forgets it. An unknown \a id is ConfigurationError. */
    virtual Operation<void> removeBackgroundRun(const QString &id);

    /*! Runs \a function in the I/O thread with the adapter's live object; outside the stability contract. */
    virtual void *nativeHandle();
};

/*! The error of a member whose capability is not declared. */
SANDBOXIO_CORE_EXPORT ErrorInfo capabilityNotSupported(Capability capability);

} // namespace Sandboxio
