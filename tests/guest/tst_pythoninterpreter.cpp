// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "interpreterharness.h"
#include "support/testprogram.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace Sandboxio;
using namespace Sandboxio::Guest;
using namespace Sandboxio::Guest::Test;
using namespace Qt::StringLiterals;

/// The persistent interpreter of the host's python3, in a real guest.
class TestPythonInterpreter : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_python.reset(); }
    void cells_data();
    void cells();
    void stateIsKept();
    void tracebacksShowTheCellAndNothingOfOurs();
    void allOutputComesBeforeTheEnd();
    void aSlowConsumerStopsTheCell();
    void aConsumerThatLeftDoesNotStopTheNextCells();
    void aClosedStandardOutputIsMended();
    void childrenDoNotAnswerForTheirParent();
    void whatIsPrintedBetweenCellsBelongsToTheNext();
    void cellsOfOneContextWait();
    void contextsRunAtTheSameTime();
    void aWaitingCellCanBeForgotten();
    void anInterruptEndsTheCellAndKeepsTheState_data();
    void anInterruptEndsTheCellAndKeepsTheState();
    void anInterruptBetweenCellsIsNothing();
    void aDeadInterpreterIsReported_data();
    void aDeadInterpreterIsReported();
    void waitingCellsHearOfTheDeath();
    void interpretersThatBreakTheProtocolAreKilled_data();
    void interpretersThatBreakTheProtocolAreKilled();
    void killingTakesTheChildrenAlong();
    void aLongCellArrivesWhole();
    void valuesComeInTheFormatsTheyOffer_data();
    void valuesComeInTheFormatsTheyOffer();
    void severalValuesCanBeShown();
    void aFormatThatRaisesIsToldAndLeftOut();
    void whatIsTooLargeIsToldAndNotShown();
    void figuresAreShownWithoutBeingSaved();

private:
    std::unique_ptr<InterpreterHarness> m_python;
};

void TestPythonInterpreter::init()
{
    if (QStandardPaths::findExecutable(u"python3"_s).isEmpty())
        QSKIP("there is no python3");
    m_python = std::make_unique<InterpreterHarness>(u"python"_s);
    QVERIFY(m_python->waitReady());
}

