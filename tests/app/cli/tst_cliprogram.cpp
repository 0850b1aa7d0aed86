// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "invocation.h"
#include "support/testprogram.h"

#include <QElapsedTimer>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace Qt::StringLiterals;

namespace {

QStringList runFake(const QStringList &options, const QString &script)
{
    return QStringList{u"run"_s, u"--target"_s, u"fake://"_s} + options +
           QStringList{u"--"_s, u"sh"_s, u"-c"_s, script};
}

} // namespace

/*! The real binary against the in-memory backend. */
class TestCliProgram : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void everyCommandHasHelp_data();
    void everyCommandHasHelp();
    void theVersionIsShown();
    void everyCommandWritesJson_data();
    void everyCommandWritesJson();
    void wrongCommandLinesFailWithTheFix_data();
    void wrongCommandLinesFailWithTheFix();
    void theProgramsExitCodeIsPassedOnWithStreamsApart();
    void aMissingProgramIs127();
    void credentialsAreInNoTextOfOurs();
    void explainTellsTheFix();
    void aRunThatTakesTooLongIs124();
    void inputIsForwardedWhenAsked();
    void withoutInteractiveThereIsNoInput();
    void aBufferedRunIsOneJsonObject();
    void codeComesFromAnArgumentAFileAndStandardInput();
    void theFirstSignalCancels_data();
    void theFirstSignalCancels();
    void aReaderThatLeavesEndsTheRunQuietly();
    void aSlowReaderLosesNothing();
    void aKeptSandboxIsNamed();
    void createPrintsTheId();
    void theDemoShowsItsSteps();

private:
    QTemporaryDir m_folder;
};

void TestCliProgram::initTestCase()
{
    QVERIFY(m_folder.isValid());
    qputenv("XDG_STATE_HOME", m_folder.filePath(u"state"_s).toLocal8Bit());
}

void TestCliProgram::everyCommandHasHelp_data()
{
    QTest::addColumn<QString>("command");
    for (const char *command : {"demo", "doctor", "create", "list", "run", "code", "logs", "ls", "cp", "stats",
                                "pause", "resume", "kill", "reap", "explain"})
        QTest::newRow(command) << QString::fromLatin1(command);
}

void TestCliProgram::everyCommandHasHelp()
{
    QFETCH(const QString, command);
    const auto help = invoke({command, u"--help"_s});
    QVERIFY2(help->exitCode() == 0, help->report());
    QVERIFY2(help->output().startsWith("Usage: sandboxio " + command.toUtf8()), help->report());
    QVERIFY2(help->output().contains("Examples:\n  sandboxio " + command.toUtf8()), help->report());
    QVERIFY2(help->error().isEmpty(), help->report());
}

void TestCliProgram::theVersionIsShown()
{
    const auto text = invoke({u"--version"_s});
    QVERIFY2(text->exitCode() == 0 && text->output().startsWith("sandboxio 0."), text->report());
    const auto json = invoke({u"--version"_s, u"--json"_s});
    QVERIFY2(!json->json().value("version"_L1).toString().isEmpty(), json->report());
}

void TestCliProgram::everyCommandWritesJson_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("key");
    const QStringList fake{u"--json"_s, u"--target"_s, u"fake://"_s};
    QTest::newRow("demo") << QStringList{u"demo"_s} + fake << u"steps"_s;
    QTest::newRow("doctor") << QStringList{u"doctor"_s} + fake << u"targets"_s;
    QTest::newRow("create") << QStringList{u"create"_s} + fake << u"id"_s;
    QTest::newRow("list") << QStringList{u"list"_s} + fake << u"sandboxes"_s;
    QTest::newRow("run") << QStringList{u"run"_s} + fake + QStringList{u"true"_s} << u"exitCode"_s;
    QTest::newRow("code") << QStringList{u"code"_s} + fake + QStringList{u"-c"_s, u"print(1)"_s}
                          << u"exitCode"_s;
    QTest::newRow("ls of nothing") << QStringList{u"ls"_s} + fake + QStringList{u"4f2a"_s} << u"error"_s;
    QTest::newRow("logs of nothing") << QStringList{u"logs"_s} + fake + QStringList{u"4f2a"_s} << u"error"_s;
    QTest::newRow("cp from nothing") << QStringList{u"cp"_s} + fake + QStringList{u"4f2a:x"_s, u"."_s}
                                     << u"error"_s;
    QTest::newRow("pause of nothing") << QStringList{u"pause"_s} + fake + QStringList{u"4f2a"_s} << u"error"_s;
    QTest::newRow("stats of nothing") << QStringList{u"stats"_s} + fake + QStringList{u"4f2a"_s} << u"error"_s;
    QTest::newRow("kill of nothing") << QStringList{u"kill"_s} + fake + QStringList{u"4f2a"_s} << u"error"_s;
    QTest::newRow("reap") << QStringList{u"reap"_s} + fake << u"sandboxes"_s;
    QTest::newRow("explain") << QStringList{u"explain"_s, u"--json"_s} << u"errors"_s;
    QTest::newRow("help") << QStringList{u"--json"_s, u"--help"_s} << u"commands"_s;
    QTest::newRow("a wrong argument") << QStringList{u"list"_s, u"--json"_s, u"--frobnicate"_s} << u"error"_s;
    QTest::newRow("an unknown command") << QStringList{u"frobnicate"_s, u"--json"_s} << u"error"_s;
}

