// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/models/orphanmodel.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;

Q_DECLARE_METATYPE(Sandboxio::Ownership::Verdict)

namespace {

ManagedSandbox sandboxNamed(const QString &id)
{
    ManagedSandbox row;
    row.target.backend = u"one"_s;
    row.id = id;
    return row;
}

} // namespace

class OrphanModelTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void preselection_data()
    {
        using Confidence = Ownership::Confidence;
        QTest::addColumn<Ownership::Verdict>("verdict");
        QTest::addColumn<Ownership::Confidence>("confidence");
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("checked");
        QTest::newRow("an orphan is checked") << Ownership::Verdict::Orphan << Confidence::Certain << 1 << 1;
        QTest::newRow("a likely orphan is shown and not checked")
            << Ownership::Verdict::Orphan << Confidence::Likely << 1 << 0;
        QTest::newRow("an ended one is checked") << Ownership::Verdict::Ended << Confidence::Certain << 1 << 1;
        QTest::newRow("an uncertain one is shown and not checked")
            << Ownership::Verdict::Unknown << Confidence::None << 1 << 0;
        QTest::newRow("one in use is not shown") << Ownership::Verdict::InUse << Confidence::Certain << 0 << 0;
    }
    void preselection()
    {
        QFETCH(Ownership::Verdict, verdict);
        QFETCH(Ownership::Confidence, confidence);
        OrphanModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setCandidates({sandboxNamed(u"a"_s)}, [&](const ManagedSandbox &) {
            return Ownership{verdict, {u"First sentence."_s, u"Second sentence."_s}, confidence};
        });
        QTEST(model.rowCount(), "rows");
        QTEST(int(model.checkedCandidates().size()), "checked");
        if (model.rowCount() == 0)
            return;
        QCOMPARE(model.index(0, OrphanModel::Verdict).data().toString().contains(u"(likely)"_s),
                 confidence == Ownership::Confidence::Likely);
        QCOMPARE(model.index(0, OrphanModel::Evidence).data().toString(),
                 u"First sentence. Second sentence."_s);
    }

    void whatAPersonCheckedStaysUntilTheVerdictChanges()
    {
        OrphanModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        Ownership::Verdict verdict = Ownership::Verdict::Unknown;
        const auto classify = [&](const ManagedSandbox &) {
            return Ownership{verdict, {}, Ownership::Confidence::Certain};
        };
        model.setCandidates({sandboxNamed(u"a"_s)}, classify);
        QVERIFY(model.setData(model.index(0, 0), Qt::Checked, Qt::CheckStateRole));
        model.setCandidates({sandboxNamed(u"a"_s)}, classify);
        QCOMPARE(model.checkedCandidates().size(), 1);
        QVERIFY(model.setData(model.index(0, 0), false, OrphanModel::CheckedRole));
        verdict = Ownership::Verdict::Orphan;
        model.setCandidates({sandboxNamed(u"a"_s)}, classify);
        QCOMPARE(model.checkedCandidates().size(), 1);
    }

    void onlyTheNameColumnCanBeChecked()
    {
        OrphanModel model;
        model.setCandidates({sandboxNamed(u"a"_s)}, [](const ManagedSandbox &) { return Ownership{}; });
        QVERIFY(model.flags(model.index(0, OrphanModel::Name)) & Qt::ItemIsUserCheckable);
        QVERIFY(!(model.flags(model.index(0, OrphanModel::Evidence)) & Qt::ItemIsUserCheckable));
        QVERIFY(!model.setData(model.index(0, OrphanModel::Evidence), Qt::Checked, Qt::CheckStateRole));
    }

    void aRemovedCandidateIsNoLongerChecked()
    {
        OrphanModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setCandidates({sandboxNamed(u"a"_s), sandboxNamed(u"b"_s)}, [](const ManagedSandbox &) {
            return Ownership{Ownership::Verdict::Orphan, {}, Ownership::Confidence::Certain};
        });
        QSignalSpy changes(&model, &OrphanModel::checkedChanged);
        model.removeCandidate(sandboxNamed(u"a"_s).target, u"a"_s);
        QCOMPARE(changes.size(), 1);
        QCOMPARE(model.checkedCandidates().size(), 1);
        QCOMPARE(model.checkedCandidates().first().sandbox.id, u"b"_s);
    }
};

SANDBOXIO_TEST(OrphanModelTest)
#include "tst_orphanmodel.moc"
