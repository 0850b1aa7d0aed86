// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "enginecore_p.h"

#include "registry_p.h"
#include "targetwatch_p.h"
#include "taskhelpers_p.h"

#include <sandboxio/core/dsn.h>
#include <sandboxio/core/policychecks.h>

#include <QCoreApplication>

namespace Sandboxio::Detail {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

QString translated(const char *text)
{
    return QCoreApplication::translate("Sandboxio::Engine", text);
}

[[noreturn]] void refuse(const QString &message, const char *hint)
{
    makeError(ErrorKind::ConfigurationError, message, translated(hint)).raise();
}

// Labels are there for everybody to read, and are no labels any more once altered.
void refuseSecretsInLabels(const CreateOptions &options)
{
    for (const auto &[label, text] : options.metadata.asKeyValueRange()) {
        for (const auto &[name, secret] : options.secrets.asKeyValueRange()) {
            if (text.toUtf8().contains(secret.reveal()))
                refuse(translated(
                           QT_TRANSLATE_NOOP("Sandboxio::Engine", "The label '%1' contains the secret '%2'."))
                           .arg(label, name),
                       QT_TRANSLATE_NOOP("Sandboxio::Engine", "Take the secret out of the metadata."));
        }
    }
}

// Options with what the DSN says; \throws ConfigurationError where the two disagree.
CreateOptions merged(const Target &target, CreateOptions options)
{
    if (options.templateId.isEmpty())
        options.templateId = target.templateId;
    else if (!target.templateId.isEmpty() && target.templateId != options.templateId)
        refuse(translated(
                   QT_TRANSLATE_NOOP("Sandboxio::Engine", "The DSN says template '%1', the options say '%2'."))
                   .arg(target.templateId, options.templateId),
               QT_TRANSLATE_NOOP("Sandboxio::Engine", "Name the template in one of the two places."));
    if (const auto text = target.parameters.constFind(u"timeout"_s); text != target.parameters.constEnd()) {
        const std::optional<qint64> lifetime = parseSecondsAsMilliseconds(*text);
        if (!lifetime)
            refuse(translated(QT_TRANSLATE_NOOP("Sandboxio::Engine", "'%1' is no lifetime.")).arg(*text),
                   QT_TRANSLATE_NOOP("Sandboxio::Engine", "Write timeout=300 for 300 seconds."));
        const std::chrono::milliseconds asked(*lifetime);
        if (options.timeout != CreateOptions().timeout && options.timeout != asked)
            refuse(translated(QT_TRANSLATE_NOOP("Sandboxio::Engine",
                                                "The DSN and the options disagree about the lifetime.")),
                   QT_TRANSLATE_NOOP("Sandboxio::Engine", "Give the lifetime in one of the two places."));
        options.timeout = asked;
    }
    if (const std::optional<ErrorInfo> error = checkCreateOptions(options))
        error->raise();
    refuseSecretsInLabels(options);
    return options;
}

void checkTier(const CreateOptions &options, const CreatePlan &plan)
{
    if (!options.requireIsolation || satisfies(plan.tier, *options.requireIsolation))
        return;
    refuse(translated(QT_TRANSLATE_NOOP("Sandboxio::Engine", "Isolation %1 is required, the target offers %2."))
               .arg(isolationTierName(*options.requireIsolation), isolationTierName(plan.tier)),
           QT_TRANSLATE_NOOP("Sandboxio::Engine",
                             "Choose a target with that tier; `sandboxio doctor` lists them."));
}

} // namespace

EngineCore::EngineCore(EngineContext context, std::shared_ptr<Registry> registry, const RecordOptions &records,
                       std::chrono::milliseconds auditLimit)
    : m_context(std::move(context))
    , m_registry(std::move(registry))
    , m_writer(std::make_shared<WriterThread>(auditLimit))
    , m_ledger(std::make_shared<Ledger>(m_context.stateDirectory, m_writer))
    , m_recorder(std::make_unique<Recorder>(m_context, records, auditLimit, *m_writer))
{
    m_recorder->setParent(this); // moves along into the I/O thread
    m_context.ioObject = this;
    m_context.warn = [this](const EngineWarning &warning) {
        Q_EMIT warningRaised(redacted(*m_context.redactor, warning));
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
    for (const QString &name : target.parameters.keys()) {
        if (name != "timeout"_L1 && !description.origin.isEmpty() && !description.parameters.contains(name))
            refuse(translated(QT_TRANSLATE_NOOP("Sandboxio::Engine",
                                                "The backend '%1' has no parameter '%2'; it has: %3."))
                       .arg(target.backend, name,
                            (QStringList{u"timeout"_s} + description.parameters).join(u", "_s)),
                   QT_TRANSLATE_NOOP("Sandboxio::Engine", "Correct the DSN."));
    }
    // Parameters that belong to one create reach the adapter through the target it is made for.
    Target place = target;
    place.templateId.clear();
    place.parameters.remove(u"timeout"_s);
    std::unique_ptr<BackendPort> &slot = m_backends[place.toDsn()];
    if (!slot)
        slot = m_registry->factory(target.backend)(m_context, place);
    return *slot;
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
                    translated(QT_TRANSLATE_NOOP("Sandboxio::Engine", "How well '%1' isolates is not known."))
                        .arg(target.backend),
                    target,
                    {},
                    {}});
}

