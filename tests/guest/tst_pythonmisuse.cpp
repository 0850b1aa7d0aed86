// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "interpreterharness.h"
#include "support/testprogram.h"

#include <QFile>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace Sandboxio;
using namespace Sandboxio::Guest;
using namespace Sandboxio::Guest::Test;
using namespace Qt::StringLiterals;

/// Cells that take the ground from under the persistent python interpreter, in a real guest: each ends, and the next
/// one runs.
class TestPythonMisuse : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_python.reset(); }
    void theContextGoesOn_data();
    void theContextGoesOn();
    void aStreamThatOnlyWritesStays();
    void aHandlerOfACellIsInForceInCellsAlone();
    void anEndThatWasHeldBackIsNotToldAfterTheDeath();
    void aThreadMayShowValuesAtAnyTime();
    void badFormatsAreLeftOut_data();
    void badFormatsAreLeftOut();
    void modulesOfTheWorkingDirectoryDoNotKeepItFromStarting();
    void interruptsAreRepeatedOnceHoweverOftenOneIsAskedFor();

private:
    std::unique_ptr<InterpreterHarness> m_python;
};

void TestPythonMisuse::init()
{
    if (QStandardPaths::findExecutable(u"python3"_s).isEmpty())
        QSKIP("there is no python3");
    m_python = std::make_unique<InterpreterHarness>(u"python"_s);
    QVERIFY(m_python->waitReady());
}

void TestPythonMisuse::theContextGoesOn_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<int>("exitCode");
    const auto row = [](const char *name, const QByteArray &code, int exitCode) {
        QTest::newRow(name) << "import os, signal, sys\n" + code << exitCode;
    };
    const QByteArray interrupt = "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
                                 "def interrupt(): os.kill(os.getpid(), signal.SIGINT)\n";
    row("standard output is detached", "raw = sys.stdout.detach()", 0);
    row("standard output is deleted", "del sys.stdout", 0);
    row("standard output is None", "sys.stdout = None", 0);
    row("standard error is deleted and the cell fails", "del sys.stderr\n1/0", 1);
    row("standard input is deleted", "del sys.stdin", 0);
    row("standard output raises at every question",
        "class Stream:\n    def __getattribute__(self, name): raise SystemExit(3)\nsys.stdout = Stream()", 0);
    row("an exit with what cannot be told",
        "class Why:\n    def __str__(self): return 1/0\nraise SystemExit(Why())", 1);
    row("an exit text without standard error", "sys.stderr.close()\nsys.exit('why')", 1);
    row("an exception without standard error", "sys.stderr.close()\n1/0", 1);
    row("a value without standard error and its format raises",
        "class Value:\n    def _repr_html_(self): return 1/0\nsys.stderr.close()\nValue()", 0);
    row("a hook for exceptions that exits", "def hook(*a): sys.exit(4)\nsys.excepthook = hook\n1/0", 1);
    row("an interrupt while an exit is told",
        interrupt +
            "class Stream:\n    def write(self, text): interrupt()\nsys.stderr = Stream()\nsys.exit('why')",
        1);
    row("an interrupt while the output is flushed",
        interrupt + "class Stream:\n    def write(self, text): pass\n    def flush(self): interrupt()\n"
                    "sys.stdout, old = Stream(), sys.stdout",
        0);
    row("an alarm while the cell ends",
        "def alarm(*a): raise TimeoutError\nsignal.signal(signal.SIGALRM, alarm)\n"
        "class Stream:\n    def write(self, text): pass\n    def flush(self): os.kill(os.getpid(), "
        "signal.SIGALRM)\n"
        "sys.stdout = Stream()",
        0);
}

void TestPythonMisuse::theContextGoesOn()
{
    QFETCH(const QByteArray, code);
    QFETCH(const int, exitCode);
    const CellRecordPtr cell = m_python->run(code);
    QVERIFY2(cell->code, cell->err.constData());
    QCOMPARE(cell->code, exitCode);
    const CellRecordPtr mending =
        m_python->run("import sys\nsys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__\n");
    QCOMPARE(mending->code, 0);
    const CellRecordPtr next = m_python->run("print('out')\nprint('err', file=sys.stderr)\n'value'");
    QCOMPARE(next->code, 0);
    QCOMPARE(next->out, "out\n"_ba);
    QVERIFY2(next->err.endsWith("err\n"), next->err.constData());
    QCOMPARE(next->text(), "'value'"_ba);
}