void TestPythonInterpreter::cells_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QByteArray>("output");
    QTest::addColumn<QByteArray>("inErrors");
    QTest::addColumn<QByteArray>("value");
    const auto row = [](const char *name, const QByteArray &code, int exitCode, const QByteArray &output,
                        const QByteArray &inErrors = {}, const QByteArray &value = {}) {
        QTest::newRow(name) << code << exitCode << output << inErrors << value;
    };
    row("nothing", "", 0, "");
    row("a value is a result and not printed", "1 + 1", 0, "", {}, "2");
    row("the value of the last expression alone", "'a'\nprint('x')\n'b'", 0, "x\n", {}, "'b'");
    row("a semicolon hides the value", "('gr\xc3\xbc\xc3\x9f') ; # why", 0, "");
    row("a semicolon in a comment does not", "'a' # ;", 0, "", {}, "'a'");
    row("None is no value", "None", 0, "");
    row("an assignment has no value", "a = 5", 0, "");
    row("non-ASCII text", "print('gr\xc3\xbc\xc3\x9f')", 0, "gr\xc3\xbc\xc3\x9f\n");
    row("the real descriptor", "import os\nn = os.write(1, b'raw')", 0, "raw");
    row("children print too", "import os\nn = os.system('echo out; echo err >&2')", 0, "out\n", "err");
    row("a thread prints",
        "import threading\nt = threading.Thread(target=print, args=['t'])\nt.start()\nt.join()", 0, "t\n");
    row("an exception", "1/0", 1, "", "ZeroDivisionError: division by zero");
    row("a syntax error", "if", 1, "", "SyntaxError");
    row("an exit code", "import sys; sys.exit(7)", 7, "");
    row("an exit without a code", "raise SystemExit", 0, "");
    row("an exit text", "raise SystemExit('why')", 1, "", "why");
    row("an exit code of a function of the site", "exit(3)", 3, "");
    row("input() is refused", "input('name? ')", 1, "", "input() cannot ask anybody in a context");
    row("standard input is empty", "import sys; sys.stdin.read()", 0, "", {}, "''");
    row("top-level await", "import asyncio\nawait asyncio.sleep(0)\nprint('slept')", 0, "slept\n");
    row("the value of an await", "import asyncio\nawait asyncio.sleep(0, 'v')", 0, "", {}, "'v'");
    row("an asynchronous loop", "async def g():\n    yield 1\nasync for i in g():\n    print(i)", 0, "1\n");
    row("an event loop of its own", "import asyncio\nasync def f(): return 4\nasyncio.run(f())", 0, "", {},
        "4");
    row("the name of the module", "__name__", 0, "", {}, "'__main__'");
    row("arguments", "import sys; sys.argv", 0, "", {}, "['']");
    row("nothing of ours in the namespace", "[n for n in dir() if not n.startswith('__')]", 0, "", {}, "[]");
    row("classes can be pickled",
        "import pickle\nclass A: pass\ntype(pickle.loads(pickle.dumps(A()))).__name__", 0, "", {}, "'A'");
    row("a child process of multiprocessing",
        "import multiprocessing as m\np = m.get_context('fork').Process(target=print, "
        "args=['c'])\np.start()\np.join()",
        0, "c\n");
    row("a representation that raises", "class A:\n    def __repr__(self): return 1/0\nA()", 1, "",
        "ZeroDivisionError");
    row("too deep a recursion", "def f(): f()\nf()", 1, "", "RecursionError");
}

void TestPythonInterpreter::cells()
{
    QFETCH(const QByteArray, code);
    QFETCH(const int, exitCode);
    QFETCH(const QByteArray, output);
    QFETCH(const QByteArray, inErrors);
    QFETCH(const QByteArray, value);
    const CellRecordPtr cell = m_python->run(code);
    QCOMPARE(cell->out, output);
    QVERIFY2(cell->err.contains(inErrors), cell->err.constData());
    QCOMPARE(cell->err.isEmpty(), inErrors.isEmpty());
    QCOMPARE(cell->code, exitCode);
    QCOMPARE(cell->results.size(), value.isEmpty() ? 0 : 1);
    QCOMPARE(cell->text(), value);
    QCOMPARE(m_python->run("print('next')")->out, "next\n"_ba); // the context goes on
}

void TestPythonInterpreter::stateIsKept()
{
    m_python->run(
        "from __future__ import annotations\nimport os\nkept = 5\ndef f(): return kept\nos.chdir('/')");
    QCOMPARE(m_python->run("kept += 1\nf(), os.getcwd()")->text(), "(6, '/')"_ba);
    QCOMPARE(m_python->run("def g(x: no_such_name): pass")->code, 0); // the future statement stays
}

void TestPythonInterpreter::tracebacksShowTheCellAndNothingOfOurs()
{
    m_python->run("def f():\n    return 1/0");
    const QByteArray errors = m_python->run("f()")->err;
    QVERIFY2(errors.startsWith(
                 "Traceback (most recent call last):\n  File \"<cell 2>\", line 1, in <module>\n    f()"),
             errors.constData());
    QVERIFY2(errors.contains("File \"<cell 1>\", line 2, in f\n    return 1/0"), errors.constData());
    QVERIFY2(!errors.contains("sandboxio"), errors.constData());
}

