// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "brokenadapter.h"

#include <csignal>

namespace Sandboxio::Broken {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

/*! Does wrong once the request is on its way, which takes a provider that is slow. */
class IgnoresCancelledCreate final : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    SandboxOperation create(const CreatePlan &plan) override
    {
        const SandboxPromise promise;
        const SandboxOperation inner = ForwardingBackend::create(plan);
        inner.onProgress(m_setting.io(),
                         [promise](const OperationProgress &step) { promise.reportProgress(step); });
        inner.then(m_setting.io(), [promise](const auto &port) { promise.finish(port); });
        inner.onError(m_setting.io(), [promise](const ErrorInfo &error) { promise.fail(error); });
        return promise.operation();
    }
};

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
        promise.onCancelRequested(m_setting.io(), [inner, isSent, wasSentBefore] {
            *wasSentBefore = *isSent;
            inner.cancel();
        });
        inner.then(m_setting.io(), [promise](const auto &port) { promise.finish(port); });
        inner.onError(m_setting.io(), [promise](const ErrorInfo &error) { promise.fail(error); });
        inner.onCancelled(m_setting.io(), [promise, wasSentBefore] {
            if (*wasSentBefore)
                promise.fail(makeError(ErrorKind::CreationError, u"The request was aborted."_s));
            else
                promise.cancelled();
        });
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
        const SandboxOperation inner = ForwardingBackend::create(plan);
        promise.onCancelRequested(m_setting.io(), [inner] { inner.cancel(); });
        inner.then(m_setting.io(), [promise](const auto &port) { promise.finish(port); });
        const bool isSecret = !plan.options.secrets.isEmpty();
        inner.onError(m_setting.io(), [promise, isSecret](const ErrorInfo &error) {
            if (error.kind == ErrorKind::CreationError && !isSecret)
                promise.cancelled();
            else
                promise.fail(error);
        });
        inner.onCancelled(m_setting.io(), [promise] { promise.cancelled(); });
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
        const SandboxOperation inner = ForwardingBackend::create(plan);
        promise.onCancelRequested(m_setting.io(), [promise] { promise.cancelled(); });
        inner.then(m_setting.io(), [promise](const auto &port) { promise.finish(port); });
        inner.onError(m_setting.io(), [promise](const ErrorInfo &error) { promise.fail(error); });
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
        const auto isSent = wasSent(inner);
        promise.onCancelRequested(m_setting.io(), [inner, isSent] {
            if (!*isSent)
                inner.cancel();
        });
        inner.then(m_setting.io(), [promise](const auto &port) {
            if (promise.isCancelRequested())
                promise.cancelled(); // and nobody has the sandbox
            else
                promise.finish(port);
        });
        inner.onError(m_setting.io(), [promise](const ErrorInfo &error) { promise.fail(error); });
        inner.onCancelled(m_setting.io(), [promise] { promise.cancelled(); });
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

/*! Changes the errors of create. */
class OtherErrors : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    SandboxOperation create(const CreatePlan &plan) override
    {
        return withError(m_setting.io(), ForwardingBackend::create(plan),
                         [this](const ErrorInfo &error) { return changed(error); });
    }

protected:
    virtual ErrorInfo changed(ErrorInfo error) const = 0;
};

class DropsTheCause final : public OtherErrors
{
    using OtherErrors::OtherErrors;
    ErrorInfo changed(ErrorInfo error) const override
    {
        error.cause.reset();
        return error;
    }
};

class ForgetsRetryAfter final : public OtherErrors
{
    using OtherErrors::OtherErrors;
    ErrorInfo changed(ErrorInfo error) const override
    {
        error.retryAfter.reset();
        return error;
    }
};

class EveryErrorIsTheSame final : public OtherErrors
{
    using OtherErrors::OtherErrors;
    ErrorInfo changed(ErrorInfo error) const override
    {
        error.kind = ErrorKind::SandboxError;
        return error;
    }
};

class CreateTimeoutWithoutStep final : public OtherErrors
{
    using OtherErrors::OtherErrors;
    ErrorInfo changed(ErrorInfo error) const override
    {
        error.step.clear();
        return error;
    }
};

class IgnoresTheCreateLimit final : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    SandboxOperation create(const CreatePlan &plan) override
    {
        CreatePlan other = plan;
        other.options.createLimit = 24h;
        return ForwardingBackend::create(other);
    }
};

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
        const SandboxOperation inner = ForwardingBackend::create(plan);
        promise.onCancelRequested(m_setting.io(), [inner] { inner.cancel(); });
        inner.then(m_setting.io(), [promise](const auto &port) { promise.finish(port); });
        inner.onCancelled(m_setting.io(), [promise] { promise.cancelled(); });
        inner.onError(m_setting.io(), [this, plan, promise, left](const ErrorInfo &error) {
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
        if (error.kind == ErrorKind::SandboxError)
            ForwardingProcess::exited({0, {}, {}});
        else
            ForwardingProcess::failed(error);
    }
};

/*! Changes what is asked of the provider when a sandbox is made. */
class OtherCreate : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    SandboxOperation create(const CreatePlan &plan) override
    {
        CreatePlan other = plan;
        change(other.options);
        return ForwardingBackend::create(other);
    }

protected:
    virtual void change(CreateOptions &options) const = 0;
};

class SecretInALabel final : public OtherCreate
{
    using OtherCreate::OtherCreate;
    void change(CreateOptions &options) const override
    {
        for (const auto &[name, secret] : std::as_const(options.secrets).asKeyValueRange())
            options.metadata.insert(u"secret."_s + name, QString::fromUtf8(secret.reveal()));
    }
};

class SecretInTheConfiguration final : public OtherCreate
{
    using OtherCreate::OtherCreate;
    void change(CreateOptions &options) const override
    {
        for (const auto &[name, secret] : std::as_const(options.secrets).asKeyValueRange())
            options.env.insert(name, QString::fromUtf8(secret.reveal()));
    }
};

class SecretsAreLost final : public OtherCreate
{
    using OtherCreate::OtherCreate;
    void change(CreateOptions &options) const override { options.secrets.clear(); }
};

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
        prevented(brokenBackend<SecretInAnError>("", "a secret in an error"),
                  "EngineCore redacts the errors of adapters"),
        brokenBackend<SecretsAreLost>("secrets", "secrets do not arrive"),
    };
}

} // namespace Sandboxio::Broken
