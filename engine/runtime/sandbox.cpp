// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "sandbox.h"

#include "cappedbuffer_p.h"
#include "enginecore_p.h"
#include "policyverifier_p.h"
#include "taskhelpers_p.h"

#include <sandboxio/core/error.h>
#include <sandboxio/core/policychecks.h>

#include <QCoreApplication>
#include <QPointer>

namespace Sandboxio {

using Detail::EngineCore;

namespace {

/*! Collects the output of a run that nobody follows. */
class BufferedRun final : public Detail::RunObserver
{
public:
    BufferedRun(OperationPromise<ExecResult> promise, qint64 limit)
        : m_promise(std::move(promise))
        , m_output(limit)
        , m_errors(limit)
    {}
    void setDriver(Detail::RunDriver *driver) { m_driver = driver; }
    void runStarted() override {}
    void runOutput(const OutputChunk &chunk) override
    {
        (chunk.stream == OutputStream::StandardError ? m_errors : m_output).append(chunk.data);
        if (m_driver)
            m_driver->acknowledge(chunk.stream, chunk.data.size());
    }
    void runEnded(const RunOutcome &, const std::optional<ExecResult> &result,
                  const std::optional<ErrorInfo> &error) override
    {
        m_driver = nullptr;
        if (error) {
            m_promise.fail(*error);
        } else if (result) {
            ExecResult full = *result;
            full.standardOutput = m_output.content();
            full.standardError = m_errors.content();
            full.truncated = m_output.isTruncated() || m_errors.isTruncated();
            m_promise.finish(full);
        } else {
            m_promise.cancelled();
        }
    }

private:
    OperationPromise<ExecResult> m_promise;
    Detail::CappedBuffer m_output;
    Detail::CappedBuffer m_errors;
    QPointer<Detail::RunDriver> m_driver;
};

void startBuffered(EngineCore &core, quint64 key, const Detail::RunRequest &request, qint64 limit,
                   const OperationPromise<ExecResult> &promise)
{
    const auto run = std::make_shared<BufferedRun>(promise, limit);
    Detail::RunDriver *driver = core.startRun(key, request, run, nullptr, promise.isCancelRequested());
    if (!driver)
        return;
    run->setDriver(driver);
    promise.onCancelRequested(driver, [driver] { driver->requestEnd(RunOutcome::Kind::Cancelled); });
}

Operation<ExecResult> runBuffered(const std::shared_ptr<Detail::SandboxHandle> &handle,
                                  const Detail::RunRequest &request, qint64 limit)
{
    const OperationPromise<ExecResult> promise;
    handle->link->post(promise, [promise, key = handle->key, request, limit](EngineCore &core) {
        startBuffered(core, key, request, limit, promise);
    });
    return promise.operation();
}

Detail::RunRequest requestOf(const Command &command, const RunOptions &options)
{
    Detail::RunRequest request;
    request.process.command = command;
    request.process.options = options;
    return request;
}

Detail::RunRequest requestOf(const QString &code, const RunCodeOptions &options)
{
    Detail::RunRequest request;
    request.process.code = code.toUtf8();
    request.process.codeOptions = options;
    return request;
}

std::optional<ErrorInfo> refusal(const SandboxDetails &details, const Command &command,
                                 const RunOptions &options)
{
    if (const auto error = checkRun(command, options))
        return error;
    if (!details.capabilities.testFlag(Capability::RunCommand))
        return capabilityNotSupported(Capability::RunCommand);
    if (options.pty && !details.capabilities.testFlag(Capability::Pty))
        return capabilityNotSupported(Capability::Pty);
    return std::nullopt;
}

std::optional<ErrorInfo> refusal(const SandboxDetails &details, const RunCodeOptions &options)
{
    if (const auto error = checkRunCode(options))
        return error;
    if (!details.capabilities.testFlag(Capability::RunCode))
        return capabilityNotSupported(Capability::RunCode);
    if (!options.context.isEmpty() && !details.capabilities.testFlag(Capability::StatefulCode))
        return capabilityNotSupported(Capability::StatefulCode);
    return std::nullopt;
}

// A missing Streaming comes first, then \a refusal of the run itself.
std::optional<ErrorInfo> streamRefusal(const SandboxDetails &details, const std::optional<ErrorInfo> &refusal)
{
    if (!details.capabilities.testFlag(Capability::Streaming))
        return capabilityNotSupported(Capability::Streaming);
    return refusal;
}

ErrorInfo backgroundMisuse(const char *message, const char *hint)
{
    return makeError(ErrorKind::ConfigurationError, QCoreApplication::translate("Sandboxio::Sandbox", message),
                     QCoreApplication::translate("Sandboxio::Sandbox", hint));
}

std::optional<ErrorInfo> backgroundRefusal(const SandboxDetails &details, const Command &command,
                                           const RunOptions &options)
{
    if (!details.capabilities.testFlag(Capability::Detach))
        return capabilityNotSupported(Capability::Detach);
    if (options.timeout)
        return backgroundMisuse(
            QT_TRANSLATE_NOOP("Sandboxio::Sandbox", "A background run has no run limit."),
            QT_TRANSLATE_NOOP("Sandboxio::Sandbox",
                              "Leave RunOptions::timeout unset; the lifetime of the sandbox ends the run."));
    return refusal(details, command, options);
}

QCoro::Task<QString> startBackgroundSteps(std::shared_ptr<SandboxPort> port, OperationPromise<QString> promise,
                                          std::shared_ptr<Detail::RecordDraft> draft, ProcessRequest request)
{
    const QString id = co_await Detail::cancellable(promise, port->startBackground(request));
    draft->record.backgroundRun = id;
    draft->record.end = {RunOutcome::Kind::Detached, 0};
    co_return QString(id);
}

QCoro::Task<void> withNativeSteps(std::shared_ptr<SandboxPort> port, std::function<void(void *)> function)
{
    function(port->nativeHandle());
    co_return;
}

} // namespace

Sandbox::Sandbox(std::shared_ptr<Detail::SandboxHandle> handle)
    : m_handle(std::move(handle))
{}

Sandbox::~Sandbox() = default;

QString Sandbox::id() const
{
    return m_handle->details.managed.id;
}

Target Sandbox::target() const
{
    return m_handle->details.managed.target;
}

Capabilities Sandbox::capabilities() const
{
    return m_handle->details.capabilities;
}

IsolationTier Sandbox::isolation() const
{
    return m_handle->details.managed.tier;
}

SandboxDetails Sandbox::details() const
{
    return m_handle->details;
}

QStringList Sandbox::languages() const
{
    return m_handle->languages;
}

QVariantMap Sandbox::native() const
{
    return m_handle->details.native;
}

FileSystem Sandbox::files() const
{
    return FileSystem(m_handle);
}

Operation<ManagedSandbox> Sandbox::info() const
{
    return m_handle->submit<ManagedSandbox>([](EngineCore &, std::shared_ptr<SandboxPort> port, auto promise) {
        return Detail::cancellable(promise, port->inspect());
    });
}

Operation<ExecResult> Sandbox::run(const Command &command, const RunOptions &options) const
{
    m_handle->redactor->addEnvironment(options.env);
    const Detail::RunRequest request = requestOf(command, options);
    if (const auto error = refusal(m_handle->details, command, options))
        return failedOperation<ExecResult>(m_handle->refused(request.process, *error));
    return runBuffered(m_handle, request, options.outputLimit);
}

Operation<ExecResult> Sandbox::runCode(const QString &code, const RunCodeOptions &options) const
{
    m_handle->redactor->addEnvironment(options.env);
    const Detail::RunRequest request = requestOf(code, options);
    if (const auto error = refusal(m_handle->details, options))
        return failedOperation<ExecResult>(m_handle->refused(request.process, *error));
    return runBuffered(m_handle, request, options.outputLimit);
}

std::unique_ptr<Process> Sandbox::stream(const Command &command, const RunOptions &options) const
{
    m_handle->redactor->addEnvironment(options.env);
    Detail::RunRequest request = requestOf(command, options);
    request.process.streamed = true;
    if (const auto error = streamRefusal(m_handle->details, refusal(m_handle->details, command, options)))
        m_handle->refused(request.process, *error).raise();
    return std::unique_ptr<Process>(new Process(m_handle, request));
}

std::unique_ptr<Process> Sandbox::streamCode(const QString &code, const RunCodeOptions &options) const
{
    m_handle->redactor->addEnvironment(options.env);
    Detail::RunRequest request = requestOf(code, options);
    request.process.streamed = true;
    if (const auto error = streamRefusal(m_handle->details, refusal(m_handle->details, options)))
        m_handle->refused(request.process, *error).raise();
    return std::unique_ptr<Process>(new Process(m_handle, request));
}

Operation<QString> Sandbox::startBackground(const Command &command, const RunOptions &options) const
{
    m_handle->redactor->addEnvironment(options.env);
    const ProcessRequest request = requestOf(command, options).process;
    OperationRecord record;
    record.event = RecordEvent::RunBackground;
    record.argv = command.arguments();
    record.bytesIn = options.standardInput ? options.standardInput->size() : 0;
    if (const auto error = backgroundRefusal(m_handle->details, command, options))
        return failedOperation<QString>(m_handle->refused(record, *error));
    return m_handle->submitRecorded<QString>(
        Capability::Detach, record,
        [request](const std::shared_ptr<SandboxPort> &port, auto promise, const auto &draft) {
            return startBackgroundSteps(port, promise, draft, request);
        });
}

std::unique_ptr<Process> Sandbox::attach(const QString &id, const AttachOptions &from) const
{
    Detail::RunRequest request;
    request.attach = AttachRequest{id, from};
    request.process.streamed = true;
    const OperationRecord record = Detail::attachRecord(id);
    if (!m_handle->details.capabilities.testFlag(Capability::Detach))
        m_handle->refused(record, capabilityNotSupported(Capability::Detach)).raise();
    if (from.standardOutputOffset < 0 || from.standardErrorOffset < 0)
        m_handle
            ->refused(record,
                      backgroundMisuse(
                          QT_TRANSLATE_NOOP("Sandboxio::Sandbox", "An offset is negative."),
                          QT_TRANSLATE_NOOP("Sandboxio::Sandbox", "Count the bytes of each stream from 0.")))
            .raise();
    return std::unique_ptr<Process>(new Process(m_handle, request));
}

Operation<QList<BackgroundRun>> Sandbox::backgroundRuns() const
{
    return m_handle->submit<QList<BackgroundRun>>(
        Capability::Detach, [](EngineCore &, std::shared_ptr<SandboxPort> port, auto promise) {
            return Detail::cancellable(promise, port->backgroundRuns());
        });
}

Operation<void> Sandbox::removeBackgroundRun(const QString &id) const
{
    return m_handle->submit<void>(Capability::Detach,
                                  [id](EngineCore &, std::shared_ptr<SandboxPort> port, auto promise) {
                                      return Detail::cancellable(promise, port->removeBackgroundRun(id));
                                  });
}

Operation<void> Sandbox::kill() const
{
    return m_handle->submit<void>([](EngineCore &core, std::shared_ptr<SandboxPort> port, auto) {
        return core.killSteps(std::move(port));
    });
}

Operation<PolicyReport> Sandbox::verifyPolicy() const
{
    return m_handle->submit<PolicyReport>(
        Capability::NetworkPolicy, [](EngineCore &core, std::shared_ptr<SandboxPort> port, auto promise) {
            return Detail::verifyPolicySteps(core.context(), std::move(port), promise);
        });
}

Operation<void> Sandbox::pause() const
{
    return m_handle->submit<void>(Capability::PauseResume,
                                  [](EngineCore &, std::shared_ptr<SandboxPort> port, auto promise) {
                                      return Detail::cancellable(promise, port->pause());
                                  });
}

Operation<void> Sandbox::resume() const
{
    return m_handle->submit<void>(Capability::PauseResume,
                                  [](EngineCore &, std::shared_ptr<SandboxPort> port, auto promise) {
                                      return Detail::cancellable(promise, port->resume());
                                  });
}

Operation<SandboxStats> Sandbox::stats() const
{
    return m_handle->submit<SandboxStats>(Capability::Stats,
                                          [](EngineCore &, std::shared_ptr<SandboxPort> port, auto promise) {
                                              return Detail::cancellable(promise, port->stats());
                                          });
}

Operation<void> Sandbox::extend(std::chrono::milliseconds lifetime) const
{
    CreateOptions options;
    options.timeout = lifetime;
    if (const auto error = checkCreateOptions(options))
        return failedOperation<void>(*error);
    return m_handle->submit<void>(Capability::ExtendLifetime,
                                  [lifetime](EngineCore &, std::shared_ptr<SandboxPort> port, auto promise) {
                                      return Detail::cancellable(promise, port->extend(lifetime));
                                  });
}

Operation<QString> Sandbox::createContext(const QString &language) const
{
    return m_handle->submit<QString>(Capability::StatefulCode,
                                     [language](EngineCore &, std::shared_ptr<SandboxPort> port, auto promise) {
                                         return Detail::cancellable(promise, port->createContext(language));
                                     });
}

Operation<QStringList> Sandbox::listContexts() const
{
    return m_handle->submit<QStringList>(Capability::StatefulCode,
                                         [](EngineCore &, std::shared_ptr<SandboxPort> port, auto promise) {
                                             return Detail::cancellable(promise, port->listContexts());
                                         });
}

Operation<void> Sandbox::interruptContext(const QString &context) const
{
    return m_handle->submit<void>(Capability::StatefulCode,
                                  [context](EngineCore &, std::shared_ptr<SandboxPort> port, auto promise) {
                                      return Detail::cancellable(promise, port->interruptContext(context));
                                  });
}

Operation<void> Sandbox::restartContext(const QString &context) const
{
    return m_handle->submit<void>(Capability::StatefulCode,
                                  [context](EngineCore &, std::shared_ptr<SandboxPort> port, auto promise) {
                                      return Detail::cancellable(promise, port->restartContext(context));
                                  });
}

Operation<void> Sandbox::removeContext(const QString &context) const
{
    return m_handle->submit<void>(Capability::StatefulCode,
                                  [context](EngineCore &, std::shared_ptr<SandboxPort> port, auto promise) {
                                      return Detail::cancellable(promise, port->removeContext(context));
                                  });
}

Operation<void> Sandbox::withNative(std::function<void(void *)> function) const
{
    return m_handle->submit<void>([function](EngineCore &, std::shared_ptr<SandboxPort> port, auto) {
        return withNativeSteps(std::move(port), function);
    });
}

} // namespace Sandboxio
