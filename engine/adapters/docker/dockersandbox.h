// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "dockerexec.h"
#include "guestlink.h"
#include "keeperlaunch.h"
#include "pausewatch.h"
#include "sandboxloss.h"
#include "spawnrequest.h"

#include <sandboxio/core/secret.h>
#include <sandboxio/core/task.h>
#include <sandboxio/ports/enginecontext.h>
#include <sandboxio/ports/sandboxport.h>

#include <QObject>

#include <memory>

namespace Sandboxio {
class UpgradedStream;
}

namespace Sandboxio::Docker {

class Api;
class Contexts;
class ExecFiles;
class GuestFiles;

/*! Where the guest's program is in every container of ours. */
inline constexpr const char *guestProgram = "/.sandboxio/sandboxio-guest";

/*! What a sandbox on a container is made from. */
struct SandboxSetup
{
    /*! managed.id is the container's full id, managed.expiresAt its end; capabilities holds only what does not
       come from the guest (daemonCapabilities()): the sandbox adds the rest. */
    SandboxDetails details;
    QMap<QString, QString> env;    //!< of every run, without what the image sets
    QMap<QString, Secret> secrets; //!< of every run; empty after connecting
    QString searchPath;            //!< PATH of the runs; empty: the usual one
    bool plainExec = false;        //!< runs are execs of Docker, whether there is a guest or not
    IsolationTier tier = IsolationTier::Container; //!< of the container's runtime
};

/*! What errors of connecting to a sandbox speak of. */
Purpose connectPurpose();
/*! What a sandbox with a guest can do; a single sandbox may lack RunCode (no interpreter in the image) or
    ExtendLifetime (only its creator may). */
Capabilities guestCapabilities();
/*! What a sandbox of ours at \a api's daemon can do besides; \a plainExec: its runs are execs of Docker. */
Capabilities daemonCapabilities(const Api &api, bool plainExec);

/*! One container, with the guest as its PID 1 or, where there is none, reached by plain execs. Lives in the I/O
    thread.

    \code
    auto sandbox = DockerSandbox::make(api, context, {.details = details, .env = env, .secrets = secrets});
    co_await sandbox->attachStdio(stream);   // the creator: the attached stdio of PID 1, multiplexed, not yet resumed
    co_await sandbox->relay();          // everybody else
    \endcode */
class DockerSandbox final : public SandboxPort, public std::enable_shared_from_this<DockerSandbox>
{
public:
    static std::shared_ptr<DockerSandbox> make(std::shared_ptr<Api> api, EngineContext &context,
                                               SandboxSetup setup);
    ~DockerSandbox() override;

    /*! Talks to the guest over \a stream, the hijacked attach connection of the started container (Tty=false;
       nothing was read or written yet). Ends when the guest has answered and its languages are known.
       SandboxGone when the container ends first, ConnectError when what answers is no guest of this version, or
       nobody does for 20 s. */
    Operation<void> attachStdio(std::shared_ptr<UpgradedStream> stream);
    /*! The same through a `sandboxio-guest relay` in the container. ConnectError when it cannot be started.
       Without it the first use connects. */
    Operation<void> relay();
    /*! Takes over a paused sandbox without waking it: what it can do is read from its files; the first use after it was
       resumed connects. */
    Operation<void> attachPaused();
    /*! Looks what plain exec can do here: sets capabilities, languages and transport by it. Not being able to do
        anything is no error. */
    Operation<void> usePlainExec();

    QString id() const override;
    SandboxDetails details() const override;
    Operation<ManagedSandbox> inspect() override;
    std::unique_ptr<ProcessPort> start(const ProcessRequest &request, ProcessEvents *events) override;
    QStringList languages() const override;
    FileSystemPort *files() override;
    Operation<void> kill() override;
    Operation<NetworkProbeResult> probe(const NetworkProbe &probe) override;
    Operation<void> pause() override;
    Operation<void> resume() override;
    Operation<SandboxStats> stats() override;
    Operation<void> extend(std::chrono::milliseconds lifetime) override;
    Operation<QString> createContext(const QString &language) override;
    Operation<QStringList> listContexts() override;
    Operation<void> interruptContext(const QString &context) override;
    Operation<void> restartContext(const QString &context) override;
    Operation<void> removeContext(const QString &context) override;
    Operation<QString> startBackground(const ProcessRequest &request) override;
    std::unique_ptr<ProcessPort> attach(const AttachRequest &request, ProcessEvents *events) override;
    Operation<QList<BackgroundRun>> backgroundRuns() override;
    Operation<void> removeBackgroundRun(const QString &id) override;
    /*! The Api of the container's daemon. */
    void *nativeHandle() override;

