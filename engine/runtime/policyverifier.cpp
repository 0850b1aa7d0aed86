// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "policyverifier_p.h"

#include "dnsmessage_p.h"
#include "networkcanary_p.h"
#include "taskhelpers_p.h"

#include <QCoreApplication>

namespace Sandboxio::Detail {

using namespace Qt::StringLiterals;

namespace {

constexpr QByteArrayView canaryName = "canary.sandboxio.invalid";

QString outcomeName(NetworkProbeResult::Kind kind)
{
    switch (kind) {
    case NetworkProbeResult::Kind::Reached:
        return u"reached"_s;
    case NetworkProbeResult::Kind::Refused:
        return u"refused"_s;
    case NetworkProbeResult::Kind::Unreachable:
        return u"unreachable"_s;
    case NetworkProbeResult::Kind::TimedOut:
        return u"timed out"_s;
    case NetworkProbeResult::Kind::NameNotResolved:
        return u"name not resolved"_s;
    case NetworkProbeResult::Kind::NotTried:
        break;
    }
    return u"not tried"_s;
}

PolicyCheck judged(const QString &way, bool control, const NetworkProbeResult &result)
{
    PolicyCheck check{way, control, false, outcomeName(result.kind)};
    // A refusal came back through the network, so the way out was open.
    check.insideReached =
        result.kind == NetworkProbeResult::Kind::Reached || result.kind == NetworkProbeResult::Kind::Refused;
    if (result.kind == NetworkProbeResult::Kind::NotTried)
        check.controlReached = false;
    if (!result.detail.isEmpty())
        check.detail += u": "_s + result.detail;
    return check;
}

} // namespace

QCoro::Task<PolicyReport> verifyPolicySteps(EngineContext &context, std::shared_ptr<SandboxPort> port,
                                            OperationPromise<PolicyReport> promise)
{
    PolicyReport report;
    report.declared = port->details().managed.egress.value_or(NetworkPolicy::Egress::Open);
    NetworkCanary canary;
    const QList<QHostAddress> addresses =
        canary.listen() ? NetworkCanary::reachableAddresses() : QList<QHostAddress>();
    for (const QHostAddress &address : addresses) {
        const QString version = address.protocol() == QAbstractSocket::IPv6Protocol ? u"IPv6"_s : u"IPv4"_s;
        const bool tcpControl = co_await canary.reachByTcp(address);
        const NetworkProbe tcp{address.toString(), canary.tcpPort(), NetworkProbe::Protocol::Tcp};
        report.checks.append(
            judged(u"TCP over "_s + version, tcpControl, co_await cancellable(promise, port->probe(tcp))));
        const bool udpControl = co_await canary.reachByUdp(address);
        const NetworkProbe udp{address.toString(), canary.udpPort(), NetworkProbe::Protocol::Udp};
        report.checks.append(
            judged(u"UDP over "_s + version, udpControl, co_await cancellable(promise, port->probe(udp))));
        // Some networks that pass nothing else still pass what looks like a question for a name.
        const bool dnsControl = co_await canary.reachByDns(address, canaryName);
        NetworkProbe dns = udp;
        dns.payload = dnsQuery(canaryName, 1);
        report.checks.append(
            judged(u"DNS over "_s + version, dnsControl, co_await cancellable(promise, port->probe(dns))));
    }
    report.verdict = policyVerdict(report.declared, report.checks);
    report.checkedAt = context.clock->wallTime();
    co_return report;
}

} // namespace Sandboxio::Detail
