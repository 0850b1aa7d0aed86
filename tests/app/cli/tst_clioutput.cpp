// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "application.h"
#include "commands/demo.h"
#include "commands/doctor.h"
#include "commands/explain.h"
#include "commands/kill.h"
#include "commands/list.h"
#include "commands/ls.h"
#include "commands/pause.h"
#include "commands/reap.h"
#include "commands/stats.h"
#include "exitcode.h"
#include "format.h"
#include "json.h"
#include "support/testprogram.h"

#include <sandboxio/core/error.h>

#include <QJsonArray>
#include <QTest>

#include <cerrno>
#include <csignal>

using namespace Sandboxio;
using namespace Sandboxio::Cli;
using namespace Qt::StringLiterals;

namespace {

ErrorInfo startFailure(ErrorKind kind, std::optional<int> status)
{
    return makeError(kind, u"It did not start."_s, u"Look."_s, {status, u"provider"_s});
}

ManagedSandbox exampleRow()
{
    ManagedSandbox row;
    row.target.backend = u"fake"_s;
    row.id = u"0123456789abcdef"_s;
    row.state = SandboxState::Running;
    row.tier = IsolationTier::Container;
    row.templateId = u"base"_s;
    row.createdAt = QDateTime::fromString(u"2026-01-01T00:00:00Z"_s, Qt::ISODate);
    row.expiresAt = row.createdAt.addSecs(600);
    row.metadata = {{u"task"_s, u"4\x1b[31m2"_s}};
    row.owner.user = u"ann"_s;
    row.owner.pid = 77;
    return row;
}

} // namespace

class TestCliOutput : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void exitCodesOfRuns_data();
    void exitCodesOfRuns();
    void exitCodesOfErrors_data();
    void exitCodesOfErrors();
    void colourOnlyWhereItIsSeen_data();
    void colourOnlyWhereItIsSeen();
    void durationsForPeople_data();
    void durationsForPeople();
    void bytesStayExactInJson_data();
    void bytesStayExactInJson();
    void errorsKeepEverythingInJson();
    void theListShowsAllColumns();
    void aTargetThatIsDownIsInThePayload();
    void filesAreListedWithStrangeNames();
    void reapShowsTheEvidence();
    void reapSaysWhatRemoves_data();
    void reapSaysWhatRemoves();
    void killTellsWhatWasGone();
    void pauseTellsTheState();
    void statsLeaveOutWhatNobodySaid();
    void doctorShowsTheFix();
    void theDemoNeverPassesWithoutItsControl_data();
    void theDemoNeverPassesWithoutItsControl();
    void explainKnowsEveryCode();
    void theHelpNamesEveryCommand();
};

void TestCliOutput::exitCodesOfRuns_data()
{
    QTest::addColumn<ExecResult>("result");
    QTest::addColumn<int>("code");
    ExecResult exited;
    exited.exitCode = 3;
    ExecResult zero;
    zero.exitCode = 0;
    ExecResult killed;
    killed.signal = SIGKILL;
    QTest::newRow("the program's own code") << exited << 3;
    QTest::newRow("success") << zero << 0;
    QTest::newRow("a signal is 128 and its number") << killed << 137;
    QTest::newRow("an unknown end is no success") << ExecResult() << 125;
}

void TestCliOutput::exitCodesOfRuns()
{
    QFETCH(const ExecResult, result);
    QTEST(exitCodeOf(result), "code");
}

