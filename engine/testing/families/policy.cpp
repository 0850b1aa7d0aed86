// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

#include <algorithm>

namespace Sandboxio {

using namespace Qt::StringLiterals;

/*! What a sandbox may reach. Every claim about the network has its positive control. */
class PolicyContract final : public ContractFamily
{
    Q_OBJECT
public:
    using ContractFamily::ContractFamily;

private Q_SLOTS:
    void deniedEgressIsDenied();
    void openEgressReachesTheSameCanaries();
    void deniedIsTheDefault();
    void aListWithoutItsPolicyIsRefused_data();
    void aListWithoutItsPolicyIsRefused();
    void whatCannotBeEnforcedIsRefusedBeforeAnythingIsMade_data();
    void whatCannotBeEnforcedIsRefusedBeforeAnythingIsMade();

private:
    PolicyReport verified(const SandboxPtr &sandbox)
    {
        PolicyReport report = value(sandbox->verifyPolicy());
        if (report.checks.isEmpty())
            skip(u"this host has no address that a sandbox could reach"_s);
        return report;
    }
    static QString text(const PolicyReport &report)
    {
        QStringList lines{verdictName(report.verdict)};
        for (const PolicyCheck &check : report.checks)
            lines.append(u"%1: control %2, inside %3 (%4)"_s.arg(check.way)
                             .arg(check.controlReached)
                             .arg(check.insideReached)
                             .arg(check.detail));
        return lines.join(u"; "_s);
    }
};

void PolicyContract::deniedEgressIsDenied()
{
    needCapability(Capability::NetworkPolicy);
    const PolicyReport report = verified(sandbox());
    QCOMPARE(report.declared, NetworkPolicy::Egress::Deny);
    check(report.verdict == PolicyReport::Verdict::Enforced, text(report));
    check(std::ranges::all_of(report.checks, &PolicyCheck::controlReached), text(report));
}

void PolicyContract::openEgressReachesTheSameCanaries()
{
    needCapability(Capability::NetworkPolicy);
    CreateOptions with = options();
    with.network = NetworkPolicy::open();
    if (!subject.noOpenNetwork.isEmpty())
        skip(subject.noOpenNetwork);
    const SandboxPtr open = create(with);
    QCOMPARE(open->details().managed.egress, NetworkPolicy::Egress::Open);
    const PolicyReport report = verified(open);
    check(std::ranges::any_of(report.checks, &PolicyCheck::insideReached), text(report));
    check(policyVerdict(NetworkPolicy::Egress::Deny, report.checks) == PolicyReport::Verdict::Violated,
          text(report));
}

void PolicyContract::deniedIsTheDefault()
{
    QCOMPARE(CreateOptions().network.egress, NetworkPolicy::Egress::Deny);
    QCOMPARE(sandbox()->details().managed.egress, NetworkPolicy::Egress::Deny);
    QCOMPARE(value(sandbox()->info()).egress, NetworkPolicy::Egress::Deny);
}

void PolicyContract::aListWithoutItsPolicyIsRefused_data()
{
    QTest::addColumn<NetworkPolicy>("network");
    using Egress = NetworkPolicy::Egress;
    QTest::newRow("a list beside deny") << NetworkPolicy{Egress::Deny, {u"example.org"_s}, {}};
    QTest::newRow("a list beside open") << NetworkPolicy{Egress::Open, {u"example.org"_s}, {}};
    QTest::newRow("an empty allow list") << NetworkPolicy::allowList({});
    QTest::newRow("an entry that is no host") << NetworkPolicy::allowList({u"http://example.org/path"_s});
}

void PolicyContract::aListWithoutItsPolicyIsRefused()
{
    QFETCH(NetworkPolicy, network);
    CreateOptions with = options();
    with.network = network;
    isRefused(with, {ErrorKind::ConfigurationError});
}

void PolicyContract::whatCannotBeEnforcedIsRefusedBeforeAnythingIsMade_data()
{
    QTest::addColumn<NetworkPolicy>("network");
    NetworkPolicy learn = NetworkPolicy::allowList({u"192.0.2.1:443"_s});
    learn.egress = NetworkPolicy::Egress::Learn;
    NetworkPolicy ingress;
    ingress.ingressPorts = {8080};
    QTest::newRow("an allow list") << NetworkPolicy::allowList({u"192.0.2.1:443"_s});
    QTest::newRow("learning") << learn;
    QTest::newRow("a port from outside") << ingress;
}

void PolicyContract::whatCannotBeEnforcedIsRefusedBeforeAnythingIsMade()
{
    QFETCH(NetworkPolicy, network);
    CreateOptions with = options();
    with.network = network;
    const CreatePlan plan = value(engine().plan(target(), with));
    if (!plan.isAccepted()) {
        isRefused(with, {ErrorKind::CapabilityNotSupported, ErrorKind::ConfigurationError});
        return;
    }
    // Accepted: then it is in force, and nothing else is open.
    const SandboxPtr listed = create(with);
    QCOMPARE(listed->details().managed.egress, network.egress);
    QVERIFY2(listed->capabilities().testFlag(Capability::NetworkPolicy),
             "a policy is accepted and the capability not declared");
    QVERIFY2(network.ingressPorts.isEmpty() || listed->capabilities().testFlag(Capability::Tunnels),
             "a port is accepted and Tunnels is not declared");
    if (!subject.noOpenNetwork.isEmpty())
        return;
    const PolicyReport report = verified(listed);
    check(std::ranges::none_of(report.checks, &PolicyCheck::insideReached), text(report));
}

std::unique_ptr<ContractFamily> makePolicyContract(ContractSubject &subject, const QString &label)
{
    return std::make_unique<PolicyContract>(subject, label);
}

} // namespace Sandboxio

#include "policy.moc"