void TestCliProgram::everyCommandWritesJson()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QString, key);
    const auto invocation = invoke(arguments);
    const QJsonObject object = invocation->json();
    QVERIFY2(object.contains(key), invocation->report());
    QCOMPARE(key == "error"_L1, invocation->exitCode() == 125);
    if (key == "error"_L1) {
        const QJsonObject error = object.value("error"_L1).toObject();
        for (const QString &member : {u"code"_s, u"message"_s, u"hint"_s, u"url"_s, u"cause"_s})
            QVERIFY2(error.contains(member), qPrintable(member));
    }
}

void TestCliProgram::wrongCommandLinesFailWithTheFix_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("mentions");
    QTest::newRow("no command") << QStringList() << "Fix: "_ba;
    QTest::newRow("an unknown command") << QStringList{u"frobnicate"_s} << "frobnicate"_ba;
    QTest::newRow("a wrong option") << QStringList{u"run"_s, u"--frobnicate"_s, u"true"_s} << "run --help"_ba;
    QTest::newRow("a backend that is not there")
        << QStringList{u"run"_s, u"--target"_s, u"nowhere://"_s, u"true"_s} << "[SBX_E1001]"_ba;
    QTest::newRow("an unknown error code") << QStringList{u"explain"_s, u"SBX_E9999"_s} << "SBX_E9999"_ba;
    QTest::newRow("an unknown error code names those there are")
        << QStringList{u"explain"_s, u"SBX_E9999"_s} << "SBX_E1301, SBX_E1302"_ba;
}

void TestCliProgram::wrongCommandLinesFailWithTheFix()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QByteArray, mentions);
    const auto invocation = invoke(arguments);
    QVERIFY2(invocation->exitCode() == 125, invocation->report());
    QVERIFY2(invocation->output().isEmpty(), invocation->report());
    QVERIFY2(invocation->error().contains("Fix: ") && invocation->error().contains(mentions),
             invocation->report());
}

void TestCliProgram::theProgramsExitCodeIsPassedOnWithStreamsApart()
{
    const auto run = invoke(runFake({}, u"echo out; echo err >&2; exit 3"_s));
    QVERIFY2(run->exitCode() == 3, run->report());
    QCOMPARE(run->output(), "out\n"_ba);
    QCOMPARE(run->error(), "err\n"_ba);
}

void TestCliProgram::aMissingProgramIs127()
{
    const auto run = invoke({u"run"_s, u"--target"_s, u"fake://"_s, u"--"_s, u"no-such-program"_s});
    QVERIFY2(run->exitCode() == 127, run->report());
    QVERIFY2(run->error().contains("no-such-program"), run->report());
}

void TestCliProgram::credentialsAreInNoTextOfOurs()
{
    const QString value = u"canary-4711+\"x\""_s;
    const QStringList with{u"run"_s, u"--target"_s, u"fake://"_s, u"--env"_s, u"API_TOKEN="_s + value};
    for (const QStringList &more : {QStringList{u"--"_s}, QStringList{u"--json"_s, u"--"_s}}) {
        const auto failing = invoke(with + more + QStringList{u"no-such-program-"_s + value});
        QVERIFY2(failing->exitCode() == 127, failing->report());
        const QByteArray said = failing->output() + failing->error();
        QVERIFY2(said.contains("no-such-program-\u2022\u2022\u2022"), failing->report());
        QVERIFY2(!said.contains("canary-4711"), failing->report());
    }
    // What the program prints is never altered.
    const auto run = invoke(with + QStringList{u"--"_s, u"echo"_s, value});
    QCOMPARE(run->output(), value.toUtf8() + '\n');
}

