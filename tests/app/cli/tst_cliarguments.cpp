// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "commands/code.h"
#include "commands/cp.h"
#include "commands/create.h"
#include "commands/kill.h"
#include "commands/list.h"
#include "commands/ls.h"
#include "commands/pause.h"
#include "commands/reap.h"
#include "commands/run.h"
#include "support/testprogram.h"

#include <QTest>

using namespace Sandboxio;
using namespace Sandboxio::Cli;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

// The message of the error that parsing gave; empty when it gave a value.
template <typename T>
QString messageOf(const Parsed<T> &parsed)
{
    return !parsed && parsed.error().error ? parsed.error().error->message : QString();
}

} // namespace

class TestCliArguments : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void runTakesItsOwnOptions();
    void runKeepsTheProgramsArguments_data();
    void runKeepsTheProgramsArguments();
    void runRefuses_data();
    void runRefuses();
    void aSandboxForOneRunLivesLongerThanTheRun();
    void codeComesFromOnePlace_data();
    void codeComesFromOnePlace();
    void createReadsItsOptions();
    void createRefuses_data();
    void createRefuses();
    void memoryIsReadInMebibytes_data();
    void memoryIsReadInMebibytes();
    void remotePathsAreTold_data();
    void remotePathsAreTold();
    void cpTellsTheDirection_data();
    void cpTellsTheDirection();
    void cpFindsTheDestination_data();
    void cpFindsTheDestination();
    void lsStartsWhereRunsStart();
    void listAndReapReadTheirOptions();
    void reapActsOnlyOn_data();
    void reapActsOnlyOn();
    void killNeedsAnId();
    void pauseAndResumeNeedAnId();
    void helpStopsWithItsText();
    void jsonIsWantedEvenInWrongCommandLines_data();
    void jsonIsWantedEvenInWrongCommandLines();
    void idsAreMatched_data();
    void idsAreMatched();
};

void TestCliArguments::runTakesItsOwnOptions()
{
    const auto parsed =
        parseRun({u"--image"_s, u"debian:13"_s, u"--target"_s, u"fake://"_s, u"--timeout"_s, u"1.5"_s,
                  u"--env"_s, u"A=b=c"_s, u"--env"_s, u"B="_s, u"--workdir"_s, u"/tmp"_s, u"-i"_s, u"--label"_s,
                  u"k=v"_s, u"--keep"_s, u"--"_s, u"ls"_s, u"-l"_s});
    QVERIFY2(parsed, qPrintable(messageOf(parsed)));
    QCOMPARE(parsed->program, QStringList({u"ls"_s, u"-l"_s}));
    QCOMPARE(parsed->timeout, std::optional(1500ms));
    QCOMPARE(parsed->env, (QMap<QString, QString>{{u"A"_s, u"b=c"_s}, {u"B"_s, QString()}}));
    QCOMPARE(parsed->workingDirectory, u"/tmp"_s);
    QVERIFY(parsed->interactive);
    QVERIFY(parsed->sandbox.keep);
    QCOMPARE(parsed->sandbox.create.options.templateId, u"debian:13"_s);
    QCOMPARE(parsed->sandbox.create.options.metadata, (QMap<QString, QString>{{u"k"_s, u"v"_s}}));
    QVERIFY(parsed->sandbox.create.target);
    QCOMPARE(parsed->sandbox.create.target->backend, u"fake"_s);
    QVERIFY(parsed->sandbox.create.options.network.egress == NetworkPolicy::Egress::Deny);
}

void TestCliArguments::runKeepsTheProgramsArguments_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QStringList>("program");
    QTest::addColumn<bool>("json");
    QTest::newRow("after two dashes everything is the program's")
        << QStringList{u"--"_s, u"sh"_s, u"-c"_s, u"exit 3"_s} << QStringList{u"sh"_s, u"-c"_s, u"exit 3"_s}
        << false;
    QTest::newRow("without two dashes options end at the program")
        << QStringList{u"sh"_s, u"--json"_s, u"--timeout"_s, u"x"_s}
        << QStringList{u"sh"_s, u"--json"_s, u"--timeout"_s, u"x"_s} << false;
    QTest::newRow("two dashes after the program are its own")
        << QStringList{u"git"_s, u"log"_s, u"--"_s, u"file"_s}
        << QStringList{u"git"_s, u"log"_s, u"--"_s, u"file"_s} << false;
    QTest::newRow("our json stands before the program")
        << QStringList{u"--json"_s, u"--"_s, u"ls"_s, u"--json"_s} << QStringList{u"ls"_s, u"--json"_s} << true;
    QTest::newRow("an empty argument stays")
        << QStringList{u"--"_s, u"printf"_s, QString()} << QStringList{u"printf"_s, QString()} << false;
}

