// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "brokenadapter.h"

#include <QDebug>

#include <csignal>

namespace Sandboxio::Broken {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

/*! A create that goes wrong after its request was sent, which takes a provider that is slow. */
class WrongOnceSent : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;

protected:
    std::shared_ptr<bool> wasSent(const SandboxOperation &creation) const
    {
        const auto sent = std::make_shared<bool>(false);
        creation.onProgress(m_setting.io(), [sent](const OperationProgress &) { *sent = true; });
        return sent;
    }
};

class IgnoresCancelledCreate final : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    SandboxOperation create(const CreatePlan &plan) override
    {
        const SandboxPromise promise;
        report(m_setting.io(), ForwardingBackend::create(plan), promise, finishing(promise), failing(promise));
        return promise.operation();
    }
};

class WrapsCancellation final : public WrongOnceSent
{
public:
    using WrongOnceSent::WrongOnceSent;
    SandboxOperation create(const CreatePlan &plan) override
    {
        const SandboxPromise promise;
        const SandboxOperation inner = ForwardingBackend::create(plan);
        const auto isSent = wasSent(inner);
        const auto wasSentBefore = std::make_shared<bool>(false);
        promise.onCancelRequested(m_setting.io(), [isSent, wasSentBefore] { *wasSentBefore = *isSent; });
        inner.onCancelled(m_setting.io(), [promise, wasSentBefore] {
            if (*wasSentBefore)
                promise.fail(makeError(ErrorKind::CreationError, u"The request was aborted."_s));
        });
        wire(m_setting.io(), inner, promise, finishing(promise), failing(promise));
        return promise.operation();
    }
};

class FailureAsCancellation final : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    SandboxOperation create(const CreatePlan &plan) override
    {
        const SandboxPromise promise;
        const bool isSecret = !plan.options.secrets.isEmpty();
        wire(m_setting.io(), ForwardingBackend::create(plan), promise, finishing(promise),
             [promise, isSecret](const ErrorInfo &error) {
                 if (error.kind == ErrorKind::CreationError && !isSecret)
                     promise.cancelled();
                 else
                     promise.fail(error);
             });
        return promise.operation();
    }
};

class LeaksOnCancelledCreate final : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    SandboxOperation create(const CreatePlan &plan) override
    {
        const SandboxPromise promise;
        promise.onCancelRequested(m_setting.io(), [promise] { promise.cancelled(); });
        report(m_setting.io(), ForwardingBackend::create(plan), promise, finishing(promise), failing(promise));
        return promise.operation();
    }
};

class LosesTheLease final : public WrongOnceSent
{
public:
    using WrongOnceSent::WrongOnceSent;
    SandboxOperation create(const CreatePlan &plan) override
    {
        const SandboxPromise promise;
        const SandboxOperation inner = ForwardingBackend::create(plan);
        promise.onCancelRequested(m_setting.io(), [inner, isSent = wasSent(inner)] {
            if (!*isSent)
                inner.cancel();
        });
        const auto finish = [promise](const auto &port) {
            if (promise.isCancelRequested())
                promise.cancelled(); // and nobody has the sandbox
            else
                promise.finish(port);
        };
        report(m_setting.io(), inner, promise, finish, failing(promise));
        return promise.operation();
    }
};

class LeavesTheCancelledRun final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    Operation<void> killTree() override
    {
        return hasLimit() || m_request.streamed ? ForwardingProcess::killTree() : finishedOperation();
    }
};

class LeavesTheCancelledCode final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    Operation<void> killTree() override
    {
        return hasLimit() || !m_request.code ? ForwardingProcess::killTree() : finishedOperation();
    }
};

class CancelLeavesTheChildren final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    Operation<void> killTree() override
    {
        const bool hasChildren = m_request.command && m_request.command->toString().contains(u'&');
        return hasLimit() || !hasChildren ? ForwardingProcess::killTree() : ForwardingProcess::signal(SIGTERM);
    }
};

