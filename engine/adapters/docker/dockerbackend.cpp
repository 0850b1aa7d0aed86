// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerbackend.h"

#include "creation.h"
#include "dockerplan.h"
#include "dockersandbox.h"
#include "keeperlaunch.h"
#include "texts.h"

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr auto factsLife = std::chrono::minutes(1);

using State = std::shared_ptr<BackendState>;

QCoro::Task<bool> imageIsPresent(State state, QString name)
{
    const Purpose purpose{ErrorKind::CreationError, Text::tr("look at the image '%1'").arg(name)};
    try {
        co_await state->api->get(u"/images/%1/json"_s.arg(name), {}, {.purpose = purpose});
        co_return true;
    } catch (const SandboxError &error) {
        if (!isStatus(error.info(), 404))
            throw;
    }
    co_return false;
}

QCoro::Task<CreatePlan> planSteps(State state, CreateOptions options)
{
    PlanInput input{.target = state->target,
                    .options = options,
                    .defaultTemplate = qEnvironmentVariable(defaultTemplateVariable),
                    .daemon = {},
                    .templatePresent = true,
                    .keeperPossible = canBeKept(state->api->endpoint()),
                    .problems = {}};
    try {
        const Purpose purpose{ErrorKind::CreationError, Text::tr("plan the sandbox")};
        input.daemon = co_await askDaemon(state, purpose);
        const auto guest = guestFor(*state, input.daemon->imageArchitecture());
        if (!guest)
            input.problems.append(guest.error());
        if (const auto name = resolveTemplate(state->target, options, input.defaultTemplate))
            input.templatePresent = co_await imageIsPresent(state, *name);
    } catch (const SandboxError &error) {
        input.problems.append(error.info());
    }
    co_return makePlan(input);
}

QCoro::Task<std::shared_ptr<SandboxPort>> createSteps(State state, CreatePlan plan,
                                                      OperationPromise<std::shared_ptr<SandboxPort>> promise)
{
    if (!plan.isAccepted())
        plan.refusals.first().raise();
    const DaemonFacts daemon =
        co_await askDaemon(state, {ErrorKind::CreationError, Text::tr("create the sandbox")});
    const auto guest = guestFor(*state, daemon.imageArchitecture());
    if (!guest)
        guest.error().raise();
    const auto creation =
        std::make_shared<Creation>(state->api, state->volume, *guest, state->engine, plan, promise);
    co_return co_await Creation::run(creation);
}

} // namespace

DockerBackend::DockerBackend(EngineContext &context, const Target &target,
                             std::expected<Endpoint, ErrorInfo> endpoint)
    : m_state(std::make_shared<BackendState>(BackendState{.target = target,
                                                          .engine = &context,
                                                          .api = std::make_shared<Api>(std::move(endpoint)),
                                                          .volume = {},
                                                          .guests = {},
                                                          .facts = {}}))
    , m_reaper(m_state->api, &context, target)
    , m_events(m_state->api, &context)
    , m_store(m_state->api, &context, target)
{
    m_state->volume = std::make_shared<GuestVolume>(m_state->api, &context);
}

DockerBackend::~DockerBackend() = default;

Capabilities DockerBackend::capabilities() const
{
    const bool plainExec = wantsPlainExec(m_state->target);
    const Capabilities ofRuns = Capability::RunCommand | Capability::RunCode | Capability::Streaming |
                                Capability::FileSystem | Capability::UploadDownload;
    return (plainExec ? ofRuns : guestCapabilities()) | daemonCapabilities(*m_state->api, plainExec);
}

QCoro::Task<DaemonFacts> askDaemon(std::shared_ptr<BackendState> state, Purpose purpose)
{
    const auto now = state->engine->clock->now();
    if (state->facts && now - state->factsAge < factsLife)
        co_return DaemonFacts(*state->facts); // a copy: QCoro moves from what is returned
    const QByteArray body = co_await state->api->get(u"/info"_s, {}, {.purpose = purpose});
    state->facts = daemonFacts(objectOf(body, purpose));
    state->factsAge = now;
    co_return DaemonFacts(*state->facts); // a copy: QCoro moves from what is returned
}

std::expected<GuestBinary, ErrorInfo> guestFor(BackendState &state, const QString &architecture)
{
    if (const auto known = state.guests.constFind(architecture); known != state.guests.constEnd())
        return *known;
    auto guest = loadGuest(architecture);
    if (guest)
        state.guests.insert(architecture, *guest);
    return guest;
}

Operation<CreatePlan> DockerBackend::plan(const CreateOptions &options)
{
    return operationOf(planSteps(m_state, options));
}

Operation<std::shared_ptr<SandboxPort>> DockerBackend::create(const CreatePlan &plan)
{
    const OperationPromise<std::shared_ptr<SandboxPort>> promise;
    const auto operation = promise.operation();
    // Queued: whoever asked can watch the first step as well.
    QMetaObject::invokeMethod(
        m_state->engine->ioObject,
        [state = m_state, plan, promise] { completeFrom(promise, createSteps(state, plan, promise)); },
        Qt::QueuedConnection);
    return operation;
}

Operation<std::shared_ptr<SandboxPort>> DockerBackend::connectTo(const QString &id, bool allowForeign)
{
    return operationOf(connectSteps(m_state, id, allowForeign));
}

Operation<QList<Diagnosis>> DockerBackend::diagnose()
{
    return operationOf(diagnosisSteps(m_state));
}

} // namespace Sandboxio::Docker
