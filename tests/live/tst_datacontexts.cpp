// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerdaemon.h"
#include "support/testprogram.h"

#include "support/processmemory.h"

#include <sandboxio/core/error.h>
#include <sandboxio/runtime/process.h>
#include <sandboxio/runtime/scopedsandbox.h>

#include <QElapsedTimer>
#include <QProcess>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

// The second test image, with pandas, matplotlib and node: rich output of the real libraries, and contexts and code in
// javascript.
class TestDataContexts : public QObject
{
    Q_OBJECT
    std::unique_ptr<Engine> m_engine;
    SandboxPtr m_sandbox;
    QMap<QString, QString> m_contexts; // by language
    using Bundle = QMap<QString, QByteArray>;

    static QString image()
    {
        return qEnvironmentVariable("SANDBOXIO_TEST_DATA_IMAGE", u"sandboxio-test-data:1"_s);
    }
    RunCodeOptions in(const QString &language, std::optional<std::chrono::milliseconds> timeout = {}) const
    {
        RunCodeOptions options;
        options.context = m_contexts.value(language);
        options.timeout = timeout;
        return options;
    }
    ExecResult run(const QString &language, const QString &code)
    {
        return m_sandbox->runCode(code, in(language)).result();
    }
    QList<Bundle> shown(const QString &language, const QString &code)
    {
        const ExecResult result = run(language, code);
        QList<Bundle> bundles;
        for (const RichOutput &output : result.results.value_or(QList<RichOutput>()))
            bundles.append(output.bundle);
        if (result.exitCode != 0 || !result.standardError.isEmpty())
            bundles.append(Bundle{{u"failed"_s, result.standardError}});
        return bundles;
    }
    QByteArray valueOf(const QString &language, const QString &code)
    {
        const QList<Bundle> bundles = shown(language, code);
        return bundles.isEmpty() ? QByteArray() : bundles.last().value(u"text/plain"_s);
    }
    static bool isPng(const QByteArray &bytes)
    {
        return bytes.startsWith("\x89PNG\r\n\x1a\n") && bytes.size() > 1000 && bytes.contains("IEND");
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (const QString why = Live::missingImage(image()); !why.isEmpty())
            QSKIP(qPrintable(why + u"; packaging/dev/test-image data makes it"_s));
        m_engine = std::make_unique<Engine>(EngineOptions{.stateDirectory = QString()});
        Target target = Live::target();
        target.templateId = image();
        CreateOptions options = Live::createOptions(u"datacontexts"_s);
        options.resources.memoryMb = 512;
        options.resources.processes = 256;
        m_sandbox = m_engine->create(target, options).result();
    }
    void cleanupTestCase()
    {
        if (m_sandbox)
            m_sandbox->kill().result();
    }
    void init()
    {
        for (const QString &language : {u"python"_s, u"bash"_s, u"javascript"_s})
            m_contexts[language] = m_sandbox->createContext(language).result();
    }
    void cleanup()
    {
        for (const QString &id : std::as_const(m_contexts))
            m_sandbox->removeContext(id).result();
        QCOMPARE(m_sandbox->listContexts().result(), QStringList());
    }

    void itHasTheLanguagesOfItsImage()
    {
        QCOMPARE(m_sandbox->languages(), (QStringList{u"python"_s, u"bash"_s, u"javascript"_s}));
        QVERIFY(m_sandbox->capabilities().testFlag(Capability::StatefulCode));
    }

    void aTableIsShownAsTextAndHtml()
    {
        run(u"python"_s,
            u"import pandas as pd\ntable = pd.DataFrame({'name': ['ada', 'bob'], 'size': [1.5, 2]})"_s);
        const QList<Bundle> bundles = shown(u"python"_s, u"table"_s);
        QCOMPARE(bundles.size(), 1);
        const Bundle &bundle = bundles.first();
        QCOMPARE(bundle.keys(), (QStringList{u"text/html"_s, u"text/plain"_s}));
        QVERIFY2(bundle.value(u"text/html"_s).contains("<table border=\"1\" class=\"dataframe\">"),
                 bundle.value(u"text/html"_s).constData());
        QVERIFY(bundle.value(u"text/html"_s).contains("<td>ada</td>"));
        QCOMPARE(bundle.value(u"text/plain"_s), "  name  size\n0  ada   1.5\n1  bob   2.0"_ba);
        QCOMPARE(shown(u"python"_s, u"table['size']"_s).value(0).keys(), QStringList{u"text/plain"_s});
        QCOMPARE(shown(u"python"_s, u"display(table, table.T)\ntable.size"_s).size(), 3);
    }

