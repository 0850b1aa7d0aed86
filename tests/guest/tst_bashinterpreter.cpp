// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "interpreterharness.h"
#include "support/testprogram.h"

#include <QStandardPaths>
#include <QTest>

using namespace Sandboxio;
using namespace Sandboxio::Guest;
using namespace Sandboxio::Guest::Test;
using namespace Qt::StringLiterals;

/// The persistent interpreter of the host's bash, in a real guest.
class TestBashInterpreter : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_bash.reset(); }
    void cells_data();
    void cells();
    void stateIsKept();
    void leavingACellIsNoFailure_data();
    void leavingACellIsNoFailure();
    void childrenSeeNothingOfOurs();
    void allOutputComesBeforeTheEnd();
    void outputsThatWereSentElsewhereComeBack();
    void anInterruptEndsTheCellAndKeepsTheState_data();
    void anInterruptEndsTheCellAndKeepsTheState();
    void aDeadShellIsReported_data();
    void aDeadShellIsReported();
    void aLongCellArrivesWhole();

private:
    std::unique_ptr<InterpreterHarness> m_bash;
};

void TestBashInterpreter::init()
{
    if (QStandardPaths::findExecutable(u"bash"_s).isEmpty())
        QSKIP("there is no bash");
    m_bash = std::make_unique<InterpreterHarness>(u"bash"_s);
    QVERIFY(m_bash->waitReady());
}

void TestBashInterpreter::cells_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QByteArray>("output");
    QTest::addColumn<QByteArray>("inErrors");
    const auto row = [](const char *name, const QByteArray &code, int exitCode, const QByteArray &output,
                        const QByteArray &inErrors = {}) {
        QTest::newRow(name) << code << exitCode << output << inErrors;
    };
    row("nothing", "", 0, "");
    row("several lines", "echo a\necho b >&2\necho c", 0, "a\nc\n", "b");
    row("no newline at the end of the output", "printf x", 0, "x");
    row("non-ASCII text", "echo gr\xc3\xbc\xc3\x9f", 0, "gr\xc3\xbc\xc3\x9f\n");
    row("the code of the last command", "true; (exit 3)", 3, "");
    row("return ends the cell", "return 7; echo no", 7, "");
    row("exit ends the cell", "echo a; exit 5; echo no", 5, "a\n");
    row("exit in a function ends the cell",
        "f() { exit 6; echo no; }\nwhile true; do f; echo no; done\necho no", 6, "");
    row("exit without a code", "false; exit", 1, "");
    row("exit in a subshell ends that alone", "(exit 8; echo no); echo $?", 0, "8\n");
    row("exit after a failure", "false || exit 9; echo no", 9, "");
    row("a syntax error", "if", 2, "", "syntax error");
    row("an unknown command", "no-such-command", 127, "", "command not found");
    row("standard input is empty", "cat; read -r x; echo $?", 0, "1\n");
    row("an expression", "[[ a == b ]]", 1, "");
}

void TestBashInterpreter::cells()
{
    QFETCH(const QByteArray, code);
    QFETCH(const int, exitCode);
    QFETCH(const QByteArray, output);
    QFETCH(const QByteArray, inErrors);
    const CellRecordPtr cell = m_bash->run(code);
    QCOMPARE(cell->out, output);
    QVERIFY2(cell->err.contains(inErrors), cell->err.constData());
    QCOMPARE(cell->err.isEmpty(), inErrors.isEmpty());
    QCOMPARE(cell->code, exitCode);
    QVERIFY(cell->results.isEmpty());
    QCOMPARE(m_bash->run("echo next")->out, "next\n"_ba); // the context goes on
}

void TestBashInterpreter::stateIsKept()
{
    m_bash->run(
        "kept='a  b'; list=(1 2 3); declare -A map=([k]=v)\nf() { echo \"f $kept\"; }\nexport SEEN=yes\ncd /");
    QCOMPARE(m_bash->run("f; echo ${#list[@]} ${map[k]}; pwd; env | grep SEEN")->out,
             "f a  b\n3 v\n/\nSEEN=yes\n"_ba);
    m_bash->run("set -u; shopt -s nullglob");
    QCOMPARE(m_bash->run("[[ $- == *u* ]] && shopt -q nullglob && echo both")->out, "both\n"_ba);
}

void TestBashInterpreter::leavingACellIsNoFailure_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<int>("exitCode");
    QTest::newRow("exit") << "exit 5; echo no"_ba << 5;
    QTest::newRow("exit in a function") << "f() { exit 6; echo no; }; f; echo no"_ba << 6;
    QTest::newRow("return") << "return 7; echo no"_ba << 7;
    QTest::newRow("a list that fails as the last command") << "[[ a == b ]] && echo no"_ba << 1;
    QTest::newRow("a sourced file before it")
        << "source <(echo true); [[ $- == *e* ]] || echo no; return 8"_ba << 8;
}

