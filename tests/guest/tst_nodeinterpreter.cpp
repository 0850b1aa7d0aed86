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

/// The persistent interpreter of the host's node, in a real guest.
class TestNodeInterpreter : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void cleanupTestCase() { m_node.reset(); }
    void cells_data();
    void cells();
    void stateIsKept_data();
    void stateIsKept();
    void modulesAreThoseOfTheWorkingDirectory();
    void tracebacksShowTheCellAndNothingOfOurs();
    void allOutputComesBeforeTheEnd();
    void aSlowConsumerStopsTheCell();
    void closedStreamsStayOpen_data();
    void closedStreamsStayOpen();
    void childrenSeeNothingOfOurs();
    void whatIsPrintedBetweenCellsBelongsToTheNext();
    void anInterruptEndsTheCellAndKeepsTheState_data();
    void anInterruptEndsTheCellAndKeepsTheState();
    void whatAnInterruptedCellLeftDoesNotStandInTheWay();
    void aHandlerOfACellHearsTheInterrupt();
    void anInterruptBetweenCellsIsNothing();
    void aDeadInterpreterIsReported_data();
    void aDeadInterpreterIsReported();
    void killingTakesTheChildrenAlong();
    void aLongCellArrivesWhole();
    void valuesComeInTheFormatsTheyOffer_data();
    void valuesComeInTheFormatsTheyOffer();
    void badFormatsAreLeftOut_data();
    void badFormatsAreLeftOut();
    void severalValuesCanBeShown();
    void whatIsTooLargeIsToldAndNotShown();
    void nothingIsShownOutsideOfACell();

private:
    std::unique_ptr<InterpreterHarness> m_node;
};

// Rows that leave nothing behind have one interpreter for all.
static bool rowsShareOne()
{
    return QByteArrayList{"cells", "valuesComeInTheFormatsTheyOffer", "badFormatsAreLeftOut"}.contains(
        QTest::currentTestFunction());
}

void TestNodeInterpreter::cleanup()
{
    if (!rowsShareOne() || QTest::currentTestFailed())
        m_node.reset();
}

void TestNodeInterpreter::init()
{
    if (m_node && rowsShareOne())
        return;
    if (QStandardPaths::findExecutable(u"node"_s).isEmpty())
        QSKIP("there is no node");
    m_node = std::make_unique<InterpreterHarness>(u"javascript"_s);
    QVERIFY(m_node->waitReady());
}

