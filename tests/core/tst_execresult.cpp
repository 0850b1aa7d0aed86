// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/core/error.h>

#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;

class TestExecResult : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void throwing_data()
    {
        QTest::addColumn<std::optional<int>>("exitCode");
        QTest::addColumn<std::optional<int>>("signal");
        QTest::addColumn<QString>("message");
        using Maybe = std::optional<int>;
        QTest::newRow("0 is success") << Maybe(0) << Maybe() << QString();
        QTest::newRow("1 is failure") << Maybe(1) << Maybe() << u"The program exited with 1."_s;
        QTest::newRow("a signal is failure") << Maybe() << Maybe(9) << u"The program was ended by signal 9."_s;
        QTest::newRow("not known is failure") << Maybe() << Maybe() << u"How the program ended is not known."_s;
    }
    void throwing()
    {
        QFETCH(std::optional<int>, exitCode);
        QFETCH(std::optional<int>, signal);
        QFETCH(QString, message);
        ExecResult result;
        result.exitCode = exitCode;
        result.signal = signal;
        QCOMPARE(result.succeeded(), message.isEmpty());
        QString thrown;
        try {
            result.throwIfFailed();
        } catch (const ExecutionError &error) {
            thrown = error.info().message;
        }
        QCOMPARE(thrown, message);
    }
    void aFreshResultIsNoSuccess()
    {
        QVERIFY(!ExecResult().succeeded());
        QVERIFY(!ExecResult().results.has_value());
    }
    void outcomes_data()
    {
        QTest::addColumn<RunOutcome>("outcome");
        QTest::addColumn<QString>("text");
        using Kind = RunOutcome::Kind;
        QTest::newRow("exited") << RunOutcome{Kind::Exited, 3} << u"exited 3"_s;
        QTest::newRow("signalled") << RunOutcome{Kind::Signalled, 9} << u"signal 9"_s;
        QTest::newRow("timed out") << RunOutcome{Kind::TimedOut, 0} << u"timed out"_s;
        QTest::newRow("cancelled") << RunOutcome{Kind::Cancelled, 0} << u"cancelled"_s;
        QTest::newRow("killed") << RunOutcome{Kind::Killed, 0} << u"killed"_s;
        QTest::newRow("sandbox gone") << RunOutcome{Kind::SandboxGone, 0} << u"sandbox gone"_s;
        QTest::newRow("detached") << RunOutcome{Kind::Detached, 0} << u"detached"_s;
        QTest::newRow("unknown is the default") << RunOutcome() << u"unknown"_s;
    }
    void outcomes()
    {
        QFETCH(RunOutcome, outcome);
        QFETCH(QString, text);
        QCOMPARE(outcomeText(outcome), text);
    }
    void textReplacesWhatIsNoUtf8()
    {
        ExecResult result;
        result.standardOutput = "a\xFF\xC3\xA9"_ba;
        QCOMPARE(result.text(), u"a\uFFFD\u00E9"_s);
    }
    void lastLines_data()
    {
        QTest::addColumn<QByteArray>("output");
        QTest::addColumn<int>("maximum");
        QTest::addColumn<QString>("lines");
        QTest::newRow("short output is whole") << "one\ntwo\n"_ba << 100 << u"one\ntwo"_s;
        QTest::newRow("long output loses its first lines") << "one\ntwo\nthree\n"_ba << 8 << u"three"_s;
        QTest::newRow("a cut line is left out") << "one\ntwo\nthree\n"_ba << 12 << u"two\nthree"_s;
        QTest::newRow("one long line is cut") << "abcdef"_ba << 3 << u"def"_s;
        QTest::newRow("nothing is nothing") << ""_ba << 10 << u""_s;
    }
    void lastLines()
    {
        QFETCH(QByteArray, output);
        QFETCH(int, maximum);
        QFETCH(QString, lines);
        QCOMPARE(Sandboxio::lastLines(output, maximum), lines);
    }
};

SANDBOXIO_TEST(TestExecResult)
#include "tst_execresult.moc"