void TestPythonInterpreter::allOutputComesBeforeTheEnd()
{
    for (int i = 0; i < 5; ++i) {
        const CellRecordPtr cell =
            m_python->run("import os, sys\nfor stream in (2, 1):\n    left = 3_000_000\n"
                          "    while left: left -= os.write(stream, b'x' * min(left, 50_000))\nsys.exit(3)");
        QCOMPARE(cell->out.size(), 3'000'000);
        QCOMPARE(cell->err.size(), 3'000'000);
        QCOMPARE(cell->code, 3);
        QVERIFY(!cell->spokeAfterTheEnd);
    }
}

void TestPythonInterpreter::aSlowConsumerStopsTheCell()
{
    const CellRecordPtr cell = m_python->submit("print('x' * 10_000_000)", Crediting::Manual);
    QTRY_COMPARE(cell->out.size(), qsizetype(outputWindow));
    QTest::qWait(200); // nothing more may come
    QCOMPARE(cell->out.size(), qsizetype(outputWindow));
    QVERIFY(!cell->code);
    QVERIFY(m_python->takeOutput(cell));
    QCOMPARE(cell->out.size(), 10'000'001);
    QCOMPARE(cell->code, 0);
}

void TestPythonInterpreter::aConsumerThatLeftDoesNotStopTheNextCells()
{
    for (int i = 0; i < 3; ++i) { // its credit would be used up by then
        const CellRecordPtr cell = m_python->submit("print('x' * 900_000)", Crediting::Manual);
        QTRY_VERIFY(cell->code);
        QCOMPARE(cell->out.size(), 900'001);
    }
    const CellRecordPtr left = m_python->submit("print('x' * 5_000_000)", Crediting::Manual);
    QTRY_VERIFY(left->out.size() > 0);
    m_python->interpreter->forget(left->id);
    const CellRecordPtr next = m_python->run("print('next')");
    QCOMPARE(next->out, "next\n"_ba);
    QVERIFY(!left->code);
}

void TestPythonInterpreter::aClosedStandardOutputIsMended()
{
    for (const QByteArray &code :
         {"import os; os.close(1); os.close(2)"_ba, "import sys; sys.stdout.close(); sys.stderr.close()"_ba,
          "import os; os.dup2(os.open('/dev/null', os.O_WRONLY), 1); 1"_ba}) {
        QCOMPARE(m_python->run(code)->code, 0);
        const CellRecordPtr cell = m_python->run("import sys\nprint('out')\nprint('err', file=sys.stderr)");
        QCOMPARE(cell->out, "out\n"_ba);
        QCOMPARE(cell->err, "err\n"_ba);
    }
}

void TestPythonInterpreter::childrenDoNotAnswerForTheirParent()
{
    const CellRecordPtr cell =
        m_python->run("import os, time\nchild = os.fork()\nif child:\n    os.waitpid(child, 0)\n"
                      "    print('parent')\nelse:\n    print('child')\nchild == 0");
    QCOMPARE(cell->out, "child\nparent\n"_ba);
    QCOMPARE(cell->results.size(), 1);
    QCOMPARE(cell->text(), "False"_ba);
    QCOMPARE(cell->code, 0);
    const CellRecordPtr failing = m_python->run("if os.fork() == 0: raise SystemExit(9)\nos.wait()[1] >> 8");
    QCOMPARE(failing->text(), "9"_ba);
    QCOMPARE(failing->code, 0);
}

void TestPythonInterpreter::whatIsPrintedBetweenCellsBelongsToTheNext()
{
    m_python->run("import threading\nthreading.Timer(0.2, print, ['late']).start()");
    QTest::qWait(600);
    const CellRecordPtr next = m_python->run("print('next')");
    QCOMPARE(next->out, "late\nnext\n"_ba);
}

void TestPythonInterpreter::cellsOfOneContextWait()
{
    const CellRecordPtr first = m_python->submit("import time; time.sleep(0.3); order = ['first']");
    const CellRecordPtr second = m_python->submit("order.append('second'); order");
    QTRY_VERIFY(first->started);
    QVERIFY(!second->started);
    QTRY_VERIFY(second->code);
    QCOMPARE(second->text(), "['first', 'second']"_ba);
}

void TestPythonInterpreter::contextsRunAtTheSameTime()
{
    const std::unique_ptr<Interpreter> other = m_python->make();
    QVERIFY(other);
    const QTemporaryDir folder;
    const QByteArray path = folder.filePath(u"met"_s).toUtf8();
    const CellRecordPtr waiting = m_python->submit("import os, time\nwhile not os.path.exists('" + path +
                                                   "'): time.sleep(0.01)\nmine = 1");
    QTRY_VERIFY(waiting->started);
    const CellRecordPtr opening = m_python->submit(*other, "file = open('" + path + "', 'w')");
    QTRY_VERIFY(opening->code);
    QTRY_COMPARE(waiting->code, 0);
    const CellRecordPtr apart = m_python->submit(*other, "mine");
    QTRY_COMPARE(apart->code, 1);
}

void TestPythonInterpreter::aWaitingCellCanBeForgotten()
{
    const CellRecordPtr first = m_python->submit("import time; time.sleep(0.3)");
    const CellRecordPtr second = m_python->submit("ran = True");
    QTRY_VERIFY(first->started);
    m_python->interpreter->forget(second->id);
    QCOMPARE(m_python->run("'ran' in globals()")->text(), "False"_ba);
}

void TestPythonInterpreter::anInterruptEndsTheCellAndKeepsTheState_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<bool>("atOnce");
    QTest::newRow("while it sleeps") << "import time; time.sleep(600)"_ba << false;
    QTest::newRow("while it is busy") << "while True: pass"_ba << false;
    QTest::newRow("while it awaits") << "import asyncio\nawait asyncio.sleep(600)"_ba << false;
    QTest::newRow("while a child runs") << "import subprocess; subprocess.run(['sleep', '600'])"_ba << false;
    QTest::newRow("while a shell runs")
        << "import os\nwhile os.system('sleep 600') == 0: pass\nraise KeyboardInterrupt"_ba << false;
    QTest::newRow("before it has begun") << "import time; time.sleep(600)"_ba << true;
}

