// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "tinyprovider.h"

#include <sandboxio/core/policychecks.h>
#include <sandboxio/ports/backendplugin.h>

#include <QPointer>
#include <QUuid>

#include <csignal>
#include <map>

using namespace Sandboxio;
using namespace Qt::StringLiterals;

namespace Tiny {

namespace {

Provider &provider()
{
    return Provider::instance();
}

ManagedSandbox managed(const Box &box, const Target &target, const EngineContext &context)
{
    ManagedSandbox result;
    result.target = target;
    result.id = box.id;
    result.name = box.name;
    result.state = box.ended ? SandboxState::Stopped : SandboxState::Running;
    result.createdAt = box.created;
    result.expiresAt = box.created.addMSecs(box.lifetime.count());
    result.metadata = box.labels;
    result.tier = IsolationTier::Container;
    result.templateId = u"tiny"_s;
    result.egress = NetworkPolicy::Egress::Deny;
    result.owner = context.owner;
    result.owner.session = box.owner;
    result.lastSeen = context.clock->wallTime();
    return result;
}

ErrorInfo goneError(const QString &id)
{
    const auto box = provider().find(id);
    return makeError(ErrorKind::SandboxGone, u"The box does not exist any more."_s,
                     box ? u"Its lifetime of %1 ms ended."_s.arg(box->lifetime.count()) : QString());
}

ErrorInfo connectError(const QString &message)
{
    return makeError(ErrorKind::ConnectError, message);
}

/*! Knows: say TEXT, leave CODE, wait SECONDS. */
class Process final : public QObject, public ProcessPort
{
public:
    Process(EngineContext &context, const QString &id, const ProcessRequest &request, ProcessEvents *events)
        : m_context(context)
        , m_id(id)
        , m_argv(request.command->arguments())
        , m_line(request.command->toString())
        , m_options(request.options)
        , m_events(events)
    {
        connect(
            &provider(), &Provider::gone, this,
            [this](const QString &goneId) {
                if (goneId == m_id)
                    fail(goneError(m_id));
            },
            Qt::QueuedConnection);
        QMetaObject::invokeMethod(this, [this] { begin(); }, Qt::QueuedConnection);
    }
    ~Process() override { stop(); }

    void acknowledge(OutputStream, qint64) override {}
    Operation<void> write(const QByteArray &) override { return finishedOperation(); }
    Operation<void> closeWrite() override { return finishedOperation(); }
    Operation<void> resize(TerminalSize) override
    {
        return failedOperation<void>(capabilityNotSupported(Capability::Pty));
    }
    Operation<void> signal(int number) override
    {
        QMetaObject::invokeMethod(this, [this, number] { exit({{}, number, {}}); }, Qt::QueuedConnection);
        return finishedOperation();
    }
    Operation<void> killTree() override
    {
        const OperationPromise<void> promise;
        QMetaObject::invokeMethod(
            this,
            [this, promise] {
                exit({{}, SIGKILL, {}});
                promise.finish();
            },
            Qt::QueuedConnection);
        return promise.operation();
    }

private:
    void begin()
    {
        const auto box = provider().find(m_id);
        if (!box || box->ended) {
            fail(goneError(m_id));
            return;
        }
        if (!m_options.user.isEmpty() ||
            (!m_options.workingDirectory.isEmpty() && m_options.workingDirectory != "/"_L1)) {
            fail(makeError(ErrorKind::ConfigurationError, u"A box has one user and one directory."_s));
            return;
        }
        const QString program = m_argv.value(0);
        if (program != "say"_L1 && program != "leave"_L1 && program != "wait"_L1) {
            fail(makeError(ErrorKind::ConfigurationError,
                           u"There is no program '%1' in the box."_s.arg(program)));
            return;
        }
        m_runs = true;
        provider().setRunning(m_id, m_line, true);
        const QPointer<Process> self(this);
        m_events->started({});
        if (self && program == "say"_L1)
            m_events->output(OutputStream::StandardOutput, m_argv.value(1).toUtf8() + '\n');
        if (!self)
            return;
        if (program == "wait"_L1)
            m_timer = m_context.clock->arm(this, std::chrono::seconds(m_argv.value(1).toInt()),
                                           [this] { exit({0, {}, {}}); });
        else
            exit({program == "leave"_L1 ? m_argv.value(1).toInt() : 0, {}, {}});
    }
    void exit(const ExitStatus &status)
    {
        if (std::exchange(m_over, true))
            return;
        stop();
        const QPointer<Process> self(this);
        m_events->exited(status);
        for (const OutputStream stream : {OutputStream::StandardOutput, OutputStream::StandardError}) {
            if (self)
                m_events->streamEnded(stream);
        }
    }
    void fail(const ErrorInfo &error)
    {
        if (std::exchange(m_over, true))
            return;
        stop();
        m_events->failed(error);
    }
    void stop()
    {
        if (std::exchange(m_runs, false))
            provider().setRunning(m_id, m_line, false);
    }

