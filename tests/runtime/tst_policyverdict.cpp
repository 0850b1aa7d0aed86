// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/runtime/policyreport.h>

#include <QTest>

using namespace Sandboxio;
using Egress = NetworkPolicy::Egress;
using Verdict = PolicyReport::Verdict;

Q_DECLARE_METATYPE(QList<Sandboxio::PolicyCheck>)
Q_DECLARE_METATYPE(Sandboxio::PolicyReport::Verdict)
Q_DECLARE_METATYPE(Sandboxio::NetworkPolicy::Egress)

class TestPolicyVerdict : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void verdict_data()
    {
        QTest::addColumn<Egress>("declared");
        QTest::addColumn<QList<PolicyCheck>>("checks");
        QTest::addColumn<Verdict>("verdict");
        const PolicyCheck blocked{QStringLiteral("TCP"), true, false, {}};
        const PolicyCheck passed{QStringLiteral("TCP"), true, true, {}};
        const PolicyCheck uncontrolled{QStringLiteral("UDP"), false, false, {}};
        QTest::newRow("deny without any check is never enforced")
            << Egress::Deny << QList<PolicyCheck>{} << Verdict::Inconclusive;
        QTest::newRow("deny with every way blocked and controlled is enforced")
            << Egress::Deny << QList{blocked, blocked} << Verdict::Enforced;
        QTest::newRow("deny with one way lacking its control is inconclusive")
            << Egress::Deny << QList{blocked, uncontrolled} << Verdict::Inconclusive;
        QTest::newRow("deny with one way through is violated")
            << Egress::Deny << QList{blocked, passed} << Verdict::Violated;
        QTest::newRow("deny with a way through is violated even when others lack control")
            << Egress::Deny << QList{uncontrolled, passed} << Verdict::Violated;
        QTest::newRow("open with a way through is enforced")
            << Egress::Open << QList{passed, blocked} << Verdict::Enforced;
        QTest::newRow("open with every controlled way blocked is violated")
            << Egress::Open << QList{blocked} << Verdict::Violated;
        QTest::newRow("open without control is inconclusive")
            << Egress::Open << QList{uncontrolled} << Verdict::Inconclusive;
    }
    void verdict()
    {
        QFETCH(Egress, declared);
        QFETCH(QList<PolicyCheck>, checks);
        QFETCH(Verdict, verdict);
        QCOMPARE(policyVerdict(declared, checks), verdict);
    }
};

SANDBOXIO_TEST(TestPolicyVerdict)
#include "tst_policyverdict.moc"
