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

/*! Nothing is closed where \a closed was asked for. */
template <NetworkPolicy::Egress closed>
class IsOpen : public LenientPlan
{
public:
    using LenientPlan::LenientPlan;

private:
    CreateOptions accepted(CreateOptions options) const override
    {
        if (options.network.egress == closed)
            options.network = NetworkPolicy::open();
        return options;
    }
};

class DenialIsOpen final : public IsOpen<NetworkPolicy::Egress::Deny>
{
    using IsOpen::IsOpen;
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
class AllowListInNameOnly final : public IsOpen<NetworkPolicy::Egress::AllowList>
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

    using IsOpen::IsOpen;
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

/*! Plans for other options, which \a change (void(CreateOptions &)) makes of those that were asked for. */
template <auto change>
class OtherAcceptance final : public LenientPlan
{
public:
    using LenientPlan::LenientPlan;

private:
    CreateOptions accepted(CreateOptions options) const override
    {
        change(options);
        return options;
    }
};
using IgnoresPorts = OtherAcceptance<[](CreateOptions &options) {
    options.network.ingressPorts.clear();
}>;
using IgnoresTheGpu = OtherAcceptance<[](CreateOptions &options) {
    options.resources.gpu.reset();
}>;
using DropsTheMemoryCap = OtherAcceptance<[](CreateOptions &options) {
    options.resources.memoryMb.reset();
}>;

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

class ExtendsNothing final : public Declares<Capability::ExtendLifetime>
{
public:
    using Declares::Declares;
    Operation<void> extend(std::chrono::milliseconds) override { return finishedOperation(); }
};

class PausesNothing final : public Declares<Capability::PauseResume>
{
public:
    using Declares::Declares;
    Operation<void> pause() override { return finishedOperation(); }
    Operation<void> resume() override { return finishedOperation(); }
};

/*! Runs without a terminal and says that its size was changed. */
class ResizesNothing final : public OtherRequest<[](ProcessRequest &request) {
    request.options.pty.reset();
}>
{
public:
    using OtherRequest::OtherRequest;

private:
    Operation<void> resize(TerminalSize) override { return finishedOperation(); }
};
using TerminalInNameOnly = WithProcess<ResizesNothing, Declares<Capability::Pty>>;

class SaysNothing : public ForwardingSandbox
{
public:
    using ForwardingSandbox::ForwardingSandbox;
    Operation<SandboxStats> stats() override { return finishedOperation(SandboxStats()); }
};

class CountsBackwards final : public ForwardingSandbox
{
public:
    using ForwardingSandbox::ForwardingSandbox;
    Operation<SandboxStats> stats() override
    {
        SandboxStats stats;
        stats.time = QDateTime::currentDateTimeUtc();
        stats.cpuTime = std::chrono::seconds(100 - ++m_calls);
        return finishedOperation(stats);
    }

private:
    int m_calls = 0;
};

} // namespace

QList<BrokenAdapter> brokenPolicies()
{
    return {
        brokenSandbox<IgnoresTheEgressPolicy>("policy", "ignores the egress policy"),
        brokenBackend<IsOpen<NetworkPolicy::Egress::AllowList>>("policy",
                                                                "turns an allow list into an open network"),
        brokenBackend<AllowListInNameOnly>("policy", "an allow list in name only"),
        brokenBackend<IsOpen<NetworkPolicy::Egress::Learn>>("policy", "turns learning into an open network"),
        brokenBackend<DenialIsOpen>("policy", "turns a denied network into an open one"),
        alsoFails(brokenBackend<IgnoresTheGpu>("resources", "ignores the GPU that was asked for"),
                  "capabilities"),
        brokenBackend<DropsTheMemoryCap>("resources", "drops a cap"),
        brokenBackend<DropsTheDiskCap>("resources", "a cap is promised and not in force"),
        brokenBackend<OverstatesTheTier>("resources", "overstates the tier"),
        brokenBackend<ChecksTheRequirementAfterwards>("resources", "checks a requirement after creating"),
        brokenBackend<IgnoresPorts>("policy", "undeclared and silently ignored: published ports"),
        brokenSandbox<TerminalInNameOnly>("capabilities", "declared and not working: the size of a terminal"),
        passes(brokenProcess<ResizesNothing>("", "undeclared and silently ignored: the size of a terminal"),
               "Process::resize refuses without Pty before it asks the adapter"),
        alsoFails(
            alsoFails(brokenSandbox<PausesNothing>("lifecycle", "declared and not working: pause"), "reaping"),
            "resources"),
        brokenSandbox<ExtendsNothing>("lifecycle", "declared and not working: a longer lifetime"),
        brokenSandbox<Declares<Capability::Pty>>("capabilities", "declared and not working: a terminal"),
        brokenSandbox<Declares<Capability::Gpu>>("capabilities", "declared and not working: a GPU"),
        brokenSandbox<Declares<Capability::Tunnels>>("capabilities", "declared where there is nothing to use"),
        brokenSandbox<SaysNothing>("resources", "declared and not working: samples that say nothing"),
        brokenSandbox<CountsBackwards>("resources", "samples whose counters go back"),
    };
}

} // namespace Sandboxio::Broken
