// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fakebackend_p.h"
#include "texts_p.h"

#include "createjob_p.h"
#include "fakesandbox_p.h"

#include <sandboxio/core/handover.h>

#include <mutex>

namespace Sandboxio::Fake {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype rowsPerPage = 100;

ErrorInfo connectError(const char *message, const QString &id)
{
    return makeError(ErrorKind::ConnectError, Text::tr(message).arg(id));
}

class Subscription final : public QObject, public EventSubscription
{
public:
    Subscription(Store *store, std::function<void(const BackendEvent &)> handler)
        : m_handler(std::move(handler))
    {
        connect(
            store, &Store::changed, this,
            [this, store](const QString &id) {
                takeOver(store);
                report(BackendEvent::Kind::Changed, id);
            },
            Qt::QueuedConnection);
        connect(
            store, &Store::removed, this,
            [this, store](const QString &id) {
                takeOver(store);
                report(BackendEvent::Kind::Removed, id);
            },
            Qt::QueuedConnection);
        QMetaObject::invokeMethod(
            this, [this] { report(BackendEvent::Kind::Resync, {}); }, Qt::QueuedConnection);
    }

private:
    void report(BackendEvent::Kind kind, const QString &id) { m_handler({kind, id, {}}); }
    std::function<void(const BackendEvent &)> m_handler;
};

std::chrono::milliseconds parseDelay(const Target &target, QList<ErrorInfo> &errors)
{
    const QString text = target.parameters.value(u"createDelayMs"_s, u"0"_s);
    bool isNumber = false;
    const int delay = text.toInt(&isNumber);
    if (isNumber && delay >= 0)
        return std::chrono::milliseconds(delay);
    errors.append(makeError(ErrorKind::ConfigurationError,
                            Text::tr("createDelayMs is '%1', which is no number of "
                                     "milliseconds.")
                                .arg(text),
                            Text::tr("Write it as fake://?createDelayMs=500.")));
    return {};
}

} // namespace

ErrorInfo goneError(const std::optional<Record> &record)
{
    if (!record) {
        return makeError(ErrorKind::SandboxGone, Text::tr("The sandbox does not exist any more."));
    }
    return makeError(ErrorKind::SandboxGone, Text::tr("The sandbox has ended."),
                     Text::tr("Its lifetime of %1 s ended; create one with a longer timeout.")
                         .arg(std::chrono::duration<double>(record->lifetime).count()));
}

std::optional<ErrorInfo> notUsable(const Provider &provider, const QString &id)
{
    if (const std::optional<ErrorInfo> broken = provider.script->faults().provider)
        return broken;
    const std::optional<Record> record = provider.store->find(id);
    if (record && record->managed.state == SandboxState::Running)
        return std::nullopt;
    return goneError(record);
}

Capabilities fakeCapabilities()
{
    return Capability::RunCommand | Capability::RunCode | Capability::Streaming | Capability::FileSystem |
           Capability::UploadDownload | Capability::NetworkPolicy | Capability::Stats | Capability::Watch |
           Capability::Detach;
}

Operation<bool> removeSandbox(const Provider &provider, const QString &id)
{
    const Faults faults = provider.script->faults();
    if (faults.kill)
        return failedOperation<bool>(*faults.kill);
    if (faults.killHangs) {
        const OperationPromise<bool> promise;
        // Kept until the engine goes, so that it neither ends nor counts as dropped.
        QObject::connect(
            provider.store.get(), &QObject::destroyed, provider.context, [promise] {}, Qt::DirectConnection);
        return promise.operation();
    }
    return finishedOperation(provider.store->remove(id));
}

Backend::Backend(const EngineContext &context, const Target &target, std::shared_ptr<Script> script)
    : m_provider(std::make_shared<Provider>())
{
    m_provider->context = context.ioObject;
    m_provider->clock = context.clock;
    m_provider->store = script->store();
    m_provider->script = std::move(script);
    m_provider->owner = context.owner;
    m_provider->grace = context.teardownGrace;
    m_provider->target = target;
    m_provider->createDelay = parseDelay(target, m_targetErrors);
    m_provider->store->setClock(context.clock);
}