void TestPythonInterpreter::anInterruptEndsTheCellAndKeepsTheState()
{
    QFETCH(const QByteArray, code);
    QFETCH(const bool, atOnce);
    m_python->run("kept = 'yes'");
    const CellRecordPtr cell = m_python->submit(code);
    QTRY_VERIFY(m_python->interpreter->isRunning(cell->id));
    if (!atOnce) {
        QTRY_VERIFY(cell->started);
        QTest::qWait(200); // into the call that waits
    }
    m_python->interpreter->interrupt();
    QTRY_COMPARE(cell->code, 130);
    QVERIFY2(cell->err.contains("KeyboardInterrupt"), cell->err.constData());
    QVERIFY2(!cell->err.contains("sandboxio"), cell->err.constData());
    QCOMPARE(m_python->run("kept")->text(), "'yes'"_ba);
}

void TestPythonInterpreter::anInterruptBetweenCellsIsNothing()
{
    const QByteArray pid =
        m_python
            ->run("import os, signal\nold = signal.signal(signal.SIGINT, lambda *a: print('mine'))\n"
                  "os.getpid()")
            ->text();
    ::kill(pid.toInt(), SIGINT);
    QCOMPARE(m_python->run("'fine'")->text(), "'fine'"_ba);
    QCOMPARE(m_python->run("os.kill(os.getpid(), signal.SIGINT)")->out,
             "mine\n"_ba); // and a cell's handler is kept
}

void TestPythonInterpreter::aDeadInterpreterIsReported_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<ExitStatus::Kind>("kind");
    QTest::addColumn<int>("value");
    using Kind = ExitStatus::Kind;
    QTest::newRow("os._exit") << "os._exit(3)"_ba << Kind::Exited << 3;
    QTest::newRow("a segmentation fault")
        << "import ctypes; ctypes.string_at(0)"_ba << Kind::Signalled << SIGSEGV;
    QTest::newRow("a kill") << "os.kill(os.getpid(), 9)"_ba << Kind::Signalled << SIGKILL;
}