void TestBashInterpreter::leavingACellIsNoFailure()
{
    QFETCH(const QByteArray, code);
    QFETCH(const int, exitCode);
    QCOMPARE(m_bash->run("set -e; " + code)->code, exitCode);
    for (int i = 0; i < 2; ++i) { // the option stays
        const CellRecordPtr cell = m_bash->run("[[ $- == *e* ]] && echo on\n" + code);
        QCOMPARE(cell->code, exitCode);
        QCOMPARE(cell->out, "on\n"_ba);
    }
    QCOMPARE(m_bash->run("set +e; false; echo off")->out, "off\n"_ba);
    QCOMPARE(m_bash->run("false; echo $-")->code, 0);
    QCOMPARE(m_bash->run("set -e; false; echo no")->deaths, 1);
}

void TestBashInterpreter::childrenSeeNothingOfOurs()
{
    const QByteArray open = m_bash->run("ls /proc/self/fd")->out.simplified();
    QVERIFY2(!open.contains("250") && !open.contains("251"), open.constData());
    QCOMPARE(m_bash->run("sh -c 'echo nonsense >&3'")->code, 2); // a bad descriptor
    QCOMPARE(m_bash->run("echo nonsense >&3")->code, 1);
    QCOMPARE(m_bash->run("echo fine")->out, "fine\n"_ba);
}

void TestBashInterpreter::allOutputComesBeforeTheEnd()
{
    const CellRecordPtr cell =
        m_bash->run("head -c 5000000 /dev/zero; head -c 5000000 /dev/zero >&2; (exit 4)");
    QCOMPARE(cell->out.size(), 5'000'000);
    QCOMPARE(cell->err.size(), 5'000'000);
    QCOMPARE(cell->code, 4);
    QVERIFY(!cell->spokeAfterTheEnd);
}

void TestBashInterpreter::outputsThatWereSentElsewhereComeBack()
{
    for (const QByteArray &code : {"exec >/dev/null 2>&1"_ba, "exec >&- 2>&-"_ba, "set -x"_ba}) {
        QCOMPARE(m_bash->run(code)->code, 0);
        QCOMPARE(m_bash->run("{ set +x; } 2>/dev/null; echo out; echo err >&2")->out, "out\n"_ba);
        QCOMPARE(m_bash->run("echo err >&2")->err, "err\n"_ba);
    }
}

void TestBashInterpreter::anInterruptEndsTheCellAndKeepsTheState_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::newRow("while a command runs") << "sleep 600; echo no"_ba;
    QTest::newRow("while it is busy") << "while :; do :; done; echo no"_ba;
    QTest::newRow("in a function") << "f() { while :; do sleep 0.05; done; }\nwhile :; do f; echo no; done"_ba;
    QTest::newRow("in a substitution") << "x=$(sleep 600); echo no"_ba;
    QTest::newRow("in a pipeline") << "sleep 600 | cat; echo no"_ba;
}

void TestBashInterpreter::anInterruptEndsTheCellAndKeepsTheState()
{
    QFETCH(const QByteArray, code);
    for (const auto &[atOnce, options] : {std::pair(false, "set +e"_ba), std::pair(true, "set +e"_ba),
                                          std::pair(false, "set -e"_ba), std::pair(true, "set -e"_ba)}) {
        m_bash->run("kept=yes; " + options);
        const CellRecordPtr cell = m_bash->submit(code);
        QTRY_VERIFY(m_bash->interpreter->isRunning(cell->id));
        if (!atOnce) {
            QTRY_VERIFY(cell->started);
            QTest::qWait(200); // into the command that waits
        }
        m_bash->interpreter->interrupt();
        QTRY_COMPARE(cell->code, 130);
        QCOMPARE(cell->out, QByteArray());
        QCOMPARE(m_bash->run("echo $kept")->out, "yes\n"_ba);
    }
}

void TestBashInterpreter::aDeadShellIsReported_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<ExitStatus::Kind>("kind");
    QTest::addColumn<int>("value");
    QTest::newRow("a failure under set -e") << "set -e; false; echo no"_ba << ExitStatus::Kind::Exited << 1;
    QTest::newRow("a kill") << "kill -9 $$"_ba << ExitStatus::Kind::Signalled << 9;
    QTest::newRow("another program in its place") << "exec sh -c 'exit 3'"_ba << ExitStatus::Kind::Exited << 3;
}

void TestBashInterpreter::aDeadShellIsReported()
{
    QFETCH(const QByteArray, code);
    QFETCH(const ExitStatus::Kind, kind);
    QFETCH(const int, value);
    const CellRecordPtr cell = m_bash->run("echo last words\n" + code);
    QCOMPARE(cell->deaths, 1);
    QVERIFY(!cell->code);
    QCOMPARE(cell->out, "last words\n"_ba);
    QCOMPARE(m_bash->interpreter->end()->status->kind, kind);
    QCOMPARE(m_bash->interpreter->end()->status->value, value);
}

void TestBashInterpreter::aLongCellArrivesWhole()
{
    QCOMPARE(m_bash->run("x='" + QByteArray(500'000, 'x') + "'; echo ${#x}")->out, "500000\n"_ba);
}

SANDBOXIO_TEST(TestBashInterpreter)
#include "tst_bashinterpreter.moc"