void TestPythonMisuse::aStreamThatOnlyWritesStays()
{
    m_python->run("import sys\nclass Tee:\n    kept = ''\n    def write(self, text): self.kept += text\n"
                  "sys.stdout = Tee()");
    QCOMPARE(m_python->run("print('x')\nsys.stdout.kept")->text(), "'x\\n'"_ba);
}

void TestPythonMisuse::aHandlerOfACellIsInForceInCellsAlone()
{
    m_python->run("import os, signal\nseen = []\nsignal.signal(signal.SIGINT, lambda *a: seen.append(1)); 0");
    const CellRecordPtr early = m_python->submit("import time\nwhile not seen: time.sleep(0.01)\nlen(seen)");
    QTRY_VERIFY(m_python->interpreter->isRunning(early->id));
    m_python->interpreter->interrupt(); // as soon as it has started
    QTRY_COMPARE(early->code, 0);
    QCOMPARE(early->text(), "1"_ba);
    const CellRecordPtr raising =
        m_python->run("signal.signal(signal.SIGINT, signal.default_int_handler)\n1/0");
    QCOMPARE(raising->code, 1);
    QCOMPARE(m_python->run("signal.getsignal(signal.SIGINT) is signal.default_int_handler")->text(), "True"_ba);
    const CellRecordPtr cell = m_python->submit("time.sleep(600)");
    QTRY_VERIFY(m_python->interpreter->isRunning(cell->id));
    m_python->interpreter->interrupt();
    QTRY_COMPARE(cell->code, 130);
}

void TestPythonMisuse::anEndThatWasHeldBackIsNotToldAfterTheDeath()
{
    const CellRecordPtr cell = m_python->submit(
        "import os, sys, threading, time\n"
        "def die_when_it_has_ended():\n    main = threading.main_thread().ident\n"
        "    while sys._current_frames()[main].f_code.co_name != 'read_until': time.sleep(0.01)\n"
        "    os.kill(os.getpid(), 9)\n"
        "print('x' * 1_100_000)\nthreading.Thread(target=die_when_it_has_ended).start()",
        Crediting::Manual);
    QTRY_COMPARE(cell->deaths, 1);
    QCOMPARE(cell->out.size(), qsizetype(outputWindow));
    QVERIFY(!cell->code);
    m_python->interpreter->credit(cell->id, StreamId::Stdout, cell->out.size());
    QTRY_COMPARE(cell->out.size(), 1'100'001);
    QTRY_COMPARE(cell->streamEnds, 2);
    m_python->guest.finish(command({"true"})); // what it had said is here by now
    QVERIFY(!cell->code);
    QVERIFY(!cell->spokeAfterTheEnd);
    QCOMPARE(cell->deaths, 1);
}

void TestPythonMisuse::aThreadMayShowValuesAtAnyTime()
{
    m_python->run("import sys, threading\nsys.setswitchinterval(1e-6)\nstop = False\n"
                  "def show():\n    while not stop: display(1)\n"
                  "threads = [threading.Thread(target=show) for i in range(3)]\n"
                  "for thread in threads: thread.start()");
    for (int i = 0; i < 100; ++i)
        QCOMPARE(m_python->run("0;")->code, 0);
    QCOMPARE(m_python->run("stop = True\nfor thread in threads: thread.join()")->code, 0);
}

