// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/core/capability.h>
#include <sandboxio/core/isolation.h>
#include <sandboxio/core/managedsandbox.h>
#include <sandboxio/core/resources.h>

#include <QSet>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;

class TestIsolation : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void tiersAreOrderedAndUnknownSatisfiesNothing()
    {
        const QList tiers{IsolationTier::Unknown, IsolationTier::Container, IsolationTier::GVisor,
                          IsolationTier::MicroVm};
        for (const IsolationTier have : tiers) {
            for (const IsolationTier minimum : tiers) {
                const bool expected =
                    have != IsolationTier::Unknown && tiers.indexOf(have) >= tiers.indexOf(minimum);
                QCOMPARE(satisfies(have, minimum), expected);
            }
        }
    }
    void theNumbersOfTiersAreStable()
    {
        QCOMPARE(int(IsolationTier::Unknown), 0);
        QCOMPARE(int(IsolationTier::Container), 10);
        QCOMPARE(int(IsolationTier::GVisor), 20);
        QCOMPARE(int(IsolationTier::MicroVm), 30);
    }
    void tierNamesAreStable()
    {
        QCOMPARE(isolationTierName(IsolationTier::Unknown), u"Unknown"_s);
        QCOMPARE(isolationTierName(IsolationTier::Container), u"Container"_s);
        QCOMPARE(isolationTierName(IsolationTier::GVisor), u"gVisor"_s);
        QCOMPARE(isolationTierName(IsolationTier::MicroVm), u"MicroVM"_s);
    }
    void everyCapabilityHasItsOwnName()
    {
        QStringList names;
        for (quint32 bit = 0; bit < 18; ++bit)
            names << capabilityName(static_cast<Capability>(1u << bit));
        QCOMPARE(QSet<QString>(names.begin(), names.end()).size(), 18);
        QVERIFY(!names.contains(QString()));
        QVERIFY(capabilityName(static_cast<Capability>(1u << 18)).isEmpty());
        QCOMPARE(capabilityNames(Capability::Pty | Capability::RunCommand),
                 QStringList({u"RunCommand"_s, u"Pty"_s}));
    }
    void namesOfStatesVerdictsPoliciesAndCaps()
    {
        QCOMPARE(sandboxStateName(SandboxState::Creating), u"creating"_s);
        QCOMPARE(sandboxStateName(SandboxState::Running), u"running"_s);
        QCOMPARE(sandboxStateName(SandboxState::Paused), u"paused"_s);
        QCOMPARE(sandboxStateName(SandboxState::Stopped), u"stopped"_s);
        QCOMPARE(sandboxStateName(SandboxState::Failed), u"failed"_s);
        QCOMPARE(sandboxStateName(SandboxState::Unknown), u"unknown"_s);
        QCOMPARE(verdictName(Ownership::Verdict::InUse), u"in use"_s);
        QCOMPARE(verdictName(Ownership::Verdict::Orphan), u"orphan"_s);
        QCOMPARE(confidenceName(Ownership::Confidence::None), u"none"_s);
        QCOMPARE(confidenceName(Ownership::Confidence::Likely), u"likely"_s);
        QCOMPARE(confidenceName(Ownership::Confidence::Certain), u"certain"_s);
        QCOMPARE(egressName(NetworkPolicy::Egress::AllowList), u"allowlist"_s);
        QCOMPARE(egressName(NetworkPolicy().egress), u"deny"_s);
        QCOMPARE(capName(Resources::Cap::Processes), u"processes"_s);
    }
};

SANDBOXIO_TEST(TestIsolation)
#include "tst_isolation.moc"