// Before anything is said about them.
CreateOptions EngineCore::hideSecrets(CreateOptions options) const
{
    for (const Secret &secret : std::as_const(options.secrets))
        m_context.redactor->add(secret);
    m_context.redactor->addEnvironment(options.env);
    return options;
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

QCoro::Task<CreatePlan> EngineCore::planSteps(OperationPromise<CreatePlan> promise, Target target,
                                              CreateOptions options)
{
    options = merged(target, hideSecrets(std::move(options)));
    CreatePlan plan = co_await cancellable(promise, backend(target).plan(options));
    plan.target = target;
    co_return plan;
}

QCoro::Task<SandboxPtr> EngineCore::createSteps(OperationPromise<SandboxPtr> promise, Target target,
                                                CreateOptions options)
{
    options = merged(target, hideSecrets(std::move(options)));
    BackendPort &port = backend(target);
    CreatePlan plan = co_await cancellable(promise, port.plan(options));
    plan.target = target;
    if (!plan.isAccepted())
        plan.refusals.first().raise();
    checkTier(options, plan);
    if (plan.tier == IsolationTier::Unknown)
        warnUnknownTier(target);
    co_await m_ledger->planned(plan.name, target);
    if (promise.isCancelRequested())
        throw OperationCancelled();
    const Operation<std::shared_ptr<SandboxPort>> creation = port.create(plan);
    creation.onProgress(this, [this, promise](const OperationProgress &progress) {
        promise.reportProgress(redacted(*m_context.redactor, progress));
    });
    std::shared_ptr<SandboxPort> sandbox = co_await cancellable(promise, creation);
    m_ledger->created(plan.name, sandbox->id());
    if (promise.isCancelRequested()) {
        co_await killSteps(sandbox);
        throw OperationCancelled();
    }
    Q_EMIT sandboxesChanged(target);
    promise.setReclaim([link = m_link, sandbox = std::weak_ptr(sandbox)](const SandboxPtr &untaken) {
        // Runs in whatever thread dropped the lease; the value keeps the port alive until the post is handled.
        if (const auto open = link.lock())
            open->post([untaken, sandbox](EngineCore &core) {
                if (auto live = sandbox.lock())
                    core.tearDown(std::move(live));
            });
    });
    co_return adopt(sandbox, true);
}

QCoro::Task<SandboxPtr> EngineCore::connectSteps(OperationPromise<SandboxPtr> promise, Target target,
                                                 QString id, bool allowForeign)
{
    co_return adopt(co_await cancellable(promise, backend(target).connectTo(id, allowForeign)), false);
}

SandboxPtr EngineCore::adopt(const std::shared_ptr<SandboxPort> &port, bool created)
{
    const quint64 key = ++m_lastKey;
    m_ports.insert(key, {port, created});
    return SandboxHandle::makeSandbox(std::make_shared<SandboxHandle>(
        m_link.lock(), key, port->details(), port->languages(), m_context.teardownGrace, m_context.redactor));
}

void EngineCore::releasePort(quint64 key)
{
    m_ports.remove(key);
}

void EngineCore::tearDown(std::shared_ptr<SandboxPort> port)
{
    runTracked(OperationPromise<void>(), killSteps(std::move(port)));
}

QCoro::Task<void> EngineCore::killSteps(std::shared_ptr<SandboxPort> port)
{
    const SandboxDetails details = port->details();
    const Operation<void> kill = port->kill();
    if (!co_await endsWithin(kill, m_context.clock, m_context.teardownGrace)) {
        m_context.warn(
            {EngineWarning::Kind::OrphanedSandbox,
             translated(QT_TRANSLATE_NOOP(
                 "Sandboxio::Engine", "Ending the sandbox took longer than the grace; it may still be there.")),
             details.managed.target, details.managed.id, details.managed.metadata});
        makeError(ErrorKind::ConnectError,
                  translated(QT_TRANSLATE_NOOP("Sandboxio::Engine",
                                               "The sandbox '%1' could not be ended within the grace."))
                      .arg(details.managed.id),
                  translated(QT_TRANSLATE_NOOP("Sandboxio::Engine",
                                               "Run `sandboxio reap` to see and remove what is left.")))
            .raise();
    }
    co_await kill;
    m_ledger->removed(details.managed.id);
    Q_EMIT sandboxesChanged(details.managed.target);
}

QCoro::Task<ManagedListing> EngineCore::listSteps(OperationPromise<ManagedListing> promise, ListOptions options)
{
    const QList<Target> targets = options.targets.isEmpty() ? allTargets() : options.targets;
    std::vector<Operation<QList<ManagedSandbox>>> pending;
    for (const Target &target : targets) {
        try {
            ReapablePort *reapable = backend(target).reapable();
            pending.push_back(reapable ? reapable->listManaged(options.metadata, {})
                                       : finishedOperation(QList<ManagedSandbox>()));
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
    co_return listing;
}

QCoro::Task<bool> EngineCore::killManagedSteps(Target target, QString id)
{
    ReapablePort *reapable = backend(target).reapable();
    if (!reapable)
        makeError(
            ErrorKind::CapabilityNotSupported,
            translated(QT_TRANSLATE_NOOP("Sandboxio::Engine", "The backend '%1' cannot end sandboxes by id."))
                .arg(target.backend))
            .raise();
    const Operation<bool> kill = reapable->killManaged(id);
    if (!co_await endsWithin(kill, m_context.clock, m_context.teardownGrace)) {
        m_context.warn(
            {EngineWarning::Kind::OrphanedSandbox,
             translated(QT_TRANSLATE_NOOP(
                 "Sandboxio::Engine", "Ending the sandbox took longer than the grace; it may still be there.")),
             target,
             id,
             {}});
        makeError(ErrorKind::ConnectError,
                  translated(QT_TRANSLATE_NOOP("Sandboxio::Engine",
                                               "The sandbox '%1' could not be ended within the grace."))
                      .arg(id),
                  translated(QT_TRANSLATE_NOOP("Sandboxio::Engine",
                                               "Run `sandboxio reap` to see and remove what is left.")))
            .raise();
    }
    const bool existed = co_await kill;
    m_ledger->removed(id);
    Q_EMIT sandboxesChanged(target);
    co_return existed;
}

QCoro::Task<DoctorReport> EngineCore::doctorSteps(QList<Target> targets)
{
    DoctorReport report;
    for (const QString &folder : m_registry->folders())
        report.engine.append({Diagnosis::Status::Good, u"plugins"_s, folder, {}});
    report.engine.append({Diagnosis::Status::Good, u"ledger"_s, m_ledger->description(), {}});
    for (const BackendDescription &description : m_registry->backends()) {
        if (!description.problem.isEmpty())
            report.engine.append(
                {Diagnosis::Status::Failed, description.origin, description.problem,
                 translated(QT_TRANSLATE_NOOP("Sandboxio::Engine", "Rebuild or remove this file."))});
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
                     translated(QT_TRANSLATE_NOOP("Sandboxio::Engine", "No answer within 10 seconds.")),
                     translated(QT_TRANSLATE_NOOP("Sandboxio::Engine", "Look whether the provider hangs."))});
        } catch (const SandboxError &error) {
            part.lines.append(
                {Diagnosis::Status::Failed, target.toDsn(), error.info().message, error.info().hint});
        }
        report.targets.append(part);
    }
    co_return report;
}

RunDriver *EngineCore::startRun(quint64 key, const RunRequest &request, std::shared_ptr<RunObserver> observer,
                                const void *runKey)
{
    const std::shared_ptr<SandboxPort> sandbox = port(key);
    if (!sandbox || m_shutDown) {
        observer->runEnded({}, std::nullopt, EngineLink::closedError());
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

QCoro::Task<void> EngineCore::shutdownSteps(bool killCreated)
{
    m_shutDown = true;
    m_watches.clear();
    const QHash<quint64, Work> pending = m_work;
    for (const Work &work : pending)
        work.cancel();
    for (RunDriver *run : QList<RunDriver *>(m_activeRuns))
        run->requestEnd(RunOutcome::Kind::Cancelled);
    if (killCreated) {
        for (const PortEntry &entry : std::as_const(m_ports)) {
            if (entry.created)
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
    m_ports.clear();
    m_backends.clear();
}

} // namespace Sandboxio::Detail
