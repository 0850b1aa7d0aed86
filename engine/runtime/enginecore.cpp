// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "enginecore_p.h"

#include "enginetext_p.h"
#include "registry_p.h"
#include "targetwatch_p.h"
#include "taskhelpers_p.h"

#include <sandboxio/core/redactor.h>

namespace Sandboxio::Detail {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

void checkParameter(const QString &name, const BackendDescription &backend)
{
    if (looksLikeCredential(name)) {
        const QString variables = backend.credentialVariables.join(u", "_s);
        refuse(engineText(QT_TRANSLATE_NOOP("Sandboxio::Engine", "The parameter '%1' looks like a credential."))
                   .arg(name),
               variables.isEmpty()
                   ? engineText(QT_TRANSLATE_NOOP("Sandboxio::Engine", "Take it out; the backend needs none."))
                   : engineText(QT_TRANSLATE_NOOP("Sandboxio::Engine",
                                                  "Take it out and set it in the environment: %1."))
                         .arg(variables));
    }
    const bool isKnown = name == "timeout"_L1 || backend.parameters.contains(name);
    if (backend.origin.isEmpty() || isKnown) // a registered factory says itself what it knows
        return;
    refuse(engineText(QT_TRANSLATE_NOOP("Sandboxio::Engine", "The backend '%1' has no parameter '%2'."))
               .arg(backend.name, name),
           engineText(QT_TRANSLATE_NOOP("Sandboxio::Engine", "Take it out, or use one of: %1."))
               .arg((QStringList{u"timeout"_s} + backend.parameters).join(u", "_s)));
}

} // namespace

EngineCore::EngineCore(EngineContext context, std::shared_ptr<Registry> registry, const RecordOptions &records,
                       std::chrono::milliseconds auditLimit)
    : m_context(std::move(context))
    , m_registry(std::move(registry))
    , m_writer(std::make_shared<WriterThread>(auditLimit))
    , m_ledger(std::make_shared<Ledger>(m_context.stateDirectory, m_context.owner, m_writer))
    , m_recorder(std::make_unique<Recorder>(m_context, records, auditLimit, *m_writer))
{
    m_recorder->setParent(this); // moves along into the I/O thread
    m_context.ioObject = this;
    m_context.warn = [this](const EngineWarning &warning) {
        if (warning.kind == EngineWarning::Kind::OrphanedSandbox)
            m_orphans.insert(warning.sandboxId);
        announce(&EngineCore::warningRaised, redacted(*m_context.redactor, warning));
    };
}

EngineCore::~EngineCore()
{
    m_watches.clear();
    qDeleteAll(findChildren<RunDriver *>(Qt::FindDirectChildrenOnly));
    m_ports.clear();
}

BackendPort &EngineCore::backend(const Target &target)
{
    const BackendDescription description = m_registry->describe(target.backend);
    for (const QString &name : target.parameters.keys())
        checkParameter(name, description);
    // Parameters that belong to one create reach the adapter through the target it is made for.
    Target place = target;
    place.templateId.clear();
    place.parameters.remove(u"timeout"_s);
    std::unique_ptr<BackendPort> &slot = m_backends[place.toDsn()];
    if (!slot)
        slot = m_registry->factory(target.backend)(m_context, place);
    return *slot;
}

ReapablePort &EngineCore::reapable(const Target &target)
{
    ReapablePort *reapable = backend(target).reapable();
    if (!reapable)
        makeError(ErrorKind::CapabilityNotSupported,
                  engineText(QT_TRANSLATE_NOOP(
                                 "Sandboxio::Engine",
                                 "The backend '%1' can neither list its sandboxes nor end them by their ids."))
                      .arg(target.backend))
            .raise();
    return *reapable;
}

FileStorePort &EngineCore::fileStore(const Target &target)
{
    FileStorePort *store = backend(target).fileStore();
    if (!store)
        makeError(
            ErrorKind::CapabilityNotSupported,
            engineText(QT_TRANSLATE_NOOP("Sandboxio::Engine",
                                         "The backend '%1' cannot read the files of a sandbox that has ended."))
                .arg(target.backend),
            engineText(
                QT_TRANSLATE_NOOP("Sandboxio::Engine",
                                  "Fetch what you need while the sandbox runs, with FileSystem::download().")))
            .raise();
    return *store;
}

