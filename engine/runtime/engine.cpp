// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "engine.h"

#include "enginecore_p.h"
#include "redaction_p.h"
#include "registry_p.h"
#include "targetwatch_p.h"

#include <sandboxio/core/dsn.h>
#include <sandboxio/core/error.h>
#include <sandboxio/runtime/ownership.h>

#include <QCoreApplication>
#include <QStandardPaths>
#include <QUuid>

namespace Sandboxio {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

/*! The environment first, then the source of the options. What it hands out is kept out of every text. */
class LayeredCredentials final : public CredentialSource
{
public:
    LayeredCredentials(std::shared_ptr<CredentialSource> next, std::shared_ptr<Redactor> redactor)
        : m_next(std::move(next))
        , m_redactor(std::move(redactor))
    {}
    Operation<std::optional<Secret>> credential(const QString &name) override
    {
        return operationOf(look(m_next, m_redactor, name));
    }

private:
    static QCoro::Task<std::optional<Secret>> look(std::shared_ptr<CredentialSource> next,
                                                   std::shared_ptr<Redactor> redactor, QString name)
    {
        std::optional<Secret> value;
        if (const QByteArray variable = qgetenv(name.toUtf8().constData()); !variable.isEmpty())
            value = Secret(variable);
        else if (next)
            value = co_await next->credential(name);
        if (value)
            redactor->add(*value);
        co_return value;
    }

    std::shared_ptr<CredentialSource> m_next;
    std::shared_ptr<Redactor> m_redactor;
};

// What the options say, else the seconds in the environment \a variable, else 5 s.
std::chrono::milliseconds limitOf(std::optional<std::chrono::milliseconds> option, const char *variable)
{
    if (option)
        return *option;
    const qint64 asked = parseSecondsAsMilliseconds(qEnvironmentVariable(variable)).value_or(0);
    return asked > 0 ? std::chrono::milliseconds(asked) : 5s;
}

QString stateDirectoryOf(const EngineOptions &options)
{
    if (options.stateDirectory)
        return *options.stateDirectory;
    return QStandardPaths::writableLocation(QStandardPaths::GenericStateLocation) + u"/sandboxio"_s;
}

EngineContext makeContext(const EngineOptions &options)
{
    EngineContext context;
    context.clock = options.clock ? options.clock : Clock::system();
    context.redactor = std::make_shared<Redactor>();
    context.credentials = std::make_shared<LayeredCredentials>(options.credentials, context.redactor);
    context.owner = currentOwner(QUuid::createUuid().toString(QUuid::WithoutBraces));
    if (options.detached) {
        context.owner.pid.reset();
        context.owner.startTime.reset();
    }
    context.teardownGrace = limitOf(options.teardownGrace, "SBX_TEARDOWN_GRACE");
    context.stateDirectory = stateDirectoryOf(options);
    return context;
}

} // namespace

Engine::Engine(const EngineOptions &options, QObject *parent)
    : QObject(parent)
{
    if (!QCoreApplication::instance())
        makeError(ErrorKind::ConfigurationError, u"An Engine needs a QCoreApplication."_s,
                  u"Create a QCoreApplication before the Engine and destroy it after."_s)
            .raise();
    m_registry = std::make_shared<Detail::Registry>(options.pluginPath);
    m_context = std::make_unique<EngineContext>(makeContext(options));
    const std::chrono::milliseconds auditLimit = limitOf(options.records.timeout, "SBX_AUDIT_TIMEOUT");
    m_link = std::make_shared<Detail::EngineLink>([this, records = options.records, auditLimit] {
        auto *core = new Detail::EngineCore(*m_context, m_registry, records, auditLimit);
        core->setLink(m_link);
        connect(
            core, &Detail::EngineCore::warningRaised, this,
            [this, core](const EngineWarning &warning) {
                takeOver(core);
                Q_EMIT warningRaised(warning);
            },
            Qt::QueuedConnection);
        connect(
            core, &Detail::EngineCore::sandboxesChanged, this,
            [this, core](const Target &target) {
                takeOver(core);
                Q_EMIT sandboxesChanged(target);
            },
            Qt::QueuedConnection);
        return core;
    });
}

Engine::~Engine()
{
    if (m_link->isStarted()) {
        // The I/O side bounds itself by the grace on the engine's clock; a virtual clock may stand still.
        shutdown().waitFor(m_context->teardownGrace + 1s);
    }
    m_link->close();
}

