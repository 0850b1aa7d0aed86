// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "createjob_p.h"
#include "texts_p.h"

#include "fakesandbox_p.h"

#include <array>

namespace Sandboxio::Fake {

using namespace Qt::StringLiterals;

namespace {

constexpr std::array stepNames{"resolve"_L1, "create"_L1, "start"_L1, "verify"_L1};
constexpr int createStep = 1;
constexpr int startStep = 2;
constexpr qint64 mebibyte = 1024 * 1024;

} // namespace

CreateJob::CreateJob(std::shared_ptr<Provider> provider, const CreatePlan &plan, const Promise &promise,
                     QObject *parent)
    : QObject(parent)
    , m_provider(std::move(provider))
    , m_plan(plan)
    , m_promise(promise)
{
    QMetaObject::invokeMethod(this, &CreateJob::beginStep, Qt::QueuedConnection);
}

CreateJob::~CreateJob()
{
    if (!m_id.isEmpty())
        m_provider->store->remove(m_id);
}

void CreateJob::beginStep()
{
    const std::chrono::milliseconds limit = m_plan.options.createLimit;
    const Faults faults = m_provider->script->faults();
    // The delay of the DSN is for the whole of create, the fault's for each step.
    const std::chrono::milliseconds share = m_provider->createDelay / static_cast<int>(stepNames.size());
    const bool slow =
        faults.createStep.count() > 0 && (faults.slowStep.isEmpty() || faults.slowStep == stepNames.at(m_step));
    const std::chrono::milliseconds duration = slow ? faults.createStep : share;
    m_promise.reportProgress({m_step, qint64(stepNames.size()), stepNames.at(m_step)});
    if (duration <= limit) {
        m_timer = m_provider->clock->arm(this, duration, [this] { endStep(); });
        return;
    }
    m_timer = m_provider->clock->arm(this, limit, [this, limit] {
        ErrorInfo error = makeError(
            ErrorKind::CreateTimeout,
            Text::tr("The step '%1' took longer than %2 ms.").arg(stepNames.at(m_step)).arg(limit.count()));
        error.step = stepNames.at(m_step);
        fail(error);
    });
}

void CreateJob::endStep()
{
    // A cancel waits for the end of the step and then undoes it, as with a provider whose requests cannot be
    // taken back.
    if (m_promise.isCancelRequested()) {
        if (!m_id.isEmpty())
            m_provider->store->remove(std::exchange(m_id, {}));
        m_promise.cancelled();
        deleteLater();
        return;
    }
    if (m_step == createStep) {
        if (refuse(m_provider->script->faults()))
            return;
        makeRecord();
    } else if (m_step == startStep) {
        m_provider->store->setState(m_id, SandboxState::Running);
    }
    if (++m_step < static_cast<int>(stepNames.size()))
        beginStep();
    else
        finish();
}

bool CreateJob::refuse(const Faults &faults)
{
    if (const auto retryAfter = m_provider->script->takeRateLimit()) {
        ErrorInfo error = makeError(ErrorKind::RateLimitError, Text::tr("The provider wants fewer requests."),
                                    {}, {429, u"Too Many Requests"_s});
        error.retryAfter = retryAfter;
        fail(error);
    } else if (faults.provider || faults.create) {
        fail(faults.provider ? *faults.provider : *faults.create);
    } else {
        return false;
    }
    return true;
}

void CreateJob::makeRecord()
{
    const CreateOptions &options = m_plan.options;
    const QDateTime now = m_provider->clock->wallTime();
    Record record;
    record.managed.target = m_provider->target;
    record.managed.name = m_plan.name;
    record.managed.state = SandboxState::Creating;
    record.managed.createdAt = now;
    record.managed.expiresAt = now.addMSecs(options.timeout.count());
    record.managed.expiryIsAsked = false;
    record.managed.metadata = options.metadata;
    record.managed.tier = m_plan.tier;
    record.managed.templateId = m_plan.templateId;
    record.managed.egress = options.network.egress;
    record.managed.owner = m_provider->owner;
    record.resources = options.resources;
    record.env = options.env;
    record.hasSecrets = !options.secrets.isEmpty();
    record.lifetime = options.timeout;
    record.end = m_provider->clock->now() + options.timeout;
    record.files = MemoryFiles(now, options.resources.diskMb.value_or(0) * mebibyte);
    m_id = m_provider->store->insert(record);
    Q_EMIT created(m_id);
}

void CreateJob::fail(const ErrorInfo &error)
{
    if (!m_id.isEmpty())
        m_provider->store->remove(std::exchange(m_id, {}));
    m_promise.fail(error);
    deleteLater();
}

void CreateJob::finish()
{
    const std::optional<Record> record = m_provider->store->find(m_id);
    if (!record || record->managed.state != SandboxState::Running) {
        fail(goneError(record));
        return;
    }
    m_promise.finish(std::make_shared<Sandbox>(m_provider, *record, m_plan.options.secrets));
    m_id.clear();
    deleteLater();
}

} // namespace Sandboxio::Fake
