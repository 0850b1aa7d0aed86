// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "commands/logs.h"
#include "commands/run.h"

#include "support/testprogram.h"

#include <QJsonArray>
#include <QTest>

using namespace Sandboxio;
using namespace Sandboxio::Cli;
using namespace Qt::StringLiterals;

/*! `logs` without a sandbox: its arguments, its payloads, its text. */
class TestCliLogs : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void argumentsAreRead();
    void wrongArgumentsAreRefused_data();
    void wrongArgumentsAreRefused();
    void runDetachesOnlyIntoWhatStays();
    void runsAreMatchedByTheStartOfTheirId();
    void listingsSayWhatIsKnown();
};

void TestCliLogs::argumentsAreRead()
{
    const auto list = parseLogs({u"4f2a"_s, u"--target"_s, u"fake://"_s});
    QVERIFY(list);
    QCOMPARE(list->sandbox, u"4f2a"_s);
    QVERIFY(list->run.isEmpty());
    QCOMPARE(list->targets.size(), 1);
    const auto follow = parseLogs({u"4f2a"_s, u"9c"_s, u"-f"_s, u"--since-offset"_s, u"10,20"_s});
    QVERIFY(follow);
    QCOMPARE(follow->run, u"9c"_s);
    QCOMPARE(follow->action, LogsArguments::Action::Follow);
    QCOMPARE(follow->from, (AttachOptions{10, 20}));
    const auto one = parseLogs({u"4f2a"_s, u"9c"_s, u"--since-offset"_s, u"10"_s, u"--json"_s});
    QVERIFY(one);
    QCOMPARE(one->from, (AttachOptions{10, 0}));
    QCOMPARE(parseLogs({u"4f2a"_s, u"9c"_s, u"--kill"_s})->action, LogsArguments::Action::Kill);
    QCOMPARE(parseLogs({u"4f2a"_s, u"9c"_s, u"--remove"_s})->action, LogsArguments::Action::Remove);
}

void TestCliLogs::wrongArgumentsAreRefused_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("no sandbox") << QStringList{};
    QTest::newRow("too much") << QStringList{u"a"_s, u"b"_s, u"c"_s};
    QTest::newRow("a kill of nothing") << QStringList{u"a"_s, u"--kill"_s};
    QTest::newRow("an offset of nothing") << QStringList{u"a"_s, u"--since-offset"_s, u"1"_s};
    QTest::newRow("two actions") << QStringList{u"a"_s, u"b"_s, u"--kill"_s, u"--follow"_s};
    QTest::newRow("JSON that never ends") << QStringList{u"a"_s, u"b"_s, u"--json"_s, u"--follow"_s};
    QTest::newRow("a negative offset") << QStringList{u"a"_s, u"b"_s, u"--since-offset=-1"_s};
    QTest::newRow("an offset that is no number") << QStringList{u"a"_s, u"b"_s, u"--since-offset"_s, u"x"_s};
    QTest::newRow("three offsets") << QStringList{u"a"_s, u"b"_s, u"--since-offset"_s, u"1,2,3"_s};
}

void TestCliLogs::wrongArgumentsAreRefused()
{
    QFETCH(QStringList, arguments);
    const auto parsed = parseLogs(arguments);
    QVERIFY(!parsed);
    QVERIFY(parsed.error().error);
    QCOMPARE(parsed.error().error->kind, ErrorKind::ConfigurationError);
    QVERIFY(!parsed.error().error->hint.isEmpty());
}

void TestCliLogs::runDetachesOnlyIntoWhatStays()
{
    QVERIFY(parseRun({u"--detach"_s, u"--sandbox"_s, u"4f2a"_s, u"true"_s})->detach);
    QVERIFY(parseRun({u"--detach"_s, u"--keep"_s, u"true"_s})->detach);
    QVERIFY(!parseRun({u"--detach"_s, u"true"_s}));
    QVERIFY(!parseRun({u"--detach"_s, u"--keep"_s, u"--timeout"_s, u"5"_s, u"true"_s}));
    QVERIFY(!parseRun({u"--keep"_s, u"true"_s})->detach);
}

void TestCliLogs::runsAreMatchedByTheStartOfTheirId()
{
    QList<BackgroundRun> runs;
    for (const QString &id : {u"abc1"_s, u"abc2"_s, u"abc"_s, u"d"_s}) {
        BackgroundRun run;
        run.id = id;
        runs.append(run);
    }
    QCOMPARE(matchBackgroundRun(runs, u"abc1"_s)->id, u"abc1"_s);
    QCOMPARE(matchBackgroundRun(runs, u"abc"_s)->id, u"abc"_s);
    QCOMPARE(matchBackgroundRun(runs, u"d"_s)->id, u"d"_s);
    QVERIFY(matchBackgroundRun(runs, u"ab"_s).error().hint.contains(u"abc1"_s));
    QVERIFY(!matchBackgroundRun(runs, u"x"_s));
    QVERIFY(matchBackgroundRun(runs, u"x"_s).error().hint.contains(u"sandboxio logs"_s));
}

void TestCliLogs::listingsSayWhatIsKnown()
{
    BackgroundRun going;
    going.id = u"going"_s;
    going.arguments = {u"make"_s, u"-j4"_s};
    going.startedAt = QDateTime::fromString(u"2026-01-02T03:04:05Z"_s, Qt::ISODate);
    going.standardOutput = {2048, 1024};
    BackgroundRun exited = going;
    exited.end = RunOutcome{RunOutcome::Kind::Exited, 3};
    BackgroundRun signalled = going;
    signalled.end = RunOutcome{RunOutcome::Kind::Signalled, 9};
    BackgroundRun unknown = going;
    unknown.end = RunOutcome{};
    QJsonArray rows;
    for (const BackgroundRun &run : {going, exited, signalled, unknown})
        rows.append(backgroundRunJson(run));
    QCOMPARE(rows.at(0)["stdoutBytes"_L1].toInteger(), 2048);
    QCOMPARE(rows.at(0)["stdoutKept"_L1].toInteger(), 1024);
    QVERIFY(rows.at(0)["running"_L1].toBool() && rows.at(0)["exitCode"_L1].isNull());
    QCOMPARE(rows.at(1)["exitCode"_L1].toInt(), 3);
    QCOMPARE(rows.at(2)["signal"_L1].toInt(), 9);
    QVERIFY(rows.at(3)["exitCode"_L1].isNull() && !rows.at(3)["running"_L1].toBool());
    const QString text = renderBackgroundRuns({{u"runs"_s, rows}}, {});
    for (const QString &part : {u"running"_s, u"exited 3"_s, u"signal 9"_s, u"ended"_s, u"make -j4"_s,
                                u"2.0 KiB"_s, u"2026-01-02 03:04:05"_s})
        QVERIFY2(text.contains(part), qPrintable(text));
    QCOMPARE(renderBackgroundRuns({{u"runs"_s, QJsonArray()}}, {}), u"No background runs.\n"_s);
}

SANDBOXIO_TEST(TestCliLogs)
#include "tst_clilogs.moc"