void TestPythonInterpreter::aDeadInterpreterIsReported()
{
    QFETCH(const QByteArray, code);
    QFETCH(const ExitStatus::Kind, kind);
    QFETCH(const int, value);
    const CellRecordPtr cell = m_python->run("import os\nprint('last words')\n" + code);
    QCOMPARE(cell->deaths, 1);
    QVERIFY(!cell->code);
    QCOMPARE(cell->out, "last words\n"_ba);
    QTRY_COMPARE(cell->streamEnds, 2);
    QVERIFY(m_python->interpreter->end()->status);
    QCOMPARE(m_python->interpreter->end()->status->kind, kind);
    QCOMPARE(m_python->interpreter->end()->status->value, value);
    QVERIFY(m_python->interpreter->end()->problem.isEmpty());
}

void TestPythonInterpreter::waitingCellsHearOfTheDeath()
{
    const CellRecordPtr first = m_python->submit("import os, time; time.sleep(0.1); os._exit(0)");
    const CellRecordPtr second = m_python->submit("1");
    QTRY_COMPARE(second->deaths, 1);
    QCOMPARE(first->deaths, 1);
    QVERIFY(!second->started);
}

void TestPythonInterpreter::interpretersThatBreakTheProtocolAreKilled_data()
{
    QTest::addColumn<QByteArray>("code");
    const QByteArray find = "import os, stat, time\nfor fd in range(3, 256):\n    try:\n"
                            "        if not stat.S_ISSOCK(os.fstat(fd).st_mode): continue\n"
                            "    except OSError: continue\n    ";
    QTest::newRow("all its descriptors closed")
        << "import os, time\nos.closerange(3, 4096)\ntime.sleep(600)"_ba;
    QTest::newRow("nonsense in the control stream") << find + "os.write(fd, b'nonsense\\n')\ntime.sleep(600)";
    QTest::newRow("another cell's end") << find + "os.write(fd, b'end 99 0 0\\n')\ntime.sleep(600)";
    QTest::newRow("a second start") << find + "os.write(fd, b'started 1 0\\n')\ntime.sleep(600)";
    QTest::newRow("a result that is none") << find + "os.write(fd, b'output 1 2\\n[]')\ntime.sleep(600)";
}

void TestPythonInterpreter::interpretersThatBreakTheProtocolAreKilled()
{
    QFETCH(const QByteArray, code);
    const CellRecordPtr cell = m_python->run(code);
    QCOMPARE(cell->deaths, 1);
    QVERIFY(!cell->code);
    QVERIFY(!m_python->interpreter->end()->problem.isEmpty());
    QTRY_VERIFY(m_python->guest.processes("python3"_ba).isEmpty());
}

void TestPythonInterpreter::killingTakesTheChildrenAlong()
{
    m_python->run("import subprocess\nchild = subprocess.Popen(['setsid', 'sleep', '601'])");
    QTRY_COMPARE(m_python->guest.processes("sleep\0"_ba + "601"_ba).size(), 1);
    const CellRecordPtr cell = m_python->submit("import time; time.sleep(600)");
    QTRY_VERIFY(cell->started);
    bool killed = false;
    m_python->interpreter->kill(
        [&](const std::expected<void, FileError> &reply) { killed = reply.has_value(); });
    QTRY_VERIFY(killed);
    QCOMPARE(cell->deaths, 1);
    QVERIFY(m_python->interpreter->end()->killed);
    QVERIFY(m_python->guest.processes("sleep"_ba).isEmpty());
    const std::unique_ptr<Interpreter> other = m_python->make();
    QVERIFY(other);
}

