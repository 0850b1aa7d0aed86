// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "brokenadapter.h"

namespace Sandboxio::Broken {

using namespace Qt::StringLiterals;

namespace {

/*! Takes what it should refuse, by asking for something else. */
class LenientPlan : public ForwardingBackend
{
public:
    using ForwardingBackend::ForwardingBackend;
    Operation<CreatePlan> plan(const CreateOptions &options) override
    {
        return forwarded(m_setting.io(), ForwardingBackend::plan(accepted(options)),
                         [this, options](const CreatePlan &plan) { return shown(plan, options); });
    }

protected:
    virtual CreateOptions accepted(CreateOptions options) const { return options; }
    virtual CreatePlan shown(CreatePlan plan, const CreateOptions &) const { return plan; }
};

class AllowListIsOpen final : public LenientPlan
{
    using LenientPlan::LenientPlan;
    CreateOptions accepted(CreateOptions options) const override
    {
        if (options.network.egress == NetworkPolicy::Egress::AllowList)
            options.network = NetworkPolicy::open();
        return options;
    }
};

class LearningIsOpen final : public LenientPlan
{
    using LenientPlan::LenientPlan;
    CreateOptions accepted(CreateOptions options) const override
    {
        if (options.network.egress == NetworkPolicy::Egress::Learn)
            options.network = NetworkPolicy::open();
        return options;
    }
};

class DenialIsOpen final : public LenientPlan
{
    using LenientPlan::LenientPlan;
    CreateOptions accepted(CreateOptions options) const override
    {
        if (options.network.egress == NetworkPolicy::Egress::Deny)
            options.network = NetworkPolicy::open();
        return options;
    }
    Operation<QList<ManagedSandbox>>
    listManaged(const QMap<QString, QString> &metadata,
                std::function<void(const QList<ManagedSandbox> &)> page) override
    {
        const auto asAsked = [](QList<ManagedSandbox> rows) {
            for (ManagedSandbox &row : rows)
                row.egress = NetworkPolicy::Egress::Deny;
            return rows;
        };
        return forwarded(m_setting.io(), ForwardingBackend::listManaged(metadata, std::move(page)), asAsked);
    }
};

/*! Says that an allow list is in force, and everything is open. */
class AllowListInNameOnly final : public LenientPlan
{
    class Sandbox final : public ForwardingSandbox
    {
    public:
        using ForwardingSandbox::ForwardingSandbox;
        SandboxDetails details() const override
        {
            SandboxDetails details = ForwardingSandbox::details();
            details.managed.egress = NetworkPolicy::Egress::AllowList;
            return details;
        }
    };

    using LenientPlan::LenientPlan;
    CreateOptions accepted(CreateOptions options) const override
    {
        if (options.network.egress == NetworkPolicy::Egress::AllowList)
            options.network = NetworkPolicy::open();
        return options;
    }
    CreatePlan shown(CreatePlan plan, const CreateOptions &options) const override
    {
        plan.options.network = options.network;
        return plan;
    }
    SandboxOperation create(const CreatePlan &plan) override
    {
        if (plan.options.network.egress != NetworkPolicy::Egress::AllowList)
            return ForwardingBackend::create(plan);
        CreatePlan other = plan;
        other.options.network = NetworkPolicy::open();
        return forwarded(m_setting.io(), ForwardingBackend::create(other),
                         [setting = m_setting](const auto &port) -> std::shared_ptr<SandboxPort> {
                             return std::make_shared<Sandbox>(setting, port);
                         });
    }
};

class IgnoresTheEgressPolicy final : public ForwardingSandbox
{
public:
    using ForwardingSandbox::ForwardingSandbox;
    Operation<NetworkProbeResult> probe(const NetworkProbe &) override
    {
        return finishedOperation(NetworkProbeResult{NetworkProbeResult::Kind::Reached, {}});
    }
};

class IgnoresPorts final : public LenientPlan
{
    using LenientPlan::LenientPlan;
    CreateOptions accepted(CreateOptions options) const override
    {
        options.network.ingressPorts.clear();
        return options;
    }
};

class IgnoresTheGpu final : public LenientPlan
{
    using LenientPlan::LenientPlan;
    CreateOptions accepted(CreateOptions options) const override
    {
        options.resources.gpu.reset();
        return options;
    }
};

class DropsTheMemoryCap final : public LenientPlan
{
    using LenientPlan::LenientPlan;
    CreateOptions accepted(CreateOptions options) const override
    {
        options.resources.memoryMb.reset();
        return options;
    }
};

class DropsTheDiskCap final : public ForwardingBackend
{
    class Sandbox final : public ForwardingSandbox
    {
    public:
        Sandbox(const Setting &setting, const std::shared_ptr<SandboxPort> &inner, const Resources &promised)
            : ForwardingSandbox(setting, inner)
            , m_promised(promised)
        {}
        SandboxDetails details() const override
        {
            SandboxDetails details = ForwardingSandbox::details();
            details.resources = m_promised;
            return details;
        }