void TestCliArguments::runKeepsTheProgramsArguments()
{
    QFETCH(const QStringList, arguments);
    const auto parsed = parseRun(arguments);
    QVERIFY2(parsed, qPrintable(messageOf(parsed)));
    QTEST(parsed->program, "program");
    QTEST(parsed->json, "json");
}

void TestCliArguments::runRefuses_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("mentions");
    const auto row = [](const char *name, const QStringList &options, const QString &mentions) {
        QTest::newRow(name) << options + QStringList{u"--"_s, u"true"_s} << mentions;
    };
    QTest::newRow("no program") << QStringList{u"--timeout"_s, u"1"_s} << u"program"_s;
    QTest::newRow("an empty program") << QStringList{u"--"_s, QString()} << u"program"_s;
    row("an unknown option", {u"--frobnicate"_s}, u"frobnicate"_s);
    row("a timeout of zero", {u"--timeout"_s, u"0"_s}, u"--timeout"_s);
    row("a negative timeout", {u"--timeout=-3"_s}, u"--timeout"_s);
    row("a timeout that is no number", {u"--timeout"_s, u"soon"_s}, u"soon"_s);
    row("an environment entry without a value", {u"--env"_s, u"NAME"_s}, u"--env"_s);
    row("an environment entry without a name", {u"--env"_s, u"=x"_s}, u"--env"_s);
    row("a target that is no DSN", {u"--target"_s, u"somewhere"_s}, u"DSN"_s);
    row("two targets", {u"--target"_s, u"fake://a"_s, u"--target"_s, u"fake://b"_s}, u"once"_s);
    row("an image for an existing sandbox", {u"--sandbox"_s, u"4f2a"_s, u"--image"_s, u"x"_s}, u"--image"_s);
    row("keeping an existing sandbox", {u"--sandbox"_s, u"4f2a"_s, u"--keep"_s}, u"--keep"_s);
    row("a sandbox without an id", {u"--sandbox"_s, QString()}, u"--sandbox"_s);
}

void TestCliArguments::runRefuses()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QString, mentions);
    const auto parsed = parseRun(arguments);
    QVERIFY(!parsed);
    QVERIFY(parsed.error().error);
    QCOMPARE(parsed.error().error->kind, ErrorKind::ConfigurationError);
    QVERIFY2(parsed.error().error->message.contains(mentions), qPrintable(parsed.error().error->message));
    QVERIFY(!parsed.error().error->hint.isEmpty());
}

void TestCliArguments::aSandboxForOneRunLivesLongerThanTheRun()
{
    QCOMPARE(parseRun({u"true"_s})->sandbox.create.options.timeout, 300s);
    QCOMPARE(parseRun({u"--timeout"_s, u"10"_s, u"true"_s})->sandbox.create.options.timeout, 300s);
    QCOMPARE(parseRun({u"--timeout"_s, u"600"_s, u"true"_s})->sandbox.create.options.timeout, 660s);
    QCOMPARE(parseRun({u"--timeout"_s, u"600"_s, u"--lifetime"_s, u"30"_s, u"true"_s})
                 ->sandbox.create.options.timeout,
             30s);
}

void TestCliArguments::codeComesFromOnePlace_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<bool>("accepted");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("file");
    QTest::newRow("an argument") << QStringList{u"-c"_s, u"print(1)"_s} << true << u"print(1)"_s << QString();
    QTest::newRow("a file") << QStringList{u"script.py"_s} << true << QString() << u"script.py"_s;
    QTest::newRow("standard input") << QStringList{u"-"_s} << true << QString() << u"-"_s;
    QTest::newRow("nothing") << QStringList() << false << QString() << QString();
    QTest::newRow("an argument and a file")
        << QStringList{u"-c"_s, u"1"_s, u"script.py"_s} << false << QString() << QString();
    QTest::newRow("two files") << QStringList{u"a.py"_s, u"b.py"_s} << false << QString() << QString();
    QTest::newRow("standard input as code and as input")
        << QStringList{u"-i"_s, u"-"_s} << false << QString() << QString();
}