void TestPythonInterpreter::aLongCellArrivesWhole()
{
    const QByteArray long_ = "text = '''" + QByteArray(5'000'000, 'x') + "'''\nlen(text)";
    QCOMPARE(m_python->run(long_)->text(), "5000000"_ba);
}

void TestPythonInterpreter::valuesComeInTheFormatsTheyOffer_data()
{
    QTest::addColumn<QByteArray>("methods");
    QTest::addColumn<RichOutput>("expected");
    const auto row = [](const char *name, const QByteArray &methods, QMap<QString, QByteArray> bundle) {
        bundle.insert(u"text/plain"_s, "plain"_ba);
        QTest::newRow(name) << methods << RichOutput{bundle};
    };
    row("HTML, as pandas does", "def _repr_html_(self): return '<b>gr\xc3\xbc\xc3\x9f</b>'",
        {{u"text/html"_s, "<b>gr\xc3\xbc\xc3\x9f</b>"_ba}});
    row("Markdown and LaTeX",
        "def _repr_markdown_(self): return '# m'\n    def _repr_latex_(self): return '$x$'",
        {{u"text/markdown"_s, "# m"_ba}, {u"text/latex"_s, "$x$"_ba}});
    row("SVG and JavaScript",
        "def _repr_svg_(self): return '<svg/>'\n    def _repr_javascript_(self): return 'f()'",
        {{u"image/svg+xml"_s, "<svg/>"_ba}, {u"application/javascript"_s, "f()"_ba}});
    row("a PNG, as Pillow does", "def _repr_png_(self): return b'\\x89PNG'", {{u"image/png"_s, "\x89PNG"_ba}});
    row("a PNG in base64", "def _repr_png_(self): return 'iVBO\\nRw=='", {{u"image/png"_s, "\x89PNG"_ba}});
    row("a JPEG and a PDF with metadata",
        "def _repr_jpeg_(self): return b'jpg', {'width': 1}\n    def _repr_pdf_(self): return b'pdf'",
        {{u"image/jpeg"_s, "jpg"_ba}, {u"application/pdf"_s, "pdf"_ba}});
    row("JSON", "def _repr_json_(self): return {'a': [1]}", {{u"application/json"_s, "{\"a\": [1]}"_ba}});
    row("none", "def _repr_html_(self): return None", {});
    row("a bundle",
        "def _repr_mimebundle_(self, include=None, exclude=None): return {'text/x': 'x', 'text/html': 'b'}\n"
        "    def _repr_html_(self): return 'not asked'",
        {{u"text/x"_s, "x"_ba}, {u"text/html"_s, "b"_ba}});
    row("a bundle with metadata", "def _repr_mimebundle_(self, **k): return {'text/x': 'x'}, {}",
        {{u"text/x"_s, "x"_ba}});
    row("a figure of plotly",
        "def to_plotly_json(self): return {}\n    def to_json(self): return '{\"data\": []}'",
        {{u"application/vnd.plotly.v1+json"_s, "{\"data\": []}"_ba}});
}

void TestPythonInterpreter::valuesComeInTheFormatsTheyOffer()
{
    QFETCH(const QByteArray, methods);
    QFETCH(const RichOutput, expected);
    const CellRecordPtr cell =
        m_python->run("class A:\n    def __repr__(self): return 'plain'\n    " + methods + "\nA()");
    QCOMPARE(cell->err, QByteArray());
    QCOMPARE(cell->out, QByteArray());
    QCOMPARE(cell->results, QList<RichOutput>{expected});
    QVERIFY(!m_python->run("A")->text().isEmpty()); // the class itself offers none of it
}

void TestPythonInterpreter::severalValuesCanBeShown()
{
    const CellRecordPtr cell = m_python->run("display(1, 'b')\ndisplay(3)\n4");
    QCOMPARE(cell->results.size(), 4);
    QCOMPARE(cell->text(0) + cell->text(1) + cell->text(2) + cell->text(3), "1'b'34"_ba);
}