void TestPythonMisuse::badFormatsAreLeftOut_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QByteArray>("inErrors");
    const auto row = [](const char *name, const QByteArray &methods, const QByteArray &inErrors) {
        QTest::newRow(name) << "class A:\n    def __repr__(self): return 'plain'\n    " + methods + "\nA()"
                            << inErrors;
    };
    row("a number as a MIME type", "def _repr_mimebundle_(self, **k): return {1: 'x'}", "format 1 of a result");
    row("no MIME type", "def _repr_mimebundle_(self, **k): return {'text': 'x'}", "format 'text' of a result");
    row("no base64", "def _repr_png_(self): return 'no base64!'", "binascii.Error");
    row("base64 beyond ASCII", "def _repr_jpeg_(self): return 'gr\xc3\xbc\xc3\x9f'", "ValueError");
    row("what is no JSON", "def _repr_json_(self): return {1, 2}", "not JSON serializable");
    row("an attribute that raises", "@property\n    def _repr_html_(self): return 1/0", "ZeroDivisionError");
    row("every attribute raises", "def __getattr__(self, name): return 1/0", "ZeroDivisionError");
    row("half a surrogate pair", "def _repr_mimebundle_(self, **k): return {'text/plain': 'pl\\ud800ain'}", "");
    QTest::newRow("a mock, which has every attribute")
        << "from unittest.mock import MagicMock\nMagicMock(name='plain')"_ba << QByteArray();
}

void TestPythonMisuse::badFormatsAreLeftOut()
{
    QFETCH(const QByteArray, code);
    QFETCH(const QByteArray, inErrors);
    const CellRecordPtr cell = m_python->run(code);
    QCOMPARE(cell->code, 0);
    QVERIFY2(cell->err.contains(inErrors), cell->err.constData());
    QCOMPARE(cell->err.isEmpty(), inErrors.isEmpty());
    QCOMPARE(cell->results.size(), 1);
    QCOMPARE(cell->results.first().bundle.keys(), QStringList{u"text/plain"_s});
    QVERIFY2(cell->text().contains("pl"), cell->text().constData());
    QCOMPARE(m_python->run("1 + 1")->text(), "2"_ba);
}

void TestPythonMisuse::modulesOfTheWorkingDirectoryDoNotKeepItFromStarting()
{
    const QTemporaryDir folder;
    for (const QString &name : {u"ast"_s, u"base64"_s, u"fcntl"_s, u"json"_s, u"socket"_s, u"signal"_s,
                                u"threading"_s, u"traceback"_s, u"ctypes"_s, u"mine"_s}) {
        QFile module(folder.filePath(name + u".py"_s));
        QVERIFY(module.open(QIODevice::WriteOnly));
        QVERIFY(module.write(name == u"mine"_s ? "value = 5" : "raise RuntimeError('mine')") > 0);
    }
    const std::unique_ptr<Interpreter> there = m_python->make(folder.path());
    QVERIFY(there);
    const CellRecordPtr cell = m_python->submit(*there, "import mine\nmine.value");
    QTRY_COMPARE(cell->code, 0);
    QCOMPARE(cell->text(), "5"_ba); // they are found all the same
}

void TestPythonMisuse::interruptsAreRepeatedOnceHoweverOftenOneIsAskedFor()
{
    InterpreterProgram program = interpreterProgram(u"python"_s);
    program.repeatsInterrupts = true;
    m_python->interpreter =
        std::make_unique<Interpreter>(m_python->guest.client(), Spawn(), program, Interpreter::Handlers());
    m_python->interpreter->start();
    const CellRecordPtr cell =
        m_python->submit("import signal, time\nseen = 0\ndef count(*a):\n    global seen\n    seen += 1\n"
                         "signal.signal(signal.SIGINT, count)\nprint('go')\n"
                         "end = time.monotonic() + 2.1\nwhile time.monotonic() < end: time.sleep(0.01)\nseen");
    QTRY_COMPARE(cell->out, "go\n"_ba);
    for (int i = 0; i < 10; ++i) {
        m_python->interpreter->interrupt(cell->id);
        m_python->guest.finish(command({"true"})); // each of its own
    }
    QTRY_COMPARE(cell->code, 0);
    // Ten that were asked for, and one more in each quarter of a second.
    QVERIFY2(cell->text().toInt() > 1 && cell->text().toInt() <= 10 + 9, cell->text().constData());
    QCOMPARE(m_python->run("1 + 1")->text(), "2"_ba);
}

SANDBOXIO_TEST(TestPythonMisuse)
#include "tst_pythonmisuse.moc"
