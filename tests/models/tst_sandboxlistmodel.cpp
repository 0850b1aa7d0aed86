// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/models/sandboxlistmodel.h>

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;

namespace {

const Target here{u"one"_s, {}, {}};
const Target there{u"one"_s, {}, {{u"host"_s, u"other"_s}}};
const QDateTime now(QDate(2026, 5, 1), QTime(12, 0), QTimeZone::UTC);

ManagedSandbox sandbox(const QString &id, const Target &target = here)
{
    ManagedSandbox row;
    row.target = target;
    row.id = id;
    row.state = SandboxState::Running;
    row.createdAt = now.addSecs(-125);
    row.expiresAt = now.addSecs(3700);
    row.lastSeen = now;
    return row;
}

QStringList idsOf(const SandboxListModel &model)
{
    QStringList ids;
    for (int row = 0; row < model.rowCount(); ++row)
        ids += model.index(row, 0).data(SandboxListModel::IdRole).toString();
    return ids;
}

} // namespace

class SandboxListModelTest : public QObject
{
    Q_OBJECT
private:
    SandboxListModel m_model{{.observer = {}, .now = [] {
                                  return now;
                              }}};
    QAbstractItemModelTester m_tester{&m_model, QAbstractItemModelTester::FailureReportingMode::QtTest};

private Q_SLOTS:
    void cleanup()
    {
        m_model.forgetTarget(here);
        m_model.forgetTarget(there);
        QCOMPARE(m_model.rowCount(), 0);
    }

    void aResetReplacesOnlyTheRowsOfItsTarget()
    {
        m_model.resetTarget(here, {sandbox(u"a"_s), sandbox(u"b"_s)});
        m_model.resetTarget(there, {sandbox(u"a"_s, there)});
        QCOMPARE(m_model.rowCount(), 3);
        m_model.resetTarget(here, {sandbox(u"b"_s), sandbox(u"c"_s)});
        QCOMPARE(idsOf(m_model), QStringList({u"b"_s, u"a"_s, u"c"_s}));
        QVERIFY(m_model.indexOf(there, u"a"_s).isValid());
        QVERIFY(!m_model.indexOf(here, u"a"_s).isValid());
    }

    void aResetKeepsPersistentIndexesOfRowsThatStay()
    {
        m_model.resetTarget(here, {sandbox(u"a"_s), sandbox(u"b"_s), sandbox(u"c"_s)});
        const QPersistentModelIndex kept = m_model.indexOf(here, u"c"_s);
        m_model.resetTarget(here, {sandbox(u"c"_s), sandbox(u"d"_s)});
        QVERIFY(kept.isValid());
        QCOMPARE(kept.data(SandboxListModel::IdRole).toString(), u"c"_s);
        QCOMPARE(kept.row(), 0);
    }

    void theIndexFollowsRemovalsInTheMiddle()
    {
        m_model.resetTarget(here, {sandbox(u"a"_s), sandbox(u"b"_s), sandbox(u"c"_s), sandbox(u"d"_s)});
        m_model.removeSandbox(here, u"b"_s);
        for (const QString &id : {u"a"_s, u"c"_s, u"d"_s})
            QCOMPARE(m_model.indexOf(here, id).data(SandboxListModel::IdRole).toString(), id);
        QCOMPARE(m_model.targetStatus().first().rows, 3);
    }

    void anUnchangedRowTellsNobody()
    {
        m_model.resetTarget(here, {sandbox(u"a"_s)});
        QSignalSpy changes(&m_model, &QAbstractItemModel::dataChanged);
        ManagedSandbox same = sandbox(u"a"_s);
        same.lastSeen = now.addSecs(5);
        m_model.updateSandbox(same);
        QCOMPARE(changes.size(), 0);
        same.state = SandboxState::Paused;
        m_model.updateSandbox(same);
        QCOMPARE(changes.size(), 1);
        QCOMPARE(m_model.index(0, 0).data(SandboxListModel::StateRole).toString(), u"paused"_s);
        QCOMPARE(m_model.index(0, 0).data(SandboxListModel::LastSeenRole).toDateTime(), now.addSecs(5));
    }

