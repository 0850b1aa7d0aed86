// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/testing/contract.h>
#include <sandboxio/testing/qttestresult_p.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using Verdict = ContractRow::Verdict;

class TestContractReport : public QObject
{
    Q_OBJECT

    static QByteArray document(const QByteArray &functions)
    {
        return R"(<?xml version="1.0" encoding="UTF-8"?><TestCase name="T"><Environment/>)" + functions +
               "</TestCase>";
    }
    static ContractReport example()
    {
        return {u"example"_s,
                {{u"runs"_s, u"works"_s, u"works"_s, Verdict::Passed, {}, 1},
                 {u"runs"_s, u"breaks"_s, u"breaks | badly"_s, Verdict::Failed, u"two\nlines"_s, 2},
                 {u"files"_s, u"lacks"_s, u"lacks"_s, Verdict::Skipped, u"no links"_s, 0},
                 {u"files"_s, u"fails"_s, u"fails"_s, Verdict::Failed, u"why"_s, 0},
                 {u"files"_s, u"failsToo"_s, u"fails too"_s, Verdict::Failed, u"why"_s, 0}}};
    }

private Q_SLOTS:
    void namesBecomeSentences()
    {
        QCOMPARE(sentenceOf(u"aSignalIsNoExitCode"_s), u"a signal is no exit code"_s);
        QCOMPARE(sentenceOf(QString()), QString());
    }

    void verdictsAreRead()
    {
        const QByteArray xml = document(R"(
            <TestFunction name="initTestCase"><Incident type="pass" file="" line="0"/></TestFunction>
            <TestFunction name="itWorks"><Message type="warn"><Description>x</Description></Message>
              <Incident type="pass" file="" line="0"/><Duration msecs="2.5"/></TestFunction>
            <TestFunction name="rows">
              <Incident type="pass" file="" line="0"><DataTag><![CDATA[one & two]]></DataTag></Incident>
              <Incident type="fail" file="/a/b/file.cpp" line="7"><DataTag><![CDATA[three]]></DataTag>
                <Description><![CDATA[it is <not>]]></Description></Incident>
              <Incident type="skip" file="/a/file.cpp" line="8"><DataTag><![CDATA[four]]></DataTag>
                <Description><![CDATA[there is none]]></Description></Incident></TestFunction>)");
        const QList<ContractRow> rows = parseQtTestResult(xml, u"runs"_s);
        QCOMPARE(rows.size(), 4);
        QCOMPARE(rows[0], (ContractRow{u"runs"_s, u"itWorks"_s, u"it works"_s, Verdict::Passed, {}, 2.5}));
        QCOMPARE(rows[1].row, u"rows: one & two"_s);
        QCOMPARE(rows[2].verdict, Verdict::Failed);
        QCOMPARE(rows[2].reason, u"it is <not> (file.cpp:7)"_s);
        QCOMPARE(rows[3].verdict, Verdict::Skipped);
        QCOMPARE(rows[3].reason, u"there is none"_s);
    }

    void aRowThatFailedTwiceIsOneFailure()
    {
        const QByteArray xml = document(R"(<TestFunction name="x">
            <Incident type="pass" file="" line="0"/>
            <Incident type="fail" file="f.cpp" line="1"><Description>late</Description></Incident></TestFunction>)");
        const QList<ContractRow> rows = parseQtTestResult(xml, u"runs"_s);
        QCOMPARE(rows.size(), 1);
        QCOMPARE(rows.first().verdict, Verdict::Failed);
    }

    void aFailedFixtureIsARow()
    {
        const QByteArray xml = document(R"(<TestFunction name="cleanupTestCase">
            <Incident type="fail" file="f.cpp" line="1"><Description>late</Description></Incident></TestFunction>)");
        QCOMPARE(parseQtTestResult(xml, u"runs"_s).first().function, u"cleanupTestCase"_s);
    }

    void whatCannotBeReadFails_data()
    {
        QTest::addColumn<QByteArray>("xml");
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("no rows") << document({});
        QTest::newRow("a crash in the middle")
            << "<TestCase name=\"T\"><TestFunction name=\"x\"><Incident type=\"pass\" file=\"\" line=\"0\"/>"_ba;
    }
    void whatCannotBeReadFails()
    {
        QFETCH(QByteArray, xml);
        const QList<ContractRow> rows = parseQtTestResult(xml, u"runs"_s);
        QCOMPARE(rows.last().verdict, Verdict::Failed);
        QVERIFY(!rows.last().reason.isEmpty());
    }

    void failuresAreCountedByFamily()
    {
        const ContractReport report = example();
        QVERIFY(!report.passed());
        QCOMPARE(report.failedFamilies(), QStringList({u"runs"_s, u"files"_s}));
        QCOMPARE(report.failures().size(), 3);
        QCOMPARE(report.count(Verdict::Skipped), 1);
        QVERIFY(!ContractReport({u"empty"_s, {}}).passed());
    }

    void theTextNamesWhatFailedAndWhatWasSkipped()
    {
        const QString text = example().toText();
        QVERIFY(text.contains(u"FAIL runs: breaks | badly"_s));
        QVERIFY(text.contains(u"skip files: lacks\n     no links"_s));
        QVERIFY(text.contains(u"example: 1 passed, 1 skipped, 3 failed"_s));
    }

    void filesAreWritten()
    {
        const QTemporaryDir folder;
        QString problem;
        QVERIFY(example().write(folder.path(), &problem));
        QFile json(folder.filePath(u"example.json"_s));
        QVERIFY(json.open(QIODevice::ReadOnly));
        const QJsonObject object = QJsonDocument::fromJson(json.readAll()).object();
        QCOMPARE(object["failed"_L1].toInt(), 3);
        QCOMPARE(object["rows"_L1].toArray().first()["verdict"_L1].toString(), u"pass"_s);
        QFile markdown(folder.filePath(u"example.md"_s));
        QVERIFY(markdown.open(QIODevice::ReadOnly));
        QVERIFY(markdown.readAll().contains("| runs | breaks \\| badly | FAIL | two lines |\n"));
        QVERIFY(!example().write(folder.filePath(u"no/such/folder.md"_s), &problem));
        QVERIFY(!problem.isEmpty());
    }

    void everyFamilyIsListed()
    {
        QCOMPARE(contractFamilies().size(), 20);
        QVERIFY(contractFamilies().contains(u"cancellation"_s));
    }
};

SANDBOXIO_TEST(TestContractReport)
#include "tst_contractreport.moc"