/*! Its create fails with what \a change (void(ErrorInfo &)) makes of the error. */
template <auto change>
class OtherErrors final : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    SandboxOperation create(const CreatePlan &plan) override
    {
        return withError(m_setting.io(), ForwardingBackend::create(plan), [](ErrorInfo error) {
            change(error);
            return error;
        });
    }
};
using DropsTheCause = OtherErrors<[](ErrorInfo &error) {
    error.cause.reset();
}>;
using ForgetsRetryAfter = OtherErrors<[](ErrorInfo &error) {
    error.retryAfter.reset();
}>;
using EveryErrorIsTheSame = OtherErrors<[](ErrorInfo &error) {
    error.kind = ErrorKind::SandboxError;
}>;
using CreateTimeoutWithoutStep = OtherErrors<[](ErrorInfo &error) {
    error.step.clear();
}>;

class ResendsCreate final : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    SandboxOperation create(const CreatePlan &plan) override
    {
        const SandboxPromise promise;
        promise.onCancelRequested(m_setting.io(), [promise] { promise.cancelled(); });
        attempt(plan, promise, 3);
        return promise.operation();
    }

private:
    void attempt(const CreatePlan &plan, const SandboxPromise &promise, int left)
    {
        wire(m_setting.io(), ForwardingBackend::create(plan), promise, finishing(promise),
             [this, plan, promise, left](const ErrorInfo &error) {
                 if (left == 0 || promise.isCancelRequested())
                     promise.fail(error);
                 else
                     attempt(plan, promise, left - 1);
             });
    }
};

class LostConnectionIsAnExit final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    void failed(const ErrorInfo &error) override
    {
        if (error.kind == ErrorKind::ConnectError)
            ForwardingProcess::exited({0, {}, {}});
        else
            ForwardingProcess::failed(error);
    }
};

/*! Creates with other options than those of the plan, which \a change (void(CreateOptions &)) makes of them. */
template <auto change>
class OtherCreate final : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    SandboxOperation create(const CreatePlan &plan) override
    {
        CreatePlan other = plan;
        change(other.options);
        return ForwardingBackend::create(other);
    }
};
using IgnoresTheCreateLimit = OtherCreate<[](CreateOptions &options) {
    options.createLimit = 24h;
}>;
using SecretInALabel = OtherCreate<[](CreateOptions &options) {
    for (const auto &[name, secret] : std::as_const(options.secrets).asKeyValueRange())
        options.metadata.insert(u"secret."_s + name, QString::fromUtf8(secret.reveal()));
}>;
using SecretInTheConfiguration = OtherCreate<[](CreateOptions &options) {
    for (const auto &[name, secret] : std::as_const(options.secrets).asKeyValueRange())
        options.env.insert(name, QString::fromUtf8(secret.reveal()));
}>;
using SecretInTheLog = OtherCreate<[](CreateOptions &options) {
    for (const auto &[name, secret] : std::as_const(options.secrets).asKeyValueRange())
        qDebug() << name << secret.reveal();
}>;
using SecretsAreLost = OtherCreate<[](CreateOptions &options) {
    options.secrets.clear();
}>;

/*! Gives secrets to programs as arguments of a shell. */
class SecretInArgv final : public ForwardingBackend
{
    class Sandbox;
    class Process;

public:
    using ForwardingBackend::ForwardingBackend;
    SandboxOperation create(const CreatePlan &plan) override;
};

class SecretInArgv::Process final : public ForwardingProcess
{
public:
    Process(const Setting &setting, const ProcessRequest &request, ProcessEvents *events,
            const QMap<QString, Secret> &secrets)
        : ForwardingProcess(setting, request, events)
        , m_secrets(secrets)
    {}

private:
    ProcessRequest adjusted(const ProcessRequest &request) override
    {
        ProcessRequest other = request;
        if (!request.command || request.command->isShell())
            return other;
        QString line;
        for (const auto &[name, secret] : std::as_const(m_secrets).asKeyValueRange())
            line += name + u'=' + QString::fromUtf8(secret.reveal()) + u"; "_s;
        if (!line.isEmpty())
            other.command = Command::shell(line + request.command->toString());
        return other;
    }
    QMap<QString, Secret> m_secrets;
};