    EngineContext &m_context;
    QString m_id;
    QStringList m_argv;
    QString m_line;
    RunOptions m_options;
    ProcessEvents *m_events;
    std::unique_ptr<ArmedTimer> m_timer;
    bool m_runs = false;
    bool m_over = false;
};

class TinySandbox final : public SandboxPort
{
public:
    TinySandbox(EngineContext &context, const Target &target, const Box &box)
        : m_context(context)
        , m_target(target)
    {
        m_details.managed = managed(box, target, context);
        m_details.capabilities = Capability::RunCommand;
        m_details.tierSource = u"in memory"_s;
        m_details.lifetimeMechanism = u"the program"_s;
        m_details.transport = u"function calls"_s;
        m_details.workingDirectory = u"/"_s;
    }
    QString id() const override { return m_details.managed.id; }
    SandboxDetails details() const override { return m_details; }
    Operation<ManagedSandbox> inspect() override
    {
        const auto box = provider().find(id());
        return box ? finishedOperation(managed(*box, m_target, m_context))
                   : failedOperation<ManagedSandbox>(goneError(id()));
    }
    std::unique_ptr<ProcessPort> start(const ProcessRequest &request, ProcessEvents *events) override
    {
        return std::make_unique<Process>(m_context, id(), request, events);
    }
    QStringList languages() const override { return {}; }
    FileSystemPort *files() override { return nullptr; }
    Operation<void> kill() override
    {
        provider().remove(id());
        return finishedOperation();
    }

private:
    EngineContext &m_context;
    Target m_target;
    SandboxDetails m_details;
};

using Port = std::shared_ptr<SandboxPort>;

class Backend final : public QObject, public BackendPort, public ReapablePort
{
public:
    Backend(EngineContext &context, const Target &target)
        : m_context(context)
        , m_target(target)
    {}
    Capabilities capabilities() const override { return Capability::RunCommand; }
    Operation<CreatePlan> plan(const CreateOptions &options) override
    {
        CreatePlan plan;
        plan.target = m_target;
        plan.options = options;
        plan.name = u"sandboxio-"_s + QUuid::createUuid().toString(QUuid::WithoutBraces);
        plan.templateId = u"tiny"_s;
        plan.tier = IsolationTier::Container;
        plan.tierSource = u"in memory"_s;
        plan.lifetimeMechanism = u"the program"_s;
        if (const auto wrong = checkCreateOptions(options))
            plan.refusals.append(*wrong);
        const Resources caps = options.resources;
        if (options.network.egress != NetworkPolicy::Egress::Deny || !options.network.ingressPorts.isEmpty() ||
            caps.gpu || caps.cpu || caps.memoryMb || caps.diskMb || caps.processes)
            plan.refusals.append(makeError(ErrorKind::CapabilityNotSupported, u"A tiny box cannot do that."_s));
        return finishedOperation(plan);
    }
    Operation<Port> create(const CreatePlan &plan) override
    {
        const OperationPromise<Port> promise;
        QMetaObject::invokeMethod(
            this,
            [this, plan, promise] {
                if (promise.isCancelRequested()) {
                    promise.cancelled();
                    return;
                }
                Box box{.name = plan.name,
                        .labels = plan.options.metadata,
                        .owner = m_context.owner.session,
                        .created = m_context.clock->wallTime(),
                        .lifetime = plan.options.timeout};
                const QString id = provider().add(box);
                m_lifetimes[id] = m_context.clock->arm(this, box.lifetime, [id] { provider().end(id); });
                promise.finish(std::make_shared<TinySandbox>(m_context, m_target, *provider().find(id)));
            },
            Qt::QueuedConnection);
        return promise.operation();
    }
    Operation<Port> connectTo(const QString &id, bool allowForeign) override
    {
        const auto box = provider().find(id);
        if (!box || box->ended)
            return failedOperation<Port>(connectError(u"There is no such box."_s));
        if (!box->managed && !allowForeign)
            return failedOperation<Port>(connectError(u"The box is not ours."_s));
        return finishedOperation<Port>(std::make_shared<TinySandbox>(m_context, m_target, *box));
    }
    Operation<QList<Diagnosis>> diagnose() override
    {
        return finishedOperation(
            QList<Diagnosis>{{Diagnosis::Status::Good, u"memory"_s, u"There is some."_s, QString()}});
    }
    ReapablePort *reapable() override { return this; }

    Operation<QList<ManagedSandbox>> listManaged(const QMap<QString, QString> &metadata,
                                                 std::function<void(const QList<ManagedSandbox> &)>) override
    {
        QList<ManagedSandbox> rows;
        for (const Box &box : provider().boxes()) {
            bool matches = box.managed;
            for (auto pair = metadata.begin(); pair != metadata.end(); ++pair)
                matches = matches && box.labels.contains(pair.key()) && box.labels[pair.key()] == pair.value();
            if (matches)
                rows.append(managed(box, m_target, m_context));
        }
        return finishedOperation(rows);
    }
    Operation<std::optional<ManagedSandbox>> inspectManaged(const QString &id) override
    {
        const auto box = provider().find(id);
        using Found = std::optional<ManagedSandbox>;
        return finishedOperation<Found>(box && box->managed ? Found(managed(*box, m_target, m_context))
                                                            : Found());
    }
    Operation<bool> killManaged(const QString &id) override
    {
        const auto box = provider().find(id);
        if (box && !box->managed)
            return failedOperation<bool>(connectError(u"The box is not ours."_s));
        return finishedOperation(provider().remove(id));
    }

private:
    EngineContext &m_context;
    Target m_target;
    std::map<QString, std::unique_ptr<ArmedTimer>> m_lifetimes;
};

} // namespace

class Plugin final : public QObject, public BackendPlugin
{
    Q_OBJECT
    Q_PLUGIN_METADATA(IID SANDBOXIO_BACKEND_IID FILE "tiny.json")
    Q_INTERFACES(Sandboxio::BackendPlugin)
public:
    std::unique_ptr<BackendPort> create(EngineContext &context, const Target &target) override
    {
        return std::make_unique<Backend>(context, target);
    }
};

} // namespace Tiny

#include "tinyadapter.moc"
