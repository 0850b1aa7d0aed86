// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "archivefiles.h"
#include "daemonfacts.h"
#include "dockerapi.h"
#include "events.h"
#include "guestvolume.h"
#include "reaper.h"

#include <sandboxio/ports/backendport.h>
#include <sandboxio/ports/enginecontext.h>

#include <QHash>

#include <memory>

namespace Sandboxio::Docker {

/*! What the operations of one backend share; outlives the backend while they run. */
struct BackendState
{
    Target target = {};
    EngineContext *engine = nullptr;
    std::shared_ptr<Api> api = {};
    std::shared_ptr<GuestVolume> volume = {};
    QHash<QString, GuestBinary> guests = {}; //!< by architecture, read once
    std::optional<DaemonFacts> facts = {};   //!< asked now and then
    std::chrono::nanoseconds factsAge{0};
};

/*! Containers of one Docker daemon as sandboxes. Thread: the I/O thread. */
class DockerBackend final : public BackendPort
{
public:
    /*! \a endpoint: the daemon, or why there is none (every operation then fails with it). */
    DockerBackend(EngineContext &context, const Target &target, std::expected<Endpoint, ErrorInfo> endpoint);
    ~DockerBackend() override;

    Capabilities capabilities() const override;
    Operation<CreatePlan> plan(const CreateOptions &options) override;
    Operation<std::shared_ptr<SandboxPort>> create(const CreatePlan &plan) override;
    Operation<std::shared_ptr<SandboxPort>> connectTo(const QString &id, bool allowForeign) override;
    Operation<QList<Diagnosis>> diagnose() override;
    ReapablePort *reapable() override { return &m_reaper; }
    EventPort *events() override { return &m_events; }
    FileStorePort *fileStore() override { return &m_store; }

private:
    std::shared_ptr<BackendState> m_state;
    Reaper m_reaper;
    Events m_events;
    ArchiveStore m_store;
};

/*! `GET /info`, remembered for a minute. */
QCoro::Task<DaemonFacts> askDaemon(std::shared_ptr<BackendState> state, Purpose purpose);
/*! The guest for \a architecture, read once. */
std::expected<GuestBinary, ErrorInfo> guestFor(BackendState &state, const QString &architecture);
/*! The steps of diagnose(). */
QCoro::Task<QList<Diagnosis>> diagnosisSteps(std::shared_ptr<BackendState> state);
/*! The steps of connectTo(). */
QCoro::Task<std::shared_ptr<SandboxPort>> connectSteps(std::shared_ptr<BackendState> state, QString id,
                                                       bool allowForeign);

} // namespace Sandboxio::Docker