class SecretInArgv::Sandbox final : public ForwardingSandbox
{
public:
    Sandbox(const Setting &setting, const std::shared_ptr<SandboxPort> &inner,
            const QMap<QString, Secret> &secrets)
        : ForwardingSandbox(setting, inner)
        , m_secrets(secrets)
    {}
    std::unique_ptr<ProcessPort> start(const ProcessRequest &request, ProcessEvents *events) override
    {
        auto process = std::make_unique<Process>(m_setting, request, events, m_secrets);
        process->begin(*m_inner);
        return process;
    }

private:
    QMap<QString, Secret> m_secrets;
};

ForwardingBackend::SandboxOperation SecretInArgv::create(const CreatePlan &plan)
{
    return forwarded(m_setting.io(), ForwardingBackend::create(plan),
                     [setting = m_setting,
                      secrets = plan.options.secrets](const auto &port) -> std::shared_ptr<SandboxPort> {
                         return std::make_shared<Sandbox>(setting, port, secrets);
                     });
}

/*! Knows the secrets of its sandboxes and talks about them. */
class SecretInAnError final : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    SandboxOperation create(const CreatePlan &plan) override
    {
        QString values;
        for (const Secret &secret : plan.options.secrets)
            values += u' ' + QString::fromUtf8(secret.reveal());
        return withError(m_setting.io(), ForwardingBackend::create(plan), [values](ErrorInfo error) {
            error.message += u" Environment:"_s + values;
            return error;
        });
    }
};

} // namespace

QList<BrokenAdapter> brokenCreates()
{
    return {
        brokenBackend<WrapsCancellation>("cancellation", "wraps cancellation in an error"),
        brokenBackend<LeaksOnCancelledCreate>("cancellation", "leaks on a cancelled create"),
        brokenBackend<IgnoresCancelledCreate>("cancellation", "goes on with a cancelled create"),
        brokenBackend<LosesTheLease>("cancellation", "loses the lease"),
        alsoFails(brokenProcess<LeavesTheCancelledRun>("cancellation", "swallows the cancel of a run"),
                  "teardown"),
        brokenProcess<CancelLeavesTheChildren>("cancellation", "a cancel leaves the children of a run"),
        brokenProcess<LeavesTheCancelledCode>("cancellation", "swallows the cancel of code"),
        brokenBackend<FailureAsCancellation>("errors", "reports its own failure as cancellation"),
        brokenBackend<DropsTheCause>("errors", "drops the provider's words"),
        brokenBackend<ForgetsRetryAfter>("errors", "forgets when to come back"),
        brokenBackend<EveryErrorIsTheSame>("errors", "every error of create is the same"),
        brokenBackend<CreateTimeoutWithoutStep>("errors", "does not say which step took too long"),
        brokenBackend<IgnoresTheCreateLimit>("errors", "ignores the create limit"),
        brokenBackend<ResendsCreate>("errors", "sends create again"),
        brokenProcess<LostConnectionIsAnExit>("errors", "a lost connection is exit code 0"),
        brokenBackend<SecretInALabel>("secrets", "a secret in a label"),
        brokenBackend<SecretInTheConfiguration>("secrets", "a secret in the configuration of the sandbox"),
        brokenBackend<SecretInArgv>("secrets", "a secret in a command line"),
        brokenBackend<SecretInTheLog>("secrets", "a secret in the log"),
        passes(brokenBackend<SecretInAnError>("", "a secret in an error"),
               "EngineCore redacts the errors of adapters"),
        brokenBackend<SecretsAreLost>("secrets", "secrets do not arrive"),
    };
}

} // namespace Sandboxio::Broken