    void figuresAreShownWithoutBeingSaved()
    {
        run(u"python"_s, u"import matplotlib.pyplot as plt"_s);
        const QList<Bundle> drawn =
            shown(u"python"_s, u"lines = plt.plot([1, 4, 9])\nplt.title('gr\u00fc\u00df')\nNone"_s);
        QCOMPARE(drawn.size(), 1);
        QVERIFY(isPng(drawn.first().value(u"image/png"_s)));
        QVERIFY2(drawn.first().value(u"text/plain"_s).startsWith("<Figure size 640x480"),
                 drawn.first().value(u"text/plain"_s).constData());
        QCOMPARE(valueOf(u"python"_s, u"len(plt.get_fignums())"_s), "0"_ba); // shown once and closed
        const QList<Bundle> two = shown(
            u"python"_s,
            u"a, ax = plt.subplots()\nplt.show()\nb = plt.figure(figsize=(2, 1))\nb.gca().bar([1], [2]);"_s);
        QCOMPARE(two.size(), 2);
        QVERIFY(isPng(two.at(0).value(u"image/png"_s)) && isPng(two.at(1).value(u"image/png"_s)));
        QVERIFY(two.at(0).value(u"image/png"_s) != two.at(1).value(u"image/png"_s));
        const QList<Bundle> value = shown(u"python"_s, u"ax.plot([1, 2])\na"_s);
        QCOMPARE(value.size(), 1); // a figure that is closed, as a value
        QVERIFY(isPng(value.first().value(u"image/png"_s)));
        QCOMPARE(valueOf(u"python"_s, u"import matplotlib; matplotlib.get_backend().lower()"_s), "'agg'"_ba);
    }

    void pandasDrawsWithMatplotlib()
    {
        const QList<Bundle> bundles =
            shown(u"python"_s, u"import pandas as pd\naxes = pd.Series([1, 3, 2]).plot(); None"_s);
        QCOMPARE(bundles.size(), 1);
        QVERIFY(isPng(bundles.first().value(u"image/png"_s)));
        const ExecResult failed =
            run(u"python"_s, u"pd.DataFrame({'a': [1]}).plot()\npd.DataFrame({'a': [1]})['b']"_s);
        QCOMPARE(failed.exitCode, 1);
        QVERIFY(failed.standardError.contains("KeyError: 'b'"));
        QVERIFY(failed.results.has_value()); // the figure all the same
        QVERIFY(isPng(failed.results->value(0).bundle.value(u"image/png"_s)));
    }

    void theFormatOfPlotlyComesAsItIs()
    {
        const QString type = u"application/vnd.plotly.v1+json"_s;
        const QList<Bundle> bundles =
            shown(u"python"_s,
                  u"class Figure:\n    def __repr__(self): return 'Figure'\n"
                  "    def _repr_mimebundle_(self, include=None, exclude=None):\n"
                  "        return {'%1': {'data': [{'type': 'bar', 'y': [1, 2]}]}}\nFigure()"_s.arg(type));
        QCOMPARE(bundles, QList<Bundle>({{{type, R"({"data": [{"type": "bar", "y": [1, 2]}]})"_ba},
                                          {u"text/plain"_s, "Figure"_ba}}}));
    }

    void javascriptShowsFormatsToo()
    {
        const QList<Bundle> bundles = shown(
            u"javascript"_s,
            u"({ [Symbol.for('Jupyter.display')]: async () => ({ 'text/html': '<b>x</b>', 'text/plain': 'x' }) })"_s);
        QCOMPARE(bundles, QList<Bundle>({{{u"text/html"_s, "<b>x</b>"_ba}, {u"text/plain"_s, "x"_ba}}}));
        const ExecResult result =
            run(u"javascript"_s, u"console.log('out'); console.error('err'); new Map([[1, { a: [2] }]])"_s);
        QCOMPARE(result.text(), u"out\n"_s);
        QCOMPARE(result.standardError, "err\n"_ba);
        QCOMPARE(result.results.value_or(QList<RichOutput>()).value(0).bundle.value(u"text/plain"_s),
                 "Map(1) { 1 => { a: [ 2 ] } }"_ba);
    }