Backend::~Backend() = default;

Capabilities Backend::capabilities() const
{
    return fakeCapabilities();
}

Operation<CreatePlan> Backend::plan(const CreateOptions &options)
{
    CreatePlan plan = planFor(*m_provider, options);
    plan.refusals = m_targetErrors + plan.refusals;
    return finishedOperation(plan);
}

Operation<std::shared_ptr<SandboxPort>> Backend::create(const CreatePlan &plan)
{
    m_provider->script->record({.kind = Call::Kind::Create,
                                .text = plan.templateId,
                                .environment = plan.options.env,
                                .timeout = plan.options.timeout});
    if (!plan.isAccepted())
        return failedOperation<std::shared_ptr<SandboxPort>>(plan.refusals.first());
    const CreateJob::Promise promise;
    auto *job = new CreateJob(m_provider, plan, promise, this);
    connect(job, &CreateJob::created, this, &Backend::armLifetime);
    return promise.operation();
}

void Backend::armLifetime(const QString &id)
{
    const std::optional<Record> record = m_provider->store->find(id);
    if (!record)
        return;
    m_lifetimes[id] = m_provider->clock->arm(this, record->lifetime, [this, id] {
        m_provider->store->expire();
        m_lifetimes.erase(id);
    });
}

std::expected<Record, ErrorInfo> Backend::findRecord(const QString &id, bool allowForeign) const
{
    if (const std::optional<ErrorInfo> broken = m_provider->script->faults().provider)
        return std::unexpected(*broken);
    const std::optional<Record> record = m_provider->store->find(id);
    if (!record)
        return std::unexpected(
            connectError(QT_TRANSLATE_NOOP("Sandboxio::Fake", "There is no sandbox '%1'."), id));
    if (!record->isManaged && !allowForeign)
        return std::unexpected(
            connectError(QT_TRANSLATE_NOOP("Sandboxio::Fake", "'%1' is not a managed sandbox."), id));
    return *record;
}

Operation<std::shared_ptr<SandboxPort>> Backend::connectTo(const QString &id, bool allowForeign)
{
    using Port = std::shared_ptr<SandboxPort>;
    m_provider->script->record({.kind = Call::Kind::Connect, .sandboxId = id});
    const std::expected<Record, ErrorInfo> record = findRecord(id, allowForeign);
    if (!record)
        return failedOperation<Port>(record.error());
    const SandboxState state = record->managed.state;
    if (state != SandboxState::Running && state != SandboxState::Paused)
        return failedOperation<Port>(
            connectError(QT_TRANSLATE_NOOP("Sandboxio::Fake", "The sandbox '%1' has ended."), id));
    return finishedOperation<Port>(std::make_shared<Sandbox>(m_provider, *record, QMap<QString, Secret>()));
}

Operation<QList<Diagnosis>> Backend::diagnose()
{
    Diagnosis line;
    line.subject = Text::tr("in memory");
    if (const std::optional<ErrorInfo> broken = m_provider->script->faults().provider) {
        line.status = Diagnosis::Status::Failed;
        line.finding = broken->message;
        line.fix = broken->hint;
    } else if (!m_targetErrors.isEmpty()) {
        line.status = Diagnosis::Status::Failed;
        line.finding = m_targetErrors.first().message;
        line.fix = m_targetErrors.first().hint;
    } else {
        line.finding = Text::tr("For tests and demos; needs nothing.");
    }
    return finishedOperation(QList{line});
}

ReapablePort *Backend::reapable()
{
    return this;
}

EventPort *Backend::events()
{
    return this;
}

FileStorePort *Backend::fileStore()
{
    return this;
}

ManagedSandbox Backend::shown(const Record &record) const
{
    ManagedSandbox managed = record.managed;
    managed.target = m_provider->target;
    managed.lastSeen = m_provider->clock->wallTime();
    return managed;
}

