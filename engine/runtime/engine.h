// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/ports/backendplugin.h>
#include <sandboxio/runtime/doctorreport.h>
#include <sandboxio/runtime/engineoptions.h>
#include <sandboxio/runtime/listing.h>
#include <sandboxio/runtime/sandbox.h>
#include <sandboxio/runtime/sandboxwatcher.h>
#include <sandboxio/runtime/storedfiles.h>

#include <QObject>

namespace Sandboxio {

namespace Detail {
class EngineCore;
class EngineLink;
class Registry;
} // namespace Detail

/*! Drives sandboxes of all backends. Owns one I/O thread and one that writes to disk, started by the first operation; before that no plugin
    is loaded and no socket opened. Needs a QCoreApplication and dies before it; several engines do not know of
    each other. Create, use as QObject and destroy it in one thread; its asynchronous members may be called from
    any.

    The destructor cancels what still runs, creations that nobody took included, and finishes teardowns within
    one grace; it kills no sandbox that it was not asked to kill. Programs with a window call shutdown() and wait for it instead.

    \code
    Engine engine;
    SandboxPtr sandbox = engine.create().result();
    qInfo().noquote() << sandbox->runCode(u"print('hello')"_s).result().text();
    sandbox->kill().result();
    \endcode */
class SANDBOXIO_RUNTIME_EXPORT Engine : public QObject
{
    Q_OBJECT
public:
    /*! \throws ConfigurationError (SBX_E1000) without a QCoreApplication. */
    explicit Engine(const EngineOptions &options = {}, QObject *parent = nullptr);
    ~Engine() override;

    /*! Creates a sandbox at the default target: local, without key, account or file. The value is a lease:
       cancelled or dropped before it was taken, the sandbox is removed. Errors: ConfigurationError (SBX_E1000),
       BackendNotFound (SBX_E1001), BackendNotInstalled (SBX_E1002), CreationError (SBX_E1201), CreateTimeout
       (SBX_E1203), AuthError (SBX_E1501), RateLimitError (SBX_E1502), CapabilityNotSupported (SBX_E1101) for what the backend cannot
       enforce, NetworkPolicyViolation (SBX_E1401), ConnectError (SBX_E1202). Progress tells the steps and the bytes of
       a template that is fetched. */
    Operation<SandboxPtr> create(const CreateOptions &options = {});
    /*! The same at \a target. */
    Operation<SandboxPtr> create(const Target &target, const CreateOptions &options = {});
    /*! What create() would do; no side effects. A plan with refusals is a value, not an error. */
    Operation<CreatePlan> plan(const Target &target, const CreateOptions &options = {});
    /*! What sandboxes of \a target can do; a single one may lack some of it, and says so itself. Asks nobody. */
    Operation<Capabilities> capabilities(const Target &target);
    /*! Attaches to the running or paused sandbox \a id; never creates one and never changes its lifetime.
       ConnectError (SBX_E1202) when it is unknown, stopped, or not managed and \a allowForeign is false. A managed one in which nothing of ours runs counts as not
       managed. */
    Operation<SandboxPtr> connectTo(const Target &target, const QString &id, bool allowForeign = false);
    /*! The files that the ended sandbox \a id has left behind, as long as nobody removed it. Asks nobody: what is wrong
        with the id, the target or the state is told by the operations on the files. */
    StoredFiles storedFiles(const Target &target, const QString &id) const;

    /*! The managed sandboxes of all targets, whoever created them. Never fails as a whole: a target that cannot be
        listed says so in its part. */
    Operation<ManagedListing> listManaged(const ListOptions &options = {});
    /*! Ends and removes a managed sandbox, whoever created it. False when it is already gone; ConnectError when
       it is not managed or could not be ended within the teardown grace; CapabilityNotSupported where the backend
       cannot do it. */
    Operation<bool> killManaged(const Target &target, const QString &id);
    /*! Follows the sandboxes of \a targets (empty: as ListOptions::targets). The result lives in the calling
       thread, which needs an event loop. */
    SandboxWatcher *watch(const QList<Target> &targets, QObject *parent);
    /*! Looks whether every installed backend can be used. Free of charge and side effects, a few seconds at
     * most. */
    Operation<DoctorReport> doctor(const QList<Target> &targets = {});
    /*! Refuses new work, cancels what runs, ends sandboxes that were created and not taken by anybody (their
       operation ends as cancelled), finishes teardowns, at most one grace; then the record sinks have
       their time limit for the records that are left. With \a killCreated also ends the sandboxes that this
       engine created and that still live. */
    Operation<void> shutdown(bool killCreated = false);

    using BackendFactory = std::function<std::unique_ptr<BackendPort>(EngineContext &, const Target &)>;
    /*! Makes \a factory the backend called \a name; it wins over plugins. \throws ConfigurationError when the
       name is registered already. */
    void registerBackend(const QString &name, BackendFactory factory);
    /*! Adds the plugin \a path. \throws BackendNotInstalled (SBX_E1002) when it is no adapter for these ports.
     */
    void registerBackend(const QString &path);
    /*! What is installed, from metadata; loads no plugin. */
    QList<BackendDescription> backends() const;
    /*! The target that create() without one uses. \throws BackendNotInstalled when there is none. */
    Target defaultTarget() const;

    /*! From now on takes \a value out of everything that this engine composes: records, errors, warnings,
       diagnoses. Secrets of sandboxes, credentials and the values of credential-shaped variables are taken out
       by themselves. Never touches what programs print. From any thread. */
    void markSecret(const Secret &value);
    /*! This engine as owner labels name it. */
    Owner owner() const;
    std::chrono::milliseconds teardownGrace() const;
    /*! Classifies a row with this process as observer; see classifyOwnership(). Rows of listManaged() hold what the
       ledger of this host knows as well. */
    Ownership ownershipOf(const ManagedSandbox &sandbox) const;

Q_SIGNALS:
    void warningRaised(const Sandboxio::EngineWarning &warning);
    /*! Sandboxes of \a target were created or removed by this engine. */
    void sandboxesChanged(const Sandboxio::Target &target);

private:
    std::shared_ptr<Detail::Registry> m_registry;
    std::unique_ptr<EngineContext> m_context;
    std::shared_ptr<Detail::EngineLink> m_link;
};

} // namespace Sandboxio