void TestCliOutput::exitCodesOfErrors_data()
{
    QTest::addColumn<ErrorInfo>("error");
    QTest::addColumn<int>("code");
    using Kind = ErrorKind;
    QTest::newRow("a run limit") << makeError(Kind::ExecutionTimeout, u"x"_s) << 124;
    QTest::newRow("a missing program") << startFailure(Kind::ConfigurationError, ENOENT) << 127;
    QTest::newRow("a program that cannot be executed") << startFailure(Kind::ConfigurationError, EACCES) << 126;
    QTest::newRow("another reason not to start") << startFailure(Kind::ConfigurationError, ENOEXEC) << 125;
    QTest::newRow("a reason without number") << startFailure(Kind::ConfigurationError, std::nullopt) << 125;
    QTest::newRow("a wrong argument") << makeError(Kind::ConfigurationError, u"x"_s) << 125;
    QTest::newRow("a provider's status 2 is no missing program") << startFailure(Kind::CreationError, 2) << 125;
    QTest::newRow("a sandbox that is gone") << makeError(Kind::SandboxGone, u"x"_s) << 125;
    QTest::newRow("a create limit is no run limit") << makeError(Kind::CreateTimeout, u"x"_s) << 125;
}

void TestCliOutput::exitCodesOfErrors()
{
    QFETCH(const ErrorInfo, error);
    QTEST(exitCodeOf(error), "code");
}

void TestCliOutput::colourOnlyWhereItIsSeen_data()
{
    QTest::addColumn<bool>("terminal");
    QTest::addColumn<QByteArray>("noColor");
    QTest::addColumn<QByteArray>("term");
    QTest::addColumn<QString>("text");
    QTest::newRow("a terminal has colour") << true << QByteArray() << "xterm"_ba << u"\x1b[31mx\x1b[0m"_s;
    QTest::newRow("a pipe has none") << false << QByteArray() << "xterm"_ba << u"x"_s;
    QTest::newRow("NO_COLOR turns it off") << true << "1"_ba << "xterm"_ba << u"x"_s;
    QTest::newRow("a dumb terminal has none") << true << QByteArray() << "dumb"_ba << u"x"_s;
}

void TestCliOutput::colourOnlyWhereItIsSeen()
{
    QFETCH(const bool, terminal);
    QFETCH(const QByteArray, noColor);
    QFETCH(const QByteArray, term);
    QTEST(styleOf(terminal, noColor, term).paint(u"x"_s, Tone::Bad), "text");
}

void TestCliOutput::durationsForPeople_data()
{
    QTest::addColumn<double>("milliseconds");
    QTest::addColumn<QString>("text");
    QTest::newRow("fractions of milliseconds") << 0.84 << u"0.8 ms"_s;
    QTest::newRow("milliseconds") << 120.0 << u"120 ms"_s;
    QTest::newRow("seconds") << 3400.0 << u"3.4 s"_s;
    QTest::newRow("minutes") << 300000.0 << u"5 min"_s;
    QTest::newRow("hours") << 7.2e6 << u"2 h"_s;
    QTest::newRow("days") << 345600000.0 << u"4 d"_s;
}

void TestCliOutput::durationsForPeople()
{
    QFETCH(const double, milliseconds);
    QTEST(formatDuration(milliseconds), "text");
}

void TestCliOutput::bytesStayExactInJson_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<bool>("base64");
    QTest::newRow("text") << "caf\xc3\xa9\n"_ba << false;
    QTest::newRow("a NUL byte") << QByteArray("a\0b", 3) << false;
    QTest::newRow("half a character") << "caf\xc3"_ba << true;
    QTest::newRow("binary") << "\xff\xfe"_ba << true;
    QTest::newRow("nothing") << QByteArray() << false;
}

void TestCliOutput::bytesStayExactInJson()
{
    QFETCH(const QByteArray, bytes);
    ExecResult result;
    result.standardOutput = bytes;
    const QJsonObject object = execResultJson(result);
    QTEST(object.value("stdoutIsBase64"_L1).toBool(), "base64");
    const QByteArray text = object.value("stdout"_L1).toString().toUtf8();
    QCOMPARE(object.value("stdoutIsBase64"_L1).toBool() ? QByteArray::fromBase64(text) : text, bytes);
    QVERIFY(object.value("exitCode"_L1).isNull());
}

