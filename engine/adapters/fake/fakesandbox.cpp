// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fakesandbox_p.h"
#include "texts_p.h"

#include "fakebackground_p.h"

#include <sandboxio/core/path.h>

namespace Sandboxio::Fake {

using namespace Qt::StringLiterals;

namespace {

constexpr int notFoundStatus = 2; // ENOENT, as the other backends report it

std::shared_ptr<Program> programOf(const Answer &answer)
{
    QList<Step> steps{WriteStep{{}, answer.standardOutput},
                      WriteStep{{Sink::Kind::StandardError, {}}, answer.standardError}};
    for (const RichOutput &result : answer.results)
        steps.append(RichStep{result});
    if (answer.hangs)
        steps.append(SleepStep{});
    else if (answer.duration.count() > 0)
        steps.append(SleepStep{answer.duration});
    return makeProgram(steps, ExitStep{answer.exitCode, answer.signal});
}

Operation<void> removeRun(const Provider &provider, const QString &sandboxId, const QString &id)
{
    const KeptRunPtr run = provider.store->machine().find(sandboxId, id);
    if (!run)
        return failedOperation<void>(unknownBackgroundRun(id));
    const OperationPromise<void> promise;
    const Operation<void> kill = run->kill();
    kill.then(provider.context, [promise, store = provider.store, sandboxId, id] {
        store->machine().forget(sandboxId, id);
        promise.finish();
    });
    kill.onError(provider.context, [promise](const ErrorInfo &error) { promise.fail(error); });
    return promise.operation();
}

QString knownPrograms()
{
    return Text::tr("Use one of %1, or script the answer with Fake::Script::onRun().")
        .arg(programNames().join(u", "_s));
}

} // namespace

Sandbox::Sandbox(std::shared_ptr<Provider> provider, const Record &record, const QMap<QString, Secret> &secrets)
    : m_provider(std::move(provider))
    , m_env(record.env)
    , m_secrets(secrets)
    , m_files(makeFileSystem(m_provider, record.managed.id))
{
    m_details.managed = record.managed;
    m_details.managed.target = m_provider->target;
    m_details.capabilities = fakeCapabilities();
    m_details.resources = record.resources;
    m_details.tierSource = Text::tr("In memory: nothing runs, nothing escapes.");
    m_details.lifetimeMechanism = Text::tr("It is gone when this program is gone.");
    m_details.transport = Text::tr("function calls");
    m_details.workingDirectory = QLatin1StringView(MemoryFiles::workingDirectory);
    m_details.secretsAvailable = !record.hasSecrets || !secrets.isEmpty();
    m_details.native = {{u"id"_s, record.managed.id}, {u"programs"_s, programNames()}};
}

Sandbox::~Sandbox() = default;

QString Sandbox::id() const
{
    return m_details.managed.id;
}

SandboxDetails Sandbox::details() const
{
    return m_details;
}

Operation<ManagedSandbox> Sandbox::inspect()
{
    if (const std::optional<ErrorInfo> broken = m_provider->script->faults().provider)
        return failedOperation<ManagedSandbox>(*broken);
    const std::optional<Record> record = m_provider->store->find(id());
    if (!record)
        return failedOperation<ManagedSandbox>(goneError(record));
    ManagedSandbox managed = record->managed;
    managed.target = m_provider->target;
    managed.lastSeen = m_provider->clock->wallTime();
    return finishedOperation(managed);
}

QStringList Sandbox::languages() const
{
    return {u"python"_s};
}

FileSystemPort *Sandbox::files()
{
    return m_files.get();
}

Operation<void> Sandbox::kill()
{
    m_provider->script->record({.kind = Call::Kind::Kill, .sandboxId = id()});
    const OperationPromise<void> promise;
    removeSandbox(*m_provider, id())
        .then(m_provider->context, [promise](bool) { promise.finish(); })
        .onError(m_provider->context, [promise](const ErrorInfo &error) { promise.fail(error); });
    return promise.operation();
}

Operation<SandboxStats> Sandbox::stats()
{
    if (const std::optional<ErrorInfo> error = notUsable(*m_provider, id()))
        return failedOperation<SandboxStats>(*error);
    SandboxStats stats = m_provider->script->stats().value_or(SandboxStats());
    stats.time = m_provider->clock->wallTime();
    m_provider->store->with(id(), [&](const Record &record) {
        if (!stats.processes)
            stats.processes = record.processes.size();
        if (!stats.memoryLimit && record.resources.memoryMb)
            stats.memoryLimit = *record.resources.memoryMb * 1024 * 1024;
    });
    return finishedOperation(stats);
}

Operation<NetworkProbeResult> Sandbox::probe(const NetworkProbe &probe)
{
    if (const std::optional<ErrorInfo> error = notUsable(*m_provider, id()))
        return failedOperation<NetworkProbeResult>(*error);
    const auto egress = m_details.managed.egress.value_or(NetworkPolicy::Egress::Deny);
    return finishedOperation(m_provider->script->probeResult(probe, egress));
}

Call Sandbox::callOf(const ProcessRequest &request) const
{
    Call call{.kind = request.command ? Call::Kind::Run : Call::Kind::RunCode, .sandboxId = id()};
    if (request.command) {
        call.text = request.command->toString();
        call.environment = request.options.env;
        call.workingDirectory = request.options.workingDirectory;
        call.timeout = request.options.timeout;
        call.user = request.options.user;
        call.standardInput = request.options.standardInput.value_or(QByteArray());
    } else {
        call.text = QString::fromUtf8(request.code.value_or(QByteArray()));
        call.environment = request.codeOptions.env;
        call.timeout = request.codeOptions.timeout;
        call.standardInput = request.codeOptions.standardInput.value_or(QByteArray());
    }
    return call;
}

std::unique_ptr<ProcessPort> Sandbox::start(const ProcessRequest &request, ProcessEvents *events)
{
    const Call call = callOf(request);
    m_provider->script->record(call);
    auto process = std::make_unique<Process>(m_provider, id(), events);
    if (const std::optional<ErrorInfo> error = notUsable(*m_provider, id())) {
        process->failToStart(*error);
        return process;
    }
    const Started program = programFor(request);
    if (program)
        process->begin(*program, request.command ? call.text : u"python (code)"_s, request);
    else
        process->failToStart(program.error());
    return process;
}

Operation<QString> Sandbox::startBackground(const ProcessRequest &request)
{
    m_provider->script->record(callOf(request));
    if (const std::optional<ErrorInfo> error = notUsable(*m_provider, id()))
        return failedOperation<QString>(*error);
    const Started program = programFor(request);
    if (!program)
        return failedOperation<QString>(program.error());
    const OperationPromise<QString> promise;
    const Operation<QString> start = m_provider->store->machine().start(*m_provider, id(), *program, request);
    start.then(m_provider->context, [promise, provider = m_provider, sandboxId = id()](const QString &run) {
        if (!promise.isCancelRequested()) {
            promise.finish(run);
            return;
        }
        const Operation<void> removal = removeRun(*provider, sandboxId, run);
        removal.then(provider->context, [promise] { promise.cancelled(); });
        removal.onError(provider->context, [promise](const ErrorInfo &error) { promise.fail(error); });
    });
    start.onError(m_provider->context, [promise](const ErrorInfo &error) { promise.fail(error); });
    return promise.operation();
}

std::unique_ptr<ProcessPort> Sandbox::attach(const AttachRequest &request, ProcessEvents *events)
{
    return std::make_unique<Attachment>(m_provider->store->machine().find(id(), request.id), request, events);
}

Operation<QList<BackgroundRun>> Sandbox::backgroundRuns()
{
    if (const std::optional<ErrorInfo> error = notUsable(*m_provider, id()))
        return failedOperation<QList<BackgroundRun>>(*error);
    QList<BackgroundRun> runs;
    for (const KeptRunPtr &run : m_provider->store->machine().runs(id()))
        runs.append(run->describe());
    return finishedOperation(runs);
}

Operation<void> Sandbox::removeBackgroundRun(const QString &id)
{
    return removeRun(*m_provider, this->id(), id);
}

Sandbox::Started Sandbox::programFor(const ProcessRequest &request) const
{
    if (request.options.pty)
        return std::unexpected(capabilityNotSupported(Capability::Pty));
    return request.command ? commandProgram(request) : codeProgram(request);
}

Sandbox::Started Sandbox::commandProgram(const ProcessRequest &request) const
{
    if (const std::optional<Answer> answer = m_provider->script->answerFor(callOf(request))) {
        if (answer->error)
            return std::unexpected(*answer->error);
        return programOf(*answer);
    }
    Surroundings where = surroundings(request.options.env);
    if (!request.options.user.isEmpty() && request.options.user != where.user) {
        return std::unexpected(makeError(ErrorKind::ConfigurationError,
                                         Text::tr("There is no user '%1'.").arg(request.options.user),
                                         Text::tr("The in-memory backend has the user root only.")));
    }
    where.directory = MemoryFiles::resolved(encodePath(request.options.workingDirectory));
    where.environment.insert(u"PWD"_s, decodePath(where.directory));
    std::optional<ErrorInfo> noDirectory;
    m_provider->store->with(id(), [&](const Record &record) {
        const auto listed = record.files.list(where.directory);
        if (!listed)
            noDirectory = listed.error();
    });
    if (noDirectory)
        return std::unexpected(*noDirectory);
    const QStringList &argv = request.command->arguments();
    if (std::shared_ptr<Program> program = makeCommand(argv, where))
        return program;
    return std::unexpected(makeError(ErrorKind::ConfigurationError,
                                     Text::tr("There is no program '%1' in the sandbox.").arg(argv.first()),
                                     knownPrograms(), {notFoundStatus, u"no such program"_s}));
}

Sandbox::Started Sandbox::codeProgram(const ProcessRequest &request) const
{
    const QString code = QString::fromUtf8(request.code.value_or(QByteArray()));
    if (!languages().contains(request.codeOptions.language)) {
        return std::unexpected(
            makeError(ErrorKind::ConfigurationError,
                      Text::tr("The language '%1' is not known here.").arg(request.codeOptions.language),
                      Text::tr("Use one of: %1.").arg(languages().join(u", "_s))));
    }
    if (!request.codeOptions.context.isEmpty())
        return std::unexpected(capabilityNotSupported(Capability::StatefulCode));
    if (const std::optional<Answer> answer = m_provider->script->answerFor(callOf(request))) {
        if (answer->error)
            return std::unexpected(*answer->error);
        return programOf(*answer);
    }
    const auto plan = planPython(code, u"<code>"_s);
    if (!plan)
        return std::unexpected(plan.error());
    return makeProgram(plan->steps, ExitStep{plan->status, {}});
}

Surroundings Sandbox::surroundings(const QMap<QString, QString> &env) const
{
    Surroundings where;
    where.user = u"root"_s;
    where.environment = {{u"HOME"_s, QLatin1StringView(MemoryFiles::workingDirectory)}, {u"PATH"_s, u"/bin"_s}};
    where.environment.insert(m_env);
    for (const auto &[name, secret] : m_secrets.asKeyValueRange())
        where.environment.insert(name, QString::fromUtf8(secret.reveal()));
    where.environment.insert(env);
    return where;
}

} // namespace Sandboxio::Fake