void TestNodeInterpreter::cells_data()
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
    row("the lines of standard input",
        "for await (const line of require('readline').createInterface(process.stdin)) console.log(line)", 0,
        ""); // before it has ended
    row("nothing", "", 0, "");
    row("a value is a result and not printed", "1 + 1", 0, "", {}, "2");
    row("the value of the last expression alone", "'a'\nconsole.log('x')\n'b';", 0, "x\n", {}, "'b'");
    row("undefined is no value", "undefined", 0, "");
    row("a declaration has no value", "5; const a = 5", 0, "");
    row("a statement has no value", "if (true) 7", 0, "");
    row("an object", "{ a: 1, b: [2] }", 0, "", {}, "{ a: 1, b: [ 2 ] }");
    row("a block", "{ let k = 1; k }", 0, "");
    row("non-ASCII text", "console.log('gr\xc3\xbc\xc3\x9f')", 0, "gr\xc3\xbc\xc3\x9f\n");
    row("both streams", "console.log('out'); console.error('err')", 0, "out\n", "err\n");
    row("the real descriptor", "fs.writeSync(1, 'raw'); 0", 0, "raw", {}, "0");
    row("children print too",
        "require('child_process').execSync('echo out; echo err >&2', { stdio: 'inherit' }); 0", 0, "out\n",
        "err", "0");
    row("what waits for a turn of the loop", "await new Promise((r) => setTimeout(r, 10)); console.log('t')", 0,
        "t\n");
    row("an exception", "throw new RangeError('too far')", 1, "", "RangeError: too far");
    row("a thrown text", "throw 'why'", 1, "", "Uncaught 'why'");
    row("a syntax error", "const x = ;", 1, "",
        "const x = ;\n          ^\n\nSyntaxError: Unexpected token ';'");
    row("a syntax error beside an await", "await 1\nconst x = ;", 1, "",
        "const x = ;\n          ^\n\nSyntaxError: Unexpected token");
    row("a rejection that nobody handles", "Promise.reject(new Error('nobody')); 1", 1, "", "Error: nobody",
        "1");
    row("an exception of a callback",
        "setTimeout(() => { throw new Error('late') }, 1); await new Promise((r) => setTimeout(r, 50)); 2", 1,
        "", "Error: late", "2");
    row("question() is refused",
        "require('readline').createInterface(process.stdin).question('name?', () => {})", 1, "",
        "question() cannot ask anybody in a context");
    row("an awaited question() is refused",
        "await require('readline/promises').createInterface(process.stdin).question('name?')", 1, "",
        "question() cannot ask anybody in a context");
    row("standard input is empty", "fs.readFileSync(0, 'utf8')", 0, "", {}, "''");
    row("top-level await", "const v = await Promise.resolve(4); v + 1", 0, "", {}, "5");
    row("a promise as value", "Promise.resolve('v')", 0, "", {}, "'v'");
    row("a promise of nothing", "(async () => {})()", 0, "");
    row("a promise that fails", "(async () => { throw new TypeError('no') })()", 1, "", "TypeError: no");
    row("an asynchronous loop", "for await (const i of [1, Promise.resolve(2)]) console.log(i)", 0, "1\n2\n");
    row("await in a block", "if (true) { var inner = await 3 }\ninner", 0, "", {}, "3");
    row("await in the head of a loop", "for (var i = await 0; i < 2; ++i) await i\ni", 0, "", {}, "2");
    row("no semicolons around an await", "let q\n[a, q] = [await 1, 2]\n;[a, q]", 0, "", {}, "[ 1, 2 ]");
    row("a function before its declaration",
        "const r = await f(); r\nasync function f() { return g }\nvar g = 6", 0, "");
    row("a class beside an await", "class A { m() { return 1 } }\n[await 2, new A().m()]", 0, "", {},
        "[ 2, 1 ]");
    row("strict mode beside an await", "'use strict'; await 1; undeclared = 5", 1, "",
        "undeclared is not defined");
    row("an import statement",
        "import fs, { readFileSync as read } from 'fs'\nimport * as os from 'os'\n"
        "[typeof fs.statSync, typeof read, typeof os.cpus]",
        0, "", {}, "[ 'function', 'function', 'function' ]");
    row("an import", "typeof (await import('node:fs')).readFileSync", 0, "", {}, "'function'");
    row("an import in a function of a cell",
        "const load = (name) => import(name)\ntypeof (await load('fs')).statSync", 0, "", {}, "'function'");
    row("import in a text", "'import(' + `import('x')`", 0, "", {}, "\"import(import('x')\"");
    row("return is no statement of a cell", "return 5", 1, "", "SyntaxError: Illegal return statement");
    row("a script for the shell", "#!/usr/bin/env node\n6", 0, "", {}, "6");
    row("arguments", "[process.argv.length, process.execArgv]", 0, "", {}, "[ 1, [] ]");
    row("nothing of ours in the namespace",
        "Object.keys(globalThis).filter((n) => /import|display|acorn/.test(n))", 0, "", {}, "[]");
    row("a worker of its own",
        "const { Worker } = require('worker_threads')\nawait new Promise((r) => new Worker("
        "\"require('worker_threads').parentPort.postMessage(8)\", { eval: true }).on('message', r))",
        0, "", {}, "8");
    row("a stack of its own size", "function deep() { deep() }\ndeep()", 1, "", "RangeError");
    row("a representation that raises", "({ [util.inspect.custom]() { throw new Error('odd') } })", 1, "",
        "Error: odd");
}