    private:
        Resources m_promised;
    };

public:
    using ForwardingBackend::ForwardingBackend;
    SandboxOperation create(const CreatePlan &plan) override
    {
        CreatePlan other = plan;
        other.options.resources.diskMb = 1'000'000;
        return forwarded(m_setting.io(), ForwardingBackend::create(other),
                         [setting = m_setting,
                          promised = plan.options.resources](const auto &port) -> std::shared_ptr<SandboxPort> {
                             return std::make_shared<Sandbox>(setting, port, promised);
                         });
    }
};

class OverstatesTheTier final : public LenientPlan
{
    using LenientPlan::LenientPlan;
    CreatePlan shown(CreatePlan plan, const CreateOptions &) const override
    {
        plan.tier = IsolationTier::MicroVm;
        return plan;
    }
};

class ChecksTheRequirementAfterwards final : public LenientPlan
{
    using LenientPlan::LenientPlan;
    CreateOptions accepted(CreateOptions options) const override
    {
        options.requireIsolation.reset();
        return options;
    }
    CreatePlan shown(CreatePlan plan, const CreateOptions &options) const override
    {
        if (options.requireIsolation)
            plan.tier = *options.requireIsolation; // "we shall see"
        return plan;
    }
};

/*! Declares \a capability and lets the default of the port answer. */
template <Capability capability>
class Declares final : public ForwardingSandbox
{
public:
    using ForwardingSandbox::ForwardingSandbox;
    SandboxDetails details() const override
    {
        SandboxDetails details = ForwardingSandbox::details();
        details.capabilities |= capability;
        return details;
    }
};

class ExtendsNothing final : public ForwardingSandbox
{
public:
    using ForwardingSandbox::ForwardingSandbox;
    SandboxDetails details() const override
    {
        SandboxDetails details = ForwardingSandbox::details();
        details.capabilities |= Capability::ExtendLifetime;
        return details;
    }
    Operation<void> extend(std::chrono::milliseconds) override { return finishedOperation(); }
};

class PausesNothing final : public ForwardingSandbox
{
public:
    using ForwardingSandbox::ForwardingSandbox;
    SandboxDetails details() const override
    {
        SandboxDetails details = ForwardingSandbox::details();
        details.capabilities |= Capability::PauseResume;
        return details;
    }
    Operation<void> pause() override { return finishedOperation(); }
    Operation<void> resume() override { return finishedOperation(); }
};

/*! Runs without a terminal and says that its size was changed. */
class ResizesNothing final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    ProcessRequest adjusted(const ProcessRequest &request) override
    {
        ProcessRequest other = request;
        other.options.pty.reset();
        return other;
    }
    Operation<void> resize(TerminalSize) override { return finishedOperation(); }
};

class TerminalInNameOnly final : public ForwardingSandbox
{
public:
    using ForwardingSandbox::ForwardingSandbox;
    SandboxDetails details() const override
    {
        SandboxDetails details = ForwardingSandbox::details();
        details.capabilities |= Capability::Pty;
        return details;
    }
    std::unique_ptr<ProcessPort> start(const ProcessRequest &request, ProcessEvents *events) override
    {
        auto process = std::make_unique<ResizesNothing>(m_setting, request, events);
        process->begin(*m_inner);
        return process;
    }
};

} // namespace

QList<BrokenAdapter> brokenPolicies()
{
    return {
        brokenSandbox<IgnoresTheEgressPolicy>("policy", "ignores the egress policy"),
        brokenBackend<AllowListIsOpen>("policy", "turns an allow list into an open network"),
        brokenBackend<AllowListInNameOnly>("policy", "an allow list in name only"),
        brokenBackend<LearningIsOpen>("policy", "turns learning into an open network"),
        brokenBackend<DenialIsOpen>("policy", "turns a denied network into an open one"),
        alsoFails(brokenBackend<IgnoresTheGpu>("resources", "ignores the GPU that was asked for"),
                  "capabilities"),
        brokenBackend<DropsTheMemoryCap>("resources", "drops a cap"),
        brokenBackend<DropsTheDiskCap>("resources", "a cap is promised and not in force"),
        brokenBackend<OverstatesTheTier>("resources", "overstates the tier"),
        brokenBackend<ChecksTheRequirementAfterwards>("resources", "checks a requirement after creating"),
        brokenBackend<IgnoresPorts>("policy", "undeclared and silently ignored: published ports"),
        brokenSandbox<TerminalInNameOnly>("capabilities", "declared and not working: the size of a terminal"),
        prevented(brokenProcess<ResizesNothing>("", "undeclared and silently ignored: the size of a terminal"),
                  "Process::resize refuses without Pty before it asks the adapter"),
        brokenSandbox<PausesNothing>("lifecycle", "declared and not working: pause"),
        brokenSandbox<ExtendsNothing>("lifecycle", "declared and not working: a longer lifetime"),
        brokenSandbox<Declares<Capability::Pty>>("capabilities", "declared and not working: a terminal"),
        brokenSandbox<Declares<Capability::Gpu>>("capabilities", "declared and not working: a GPU"),
    };
}

} // namespace Sandboxio::Broken