void TestCliArguments::codeComesFromOnePlace()
{
    QFETCH(const QStringList, arguments);
    const auto parsed = parseCode(arguments);
    QTEST(parsed.has_value(), "accepted");
    if (!parsed)
        return;
    QTEST(parsed->code.value_or(QString()), "code");
    QTEST(parsed->file, "file");
    QCOMPARE(parsed->language, u"python"_s);
}

void TestCliArguments::createReadsItsOptions()
{
    const auto parsed = parseCreate({u"--timeout"_s, u"3600"_s, u"--network"_s, u"open"_s, u"--cpu"_s, u"1.5"_s,
                                     u"--memory"_s, u"2g"_s, u"--pids"_s, u"64"_s, u"--label"_s, u"a=1"_s,
                                     u"--label"_s, u"b=2"_s, u"--require-isolation"_s, u"GVISOR"_s});
    QVERIFY2(parsed, qPrintable(messageOf(parsed)));
    CreateOptions expected;
    expected.timeout = 3600s;
    expected.network = NetworkPolicy::open();
    expected.resources.cpu = 1.5;
    expected.resources.memoryMb = 2048;
    expected.resources.processes = 64;
    expected.metadata = {{u"a"_s, u"1"_s}, {u"b"_s, u"2"_s}};
    expected.requireIsolation = IsolationTier::GVisor;
    QVERIFY(parsed->options == expected);
    QVERIFY(!parsed->target);
}

void TestCliArguments::createRefuses_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("a positional argument") << QStringList{u"x"_s};
    QTest::newRow("an unknown policy") << QStringList{u"--network"_s, u"maybe"_s};
    QTest::newRow("an unknown tier") << QStringList{u"--require-isolation"_s, u"steel"_s};
    QTest::newRow("a tier of unknown") << QStringList{u"--require-isolation"_s, u"unknown"_s};
    QTest::newRow("no cores") << QStringList{u"--cpu"_s, u"0"_s};
    QTest::newRow("infinite cores") << QStringList{u"--cpu"_s, u"inf"_s};
    QTest::newRow("half a process") << QStringList{u"--pids"_s, u"1.5"_s};
    QTest::newRow("a lifetime of zero") << QStringList{u"--timeout"_s, u"0"_s};
    QTest::newRow("a credential in the DSN") << QStringList{u"--target"_s, u"fake://?api_key=x"_s};
}

void TestCliArguments::createRefuses()
{
    QFETCH(const QStringList, arguments);
    const auto parsed = parseCreate(arguments);
    QVERIFY(!parsed);
    QVERIFY(parsed.error().error);
}

void TestCliArguments::memoryIsReadInMebibytes_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("mebibytes");
    QTest::newRow("a number is MiB") << u"512"_s << 512LL;
    QTest::newRow("m is MiB") << u"512m"_s << 512LL;
    QTest::newRow("g is GiB") << u"2G"_s << 2048LL;
    QTest::newRow("a unit alone is refused") << u"g"_s << 0LL;
    QTest::newRow("another unit is refused") << u"5k"_s << 0LL;
    QTest::newRow("nothing is refused") << QString() << 0LL;
}

void TestCliArguments::memoryIsReadInMebibytes()
{
    QFETCH(const QString, text);
    QFETCH(const qint64, mebibytes);
    const auto parsed = parseCreate({u"--memory"_s, text});
    QCOMPARE(parsed.has_value(), mebibytes > 0);
    if (parsed)
        QCOMPARE(parsed->options.resources.memoryMb, std::optional(mebibytes));
}

void TestCliArguments::remotePathsAreTold_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("remote");
    QTest::addColumn<QString>("sandbox");
    QTest::addColumn<QString>("path");
    QTest::newRow("an id and a path") << u"4f2a:/etc/passwd"_s << true << u"4f2a"_s << u"/etc/passwd"_s;
    QTest::newRow("a path with a colon") << u"4f2a:a:b"_s << true << u"4f2a"_s << u"a:b"_s;
    QTest::newRow("an id without a path") << u"4f2a:"_s << true << u"4f2a"_s << QString();
    QTest::newRow("a plain name is local") << u"file"_s << false << QString() << QString();
    QTest::newRow("a slash before the colon is local") << u"./a:b"_s << false << QString() << QString();
    QTest::newRow("an absolute path is local") << u"/tmp/a:b"_s << false << QString() << QString();
    QTest::newRow("a colon at the start is local") << u":a"_s << false << QString() << QString();
    QTest::newRow("nothing is local") << QString() << false << QString() << QString();
}