QList<Target> EngineCore::allTargets() const
{
    QList<Target> targets;
    for (const BackendDescription &description : m_registry->backends()) {
        if (description.problem.isEmpty())
            targets.append({.backend = description.name, .templateId = {}, .parameters = {}});
    }
    return targets;
}

void EngineCore::warnUnknownTier(const Target &target)
{
    if (m_warnedBackends.contains(target.backend))
        return;
    m_warnedBackends.append(target.backend);
    m_context.warn({EngineWarning::Kind::UnknownIsolation,
                    engineText(QT_TRANSLATE_NOOP("Sandboxio::Engine", "How well '%1' isolates is not known."))
                        .arg(target.backend),
                    target,
                    {},
                    {}});
}

QCoro::Task<std::optional<ErrorInfo>> EngineCore::recordEnd(RecordDraftPtr draft, OperationOutcome outcome,
                                                            std::optional<ErrorInfo> error)
{
    const std::optional<Operation<void>> written = m_recorder->end(draft, outcome, error);
    try {
        if (written)
            co_await *written;
    } catch (const SandboxError &failure) {
        co_return failure.info();
    }
    co_return std::nullopt;
}

SandboxPtr EngineCore::adopt(const std::shared_ptr<SandboxPort> &port, std::function<void()> takeBack)
{
    const quint64 key = ++m_lastKey;
    m_ports.insert(key, {port, std::move(takeBack)});
    return SandboxHandle::makeSandbox(std::make_shared<SandboxHandle>(
        m_link.lock(), key, port->details(), port->languages(), m_context.teardownGrace, m_context.redactor));
}

void EngineCore::releasePort(quint64 key)
{
    m_ports.remove(key);
}

QCoro::Task<ManagedListing> EngineCore::listSteps(OperationPromise<ManagedListing> promise, ListOptions options)
{
    const QList<Target> targets = options.targets.isEmpty() ? allTargets() : options.targets;
    const Operation<QList<LedgerLine>> known = m_ledger->lines();
    std::vector<Operation<QList<ManagedSandbox>>> pending;
    for (const Target &target : targets) {
        try {
            pending.push_back(reapable(target).listManaged(options.metadata, {}));
        } catch (const SandboxError &error) {
            pending.push_back(failedOperation<QList<ManagedSandbox>>(error.info()));
        }
    }
    ManagedListing listing;
    for (size_t i = 0; i < pending.size(); ++i) {
        TargetListing part{targets.at(static_cast<qsizetype>(i)), {}, {}};
        try {
            part.rows = co_await cancellable(promise, pending[i]);
        } catch (const SandboxError &error) {
            part.error = error.info();
        }
        listing.targets.append(part);
    }
    // The ledger adds evidence; a listing does not wait for it where it is slow.
    if (co_await endsWithin(known, m_context.clock, 1s)) {
        const QList<LedgerLine> lines = co_await known;
        for (TargetListing &part : listing.targets)
            addLedgerFacts(part.rows, lines);
    }
    co_return listing;
}

QCoro::Task<DoctorReport> EngineCore::doctorSteps(QList<Target> targets)
{
    DoctorReport report;
    for (const QString &folder : m_registry->folders())
        report.engine.append({Diagnosis::Status::Good, u"plugins"_s, folder, {}});
    report.engine.append(m_ledger->diagnosis());
    for (const BackendDescription &description : m_registry->backends()) {
        if (!description.problem.isEmpty())
            report.engine.append(
                {Diagnosis::Status::Failed, description.origin, description.problem,
                 engineText(QT_TRANSLATE_NOOP("Sandboxio::Engine", "Rebuild or remove this file."))});
    }
    for (const Target &target : targets.isEmpty() ? allTargets() : targets) {
        TargetReport part;
        part.target = target;
        try {
            part.backend = m_registry->describe(target.backend);
            BackendPort &port = backend(target);
            part.capabilities = port.capabilities();
            const Operation<QList<Diagnosis>> diagnosis = port.diagnose();
            if (co_await endsWithin(diagnosis, m_context.clock, 10s))
                part.lines = co_await diagnosis;
            else
                part.lines.append(
                    {Diagnosis::Status::Failed, target.toDsn(),
                     engineText(QT_TRANSLATE_NOOP("Sandboxio::Engine", "No answer within 10 seconds.")),
                     engineText(QT_TRANSLATE_NOOP("Sandboxio::Engine", "Look whether the provider hangs."))});
        } catch (const SandboxError &error) {
            part.lines.append(
                {Diagnosis::Status::Failed, target.toDsn(), error.info().message, error.info().hint});
        }
        report.targets.append(part);
    }
    co_return report;
}