Operation<SandboxPtr> Engine::create(const CreateOptions &options)
{
    try {
        return create(m_registry->defaultTarget(), options);
    } catch (const SandboxError &error) {
        return failedOperation<SandboxPtr>(Detail::redacted(*m_context->redactor, error.info()));
    }
}

Operation<SandboxPtr> Engine::create(const Target &target, const CreateOptions &options)
{
    const OperationPromise<SandboxPtr> promise;
    // A lease from the start: dropping all handles before the end cancels it.
    promise.setReclaim([](const SandboxPtr &) {});
    Operation<SandboxPtr> operation = promise.operation();
    m_link->post(promise, [promise, target, options](Detail::EngineCore &core) {
        core.run(promise, [&] { return core.createSteps(promise, target, options); });
    });
    return operation;
}

Operation<CreatePlan> Engine::plan(const Target &target, const CreateOptions &options)
{
    const OperationPromise<CreatePlan> promise;
    m_link->post(promise, [promise, target, options](Detail::EngineCore &core) {
        core.run(promise, [&] { return core.planSteps(promise, target, options); });
    });
    return promise.operation();
}

Operation<Capabilities> Engine::capabilities(const Target &target)
{
    const OperationPromise<Capabilities> promise;
    m_link->post(promise, [promise, target](Detail::EngineCore &core) {
        core.run(promise, [&] { return core.capabilitySteps(target); });
    });
    return promise.operation();
}

Operation<SandboxPtr> Engine::connectTo(const Target &target, const QString &id, bool allowForeign)
{
    const OperationPromise<SandboxPtr> promise;
    m_link->post(promise, [promise, target, id, allowForeign](Detail::EngineCore &core) {
        core.run(promise, [&] { return core.connectSteps(promise, target, id, allowForeign); });
    });
    return promise.operation();
}

StoredFiles Engine::storedFiles(const Target &target, const QString &id) const
{
    return StoredFiles(m_link, target, id);
}

Operation<ManagedListing> Engine::listManaged(const ListOptions &options)
{
    const OperationPromise<ManagedListing> promise;
    m_link->post(promise, [promise, options](Detail::EngineCore &core) {
        core.run(promise, [&] { return core.listSteps(promise, options); });
    });
    return promise.operation();
}

Operation<bool> Engine::killManaged(const Target &target, const QString &id)
{
    const OperationPromise<bool> promise;
    m_link->post(promise, [promise, target, id](Detail::EngineCore &core) {
        core.run(promise, [&] { return core.killManagedSteps(target, id); });
    });
    return promise.operation();
}

Operation<DoctorReport> Engine::doctor(const QList<Target> &targets)
{
    const OperationPromise<DoctorReport> promise;
    m_link->post(promise, [promise, targets](Detail::EngineCore &core) {
        core.run(promise, [&] { return core.doctorSteps(targets); });
    });
    return promise.operation();
}

Operation<void> Engine::shutdown(bool killCreated)
{
    const OperationPromise<void> promise;
    if (!m_link->isStarted()) {
        m_link->close();
        promise.finish();
    }
    m_link->post([promise, killCreated](Detail::EngineCore &core) {
        // Not tracked as work: it waits for all work to end.
        completeFrom(promise, core.shutdownSteps(killCreated));
    });
    return promise.operation();
}

SandboxWatcher *Engine::watch(const QList<Target> &targets, QObject *parent)
{
    auto mailbox = std::make_shared<Detail::WatchMailbox>(m_link);
    auto *watcher = new SandboxWatcher(mailbox, parent);
    m_link->post([mailbox, targets](Detail::EngineCore &core) { core.startWatch(mailbox, targets); });
    return watcher;
}

void Engine::registerBackend(const QString &name, BackendFactory factory)
{
    m_registry->add(name, std::move(factory));
}

void Engine::registerBackend(const QString &path)
{
    m_registry->addPlugin(path);
}

QList<BackendDescription> Engine::backends() const
{
    return m_registry->backends();
}

Target Engine::defaultTarget() const
{
    return m_registry->defaultTarget();
}

void Engine::markSecret(const Secret &value)
{
    m_context->redactor->add(value);
}

Owner Engine::owner() const
{
    return m_context->owner;
}

std::chrono::milliseconds Engine::teardownGrace() const
{
    return m_context->teardownGrace;
}

Ownership Engine::ownershipOf(const ManagedSandbox &sandbox) const
{
    const QDateTime now = m_context->clock->wallTime();
    return classifyOwnership(sandbox,
                             {.here = m_context->owner, .now = now, .hostStartedAt = hostStartTime(now)});
}

} // namespace Sandboxio