void TestNodeInterpreter::cells()
{
    QFETCH(const QByteArray, code);
    QFETCH(const int, exitCode);
    QFETCH(const QByteArray, output);
    QFETCH(const QByteArray, inErrors);
    QFETCH(const QByteArray, value);
    const CellRecordPtr cell = m_node->run(code);
    QCOMPARE(cell->out, output);
    QVERIFY2(cell->err.contains(inErrors), cell->err.constData());
    QCOMPARE(cell->err.isEmpty(), inErrors.isEmpty());
    QCOMPARE(cell->code, exitCode);
    QCOMPARE(cell->results.size(), value.isEmpty() ? 0 : 1);
    QCOMPARE(cell->text(), value);
    QCOMPARE(m_node->run("console.log('next')")->out, "next\n"_ba); // the context goes on
}

void TestNodeInterpreter::stateIsKept_data()
{
    QTest::addColumn<QByteArray>("first");
    QTest::addColumn<QByteArray>("second");
    QTest::addColumn<QByteArray>("value");
    const auto row = [](const char *name, const QByteArray &first, const QByteArray &second,
                        const QByteArray &value) {
        QTest::newRow(name) << first << second << value;
    };
    row("const", "const kept = 1", "kept", "1");
    row("const again", "const kept = 1", "const kept = 2; kept", "2");
    row("const instead of let", "let kept = 1", "const kept = 2; kept", "2");
    row("a function instead of a class", "class kept {}", "function kept() { return 3 }\nkept()", "3");
    row("a class again", "class Kept {}", "class Kept { m() { return 4 } }\nnew Kept().m()", "4");
    row("let without a value", "let kept = 1", "let kept\n[kept]", "[ undefined ]");
    row("several names of one declaration", "const { a, ...rest } = { a: 1, b: 2 }, [c = 3] = []",
        "[a, rest, c]", "[ 1, { b: 2 }, 3 ]");
    row("what was declared beside an await", "const kept = await 5, { x } = await { x: 6 }", "[kept, x]",
        "[ 5, 6 ]");
    row("a function beside an await sees later cells", "let n = await 1\nfunction next() { return ++n }",
        "next(); n = 10; next()", "11");
    row("a name of node", "const crypto = require('crypto'), process = { own: true }",
        "[process, !!crypto.createHash]", "[ { own: true }, true ]");
    row("what a cell imported", "import path from 'path'", "path.join('a', 'b')", "'a/b'");
    row("what was there before an exception", "const kept = 7; throw new Error('x')", "kept", "7");
    row("what was there before a rejection", "const kept = await 7; throw new Error('x')", "kept", "7");
    row("the directory", "process.chdir('/')", "process.cwd()", "'/'");
}

void TestNodeInterpreter::stateIsKept()
{
    QFETCH(const QByteArray, first);
    QFETCH(const QByteArray, second);
    QFETCH(const QByteArray, value);
    m_node->run(first);
    const CellRecordPtr cell = m_node->run(second);
    QCOMPARE(cell->err, QByteArray());
    QCOMPARE(cell->text(), value);
    QCOMPARE(m_node->run(first)->err.isEmpty(), !first.contains("throw")); // every cell can be run again
}