RunDriver *EngineCore::startRun(quint64 key, const RunRequest &request, std::shared_ptr<RunObserver> observer,
                                const void *runKey, bool isCancelled)
{
    const std::shared_ptr<SandboxPort> sandbox = port(key);
    if (!sandbox || m_shutDown) {
        // One that was cancelled before is cancelled, whatever became of the sandbox meanwhile.
        observer->runEnded({}, std::nullopt,
                           isCancelled ? std::nullopt : std::optional(EngineLink::closedError()));
        return nullptr;
    }
    auto *run = new RunDriver(m_context, *m_recorder, sandbox, request, std::move(observer), this);
    m_activeRuns.append(run);
    if (runKey)
        m_runs.insert(runKey, run);
    connect(run, &RunDriver::finished, this, [this, run, runKey] {
        m_activeRuns.removeOne(run);
        m_runs.remove(runKey);
        Q_EMIT workChanged();
    });
    if (isCancelled)
        run->requestEnd(RunOutcome::Kind::Cancelled);
    else
        run->start();
    return run;
}

void EngineCore::startWatch(std::shared_ptr<WatchMailbox> mailbox, const QList<Target> &targets)
{
    std::vector<std::unique_ptr<TargetWatch>> &watches = m_watches[mailbox.get()];
    for (const Target &target : targets.isEmpty() ? allTargets() : targets) {
        watches.push_back(std::make_unique<TargetWatch>(*this, target, mailbox));
        watches.back()->start();
    }
}

void EngineCore::refreshWatch(const WatchMailbox *mailbox)
{
    const auto watches = m_watches.find(mailbox);
    if (watches == m_watches.end())
        return;
    for (const auto &watch : watches->second)
        watch->refresh();
}

void EngineCore::stopWatch(const WatchMailbox *mailbox)
{
    m_watches.erase(mailbox);
}

QCoro::Task<bool> EngineCore::waitIdle(std::chrono::milliseconds limit)
{
    QObject scope;
    const OperationPromise<bool> decided;
    const Operation<bool> decision = decided.operation();
    const std::unique_ptr<ArmedTimer> timer =
        m_context.clock->arm(&scope, limit, [decided] { decided.finish(false); });
    connect(this, &EngineCore::workChanged, &scope, [this, decided] {
        if (isIdle())
            decided.finish(true);
    });
    if (isIdle())
        decided.finish(true);
    co_return co_await decision;
}

// Nobody could end a sandbox that is handed out when the engine is gone.
QCoro::Task<void> EngineCore::takeBackLeases()
{
    const QHash<quint64, PortEntry> ports = m_ports;
    for (const PortEntry &entry : ports) {
        if (entry.takeBack)
            entry.takeBack();
    }
    // Their teardowns are posted to this thread; what is posted now comes after them.
    const OperationPromise<void> posted;
    QMetaObject::invokeMethod(this, [posted] { posted.finish(); }, Qt::QueuedConnection);
    co_await posted.operation();
}

QCoro::Task<void> EngineCore::shutdownSteps(bool killCreated)
{
    m_shutDown = true;
    m_watches.clear();
    const QHash<quint64, Work> pending = m_work;
    for (const Work &work : pending)
        work.cancel();
    for (RunDriver *run : QList<RunDriver *>(m_activeRuns))
        run->requestEnd(RunOutcome::Kind::Cancelled);
    co_await takeBackLeases();
    if (killCreated) {
        for (const PortEntry &entry : std::as_const(m_ports)) {
            if (entry.takeBack)
                tearDown(entry.port);
        }
    }
    if (!co_await waitIdle(m_context.teardownGrace)) {
        const QHash<quint64, Work> late = m_work;
        for (const Work &work : late)
            work.forceEnd();
        for (RunDriver *run : QList<RunDriver *>(m_activeRuns))
            run->stopWaitingForRecord();
    }
    co_await m_recorder->drain();
    m_ports.clear();
    m_backends.clear();
}

} // namespace Sandboxio::Detail