void TestCliArguments::remotePathsAreTold()
{
    QFETCH(const QString, text);
    const std::optional<RemotePath> path = parseRemotePath(text);
    QTEST(path.has_value(), "remote");
    if (!path)
        return;
    QTEST(path->sandbox, "sandbox");
    QTEST(path->path, "path");
}

void TestCliArguments::cpTellsTheDirection_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("direction");
    QTest::newRow("local to remote is an upload") << QStringList{u"a"_s, u"4f2a:b"_s} << u"upload"_s;
    QTest::newRow("remote to local is a download") << QStringList{u"4f2a:b"_s, u"a"_s} << u"download"_s;
    QTest::newRow("upload into the working directory") << QStringList{u"a"_s, u"4f2a:"_s} << u"upload"_s;
    QTest::newRow("a download needs a path") << QStringList{u"4f2a:"_s, u"a"_s} << u"refused"_s;
    QTest::newRow("two local paths are refused") << QStringList{u"a"_s, u"b"_s} << u"refused"_s;
    QTest::newRow("two remote paths are refused") << QStringList{u"1:a"_s, u"2:b"_s} << u"refused"_s;
    QTest::newRow("one path is refused") << QStringList{u"1:a"_s} << u"refused"_s;
    QTest::newRow("three paths are refused") << QStringList{u"a"_s, u"1:a"_s, u"b"_s} << u"refused"_s;
}

void TestCliArguments::cpTellsTheDirection()
{
    QFETCH(const QStringList, arguments);
    const auto parsed = parseCp(arguments);
    QString direction = u"refused"_s;
    if (parsed)
        direction = parsed->direction == CpArguments::Direction::Upload ? u"upload"_s : u"download"_s;
    QTEST(direction, "direction");
}

void TestCliArguments::cpFindsTheDestination_data()
{
    QTest::addColumn<QString>("destination");
    QTest::addColumn<bool>("isDirectory");
    QTest::addColumn<QString>("path");
    QTest::newRow("a name is the file") << u"b"_s << false << u"b"_s;
    QTest::newRow("into a directory") << u"dir"_s << true << u"dir/a"_s;
    QTest::newRow("a slash says directory") << u"dir/"_s << false << u"dir/a"_s;
    QTest::newRow("nothing is the same name") << QString() << false << u"a"_s;
    QTest::newRow("the root") << u"/"_s << true << u"/a"_s;
}

void TestCliArguments::cpFindsTheDestination()
{
    QFETCH(const QString, destination);
    QFETCH(const bool, isDirectory);
    QTEST(destinationPath(destination, isDirectory, u"a"_s), "path");
}

void TestCliArguments::lsStartsWhereRunsStart()
{
    QCOMPARE(parseLs({u"4f2a"_s})->path, (RemotePath{u"4f2a"_s, u"."_s}));
    QCOMPARE(parseLs({u"4f2a:"_s})->path, (RemotePath{u"4f2a"_s, u"."_s}));
    QCOMPARE(parseLs({u"4f2a:/etc"_s})->path, (RemotePath{u"4f2a"_s, u"/etc"_s}));
    QVERIFY(!parseLs({}));
    QVERIFY(!parseLs({u"1"_s, u"2"_s}));
}

void TestCliArguments::listAndReapReadTheirOptions()
{
    const auto list =
        parseList({u"--target"_s, u"fake://"_s, u"--target"_s, u"fake://?store=x"_s, u"--label"_s, u"a=1"_s});
    QVERIFY(list);
    QCOMPARE(list->targets.size(), 2);
    QCOMPARE(list->labels, (QMap<QString, QString>{{u"a"_s, u"1"_s}}));
    const auto reap = parseReap({});
    QVERIFY(reap);
    QVERIFY(!reap->kill);
    QVERIFY(!reap->includeUnknown);
    const auto kill = parseReap({u"--kill"_s, u"--include-unknown"_s});
    QVERIFY(kill);
    QVERIFY(kill->kill);
    QVERIFY(kill->includeUnknown);
    QVERIFY(!parseReap({u"4f2a"_s}));
}