    void contextsOfSeveralLanguagesAreSideBySide()
    {
        const QString second = m_sandbox->createContext(u" Node "_s).result();
        m_contexts.insert(u"second"_s, second);
        run(u"python"_s, u"kept = 1"_s);
        run(u"bash"_s, u"kept=2"_s);
        run(u"javascript"_s, u"const kept = await Promise.resolve(3)"_s);
        run(u"second"_s, u"const kept = 4"_s);
        QCOMPARE(m_sandbox->listContexts().result().size(), 4);
        // Each waits for the one after it.
        const auto met = [this](const QString &language, const QString &code) {
            return m_sandbox->runCode(code, in(language, 30s));
        };
        const auto waits = u"import { existsSync, writeFileSync } from 'fs'\n"
                           "while (!existsSync('/tmp/%1')) await new Promise((r) => setTimeout(r, 10))\n"
                           "writeFileSync('/tmp/%2', '')\nkept"_s;
        const auto first = met(u"javascript"_s, waits.arg(u"a"_s, u"b"_s));
        const auto other = met(u"second"_s, waits.arg(u"c"_s, u"a"_s));
        const auto shell =
            met(u"bash"_s, u"until [[ -e /tmp/d ]]; do sleep 0.02; done; touch /tmp/c; echo $kept"_s);
        const auto python = met(u"python"_s, u"open('/tmp/d', 'w').close()\nkept"_s);
        const auto value = [](const Operation<ExecResult> &operation) {
            const ExecResult result = operation.result();
            return result.results.value_or(QList<RichOutput>())
                .value(0)
                .bundle.value(u"text/plain"_s, result.standardOutput);
        };
        QCOMPARE(value(python) + value(shell) + value(other) + value(first), "12\n43"_ba);
        m_contexts.remove(u"second"_s);
        m_sandbox->removeContext(second).result();
    }

