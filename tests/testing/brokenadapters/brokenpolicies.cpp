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
public:
    using ForwardingBackend::ForwardingBackend;
    SandboxOperation create(const CreatePlan &plan) override
    {
        CreatePlan other = plan;
        other.options.resources.diskMb = 1'000'000;
        return ForwardingBackend::create(other);
    }

private:
    // The promise is repeated, only the sandbox does not keep it.
    std::shared_ptr<SandboxPort> wrapped(const std::shared_ptr<SandboxPort> &port) override
    {
        class Sandbox final : public ForwardingSandbox
        {
        public:
            using ForwardingSandbox::ForwardingSandbox;
            SandboxDetails details() const override
            {
                SandboxDetails details = ForwardingSandbox::details();
                details.resources.diskMb = 256;
                return details;
            }
        };
        return std::make_shared<Sandbox>(m_setting, port);
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

class ResizesNothing final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    Operation<void> resize(TerminalSize) override { return finishedOperation(); }
};

} // namespace

QList<BrokenAdapter> brokenPolicies()
{
    return {
        brokenSandbox<IgnoresTheEgressPolicy>("policy", "ignores the egress policy"),
        brokenBackend<AllowListIsOpen>("policy", "turns an allow list into an open network"),
        brokenBackend<LearningIsOpen>("policy", "turns learning into an open network"),
        brokenBackend<DenialIsOpen>("policy", "turns a denied network into an open one"),
        brokenBackend<IgnoresTheGpu>("resources", "ignores the GPU that was asked for"),
        brokenBackend<DropsTheMemoryCap>("resources", "drops a cap"),
        brokenBackend<DropsTheDiskCap>("resources", "a cap is promised and not in force"),
        brokenBackend<OverstatesTheTier>("capabilities", "overstates the tier"),
        brokenBackend<ChecksTheRequirementAfterwards>("capabilities", "checks a requirement after creating"),
        brokenBackend<IgnoresPorts>("capabilities", "undeclared and silently ignored: published ports"),
        brokenProcess<ResizesNothing>("capabilities",
                                      "undeclared and silently ignored: the size of a terminal"),
        brokenSandbox<Declares<Capability::PauseResume>>("capabilities", "declared and not working: pause"),
        brokenSandbox<ExtendsNothing>("capabilities", "declared and not working: a longer lifetime"),
        brokenSandbox<Declares<Capability::Pty>>("capabilities", "declared and not working: a terminal"),
    };
}

} // namespace Sandboxio::Broken
