// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "brokenadapter.h"

#include <sandboxio/fake/store_p.h>

namespace Sandboxio::Broken {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

class ConnectCreates final : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    SandboxOperation connectTo(const QString &id, bool allowForeign) override
    {
        if (m_setting.script->sandboxes().contains(id))
            return ForwardingBackend::connectTo(id, allowForeign);
        const SandboxPromise promise;
        ForwardingBackend::plan({}).then(m_setting.io(), [this, promise](const CreatePlan &plan) {
            ForwardingBackend::create(plan).then(m_setting.io(),
                                                 [promise](const auto &port) { promise.finish(port); });
        });
        return promise.operation();
    }
};

class AttachingExtends final : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    SandboxOperation connectTo(const QString &id, bool allowForeign) override
    {
        m_setting.script->store()->with(id, [](Fake::Record &record) {
            if (record.end)
                *record.end += 300s;
            record.managed.expiresAt = record.managed.expiresAt.addSecs(300);
        });
        return ForwardingBackend::connectTo(id, allowForeign);
    }
};

class LettingGoKills final : public ForwardingBackend
{
    class Sandbox final : public ForwardingSandbox
    {
    public:
        using ForwardingSandbox::ForwardingSandbox;
        ~Sandbox() override { std::ignore = m_inner->kill(); }
    };

public:
    using ForwardingBackend::ForwardingBackend;
    SandboxOperation connectTo(const QString &id, bool allowForeign) override
    {
        return forwarded(m_setting.io(), ForwardingBackend::connectTo(id, allowForeign),
                         [setting = m_setting](const auto &port) -> std::shared_ptr<SandboxPort> {
                             return std::make_shared<Sandbox>(setting, port);
                         });
    }
};

class SecondKillFails final : public ForwardingSandbox
{
public:
    using ForwardingSandbox::ForwardingSandbox;
    Operation<void> kill() override
    {
        if (*m_killed)
            return failedOperation<void>(makeError(ErrorKind::ConnectError, u"There is no such sandbox."_s));
        const Operation<void> kill = ForwardingSandbox::kill();
        kill.then(m_setting.io(), [killed = m_killed] { *killed = true; });
        return kill;
    }

private:
    std::shared_ptr<bool> m_killed = std::make_shared<bool>(false);
};

class SaysTheDefaultLifetime final : public ForwardingSandbox
{
public:
    using ForwardingSandbox::ForwardingSandbox;
    Operation<ManagedSandbox> inspect() override
    {
        return forwarded(m_setting.io(), ForwardingSandbox::inspect(), [](ManagedSandbox row) {
            row.expiresAt = row.createdAt.addSecs(300);
            return row;
        });
    }
};

class PlansShareTheirName final : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    Operation<CreatePlan> plan(const CreateOptions &options) override
    {
        return forwarded(m_setting.io(), ForwardingBackend::plan(options), [](CreatePlan plan) {
            plan.name = u"sandboxio-sandbox"_s;
            return plan;
        });
    }
};

/*! Tries a plan out, where nothing of it needs to be refused and the provider works. */
class PlansByCreating final : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    Operation<CreatePlan> plan(const CreateOptions &options) override
    {
        const OperationPromise<CreatePlan> promise;
        const Fake::Faults faults = m_setting.script->faults();
        const bool tries =
            !options.requireIsolation && !faults.rateLimit && !faults.create && faults.createStep == 0s;
        wire(
            m_setting.io(), ForwardingBackend::plan(options), promise,
            [this, promise, tries](const CreatePlan &plan) {
                if (tries && plan.isAccepted())
                    tryOut(plan, promise);
                else
                    promise.finish(plan);
            },
            failing(promise));
        return promise.operation();
    }

private:
    void tryOut(const CreatePlan &plan, const OperationPromise<CreatePlan> &promise)
    {
        wire(
            m_setting.io(), ForwardingBackend::create(plan), promise,
            [this, plan, promise](const auto &port) {
                m_setting.script->lose(port->id());
                promise.finish(plan);
            },
            failing(promise));
    }
};

/*! What somebody else created seems to be able to do more. */
class ConnectedOnesDeclareMore final : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    SandboxOperation connectTo(const QString &id, bool allowForeign) override
    {
        return forwarded(m_setting.io(), ForwardingBackend::connectTo(id, allowForeign),
                         [setting = m_setting](const auto &port) -> std::shared_ptr<SandboxPort> {
                             return std::make_shared<Declares<Capability::Pty>>(setting, port);
                         });
    }
};

class HidesFailedKills final : public ForwardingSandbox
{
public:
    using ForwardingSandbox::ForwardingSandbox;
    Operation<void> kill() override
    {
        const OperationPromise<void> promise;
        const Operation<void> inner = ForwardingSandbox::kill();
        inner.then(m_setting.io(), [promise] { promise.finish(); });
        inner.onError(m_setting.io(), [promise](const ErrorInfo &) { promise.finish(); });
        return promise.operation();
    }
};

class HidesHangingKills final : public ForwardingSandbox
{
public:
    using ForwardingSandbox::ForwardingSandbox;
    Operation<void> kill() override
    {
        const OperationPromise<void> promise;
        const Operation<void> inner = ForwardingSandbox::kill();
        inner.then(m_setting.io(), [promise] { promise.finish(); });
        inner.onError(m_setting.io(), [promise](const ErrorInfo &error) { promise.fail(error); });
        m_timer = m_setting.context->clock->arm(m_setting.io(), 1s, [promise] { promise.finish(); });
        return promise.operation();
    }

private:
    std::unique_ptr<ArmedTimer> m_timer;
};

class KillsForItself final : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    SandboxOperation create(const CreatePlan &plan) override
    {
        return forwarded(m_setting.io(), ForwardingBackend::create(plan), [this](const auto &port) {
            m_created.append(port->id());
            return port;
        });
    }
    ~KillsForItself() override
    {
        for (const QString &id : std::as_const(m_created))
            m_setting.script->lose(id);
    }

private:
    QStringList m_created;
};

} // namespace

QList<BrokenAdapter> brokenBackends()
{
    return {
        brokenBackend<ConnectCreates>("lifecycle", "connecting creates"),
        brokenBackend<AttachingExtends>("lifecycle", "attaching changes the lifetime"),
        alsoFails(alsoFails(brokenBackend<LettingGoKills>("lifecycle", "letting go of a sandbox ends it"),
                            "teardown"),
                  "background"),
        brokenSandbox<SecondKillFails>("lifecycle", "a second kill fails"),
        brokenSandbox<SaysTheDefaultLifetime>("lifecycle", "every lifetime is the default one"),
        brokenBackend<PlansShareTheirName>("lifecycle", "every sandbox gets the same name"),
        brokenBackend<PlansByCreating>("lifecycle", "a plan creates"),
        brokenBackend<ConnectedOnesDeclareMore>("capabilities", "a second handle declares more than the first"),
        brokenSandbox<HidesFailedKills>("teardown", "a failed kill is a success"),
        brokenSandbox<HidesHangingKills>("teardown", "a kill that hangs is a success"),
        brokenBackend<KillsForItself>("teardown", "the end of the engine ends its sandboxes"),
    };
}

} // namespace Sandboxio::Broken