void TestCliProgram::explainTellsTheFix()
{
    const auto text = invoke({u"explain"_s, u"sbx_e1302"_s});
    QVERIFY2(text->exitCode() == 0, text->report());
    QVERIFY2(text->output().contains("SBX_E1302") && text->output().contains("ExecutionTimeout") &&
                 text->output().contains("Fix: "),
             text->report());
    const auto json = invoke({u"explain"_s, u"SBX_E1302"_s, u"--json"_s});
    const QJsonArray errors = json->json().value("errors"_L1).toArray();
    QCOMPARE(errors.size(), 1);
    QCOMPARE(errors.first().toObject().value("url"_L1).toString(), u"sandboxio:/help/errors/SBX_E1302"_s);
    const auto unknown = invoke({u"explain"_s, u"SBX_E9999"_s, u"--json"_s});
    QVERIFY2(unknown->exitCode() == 125, unknown->report());
    QCOMPARE(unknown->json().value("error"_L1).toObject().value("code"_L1).toString(), u"SBX_E1000"_s);
}

void TestCliProgram::aRunThatTakesTooLongIs124()
{
    QElapsedTimer timer;
    timer.start();
    const auto run = invoke(runFake({u"--timeout"_s, u"0.3"_s}, u"echo first; sleep 600"_s));
    QVERIFY2(run->exitCode() == 124, run->report());
    QCOMPARE(run->output(), "first\n"_ba);
    QVERIFY2(run->error().contains("[SBX_E1302]"), run->report());
    QVERIFY(timer.elapsed() < 30000);
}

void TestCliProgram::inputIsForwardedWhenAsked()
{
    QByteArray input("line\n\0binary\xff", 13);
    input += QByteArray(200000, 'x');
    const auto run = invoke({u"run"_s, u"--target"_s, u"fake://"_s, u"-i"_s, u"--"_s, u"cat"_s}, input);
    QVERIFY2(run->exitCode() == 0, run->report());
    QVERIFY2(run->output() == input, run->report());
}

void TestCliProgram::withoutInteractiveThereIsNoInput()
{
    const auto run =
        invoke({u"run"_s, u"--target"_s, u"fake://"_s, u"--"_s, u"cat"_s}, "not for the program\n"_ba);
    QVERIFY2(run->exitCode() == 0, run->report());
    QCOMPARE(run->output(), QByteArray());
}

void TestCliProgram::aBufferedRunIsOneJsonObject()
{
    const auto run = invoke(runFake({u"--json"_s}, u"echo out; echo err >&2; exit 3"_s));
    QVERIFY2(run->exitCode() == 3, run->report());
    const QJsonObject object = run->json();
    QCOMPARE(object.value("exitCode"_L1).toInt(), 3);
    QCOMPARE(object.value("stdout"_L1).toString(), u"out\n"_s);
    QCOMPARE(object.value("stderr"_L1).toString(), u"err\n"_s);
    QVERIFY(object.value("durationMs"_L1).isDouble());
    QVERIFY(run->error().isEmpty());
}

void TestCliProgram::codeComesFromAnArgumentAFileAndStandardInput()
{
    const QStringList code{u"code"_s, u"--target"_s, u"fake://"_s};
    const QString path = m_folder.filePath(u"script.py"_s);
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("print('from a file')\n");
    file.close();
    QCOMPARE(invoke(code + QStringList{u"-c"_s, u"print('from an argument')"_s})->output(),
             "from an argument\n"_ba);
    QCOMPARE(invoke(code + QStringList{path})->output(), "from a file\n"_ba);
    QCOMPARE(invoke(code + QStringList{u"-"_s}, "print('from input')\n"_ba)->output(), "from input\n"_ba);
    const auto missing = invoke(code + QStringList{path + u".none"_s});
    QVERIFY2(missing->exitCode() == 125 && missing->error().contains("Fix: "), missing->report());
}

void TestCliProgram::theFirstSignalCancels_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGHUP") << SIGHUP;
}

