// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "containerfacts.h"
#include "dockerapi.h"
#include "guestvolume.h"
#include "imagefacts.h"

#include <sandboxio/ports/createplan.h>
#include <sandboxio/ports/enginecontext.h>
#include <sandboxio/ports/sandboxport.h>

#include <functional>
#include <memory>

namespace Sandboxio::Docker {

/*! One create(): the steps from an accepted plan to a usable sandbox, or to nothing left. Lives in the I/O
    thread; keeps itself alive until the operation has ended. */
class Creation : public std::enable_shared_from_this<Creation>
{
public:
    using Promise = OperationPromise<std::shared_ptr<SandboxPort>>;

    /*! \a promise reports the progress and says when somebody asks for the end. */
    Creation(std::shared_ptr<Api> api, std::shared_ptr<GuestVolume> volume, GuestBinary guest,
             EngineContext *engine, CreatePlan plan, Promise promise);

    /*! Call once. What was made before a failure or a cancel is removed by name before the task ends, or an
        OrphanedSandbox warning is given when the teardown grace is over first. */
    static QCoro::Task<std::shared_ptr<SandboxPort>> run(std::shared_ptr<Creation> self);

private:
    using Self = std::shared_ptr<Creation>;
    /*! The parts that a limit names when it is over. */
    enum class Step { Resolve, Create, Start, Verify };

    static QCoro::Task<std::shared_ptr<SandboxPort>> steps(Self self);
    static QCoro::Task<> resolveImage(Self self);
    static QCoro::Task<> pullImage(Self self);
    static QCoro::Task<> createContainer(Self self);
    static QCoro::Task<> prepareWorkDirectory(Self self);
    static QCoro::Task<UserIds> findUser(Self self);
    static QCoro::Task<QByteArray> readSmallFile(Self self, QString path);
    static QCoro::Task<std::shared_ptr<SandboxPort>> startContainer(Self self);
    static QCoro::Task<ContainerFacts> verify(Self self);
    static QCoro::Task<> cleanUp(Self self);

    template <typename T>
    static QCoro::Task<T> step(Self self, Step step, std::function<Operation<T>()> begin);
    void report(const QString &text) const;
    void refuseWarnings(const QStringList &warnings) const;
    QString containerPath(const QString &action = {}) const;
    SandboxDetails sandboxDetails(const ContainerFacts &facts) const;
    [[noreturn]] void raiseTimeout(Step step) const;

    std::shared_ptr<Api> m_api;
    std::shared_ptr<GuestVolume> m_volume;
    const GuestBinary m_guest;
    EngineContext *m_engine;
    const CreatePlan m_plan;
    const Promise m_promise;
    const OperationPromise<void> m_cancelGate;
    const Operation<void> m_cancelled = m_cancelGate.operation(); //!< ends when somebody asks for the end
    std::optional<Operation<void>> m_inFlight; //!< ends when the request that was left behind has ended
    std::optional<ImageFacts> m_image;
    QString m_containerId;
    bool m_createSent = false;
    bool m_createUnsure = false; //!< no answer said what became of it
    QObject m_receiver;
};

/*! Lets the container \a id go on where it is paused; whether that works does not matter. Before a removal under gVisor:
    a signal waits there while the container is paused; the daemon waits 10 s for it and leaves a shim behind (docker 26.1
    with runsc 2024-07, measured). */
Operation<void> letGoOn(const std::shared_ptr<Api> &api, const QString &id);
/*! Removes the container \a name with its volumes; nothing to remove is fine. With \a mayAppear the daemon may
    still be making it: then it is looked for again for a moment. */
Operation<void> removeContainer(const std::shared_ptr<Api> &api, EngineContext *engine, const QString &name,
                                bool mayAppear = false);

} // namespace Sandboxio::Docker