    void aTimedOutCellIsInterruptedAndTheStateKept_data()
    {
        QTest::addColumn<QString>("language");
        QTest::addColumn<QString>("code");
        QTest::newRow("a busy loop") << u"javascript"_s << u"while (true) {}"_s;
        QTest::newRow("a promise") << u"javascript"_s << u"await new Promise(() => {})"_s;
        QTest::newRow("a child") << u"javascript"_s << u"require('child_process').execSync('sleep 600')"_s;
        QTest::newRow("a busy loop that prints") << u"javascript"_s << u"while (true) console.log('x')"_s;
        QTest::newRow("numbers of numpy")
            << u"python"_s
            << u"import numpy\nwhile True: numpy.random.rand(500, 500).dot(numpy.ones((500, 500)))"_s;
        QTest::newRow("figures without end")
            << u"python"_s
            << u"import matplotlib.pyplot as plt\nwhile True:\n    plt.figure(); plt.close('all')"_s;
    }
    void aTimedOutCellIsInterruptedAndTheStateKept()
    {
        QFETCH(const QString, language);
        QFETCH(const QString, code);
        run(language, u"var kept = 1"_s.sliced(language == u"python"_s ? 4 : 0));
        QElapsedTimer timer;
        timer.start();
        const ErrorInfo error = Live::errorOf(m_sandbox->runCode(code, in(language, 1500ms)));
        QCOMPARE(error.kind, ErrorKind::ExecutionTimeout);
        QVERIFY2(!error.message.contains(u"state"_s), qPrintable(error.message));
        QVERIFY2(timer.elapsed() < 4000, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(valueOf(language, u"kept"_s), "1"_ba);
    }

    void anInterruptEndsACell()
    {
        const Operation<ExecResult> cell = m_sandbox->runCode(u"while (true) {}"_s, in(u"javascript"_s));
        QTest::qWait(500);
        m_sandbox->interruptContext(m_contexts.value(u"javascript"_s)).result();
        const ExecResult result = cell.result();
        QCOMPARE(result.exitCode, 130);
        QVERIFY2(result.standardError.contains("Interrupted"), result.standardError.constData());
    }

    void aDeadInterpreterEndsTheCellByItsStatus()
    {
        const ExecResult result =
            run(u"javascript"_s, u"var kept = 1; console.log('last words'); process.exit(3)"_s);
        QCOMPARE(result.exitCode, 3);
        QCOMPARE(result.text(), u"last words\n"_s);
        const ErrorInfo error = Live::errorOf(m_sandbox->runCode(u"1"_s, in(u"javascript"_s)));
        QCOMPARE(error.kind, ErrorKind::ExecutionError);
        QVERIFY2(error.message.contains(u"its state is lost"_s), qPrintable(error.message));
        QVERIFY2(error.message.contains(u"exited with 3"_s), qPrintable(error.message));
        m_sandbox->restartContext(m_contexts.value(u"javascript"_s)).result();
        QCOMPARE(valueOf(u"javascript"_s, u"typeof kept"_s), "'undefined'"_ba);
    }

    void lackOfMemoryNamesTheCap()
    {
        const ErrorInfo error = Live::errorOf(m_sandbox->runCode(
            u"const all = []; while (true) all.push(Buffer.alloc(1 << 24, 1))"_s, in(u"javascript"_s, 60s)));
        QCOMPARE(error.kind, ErrorKind::ResourceLimitExceeded);
        QCOMPARE(error.limit, u"memory"_s);
        m_sandbox->restartContext(m_contexts.value(u"javascript"_s)).result();
    }

    void aHundredMegabytesCostFlatMemory()
    {
        const auto process = m_sandbox->streamCode(
            u"const block = 'x'.repeat(999_999)\nfor (let i = 0; i < 100; ++i) console.log(block)\n'done'"_s,
            in(u"javascript"_s));
        process->start(Process::ConsumerMode::Pull).result();
        QVERIFY(forgetPeakMemory());
        const qint64 before = residentMemory();
        qint64 bytes = 0;
        while (const auto chunk = process->nextChunk().result())
            bytes += chunk->data.size();
        QCOMPARE(bytes, 100'000'000);
        QCOMPARE(process->wait().result().exitCode, 0);
        const qint64 inside = valueOf(u"javascript"_s, u"process.memoryUsage.rss()"_s).toLongLong();
        QVERIFY2(inside > 0 && inside < 200 << 20, qPrintable(QString::number(inside)));
        if (!memoryTells)
            QSKIP("its memory: a sanitizer keeps what is freed");
        QVERIFY2(peakMemory() - before < 32 << 20, qPrintable(QString::number(peakMemory() - before)));
    }

    void codeWithoutAContextRunsInNode_data()
    {
        QTest::addColumn<QString>("language");
        QTest::addColumn<QString>("code");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("output");
        QTest::addColumn<QByteArray>("inErrors");
        const QString javascript = u"javascript"_s;
        QTest::newRow("by its name") << javascript << u"console.log(6 * 7)"_s << 0 << u"42\n"_s << ""_ba;
        QTest::newRow("as node") << u"node"_s << u"console.log(process.argv.length)"_s << 0 << u"1\n"_s
                                 << ""_ba;
        QTest::newRow("as JS") << u" JS"_s << u"console.log(6 * 7)"_s << 0 << u"42\n"_s << ""_ba;
        QTest::newRow("await") << javascript << u"console.log(await Promise.resolve(5))"_s << 0 << u"5\n"_s
                               << ""_ba;
        QTest::newRow("an import") << javascript << u"console.log(typeof (await import('fs')).statSync)"_s << 0
                                   << u"function\n"_s << ""_ba;
        QTest::newRow("the main module")
            << javascript << u"if (require.main === module) console.log(__dirname === process.cwd())"_s << 0
            << u"true\n"_s << ""_ba;
        QTest::newRow("its input") << javascript << u"process.stdin.on('data', (d) => console.log(`${d}`))"_s
                                   << 0 << u"given\n"_s << ""_ba;
        QTest::newRow("an exit code") << javascript << u"process.exit(7)"_s << 7 << QString() << ""_ba;
        QTest::newRow("an exception") << javascript << u"\nthrow new Error('why')"_s << 1 << QString()
                                      << "<cell>:2\nthrow new Error('why')"_ba;
        QTest::newRow("a syntax error") << javascript << u"const x = ;"_s << 1 << QString() << "SyntaxError"_ba;
    }
    void codeWithoutAContextRunsInNode()
    {
        QFETCH(const QString, language);
        QFETCH(const QString, code);
        QFETCH(const int, exitCode);
        QFETCH(const QString, output);
        QFETCH(const QByteArray, inErrors);
        RunCodeOptions options;
        options.language = language;
        options.standardInput = "given"_ba;
        const ExecResult result = m_sandbox->runCode(code, options).result();
        QCOMPARE(result.exitCode, exitCode);
        QCOMPARE(result.text(), output);
        QVERIFY2(result.standardError.contains(inErrors), result.standardError.constData());
    }

#ifdef SANDBOXIO_PROGRAM
    void theCommandLineRunsNode()
    {
        for (const QString &name : {u"node"_s, u"javascript"_s}) {
            QProcess process;
            process.start(QStringLiteral(SANDBOXIO_PROGRAM),
                          {u"code"_s, u"--image"_s, image(), u"--label"_s, u"test_run="_s + Live::testRun(),
                           u"--language"_s, name, u"-c"_s, u"console.log(6 * 7); process.exit(3)"_s});
            QVERIFY(process.waitForFinished(60'000));
            QCOMPARE(process.readAllStandardOutput(), "42\n"_ba);
            QCOMPARE(process.exitCode(), 3);
        }
    }
#endif
};

SANDBOXIO_TEST(TestDataContexts)
#include "tst_datacontexts.moc"