void TestNodeInterpreter::modulesAreThoseOfTheWorkingDirectory()
{
    const QTemporaryDir folder;
    const auto write = [&](const QString &name, const QByteArray &text) {
        QFile file(folder.filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    };
    QVERIFY(write(u"common.js"_s, "exports.value = 5"_ba));
    QVERIFY(write(u"module.mjs"_s, "export default 6"_ba));
    QVERIFY(write(u"net.js"_s, "throw new Error('mine')"_ba));
    const std::unique_ptr<Interpreter> there = m_node->make(folder.path());
    QVERIFY(there);
    const CellRecordPtr cell =
        m_node->submit(*there, "import six from './module.mjs'\n[require('./common').value, six, (await "
                               "import('./module.mjs')).default]");
    QTRY_COMPARE(cell->code, 0);
    QCOMPARE(cell->text(), "[ 5, 6, 6 ]"_ba);
}

void TestNodeInterpreter::tracebacksShowTheCellAndNothingOfOurs()
{
    m_node->run("function f() {\n    return null.x\n}");
    QCOMPARE(m_node->run("1\nf()")->err, "<cell 1>:2\n    return null.x\n\n"
                                         "TypeError: Cannot read properties of null (reading 'x')\n"
                                         "    at f (<cell 1>:2:17)\n    at <cell 2>:2:1\n"_ba);
    const QByteArray asynchronous =
        m_node->run("const a = await 1\nasync function g() { await a; f() }\nawait g()")->err;
    QVERIFY2(asynchronous.contains("at async <cell 3>:3:"), asynchronous.constData());
    QVERIFY2(asynchronous.contains("at g (<cell 3>:2:"), asynchronous.constData());
    QVERIFY2(!asynchronous.contains("sandboxio"), asynchronous.constData());
}

void TestNodeInterpreter::allOutputComesBeforeTheEnd()
{
    for (int i = 0; i < 5; ++i) {
        const CellRecordPtr cell = m_node->run(
            "for (const stream of [process.stderr, process.stdout])\n    for (let i = 0; i < 60; ++i)\n"
            "        stream.write('x'.repeat(50_000))\nthrow new Error('end')");
        QCOMPARE(cell->out.size(), 3'000'000);
        QVERIFY(cell->err.size() > 3'000'000);
        QCOMPARE(cell->code, 1);
        QVERIFY(!cell->spokeAfterTheEnd);
    }
}

void TestNodeInterpreter::aSlowConsumerStopsTheCell()
{
    const CellRecordPtr cell = m_node->submit("console.log('x'.repeat(10_000_000))", Crediting::Manual);
    QTRY_COMPARE(cell->out.size(), qsizetype(outputWindow));
    QTest::qWait(200); // nothing more may come
    QCOMPARE(cell->out.size(), qsizetype(outputWindow));
    QVERIFY(!cell->code);
    QVERIFY(m_node->takeOutput(cell));
    QCOMPARE(cell->out.size(), 10'000'001);
    QCOMPARE(cell->code, 0);
}

void TestNodeInterpreter::closedStreamsStayOpen_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::newRow("the streams")
        << "process.stdout.end('x'); process.stderr.destroy(); process.stdout.destroy(); 0"_ba;
    QTest::newRow("the descriptors") << "for (const fd of [0, 1, 2, 3]) fs.closeSync(fd)"_ba;
    QTest::newRow("the descriptors by a callback") << "await util.promisify(fs.close)(1)"_ba;
    QTest::newRow("a pipeline into one")
        << "await require('stream/promises').pipeline(require('stream').Readable.from(['x']), process.stdout)"_ba;
    QTest::newRow("a child without blocking")
        << "require('child_process').execFileSync(process.execPath, ['-e', 'process.stdout.write(`x`)'], "
           "{ stdio: 'inherit' })"_ba;
}

void TestNodeInterpreter::closedStreamsStayOpen()
{
    QFETCH(const QByteArray, code);
    QCOMPARE(m_node->run(code)->code, 0);
    const CellRecordPtr cell =
        m_node->run("console.log('o'.repeat(2_000_000)); console.error('err'); display('shown')");
    QCOMPARE(cell->out.size(), 2'000'001);
    QCOMPARE(cell->err, "err\n"_ba);
    QCOMPARE(cell->text(), "'shown'"_ba);
}

void TestNodeInterpreter::childrenSeeNothingOfOurs()
{
    QCOMPARE(m_node
                 ->run("const { execSync } = require('child_process')\n"
                       "execSync('ls /proc/self/fd', { encoding: 'utf8' }).split(/\\s+/)")
                 ->text(),
             "[ '0', '1', '2', '3', '' ]"_ba); // the last is that of ls
    QCOMPARE(m_node
                 ->run("try { execSync('echo nonsense >&3', { stdio: 'ignore' }) } catch (e) { "
                       "console.log(e.status) }")
                 ->out,
             "2\n"_ba);
}