void TestCliOutput::errorsKeepEverythingInJson()
{
    const QJsonObject object = errorJson(startFailure(ErrorKind::CreationError, 409));
    QCOMPARE(object.value("code"_L1).toString(), u"SBX_E1201"_s);
    QCOMPARE(object.value("kind"_L1).toString(), u"CreationError"_s);
    QCOMPARE(object.value("message"_L1).toString(), u"It did not start."_s);
    QCOMPARE(object.value("hint"_L1).toString(), u"Look."_s);
    QVERIFY(object.value("url"_L1).toString().endsWith("SBX_E1201"_L1));
    QCOMPARE(object.value("cause"_L1).toObject().value("status"_L1).toInt(), 409);
    QCOMPARE(object.value("cause"_L1).toObject().value("text"_L1).toString(), u"provider"_s);
    QVERIFY(errorJson(makeError(ErrorKind::SandboxGone, u"x"_s)).value("cause"_L1).isNull());
}

void TestCliOutput::theListShowsAllColumns()
{
    ManagedListing listing;
    listing.targets.append({exampleRow().target, {exampleRow()}, std::nullopt});
    const QJsonObject payload = listPayload(listing, exampleRow().createdAt.addSecs(60));
    const QString text = renderList(payload, {});
    const QStringList lines = text.split(u'\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 2);
    QCOMPARE(lines.at(1).simplified(),
             u"0123456789ab running fake Container base 1 min 9 min ann, process 77 task=4\\x1b[31m2"_s);
    QVERIFY(!text.contains(u'\x1b'));
    QVERIFY(renderList(payload, {true}).contains(u"\x1b[32mrunning\x1b[0m"_s));
}

void TestCliOutput::aTargetThatIsDownIsInThePayload()
{
    ManagedListing listing;
    listing.targets.append({exampleRow().target, {}, makeError(ErrorKind::ConnectError, u"down"_s)});
    const QJsonObject target = listPayload(listing, {}).value("targets"_L1).toArray().at(0).toObject();
    QVERIFY(!target.value("answered"_L1).toBool());
    QCOMPARE(target.value("error"_L1).toObject().value("message"_L1).toString(), u"down"_s);
}

void TestCliOutput::filesAreListedWithStrangeNames()
{
    FileInfo file;
    file.name = QString(QChar(0xDCFF)) + u"\n"_s;
    file.path = file.name;
    file.type = FileInfo::Type::SymbolicLink;
    file.mode = 0644;
    file.size = 2048;
    file.linkTarget = u"there"_s;
    const QJsonObject entry = fileJson(file);
    QVERIFY(entry.value("nameIsBase64"_L1).toBool());
    QCOMPARE(QByteArray::fromBase64(entry.value("name"_L1).toString().toLatin1()), "\xff\n"_ba);
    QCOMPARE(entry.value("mode"_L1).toString(), u"0644"_s);
    const QString text = renderLs({{u"entries"_s, QJsonArray{entry}}}, {});
    QVERIFY2(text.contains(u"\\xff\\x0a -> there"_s, Qt::CaseInsensitive), qPrintable(text));
    QVERIFY(text.contains(u"2.0 KiB"_s));
}

void TestCliOutput::reapShowsTheEvidence()
{
    QJsonObject entry = managedJson(exampleRow(), exampleRow().createdAt);
    entry.insert(
        u"ownership"_s,
        ownershipJson({Ownership::Verdict::Orphan, {u"Its owner is gone."_s}, Ownership::Confidence::Certain}));
    entry.insert(u"removed"_s, true);
    entry.insert(u"error"_s, QJsonValue());
    QJsonObject payload{{u"sandboxes"_s, QJsonArray{entry}}, {u"skipped"_s, 2}, {u"killed"_s, false}};
    const QString listed = renderReap(payload, {});
    QVERIFY(listed.contains(u"Its owner is gone."_s));
    QVERIFY(listed.contains(u"--kill"_s));
    QVERIFY(!listed.contains(u"removed"_s));
    payload.insert(u"killed"_s, true);
    QVERIFY(renderReap(payload, {}).contains(u"removed"_s));
    QVERIFY(renderReap({{u"sandboxes"_s, QJsonArray()}}, {}).contains(u"Nothing"_s));
}

void TestCliOutput::reapSaysWhatRemoves_data()
{
    using enum Ownership::Verdict;
    using enum Ownership::Confidence;
    QTest::addColumn<QList<Ownership>>("rows");
    QTest::addColumn<QString>("advice");
    QTest::newRow("certain rows") << QList<Ownership>{{Orphan, {}, Certain}, {Ended, {}, Certain}}
                                  << u"Remove them with --kill."_s;
    QTest::newRow("likely rows only")
        << QList<Ownership>{{Orphan, {}, Likely}}
        << u"None of them is certain: remove them with --kill --include-unknown."_s;
    QTest::newRow("certain and likely rows")
        << QList<Ownership>{{Orphan, {}, Certain}, {Orphan, {}, Likely}}
        << u"Remove what is certain with --kill; the others need --include-unknown too."_s;
    QTest::newRow("a row of unknown owner")
        << QList<Ownership>{{Orphan, {}, Certain}, {Unknown, {}, Certain}}
        << u"Remove what is certain with --kill; the others need --include-unknown too."_s;
}

void TestCliOutput::reapSaysWhatRemoves()
{
    QFETCH(const QList<Ownership>, rows);
    QFETCH(const QString, advice);
    QJsonArray entries;
    for (const Ownership &ownership : rows)
        entries.append(QJsonObject{
            {u"id"_s, u"4f2a"_s}, {u"ownership"_s, ownershipJson(ownership)}, {u"error"_s, QJsonValue()}});
    QJsonObject payload{{u"sandboxes"_s, entries}, {u"skipped"_s, 0}, {u"killed"_s, false}};
    QVERIFY2(renderReap(payload, {}).endsWith(u'\n' + advice + u'\n'), qPrintable(renderReap(payload, {})));
    payload.insert(u"killed"_s, true);
    QVERIFY(!renderReap(payload, {}).contains(u"--kill"_s));
    const QString none =
        renderReap({{u"sandboxes"_s, QJsonArray()}, {u"skipped"_s, 1}, {u"killed"_s, true}}, {});
    QVERIFY2(none.contains(u"only likely orphans"_s), qPrintable(none));
}

void TestCliOutput::killTellsWhatWasGone()
{
    const QJsonObject removed{{u"id"_s, u"1"_s}, {u"removed"_s, true}, {u"error"_s, QJsonValue()}};
    const QJsonObject gone{{u"id"_s, u"2"_s}, {u"removed"_s, false}, {u"error"_s, QJsonValue()}};
    QCOMPARE(renderKill({{u"sandboxes"_s, QJsonArray{removed, gone}}}, {}),
             u"1 removed\n2 was gone already\n"_s);
}

void TestCliOutput::doctorShowsTheFix()
{
    DoctorReport report;
    TargetReport target;
    target.target.backend = u"fake"_s;
    target.backend.title = u"In memory"_s;
    target.backend.credentialVariables = {u"FAKE_KEY"_s};
    target.lines.append({Diagnosis::Status::Failed, u"daemon"_s, u"does not answer"_s, u"start it"_s});
    report.targets.append(target);
    const QString text = renderDoctor(report.toJson(), {});
    QVERIFY2(text.contains(u"FAIL  daemon: does not answer\n        Fix: start it"_s), qPrintable(text));
    QVERIFY(text.contains(u"FAKE_KEY"_s));
    QVERIFY(!areUsable(report, {target.target}));
    report.targets[0].lines[0].status = Diagnosis::Status::Warning;
    QVERIFY(areUsable(report, {target.target}));
    Target other;
    other.backend = u"other"_s;
    QVERIFY(!areUsable(report, {target.target, other}));
}

void TestCliOutput::theDemoNeverPassesWithoutItsControl_data()
{
    QTest::addColumn<QList<bool>>("controls");
    QTest::addColumn<QList<bool>>("insides");
    QTest::addColumn<QString>("message");
    QTest::newRow("all controlled, nothing through") << QList{true, true} << QList{false, false} << QString();
    QTest::newRow("one without control") << QList{true, false} << QList{false, false} << u"inconclusive"_s;
    QTest::newRow("nothing tried") << QList<bool>() << QList<bool>() << u"inconclusive"_s;
    QTest::newRow("one got through") << QList{true, true} << QList{false, true} << u"violated"_s;
}

void TestCliOutput::theDemoNeverPassesWithoutItsControl()
{
    QFETCH(const QList<bool>, controls);
    QFETCH(const QList<bool>, insides);
    QFETCH(const QString, message);
    PolicyReport report;
    for (qsizetype i = 0; i < controls.size(); ++i)
        report.checks.append({u"way %1"_s.arg(i), controls.at(i), insides.at(i), {}});
    report.verdict = policyVerdict(NetworkPolicy::Egress::Deny, report.checks);
    const std::optional<ErrorInfo> failure = policyFailure(report);
    QCOMPARE(failure.has_value(), !message.isEmpty());
    if (failure)
        QVERIFY2(failure->message.contains(message), qPrintable(failure->message));
}

void TestCliOutput::pauseTellsTheState()
{
    const QJsonArray rows{
        QJsonObject{{u"id"_s, u"a1"_s}, {u"state"_s, u"paused"_s}, {u"error"_s, QJsonValue()}},
        QJsonObject{{u"id"_s, u"b2"_s}, {u"error"_s, QJsonObject{{u"code"_s, u"SBX_E1204"_s}}}}};
    QCOMPARE(renderPause({{u"sandboxes"_s, rows}}, {}), u"a1 paused\n"_s);
}

void TestCliOutput::statsLeaveOutWhatNobodySaid()
{
    const QJsonArray rows{
        QJsonObject{{u"id"_s, u"4f2a"_s},
                    {u"processorsBusy"_s, 0.255},
                    {u"memoryUsed"_s, 1048576},
                    {u"memoryLimit"_s, QJsonValue()},
                    {u"processes"_s, 3},
                    {u"error"_s, QJsonValue()}},
        QJsonObject{{u"id"_s, u"gone"_s}, {u"error"_s, QJsonObject{{u"code"_s, u"SBX_E1204"_s}}}}};
    const QString text = renderStats({{u"sandboxes"_s, rows}}, {});
    for (const QString &part : {u"4f2a"_s, u"25.5 %"_s, u"1.0 MiB / -"_s, u"3 / -"_s, u"- / -"_s})
        QVERIFY2(text.contains(part), qPrintable(text));
    QVERIFY(!text.contains(u"gone"_s));
    QCOMPARE(renderStats({{u"sandboxes"_s, QJsonArray{rows.at(1)}}}, {}), QString());
}

void TestCliOutput::explainKnowsEveryCode()
{
    const QJsonArray all = explainPayload({}).value("errors"_L1).toArray();
    QVERIFY(all.size() >= 17);
    for (const QJsonValue row : all)
        QCOMPARE(explainPayload(row.toObject().value("code"_L1).toString()).value("errors"_L1).toArray().at(0),
                 row);
    QCOMPARE(explainPayload(u"sbx_e1302"_s).value("errors"_L1).toArray().size(), 1);
    QVERIFY(explainPayload(u"SBX_E9999"_s).value("errors"_L1).toArray().isEmpty());
    QVERIFY(renderExplain(explainPayload(u"SBX_E1302"_s), {}).contains(u"Fix: "_s));
}

void TestCliOutput::theHelpNamesEveryCommand()
{
    const QString help = generalHelp();
    for (const QString &name :
         {u"demo"_s, u"doctor"_s, u"create"_s, u"list"_s, u"run"_s, u"code"_s, u"logs"_s, u"ls"_s, u"cp"_s,
          u"stats"_s, u"pause"_s, u"resume"_s, u"kill"_s, u"reap"_s, u"bench"_s, u"explain"_s})
        QVERIFY2(help.contains(u"\n  "_s + name + u' '), qPrintable(name));
}

SANDBOXIO_TEST(TestCliOutput)
#include "tst_clioutput.moc"
