// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fakefixture.h"
#include "support/testprogram.h"

using namespace Sandboxio;
using namespace Sandboxio::Fake;
using namespace Qt::StringLiterals;

class TestFakeShell : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void programs_data()
    {
        QTest::addColumn<QStringList>("argv");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QByteArray>("out");
        QTest::addColumn<QByteArray>("err");
        const auto row = [](const char *name, const QStringList &argv, int exitCode, const QByteArray &out,
                            const QByteArray &err = {}) {
            QTest::newRow(name) << argv << exitCode << out << err;
        };
        row("true succeeds", {u"true"_s}, 0, "");
        row("false fails", {u"false"_s}, 1, "");
        row("a program may be named by its path", {u"/bin/true"_s}, 0, "");
        row("echo joins its arguments", {u"echo"_s, u"a  b"_s, u"c"_s}, 0, "a  b c\n");
        row("echo -n leaves the newline out", {u"echo"_s, u"-n"_s, u"x"_s}, 0, "x");
        row("argv goes through no shell", {u"echo"_s, u"$HOME; exit 3 > /tmp/x"_s}, 0,
            "$HOME; exit 3 > /tmp/x\n");
        row("printf fills in and unescapes", {u"printf"_s, u"%s=%d\\n\\101%%"_s, u"n"_s, u"7"_s}, 0, "n=7\nA%");
        row("pwd is the working directory", {u"pwd"_s}, 0, "/work\n");
        row("whoami is root", {u"whoami"_s}, 0, "root\n");
        row("seq counts", {u"seq"_s, u"2"_s, u"4"_s}, 0, "2\n3\n4\n");
        row("head takes the first bytes", {u"head"_s, u"-c"_s, u"3"_s, u"/dev/zero"_s}, 0, QByteArray(3, '\0'));
        row("ls lists the names", {u"ls"_s, u"/"_s}, 0, "tmp\nwork\n");
        row("ls of nothing fails", {u"ls"_s, u"/nowhere"_s}, 2, "",
            "ls: cannot access '/nowhere': No such file or directory\n");
        row("cat of nothing fails", {u"cat"_s, u"x"_s}, 1, "", "cat: x: No such file or directory\n");
        row("python3 -c runs the little Python", {u"python3"_s, u"-c"_s, u"print(6*7)"_s}, 0, "42\n");
    }
    void programs()
    {
        QFETCH(QStringList, argv);
        check(Command(argv));
    }

    void shell_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QByteArray>("out");
        QTest::addColumn<QByteArray>("err");
        const auto row = [](const char *name, const QString &text, int exitCode, const QByteArray &out,
                            const QByteArray &err = {}) {
            QTest::newRow(name) << text << exitCode << out << err;
        };
        row("the streams are apart", u"echo out; echo err >&2; exit 3"_s, 3, "out\n", "err\n");
        row("&& goes on after success", u"true && echo yes"_s, 0, "yes\n");
        row("&& stops after failure", u"false && echo no"_s, 1, "");
        row("|| goes on after failure", u"false || echo yes"_s, 0, "yes\n");
        row("|| stops after success", u"true || echo no"_s, 0, "");
        row("the last command decides", u"true; false"_s, 1, "");
        row("exit leaves the rest", u"exit 4; echo no"_s, 4, "");
        row("exit without a number keeps the last status", u"false; exit"_s, 1, "");
        row("exit codes have eight bits", u"exit 256"_s, 0, "");
        row("single quotes keep everything", u"echo '$HOME; \"x\"'"_s, 0, "$HOME; \"x\"\n");
        row("double quotes keep all but variables", u"echo \"a  $HOME\""_s, 0, "a  /work\n");
        row("a backslash keeps one character", u"echo a\\;b"_s, 0, "a;b\n");
        row("braces around a variable", u"echo ${HOME}/x"_s, 0, "/work/x\n");
        row("$? is the last status", u"false; echo $?"_s, 0, "1\n");
        row("an unknown variable is empty", u"echo [$NOPE]"_s, 2, "",
            "sh: 1: Syntax error: the fake's shell does not know \"[\"\n");
        row("lines are commands", u"echo a\n\necho b\n"_s, 0, "a\nb\n");
        row("a comment is passed over", u"echo a # echo b"_s, 0, "a\n");
        row("output goes to a file and comes back", u"echo hi > f; echo more >> f; cat f"_s, 0, "hi\nmore\n");
        row("> empties the file first", u"echo long > f; echo x > f; cat f"_s, 0, "x\n");
        row("standard error goes to a file", u"cat nope 2> e; cat e"_s, 0,
            "cat: nope: No such file or directory\n");
        row("standard error joins standard output", u"cat nope 2>&1"_s, 1,
            "cat: nope: No such file or directory\n");
        row("/dev/null takes everything", u"echo gone > /dev/null"_s, 0, "");
        row("cd moves", u"cd /tmp && pwd"_s, 0, "/tmp\n");
        row("directories are made and removed", u"mkdir -p a/b && ls a && rm -r a && ls"_s, 0, "b\n");
        row("a shell in a shell", u"sh -c 'exit 5'; echo $?"_s, 0, "5\n");
        row("a missing program is 127", u"frobnicate"_s, 127, "", "sh: 1: frobnicate: not found\n");
        row("a pipe is refused", u"echo a | cat"_s, 2, "",
            "sh: 1: Syntax error: the fake's shell does not know \"|\"\n");
        row("a loop is refused", u"for i in 1 2; do echo $i; done"_s, 2, "",
            "sh: 1: Syntax error: the fake's shell does not know \"for\"\n");
        row("an assignment is refused", u"x=1; echo $x"_s, 2, "",
            "sh: 1: Syntax error: the fake's shell does not know \"x=1\"\n");
        row("a glob is refused", u"ls *"_s, 2, "",
            "sh: 1: Syntax error: the fake's shell does not know \"*\"\n");
        row("a command substitution is refused", u"echo `pwd`"_s, 2, "",
            "sh: 1: Syntax error: the fake's shell does not know \"`\"\n");
        row("an open quote is refused", u"echo 'a"_s, 2, "",
            "sh: 1: Syntax error: Unterminated quoted string\n");
        row("&& without a right side is refused", u"true &&"_s, 2, "",
            "sh: 1: Syntax error: end of file unexpected\n");
        row("a separator alone is refused", u"; echo a"_s, 2, "", "sh: 1: Syntax error: \";\" unexpected\n");
    }
    void shell()
    {
        QFETCH(QString, text);
        check(Command::shell(text));
    }

    void theEnvironmentIsTheSandboxsThenTheRuns()
    {
        Fixture fixture;
        CreateOptions options;
        options.env = {{u"A"_s, u"sandbox"_s}, {u"B"_s, u"sandbox"_s}};
        options.secrets = {{u"TOKEN"_s, Secret("hidden"_ba)}};
        const auto sandbox = fixture.create(options);
        RunOptions run;
        run.env = {{u"B"_s, u"run"_s}};
        Recorder recorder;
        recorder.start(*sandbox, commandRequest(Command({u"env"_s}), run));
        QVERIFY(recorder.finish());
        const QByteArrayList lines = recorder.out.trimmed().split('\n');
        QVERIFY(lines.contains("A=sandbox"));
        QVERIFY(lines.contains("B=run"));
        QVERIFY(lines.contains("TOKEN=hidden"));
    }
    void theWorkingDirectoryIsWhereRunsStart()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        RunOptions options;
        options.workingDirectory = u"/tmp"_s;
        Recorder there;
        there.start(*sandbox, commandRequest(Command({u"pwd"_s}), options));
        QVERIFY(there.finish());
        QCOMPARE(there.out, "/tmp\n"_ba);
        options.workingDirectory = u"/nowhere"_s;
        Recorder nowhere;
        nowhere.start(*sandbox, commandRequest(Command({u"pwd"_s}), options));
        QVERIFY(nowhere.finish());
        QCOMPARE(nowhere.failure->kind, ErrorKind::PathNotFound);
    }
    void anUnknownProgramIsAnErrorWithItsStatus()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        Recorder run;
        run.start(*sandbox, commandRequest(Command({u"frobnicate"_s})));
        QVERIFY(run.finish());
        QCOMPARE(run.failure->kind, ErrorKind::ConfigurationError);
        QCOMPARE(run.failure->cause->status, 2);
        QVERIFY(run.failure->hint.contains("echo"_L1));
        QCOMPARE(run.starts, 0);
    }
    void anUnknownUserIsAnError()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        RunOptions options;
        options.user = u"nobody"_s;
        Recorder run;
        run.start(*sandbox, commandRequest(Command({u"whoami"_s}), options));
        QVERIFY(run.finish());
        QCOMPARE(run.failure->kind, ErrorKind::ConfigurationError);
    }

private:
    void check(const Command &command)
    {
        QFETCH(int, exitCode);
        QFETCH(QByteArray, out);
        QFETCH(QByteArray, err);
        Fixture fixture;
        const auto sandbox = fixture.create();
        Recorder run;
        run.start(*sandbox, commandRequest(command));
        QVERIFY(run.finish());
        QVERIFY2(!run.failure, qPrintable(run.failure.value_or(ErrorInfo()).toText()));
        QCOMPARE(run.out, out);
        QCOMPARE(run.err, err);
        QCOMPARE(run.status->code, exitCode);
        QCOMPARE(run.order, QStringList({u"started"_s, u"exited"_s, u"streamEnded"_s, u"streamEnded"_s}));
        QVERIFY(fixture.script->runningProcesses().isEmpty());
    }
};

SANDBOXIO_TEST(TestFakeShell)
#include "tst_fakeshell.moc"