void TestNodeInterpreter::whatIsPrintedBetweenCellsBelongsToTheNext()
{
    m_node->run("setTimeout(() => { console.log('late'); Promise.reject(new Error('later')) }, 100)");
    QTest::qWait(500);
    const CellRecordPtr next = m_node->run("console.log('next')");
    QCOMPARE(next->out, "late\nnext\n"_ba);
    QVERIFY2(next->err.contains("Error: later"), next->err.constData());
    QCOMPARE(next->code, 0);
}

void TestNodeInterpreter::anInterruptEndsTheCellAndKeepsTheState_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<bool>("atOnce");
    const auto row = [](const char *name, const QByteArray &code) {
        QTest::newRow(name) << code << false;
        QTest::addRow("%s, before it has begun", name) << code << true;
    };
    row("while it is busy", "while (true) {}");
    row("while it awaits", "await new Promise(() => {})");
    row("while it is busy after an await", "await new Promise((r) => setTimeout(r, 1)); while (true) {}");
    row("while a callback is busy", "setTimeout(() => { while (true) {} }, 1); await new Promise(() => {})");
    row("while it catches everything", "while (true) try { while (true) {} } catch {} finally { continue }");
    row("while a child runs",
        "try { require('child_process').execSync('sleep 600') } catch {}\nwhile (true) {}");
    row("while it waits for another thread", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)");
    row("while it matches", "/(a+)+$/.test('a'.repeat(40) + 'b')");
    row("while its value is shown", "({ [util.inspect.custom]() { while (true) {} } })");
}

void TestNodeInterpreter::anInterruptEndsTheCellAndKeepsTheState()
{
    QFETCH(const QByteArray, code);
    QFETCH(const bool, atOnce);
    m_node->run("const kept = 'yes'");
    const CellRecordPtr cell = m_node->submit(code);
    QTRY_VERIFY(m_node->interpreter->isRunning(cell->id));
    if (!atOnce) {
        QTRY_VERIFY(cell->started);
        QTest::qWait(200); // into what waits
    }
    m_node->interpreter->interrupt();
    QTRY_COMPARE(cell->code, 130);
    QVERIFY2(cell->err.contains("Interrupted in <cell 2>"), cell->err.constData());
    QVERIFY2(!cell->err.contains("sandboxio"), cell->err.constData());
    const CellRecordPtr next = m_node->run("console.log('out'); kept");
    QCOMPARE(next->text(), "'yes'"_ba);
    QCOMPARE(next->out, "out\n"_ba);
    QCOMPARE(
        m_node->run("await new Promise((r) => setTimeout(r, 1)); await new Promise(setImmediate); 1")->text(),
        "1"_ba);
}

void TestNodeInterpreter::whatAnInterruptedCellLeftDoesNotStandInTheWay()
{
    const CellRecordPtr cell =
        m_node->submit("await new Promise((r) => setTimeout(r, 300)); console.log('left'); while (true) {}");
    QTRY_VERIFY(cell->started);
    m_node->interpreter->interrupt();
    QTRY_COMPARE(cell->code, 130);
    QVERIFY2(cell->err.contains("what it waited for goes on"), cell->err.constData());
    QTest::qWait(500); // it has gone on
    const CellRecordPtr next = m_node->run("'fine'");
    QCOMPARE(next->text(), "'fine'"_ba);
    QCOMPARE(next->out, "left\n"_ba);
}

void TestNodeInterpreter::aHandlerOfACellHearsTheInterrupt()
{
    const CellRecordPtr cell =
        m_node->submit("await new Promise((r) => process.once('SIGINT', r)); console.log('mine'); 5");
    QTRY_VERIFY(cell->started);
    QTest::qWait(100);
    m_node->interpreter->interrupt();
    QTRY_COMPARE(cell->code, 0);
    QCOMPARE(cell->out, "mine\n"_ba);
    QCOMPARE(cell->text(), "5"_ba);
}