void TestCliArguments::reapActsOnlyOn_data()
{
    QTest::addColumn<Ownership::Verdict>("verdict");
    QTest::addColumn<Ownership::Confidence>("confidence");
    QTest::addColumn<bool>("includeUnknown");
    QTest::addColumn<bool>("reaped");
    using Verdict = Ownership::Verdict;
    using Confidence = Ownership::Confidence;
    QTest::newRow("orphans") << Verdict::Orphan << Confidence::Certain << false << true;
    QTest::newRow("not on likely ones") << Verdict::Orphan << Confidence::Likely << false << false;
    QTest::newRow("likely ones when asked") << Verdict::Orphan << Confidence::Likely << true << true;
    QTest::newRow("ended sandboxes") << Verdict::Ended << Confidence::Certain << false << true;
    QTest::newRow("not on unknown ones") << Verdict::Unknown << Confidence::None << false << false;
    QTest::newRow("unknown ones when asked") << Verdict::Unknown << Confidence::None << true << true;
    QTest::newRow("never on those in use") << Verdict::InUse << Confidence::Certain << true << false;
}

void TestCliArguments::reapActsOnlyOn()
{
    QFETCH(const Ownership::Verdict, verdict);
    QFETCH(const bool, includeUnknown);
    QFETCH(const Ownership::Confidence, confidence);
    QTEST(isReaped({verdict, {}, confidence}, includeUnknown), "reaped");
}

void TestCliArguments::pauseAndResumeNeedAnId()
{
    QVERIFY(!parsePause({}));
    QVERIFY(!parseResume({u"--target"_s, u"docker://"_s}));
    QCOMPARE(parsePause({u"a"_s, u"b"_s})->ids, QStringList({u"a"_s, u"b"_s}));
    QCOMPARE(parseResume({u"--target"_s, u"docker://"_s, u"a"_s})->targets.size(), 1);
}

void TestCliArguments::killNeedsAnId()
{
    QVERIFY(!parseKill({}));
    QCOMPARE(parseKill({u"1"_s, u"2"_s})->ids, QStringList({u"1"_s, u"2"_s}));
}

void TestCliArguments::helpStopsWithItsText()
{
    const auto parsed = parseRun({u"--help"_s});
    QVERIFY(!parsed);
    QVERIFY(!parsed.error().error);
    const QString help = parsed.error().help;
    QVERIFY(help.startsWith(u"Usage: sandboxio run [options] [--] PROGRAM"_s));
    for (const QString &part : {u"Examples:"_s, u"--timeout"_s, u"--keep"_s, u"127"_s})
        QVERIFY2(help.contains(part), qPrintable(part));
}

void TestCliArguments::jsonIsWantedEvenInWrongCommandLines_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<bool>("wanted");
    QTest::newRow("asked for") << QStringList{u"list"_s, u"--json"_s, u"--frobnicate"_s} << true;
    QTest::newRow("not asked for") << QStringList{u"list"_s} << false;
    QTest::newRow("the program's own") << QStringList{u"run"_s, u"--"_s, u"x"_s, u"--json"_s} << false;
}

void TestCliArguments::jsonIsWantedEvenInWrongCommandLines()
{
    QFETCH(const QStringList, arguments);
    QTEST(wantsJson(arguments), "wanted");
}

void TestCliArguments::idsAreMatched_data()
{
    QTest::addColumn<QString>("id");
    QTest::addColumn<QString>("found");
    QTest::newRow("the whole id") << u"abcdef"_s << u"abcdef"_s;
    QTest::newRow("the only id with this start") << u"xy"_s << u"xyz"_s;
    QTest::newRow("the whole id wins over starts") << u"abc"_s << u"abc"_s;
    QTest::newRow("the name") << u"sandboxio-1"_s << u"xyz"_s;
    QTest::newRow("an ambiguous start is refused") << u"a"_s << QString();
    QTest::newRow("an unknown id is refused") << u"q"_s << QString();
    QTest::newRow("nothing is refused") << QString() << QString();
}

void TestCliArguments::idsAreMatched()
{
    QFETCH(const QString, id);
    QFETCH(const QString, found);
    ManagedListing listing;
    TargetListing target;
    for (const auto &[rowId, name] :
         {std::pair{u"abcdef"_s, u"n1"_s}, {u"abc"_s, u"n2"_s}, {u"xyz"_s, u"sandboxio-1"_s}}) {
        ManagedSandbox row;
        row.id = rowId;
        row.name = name;
        target.rows.append(row);
    }
    listing.targets.append(target);
    const auto match = matchSandbox(listing, id);
    QCOMPARE(match ? match->id : QString(), found);
    if (!match)
        QCOMPARE(match.error().kind, ErrorKind::ConnectError);
}

SANDBOXIO_TEST(TestCliArguments)
#include "tst_cliarguments.moc"