    void aChangeOfAnUnknownSandboxAddsIt()
    {
        m_model.updateSandbox(sandbox(u"new"_s));
        QCOMPARE(idsOf(m_model), QStringList{u"new"_s});
    }

    void anIdListedTwiceIsOneRow()
    {
        m_model.resetTarget(here, {sandbox(u"a"_s), sandbox(u"a"_s)});
        QCOMPARE(m_model.rowCount(), 1);
    }

    void rowsOfALostTargetStayUnconfirmed()
    {
        m_model.resetTarget(here, {sandbox(u"a"_s)});
        m_model.resetTarget(there, {sandbox(u"b"_s, there)});
        m_model.loseTarget(here, makeError(ErrorKind::SandboxError, u"The daemon is away."_s));
        const QModelIndex lost = m_model.indexOf(here, u"a"_s);
        QCOMPARE(lost.data(SandboxListModel::ConfirmedRole).toBool(), false);
        QVERIFY(lost.siblingAtColumn(SandboxListModel::State).data().toString().contains(u"unconfirmed"_s));
        QVERIFY(lost.data(Qt::ToolTipRole).toString().contains(u"The daemon is away."_s));
        QCOMPARE(m_model.indexOf(there, u"b"_s).data(SandboxListModel::ConfirmedRole).toBool(), true);

        m_model.resetTarget(here, {sandbox(u"a"_s)});
        QCOMPARE(m_model.indexOf(here, u"a"_s).data(SandboxListModel::ConfirmedRole).toBool(), true);
    }

    void timesAreRelativeToTheClock()
    {
        m_model.resetTarget(here, {sandbox(u"a"_s)});
        const QModelIndex row = m_model.index(0, 0);
        QCOMPARE(row.siblingAtColumn(SandboxListModel::Age).data().toString(), u"2 min 5 s"_s);
        QCOMPARE(row.siblingAtColumn(SandboxListModel::TimeLeft).data().toString(), u"1 h 1 min"_s);
        QCOMPARE(row.data(SandboxListModel::AgeRole).toLongLong(), 125);
        QCOMPARE(row.data(SandboxListModel::TimeLeftRole).toLongLong(), 3700);
    }

    void timesThatAreNotKnownSaySo()
    {
        ManagedSandbox unknown = sandbox(u"a"_s);
        unknown.expiresAt = {};
        m_model.resetTarget(here, {unknown});
        QCOMPARE(m_model.index(0, SandboxListModel::TimeLeft).data().toString(), u"not known"_s);
        QVERIFY(!m_model.index(0, 0).data(SandboxListModel::TimeLeftRole).isValid());
    }

    void refreshingTimesNamesOnlyTheTimeColumns()
    {
        m_model.resetTarget(here, {sandbox(u"a"_s), sandbox(u"b"_s)});
        QSignalSpy changes(&m_model, &QAbstractItemModel::dataChanged);
        m_model.refreshTimes(1, 1);
        QCOMPARE(changes.size(), 1);
        QCOMPARE(changes.first().at(0).toModelIndex(), m_model.index(1, SandboxListModel::Age));
        QCOMPARE(changes.first().at(1).toModelIndex(), m_model.index(1, SandboxListModel::TimeLeft));
    }

    void everyRoleOfTheNameTableGivesAValue()
    {
        m_model.resetTarget(here, {sandbox(u"a"_s)});
        const QHash<int, QByteArray> names = m_model.roleNames();
        for (auto role = names.cbegin(); role != names.cend(); ++role)
            QVERIFY2(m_model.index(0, 0).data(role.key()).isValid(), role.value().constData());
    }

    void fiveThousandRowsComeAndGoQuickly()
    {
        QList<ManagedSandbox> many;
        for (int i = 0; i < 5000; ++i)
            many += sandbox(u"id-%1"_s.arg(i));
        SandboxListModel model({.observer = {}, .now = [] {
                                    return now;
                                }});
        QElapsedTimer timer;
        timer.start();
        model.resetTarget(here, many);
        QCOMPARE(model.rowCount(), 5000);
        model.resetTarget(here, many.first(10));
        QCOMPARE(model.rowCount(), 10);
        QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
    }
};

SANDBOXIO_TEST(SandboxListModelTest)
#include "tst_sandboxlistmodel.moc"