void TestNodeInterpreter::anInterruptBetweenCellsIsNothing()
{
    const QByteArray pid = m_node->run("process.removeAllListeners('SIGINT'); process.pid")->text();
    m_node->run("1"); // ours is back
    ::kill(pid.toInt(), SIGINT);
    QCOMPARE(m_node->run("'fine'")->text(), "'fine'"_ba);
}

void TestNodeInterpreter::aDeadInterpreterIsReported_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<ExitStatus::Kind>("kind");
    QTest::addColumn<int>("value");
    using Kind = ExitStatus::Kind;
    QTest::newRow("process.exit") << "process.exit(3)"_ba << Kind::Exited << 3;
    QTest::newRow("process.exit after an await") << "await 1; process.exit(4)"_ba << Kind::Exited << 4;
    QTest::newRow("a kill") << "process.kill(process.pid, 'SIGKILL'); for (;;);"_ba << Kind::Signalled
                            << SIGKILL;
    QTest::newRow("process.abort") << "process.abort()"_ba << Kind::Signalled << SIGABRT;
}

void TestNodeInterpreter::aDeadInterpreterIsReported()
{
    QFETCH(const QByteArray, code);
    QFETCH(const ExitStatus::Kind, kind);
    QFETCH(const int, value);
    const CellRecordPtr cell = m_node->run("console.log('x'.repeat(200_000) + 'last words')\n" + code);
    QCOMPARE(cell->deaths, 1);
    QVERIFY(!cell->code);
    QTRY_VERIFY(cell->out.endsWith("last words\n"));
    QCOMPARE(m_node->interpreter->end()->status->kind, kind);
    QCOMPARE(m_node->interpreter->end()->status->value, value);
    QVERIFY(m_node->interpreter->end()->problem.isEmpty());
}

void TestNodeInterpreter::killingTakesTheChildrenAlong()
{
    const QByteArray pid =
        m_node->run("require('child_process').spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).pid")
            ->text();
    QCOMPARE(::kill(pid.toInt(), 0), 0);
    bool replied = false;
    m_node->interpreter->kill([&](const std::expected<void, FileError> &) { replied = true; });
    QTRY_VERIFY(replied);
    QCOMPARE(::kill(pid.toInt(), 0), -1);
}

void TestNodeInterpreter::aLongCellArrivesWhole()
{
    QCOMPARE(m_node->run("'" + QByteArray(5'000'000, 'x') + "'.length")->text(), "5000000"_ba);
}

void TestNodeInterpreter::valuesComeInTheFormatsTheyOffer_data()
{
    QTest::addColumn<QByteArray>("object");
    QTest::addColumn<RichOutput>("expected");
    const auto row = [](const char *name, const QByteArray &object, const QMap<QString, QByteArray> &bundle) {
        QTest::newRow(name) << object << RichOutput{bundle};
    };
    const QString plain = u"text/plain"_s;
    row("the symbol of Jupyter",
        "{ [Symbol.for('Jupyter.display')]: () => ({ 'text/plain': 'p', 'text/html': '<b>', 'image/png': "
        "'aGk=' }) }",
        {{plain, "p"_ba}, {u"text/html"_s, "<b>"_ba}, {u"image/png"_s, "hi"_ba}});
    row("a promise of formats",
        "{ [Symbol.for('Jupyter.display')]: async () => ({ 'text/plain': 'p', 'a/b': { c: 1 } }) }",
        {{plain, "p"_ba}, {u"a/b"_s, "{\"c\":1}"_ba}});
    row("a bundle", "{ _toMime() { return { 'text/plain': 'p', 'text/latex': '$x$' } } }",
        {{plain, "p"_ba}, {u"text/latex"_s, "$x$"_ba}});
    row("methods",
        "{ _toMime: () => ({ 'text/plain': 'p' }), _toHtml: () => '<i>', _toSvg: () => '<svg/>', "
        "_toPng: () => 'aGk=', _toJpeg: () => Buffer.from('j') }",
        {{plain, "p"_ba},
         {u"text/html"_s, "<i>"_ba},
         {u"image/svg+xml"_s, "<svg/>"_ba},
         {u"image/png"_s, "hi"_ba},
         {u"image/jpeg"_s, "j"_ba}});
}