    // For the parts of a sandbox.
    /*! The guest client; null while there is no connection that can be used, and while the sandbox is paused. */
    Guest::Client *guest() const;
    /*! Ends when guest() can be used, connecting again where the connection was lost; fails with why it cannot.
     */
    Operation<void> whenUsable();
    /*! Why the connection was lost: SandboxGone with the evidence, or an outcome that nobody knows. Ask after a
     * loss. */
    Operation<ErrorInfo> lossReason();
    /*! The same for a run: calls \a tell once, unless \a context died before. */
    void tellLoss(QObject *context, const std::function<void(const ErrorInfo &)> &tell);
    /*! Starts the guest's program with \a arguments by an exec of Docker and takes over its streams, still
     * paused. */
    Operation<StartedExec> execGuest(const QStringList &arguments, bool withInput);
    /*! Plain execs: creating one, starting it, asking for its state, and all of that for a small program. */
    Operation<QString> createPlainExec(const ExecSpec &spec);
    Operation<StartedExec> startPlainExec(const QString &id);
    Operation<ExecState> plainExecState(const QString &id);
    /*! The same of one whose streams have ended. Still running: only its connection has ended, and output is lost. */
    Operation<ExecState> endOfExec(const QString &id);
    Operation<ExecAnswer> askPlainExec(const QStringList &command, const QString &user,
                                       const QByteArray &input);
    /*! Removes a file by an exec as \a user and does not care whether that worked. */
    void removeByExec(const QString &path, const QString &user);
    EngineContext &engine() const { return m_context; }
    /*! Everybody who waits for an answer of the guest says so here. */
    PauseWatch &pauseWatch() { return m_pauseWatch; }
    RunDefaults runDefaults() const;
    Contexts &contexts() const { return *m_contexts; }
    const Resources &resources() const { return m_setup.details.resources; }
    /*! See GuestFiles. */
    Operation<QString> writePrivateFile(const QString &name, const QByteArray &data);
    void removeQuietly(const QString &path);
    /*! Whether a keeper ends this sandbox from outside, see needsKeeper(), and can. */
    bool isKept() const;
    /*! Starts the keeper that ends the sandbox when \a lifetime from now is over, whatever happens inside; relieves the
        one before. ConnectError when it does not come up. */
    Operation<void> startLifetimeKeeper(std::chrono::milliseconds lifetime);

private:
    struct DeleteLater
    {
        void operator()(QObject *object) const { object->deleteLater(); }
    };

    DockerSandbox(std::shared_ptr<Api> api, EngineContext &context, SandboxSetup setup);
    Q_DISABLE_COPY_MOVE(DockerSandbox)

    static QCoro::Task<> connectOver(std::shared_ptr<DockerSandbox> self,
                                     std::shared_ptr<UpgradedStream> stream);
    static QCoro::Task<> relaySteps(std::shared_ptr<DockerSandbox> self);
    static QCoro::Task<> usableSteps(std::shared_ptr<DockerSandbox> self);
    static QCoro::Task<QString> newExecSteps(std::shared_ptr<DockerSandbox> self, ExecSpec spec,
                                             Purpose purpose);
    static QCoro::Task<StartedExec> execSteps(std::shared_ptr<DockerSandbox> self, QStringList arguments,
                                              bool withInput);
    static QCoro::Task<> probeSteps(std::shared_ptr<DockerSandbox> self);
    static QCoro::Task<ErrorInfo> lossSteps(std::shared_ptr<DockerSandbox> self);
    static QCoro::Task<std::optional<ContainerState>> stateSteps(std::shared_ptr<DockerSandbox> self,
                                                                 bool waitForEnd);
    static QCoro::Task<ManagedSandbox> inspectSteps(std::shared_ptr<DockerSandbox> self);
    static QCoro::Task<> killSteps(std::shared_ptr<DockerSandbox> self);
    static QCoro::Task<SandboxStats> statsSteps(std::shared_ptr<DockerSandbox> self);
    static QCoro::Task<> pausedSteps(std::shared_ptr<DockerSandbox> self);
    static QCoro::Task<> extendSteps(std::shared_ptr<DockerSandbox> self, std::chrono::milliseconds lifetime);
    static QCoro::Task<> pauseSteps(std::shared_ptr<DockerSandbox> self);
    static QCoro::Task<> freezeSteps(std::shared_ptr<DockerSandbox> self, bool freeze);
    static QCoro::Task<std::optional<ErrorInfo>> tryFreezeSteps(std::shared_ptr<DockerSandbox> self,
                                                                bool freeze);
    static QCoro::Task<std::optional<ErrorInfo>> pauseLookSteps(std::shared_ptr<DockerSandbox> self);

    KeeperPost keeperPost(std::chrono::milliseconds lifetimeLeft) const;
    void setPaused(bool paused);
    ErrorInfo pausedError() const;
    Operation<void> greet(std::shared_ptr<UpgradedStream> stream);
    void greeted();
    void linkLost(const QString &reason);
    Operation<void> findLanguages();
    void setLanguages(const QStringList &found);
    QString path(const QString &action = {}) const;

    const std::shared_ptr<Api> m_api;
    EngineContext &m_context;
    SandboxSetup m_setup;
    std::unique_ptr<GuestFiles> m_files;
    std::unique_ptr<ExecFiles> m_execFiles; //!< null where an image lacks what they need
    std::unique_ptr<Contexts> m_contexts;
    std::unique_ptr<GuestLink, DeleteLater> m_link;
    std::optional<OperationPromise<void>> m_greeting;
    std::unique_ptr<ArmedTimer> m_greetingLimit;
    std::optional<Operation<ErrorInfo>> m_loss;
    std::optional<ErrorInfo> m_gone; //!< the sandbox ceased to exist
    std::optional<quint32> m_uid;
    QStringList m_languages;
    bool m_paused = false; //!< as far as we know
    PauseWatch m_pauseWatch;
    QObject m_guard; //!< context of what must not call a sandbox that is gone
};

} // namespace Sandboxio::Docker
