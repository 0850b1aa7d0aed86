// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "enginecore_p.h"

#include "enginetext_p.h"
#include "registry_p.h"
#include "taskhelpers_p.h"

#include <sandboxio/core/dsn.h>
#include <sandboxio/core/policychecks.h>

namespace Sandboxio::Detail {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

// A disk that takes longer than this does not hold up a creation: the labels carry the same facts.
constexpr auto ledgerLimit = 5s;
// What an adapter gets besides the grace that it keeps itself.
constexpr auto cleanUpMargin = 1s;

// Labels are there for everybody to read, and are no labels any more once altered.
void refuseSecretsInLabels(const CreateOptions &options)
{
    for (const auto &[label, text] : options.metadata.asKeyValueRange()) {
        for (const auto &[name, secret] : options.secrets.asKeyValueRange()) {
            if (text.toUtf8().contains(secret.reveal()))
                refuse(engineText(
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
        refuse(engineText(
                   QT_TRANSLATE_NOOP("Sandboxio::Engine", "The DSN says template '%1', the options say '%2'."))
                   .arg(target.templateId, options.templateId),
               QT_TRANSLATE_NOOP("Sandboxio::Engine", "Name the template in one of the two places."));
    if (const auto text = target.parameters.constFind(u"timeout"_s); text != target.parameters.constEnd()) {
        const std::optional<qint64> lifetime = parseSecondsAsMilliseconds(*text);
        if (!lifetime)
            refuse(engineText(QT_TRANSLATE_NOOP("Sandboxio::Engine", "'%1' is no lifetime.")).arg(*text),
                   QT_TRANSLATE_NOOP("Sandboxio::Engine", "Write timeout=300 for 300 seconds."));
        const std::chrono::milliseconds asked(*lifetime);
        if (options.timeout != CreateOptions().timeout && options.timeout != asked)
            refuse(engineText(QT_TRANSLATE_NOOP("Sandboxio::Engine",
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
    refuse(engineText(QT_TRANSLATE_NOOP("Sandboxio::Engine", "Isolation %1 is required, the target offers %2."))
               .arg(isolationTierName(*options.requireIsolation), isolationTierName(plan.tier)),
           QT_TRANSLATE_NOOP("Sandboxio::Engine",
                             "Choose a target with that tier; `sandboxio doctor` lists them."));
}

} // namespace

// Before anything is said about them.
CreateOptions EngineCore::hideSecrets(CreateOptions options) const
{
    for (const Secret &secret : std::as_const(options.secrets))
        m_context.redactor->add(secret);
    m_context.redactor->addEnvironment(options.env);
    return options;
}

QCoro::Task<CreatePlan> EngineCore::planSteps(OperationPromise<CreatePlan> promise, Target target,
                                              CreateOptions options)
{
    options = merged(target, hideSecrets(std::move(options)));
    CreatePlan plan = co_await cancellable(promise, backend(target).plan(options));
    plan.target = target;
    co_return plan;
}

QCoro::Task<Capabilities> EngineCore::capabilitySteps(Target target)
{
    co_return backend(target).capabilities();
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
    co_await endsWithin(m_ledger->planned(plan.name, target), m_context.clock, ledgerLimit);
    if (promise.isCancelRequested()) {
        m_ledger->abandoned(plan.name);
        throw OperationCancelled();
    }
    const Operation<std::shared_ptr<SandboxPort>> creation = port.create(plan);
    creation.onProgress(this, [this, promise](const OperationProgress &progress) {
        promise.reportProgress(redacted(*m_context.redactor, progress));
    });
    std::shared_ptr<SandboxPort> sandbox = co_await awaitCreation(promise, creation, plan);
    m_ledger->created(plan.name, sandbox->id());
    if (promise.isCancelRequested()) {
        co_await unseenKillSteps(sandbox);
        throw OperationCancelled();
    }
    announce(&EngineCore::sandboxesChanged, target);
    promise.setReclaim([link = m_link, sandbox = std::weak_ptr(sandbox)](const SandboxPtr &untaken) {
        // Runs in whatever thread dropped the lease; the value keeps the port alive until the post is handled.
        if (const auto open = link.lock())
            open->post([untaken, sandbox](EngineCore &core) {
                if (auto live = sandbox.lock())
                    core.tearDown(std::move(live));
            });
    });
    co_return adopt(sandbox, promise.weakCancel());
}

QCoro::Task<SandboxPtr> EngineCore::connectSteps(OperationPromise<SandboxPtr> promise, Target target,
                                                 QString id, bool allowForeign)
{
    co_return adopt(co_await cancellable(promise, backend(target).connectTo(id, allowForeign)), {});
}

// The sandbox that \a creation makes. Once cancelled it has the grace to end; then what may be left is reported, and
// a sandbox that still comes is ended.
QCoro::Task<std::shared_ptr<SandboxPort>>
EngineCore::awaitCreation(OperationPromise<SandboxPtr> promise,
                          Operation<std::shared_ptr<SandboxPort>> creation, CreatePlan plan)
{
    QObject scope;
    const OperationPromise<bool> decided;
    const Operation<bool> ended = decided.operation();
    std::unique_ptr<ArmedTimer> timer;
    creation.then(&scope, [decided](const auto &) { decided.finish(true); });
    creation.onError(&scope, [decided](const ErrorInfo &) { decided.finish(true); });
    creation.onCancelled(&scope, [decided] { decided.finish(true); });
    promise.onCancelRequested(&scope, [this, &scope, &timer, creation, decided] {
        creation.cancel();
        timer = m_context.clock->arm(&scope, m_context.teardownGrace + cleanUpMargin,
                                     [decided] { decided.finish(false); });
    });
    if (!co_await ended) {
        warnOrphan(plan.target, plan.name, plan.options.metadata);
        creation.then(this, [this](const std::shared_ptr<SandboxPort> &late) { tearDown(late); });
        throw OperationCancelled();
    }
    try {
        co_return co_await creation;
    } catch (const QException &) {
        if (!m_orphans.contains(plan.name))
            m_ledger->abandoned(plan.name);
        throw;
    }
}

} // namespace Sandboxio::Detail
