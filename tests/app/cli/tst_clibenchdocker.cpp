// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "invocation.h"
#include "support/testprogram.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>
#include <QUuid>

#include <csignal>

using namespace Qt::StringLiterals;

/*! `sandboxio bench` against the daemon that DOCKER_HOST or the usual socket names: what it says, not how fast it is. */
class TestCliBenchDocker : public QObject
{
    Q_OBJECT
    QTemporaryDir m_folder;
    const QString m_case = u"case="_s + QUuid::createUuid().toString(QUuid::WithoutBraces);

    std::unique_ptr<Invocation> bench(const QStringList &options)
    {
        return invoke(
            QStringList{u"bench"_s, u"--json"_s, u"--image"_s, u"sandboxio-test:1"_s, u"--label"_s, m_case} +
            testLabel() + options);
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (!qEnvironmentVariableIsSet("DOCKER_HOST") && !QFileInfo::exists(u"/var/run/docker.sock"_s))
            QSKIP("DOCKER_HOST names no daemon and there is no /var/run/docker.sock");
        qputenv("XDG_STATE_HOME", m_folder.filePath(u"state"_s).toLocal8Bit());
    }

    void cleanup()
    {
        const auto list = invoke({u"list"_s, u"--json"_s, u"--label"_s, m_case});
        QVERIFY2(list->json().value("sandboxes"_L1).toArray().isEmpty(), list->report());
    }

    void everyRowHasWhatItMeasured()
    {
        const auto run = bench({u"--only"_s, u"run true"_s, u"--only"_s, u"create"_s, u"--rounds"_s, u"3"_s});
        QVERIFY2(run->exitCode() == 0, run->report());
        const QJsonArray rows = run->json().value("rows"_L1).toArray();
        QCOMPARE(rows.size(), 3);
        const QSet<QString> keys{u"name"_s,   u"unit"_s,     u"ours"_s,      u"peer"_s, u"peerName"_s,
                                 u"ratio"_s,  u"ratioLow"_s, u"ratioHigh"_s, u"goal"_s, u"goalReached"_s,
                                 u"rounds"_s, u"how"_s,      u"skipped"_s};
        for (const QJsonValue value : rows) {
            const QJsonObject row = value.toObject();
            const QStringList found = row.keys();
            QCOMPARE(QSet<QString>(found.begin(), found.end()), keys);
            if (!row.value("skipped"_L1).isNull())
                continue;
            QCOMPARE(row.value("rounds"_L1).toInt(), 3);
            const double ratio = row.value("ratio"_L1).toDouble();
            QVERIFY2(ratio > 0 && row.value("ours"_L1).toDouble() > 0, run->report());
            const double low = row.value("ratioLow"_L1).toDouble();
            QVERIFY2(low > 0 && low <= ratio, run->report());
            QVERIFY2(row.value("ratioHigh"_L1).toDouble() >= ratio, run->report());
            QCOMPARE(row.value("goalReached"_L1).toBool(), ratio <= row.value("goal"_L1).toDouble());
        }
        QVERIFY(rows[0]["skipped"_L1].isNull()); // its peer is the command line that the tests use
        QVERIFY(rows[2]["skipped"_L1].isNull());
    }

    void aSignalLeavesNothing()
    {
        Invocation run({u"bench"_s, u"--image"_s, u"sandboxio-test:1"_s, u"--label"_s, m_case, u"--only"_s,
                        u"run true"_s, u"--rounds"_s, u"100000"_s});
        run.start();
        QTRY_VERIFY_WITH_TIMEOUT(!invoke({u"list"_s, u"--json"_s, u"--label"_s, m_case})
                                      ->json()
                                      .value("sandboxes"_L1)
                                      .toArray()
                                      .isEmpty(),
                                 20'000);
        run.signal(SIGINT);
        QVERIFY2(run.finish(20'000), run.report());
        QCOMPARE(run.exitCode(), 130);
    }

    void whatHasNoPeerIsRefused()
    {
        const auto run = invoke({u"bench"_s, u"--json"_s, u"--target"_s, u"fake://"_s});
        QCOMPARE(run->exitCode(), 125);
        QCOMPARE(run->json()["error"_L1]["code"_L1].toString(), u"SBX_E1000"_s);
    }
};

SANDBOXIO_TEST(TestCliBenchDocker)
#include "tst_clibenchdocker.moc"