void TestNodeInterpreter::valuesComeInTheFormatsTheyOffer()
{
    QFETCH(const QByteArray, object);
    QFETCH(const RichOutput, expected);
    const CellRecordPtr cell = m_node->run("(" + object + ")");
    QCOMPARE(cell->err, QByteArray());
    QCOMPARE(cell->results, QList<RichOutput>{expected});
}

void TestNodeInterpreter::badFormatsAreLeftOut_data()
{
    QTest::addColumn<QByteArray>("object");
    QTest::addColumn<QByteArray>("inErrors");
    QTest::newRow("one that raises") << "{ _toHtml() { throw new Error('no html') } }"_ba << "no html"_ba;
    QTest::newRow("one that is rejected")
        << "{ async _toHtml() { throw new Error('no html') } }"_ba << "no html"_ba;
    QTest::newRow("an attribute that raises")
        << "{ get _toHtml() { throw new Error('none') } }"_ba << "none"_ba;
    QTest::newRow("no MIME type") << "{ _toMime: () => ({ text: 'x' }) }"_ba << "is no MIME type"_ba;
    QTest::newRow("no base64") << "{ _toPng: () => 'no base64!' }"_ba << "no base64"_ba;
    QTest::newRow("what is no JSON") << "{ _toHtml: () => 5n }"_ba << "BigInt"_ba;
    QTest::newRow("nothing") << "{ _toHtml: () => null, _toSvg: 5 }"_ba << QByteArray();
    QTest::newRow("what has every attribute") << "new Proxy({}, { get: () => () => {} })"_ba << QByteArray();
}

void TestNodeInterpreter::badFormatsAreLeftOut()
{
    QFETCH(const QByteArray, object);
    QFETCH(const QByteArray, inErrors);
    const CellRecordPtr cell = m_node->run("(" + object + ")");
    QCOMPARE(cell->code, 0);
    QVERIFY2(cell->err.contains(inErrors), cell->err.constData());
    QCOMPARE(cell->err.isEmpty(), inErrors.isEmpty());
    QCOMPARE(cell->results.size(), 1);
    QCOMPARE(cell->results.first().bundle.keys(), QStringList{u"text/plain"_s});
}

void TestNodeInterpreter::severalValuesCanBeShown()
{
    const CellRecordPtr cell = m_node->run("const list = [1]\ndisplay(list, { _toMime: async () => { await 1; "
                                           "return { 'text/plain': 'slow' } } })\n"
                                           "display('b')\nlist.push(2)\n4");
    QCOMPARE(cell->results.size(), 4);
    QCOMPARE(cell->text(0) + cell->text(1) + cell->text(2) + cell->text(3), "[ 1 ]slow'b'4"_ba);
    QCOMPARE(cell->code, 0);
}

void TestNodeInterpreter::whatIsTooLargeIsToldAndNotShown()
{
    const CellRecordPtr many = m_node->run("const big = { _toHtml: () => 'x'.repeat(10_000_000) }\n"
                                           "for (let i = 0; i < 8; ++i) display(big);\n"
                                           "({ _toHtml: () => 'x'.repeat(17_000_000) })");
    QCOMPARE(many->results.size(), 6);
    QCOMPARE(many->err.count("too large"), 3);
    QCOMPARE(many->code, 0);
}

void TestNodeInterpreter::nothingIsShownOutsideOfACell()
{
    m_node->run("setTimeout(() => display(1), 50)");
    QTest::qWait(300);
    const CellRecordPtr next = m_node->run("2");
    QCOMPARE(next->results.size(), 1);
    QCOMPARE(next->err, "Nothing can be shown outside of a cell.\n"_ba);
}

SANDBOXIO_TEST(TestNodeInterpreter)
#include "tst_nodeinterpreter.moc"