Operation<QList<ManagedSandbox>> Backend::listManaged(const QMap<QString, QString> &metadata,
                                                      std::function<void(const QList<ManagedSandbox> &)> page)
{
    m_provider->script->record({.kind = Call::Kind::List});
    if (const std::optional<ErrorInfo> broken = m_provider->script->faults().provider)
        return failedOperation<QList<ManagedSandbox>>(*broken);
    QList<ManagedSandbox> rows;
    for (const Record &record : m_provider->store->all()) {
        const auto pairs = metadata.asKeyValueRange();
        const bool matches = std::ranges::all_of(pairs, [&](const auto &pair) {
            return record.managed.metadata.contains(pair.first) &&
                   record.managed.metadata[pair.first] == pair.second;
        });
        if (record.isManaged && matches)
            rows.append(shown(record));
    }
    const OperationPromise<QList<ManagedSandbox>> promise;
    QMetaObject::invokeMethod(
        this,
        [rows, page, promise] {
            for (qsizetype start = 0; page && start < rows.size(); start += rowsPerPage)
                page(rows.mid(start, rowsPerPage));
            promise.finish(rows);
        },
        Qt::QueuedConnection);
    return promise.operation();
}

Operation<std::optional<ManagedSandbox>> Backend::inspectManaged(const QString &id)
{
    using Found = std::optional<ManagedSandbox>;
    if (const std::optional<ErrorInfo> broken = m_provider->script->faults().provider)
        return failedOperation<Found>(*broken);
    const std::optional<Record> record = m_provider->store->find(id);
    return finishedOperation<Found>(record && record->isManaged ? Found(shown(*record)) : std::nullopt);
}

Operation<bool> Backend::killManaged(const QString &id)
{
    m_provider->script->record({.kind = Call::Kind::KillManaged, .sandboxId = id});
    if (const std::optional<ErrorInfo> broken = m_provider->script->faults().provider)
        return failedOperation<bool>(*broken);
    const std::optional<Record> record = m_provider->store->find(id);
    if (record && !record->isManaged)
        return failedOperation<bool>(
            connectError(QT_TRANSLATE_NOOP("Sandboxio::Fake", "'%1' is not a managed sandbox."), id));
    return removeSandbox(*m_provider, id);
}

Operation<std::shared_ptr<StoredFilesPort>> Backend::open(const QString &id)
{
    using Port = std::shared_ptr<StoredFilesPort>;
    const std::expected<Record, ErrorInfo> record = findRecord(id, false);
    if (!record)
        return failedOperation<Port>(record.error());
    if (!hasEnded(record->managed.state))
        return failedOperation<Port>(makeError(ErrorKind::ConnectError,
                                               Text::tr("The sandbox '%1' has not ended.").arg(id),
                                               Text::tr("Connect to it and use its files while it runs.")));
    return finishedOperation<Port>(makeStoredFiles(m_provider, shown(*record)));
}

std::unique_ptr<EventSubscription> Backend::subscribe(std::function<void(const BackendEvent &)> handler)
{
    return std::make_unique<Subscription>(m_provider->store.get(), std::move(handler));
}

Factory factory(std::shared_ptr<Script> script)
{
    return [script = std::move(script)](EngineContext &context,
                                        const Target &target) -> std::unique_ptr<BackendPort> {
        return std::make_unique<Backend>(context, target, script);
    };
}

std::unique_ptr<BackendPort> createUnscripted(EngineContext &context, const Target &target)
{
    static std::mutex mutex;
    static QMap<QString, std::weak_ptr<Script>> stores; // by name, or by engine and place where there is none
    const QString name = target.parameters.value(u"store"_s);
    const QString key = name.isEmpty()
                            ? u"engine %1 %2"_s.arg(reinterpret_cast<quintptr>(&context)).arg(target.identity())
                            : u"store "_s + name;
    const std::lock_guard lock(mutex);
    std::shared_ptr<Script> script = stores.value(key).lock();
    if (!script) {
        script = std::make_shared<Script>();
        stores.insert(key, script);
    }
    return std::make_unique<Backend>(context, target, script);
}

} // namespace Sandboxio::Fake