void TestPythonInterpreter::aFormatThatRaisesIsToldAndLeftOut()
{
    const CellRecordPtr cell = m_python->run("class A:\n    def __repr__(self): return 'plain'\n"
                                             "    def _repr_html_(self): return 1/0\nA()");
    QCOMPARE(cell->results, QList<RichOutput>({{{{u"text/plain"_s, "plain"_ba}}}}));
    QVERIFY(cell->err.contains("ZeroDivisionError"));
    QCOMPARE(cell->code, 0);
}

void TestPythonInterpreter::whatIsTooLargeIsToldAndNotShown()
{
    const CellRecordPtr cell = m_python->run("display('x' * 17_000_000)\n'small'");
    QCOMPARE(cell->results.size(), 1);
    QCOMPARE(cell->text(), "'small'"_ba);
    QVERIFY2(cell->err.contains("too large"), cell->err.constData());
    const CellRecordPtr many = m_python->run("for i in range(10): display('x' * 10_000_000)");
    QCOMPARE(many->results.size(), 6);
    QCOMPARE(many->err.count("too large"), 4);
    QCOMPARE(many->code, 0);
}

// A stand-in with matplotlib's names: this test needs no package.
void TestPythonInterpreter::figuresAreShownWithoutBeingSaved()
{
    const QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir(u"matplotlib"_s));
    const auto write = [&](const QString &name, const QByteArray &text) {
        QFile file(folder.filePath(u"matplotlib/"_s + name));
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    };
    QVERIFY(write(u"__init__.py"_s, ""_ba));
    QVERIFY(write(
        u"figure.py"_s,
        "class Figure:\n    def __init__(self, n): self.n = n\n"
        "    def __repr__(self): return 'figure %s' % self.n\n"
        "    def savefig(self, file, format, **k): file.write(b'%s %d' % (format.encode(), self.n))\n"_ba));
    QVERIFY(write(u"pyplot.py"_s,
                  "from .figure import Figure\nopen_ = {}\ndef show(): raise RuntimeError('no display')\n"
                  "def get_fignums(): return sorted(open_)\ndef close(f): del open_[f.n]\n"
                  "def figure(n=None):\n    n = n or len(open_) + 1\n    show.__signature__ = None\n"
                  "    return open_.setdefault(n, Figure(n)) if n not in open_ else open_[n]\n"_ba));
    m_python->run("import sys; sys.path.insert(0, '" + folder.path().toUtf8() + "')");
    const auto pictures = [](const CellRecordPtr &cell) {
        QByteArrayList found;
        for (const RichOutput &output : cell->results)
            found.append(output.bundle.value(u"image/png"_s));
        return found;
    };
    const CellRecordPtr atTheEnd =
        m_python->run("import matplotlib.pyplot as plt\nf = plt.figure(); g = plt.figure()");
    QCOMPARE(pictures(atTheEnd), (QByteArrayList{"png 1"_ba, "png 2"_ba}));
    QCOMPARE(atTheEnd->text(), "figure 1"_ba);
    QCOMPARE(m_python->run("1")->results.size(), 1); // shown once and closed
    const CellRecordPtr shown = m_python->run(
        "f = plt.figure()\nplt.show()\ng = plt.figure()\nimport os; n = os.environ['MPLBACKEND']");
    QCOMPARE(pictures(shown), (QByteArrayList{"png 1"_ba, "png 1"_ba}));
    QCOMPARE(m_python->run("n")->text(), "'agg'"_ba);
    QCOMPARE(pictures(m_python->run("plt.figure()")),
             QByteArrayList{"png 1"_ba}); // a value, and once all the same
    QCOMPARE(pictures(m_python->run("plt.figure()\n1/0")), QByteArrayList{"png 1"_ba});
}

SANDBOXIO_TEST(TestPythonInterpreter)
#include "tst_pythoninterpreter.moc"