void TestCliProgram::theFirstSignalCancels()
{
    QFETCH(const int, signal);
    Invocation run(runFake({}, u"echo started; sleep 600"_s));
    run.start();
    QVERIFY2(run.waitForOutput("started"), run.report());
    run.signal(signal);
    QVERIFY2(run.finish(30000), run.report());
    QVERIFY2(run.exitCode() == 128 + signal, run.report());
    QVERIFY2(run.error().contains("Cancelling"), run.report());
}

void TestCliProgram::aReaderThatLeavesEndsTheRunQuietly()
{
    QProcess shell;
    shell.start(u"sh"_s,
                {u"-c"_s, u"{ \"$0\" run --target fake:// -- yes more; echo \"code $?\" >&2; } | head -n 1"_s,
                 QStringLiteral(SANDBOXIO_COMMAND)});
    QVERIFY(shell.waitForFinished(60000));
    QCOMPARE(shell.readAllStandardOutput(), "more\n"_ba);
    QCOMPARE(shell.readAllStandardError(), "code 141\n"_ba);
}

void TestCliProgram::aSlowReaderLosesNothing()
{
    QProcess shell;
    shell.start(u"sh"_s, {u"-c"_s, u"\"$0\" run --target fake:// -- seq 300000 | { sleep 1; cksum; }"_s,
                          QStringLiteral(SANDBOXIO_COMMAND)});
    QProcess local;
    local.start(u"sh"_s, {u"-c"_s, u"seq 300000 | cksum"_s});
    QVERIFY(local.waitForFinished(60000));
    QVERIFY(shell.waitForFinished(120000));
    QCOMPARE(shell.readAllStandardOutput(), local.readAllStandardOutput());
}

void TestCliProgram::aKeptSandboxIsNamed()
{
    const auto run = invoke({u"run"_s, u"--target"_s, u"fake://"_s, u"--keep"_s, u"--"_s, u"true"_s});
    QVERIFY2(run->exitCode() == 0, run->report());
    QVERIFY2(run->output().isEmpty() && !run->error().trimmed().isEmpty(), run->report());
}

void TestCliProgram::createPrintsTheId()
{
    const auto text = invoke({u"create"_s, u"--target"_s, u"fake://"_s});
    QVERIFY2(text->exitCode() == 0, text->report());
    QCOMPARE(text->output().count('\n'), 1);
    const auto json =
        invoke(QStringList{u"create"_s, u"--target"_s, u"fake://"_s, u"--json"_s, u"--timeout"_s, u"60"_s} +
               testLabel());
    const QJsonObject object = json->json();
    QVERIFY2(!object.value("id"_L1).toString().isEmpty(), json->report());
    QCOMPARE(object.value("backend"_L1).toString(), u"fake"_s);
    QCOMPARE(object.value("state"_L1).toString(), u"running"_s);
    QVERIFY(object.value("labels"_L1).toObject().contains(u"test_run"_s));
    QVERIFY(object.value("timeLeftMs"_L1).toDouble() > 0 && object.value("timeLeftMs"_L1).toDouble() <= 60000);
    QVERIFY(object.value("owner"_L1).toObject().value("pid"_L1).isNull());
}

void TestCliProgram::theDemoShowsItsSteps()
{
    const auto text = invoke({u"demo"_s, u"--target"_s, u"fake://"_s});
    const auto json = invoke({u"demo"_s, u"--target"_s, u"fake://"_s, u"--json"_s});
    const QJsonObject object = json->json();
    QStringList names;
    for (const QJsonValue step : object.value("steps"_L1).toArray()) {
        names.append(step.toObject().value("name"_L1).toString());
        QVERIFY(step.toObject().value("durationMs"_L1).isDouble());
        if (names.last() != "egress"_L1)
            QVERIFY2(step.toObject().value("ok"_L1).toBool(), json->report());
    }
    QCOMPARE(names, QStringList({u"create"_s, u"code"_s, u"stream"_s, u"egress"_s, u"files"_s, u"remove"_s}));
    // Whether this host has an address for the positive control is not ours to decide; that the result follows
    // is.
    const bool enforced = object.value("verdict"_L1).toString() == "enforced"_L1;
    QCOMPARE(json->exitCode(), enforced ? 0 : 1);
    QCOMPARE(object.value("ok"_L1).toBool(), enforced);
    QVERIFY2(text->exitCode() == json->exitCode(), text->report());
    QVERIFY2(text->output().contains("Create a sandbox"), text->report());
}

SANDBOXIO_TEST(TestCliProgram)
#include "tst_cliprogram.moc"
