// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "containerfixture.h"
#include "support/testprogram.h"

#include <QTest>

using namespace Sandboxio;
using namespace Sandboxio::Docker;
using namespace Qt::StringLiterals;

class TestDockerCode : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void languagesAreThoseOfTheImage();
    void runs_data();
    void runs();
    void tracebacksBeginInTheCell();
    void standardInputBelongsToTheProgram();
    void streamedCodeArrivesAsItIsPrinted();
    void nothingIsLeftBehind();
    void theCodeIsInNoArgument();
    void anUnknownLanguageNamesThoseThereAre();

private:
    std::unique_ptr<ContainerFixture> m_fixture;
    std::shared_ptr<DockerSandbox> m_sandbox;
};

void TestDockerCode::initTestCase()
{
    QString why;
    m_fixture = ContainerFixture::make(&why);
    if (!m_fixture)
        QSKIP(qPrintable(why));
    m_sandbox = m_fixture->create();
}

void TestDockerCode::cleanupTestCase()
{
    m_sandbox.reset();
    m_fixture.reset();
}

void TestDockerCode::languagesAreThoseOfTheImage()
{
    QCOMPARE(m_sandbox->languages(), (QStringList{u"python"_s, u"bash"_s}));
    QVERIFY(m_sandbox->details().capabilities.testFlag(Capability::RunCode));
}

void TestDockerCode::runs_data()
{
    QTest::addColumn<QString>("language");
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QByteArray>("standardOutput");
    QTest::addColumn<QByteArray>("inStandardError");
    const QString python = u"python"_s;
    QTest::newRow("print") << python << "print('hello')"_ba << 0 << "hello\n"_ba << ""_ba;
    QTest::newRow("an empty cell") << python << ""_ba << 0 << ""_ba << ""_ba;
    QTest::newRow("non-ASCII text") << python << "print('gr\xc3\xbc\xc3\x9f')"_ba << 0
                                    << "gr\xc3\xbc\xc3\x9f\n"_ba << ""_ba;
    QTest::newRow("the name of the module") << python << "print(__name__)"_ba << 0 << "__main__\n"_ba << ""_ba;
    QTest::newRow("classes can be pickled")
        << python << "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))).__name__)"_ba
        << 0 << "A\n"_ba << ""_ba;
    QTest::newRow("arguments are empty")
        << python << "import sys; print(sys.argv)"_ba << 0 << "['']\n"_ba << ""_ba;
    QTest::newRow("nothing of ours in the namespace")
        << python << "print([n for n in dir() if not n.startswith('__')])"_ba << 0 << "[]\n"_ba << ""_ba;
    QTest::newRow("future statements")
        << python << "from __future__ import annotations\ndef f(x: no_such): pass\nprint(1)"_ba << 0 << "1\n"_ba
        << ""_ba;
    QTest::newRow("an exit code") << python << "import sys; sys.exit(5)"_ba << 5 << ""_ba << ""_ba;
    QTest::newRow("an exit text") << python << "import sys; sys.exit('why')"_ba << 1 << ""_ba << "why"_ba;
    QTest::newRow("a syntax error is a result") << python << "print('a'\n"_ba << 1 << ""_ba << "SyntaxError"_ba;
    QTest::newRow("an exception is a result")
        << python << "print('a')\n1/0"_ba << 1 << "a\n"_ba << "ZeroDivisionError"_ba;
    QTest::newRow("exit handlers run") << python << "import atexit; atexit.register(print, 'bye'); 1/0"_ba << 1
                                       << "bye\n"_ba << "ZeroDivisionError"_ba;
    QTest::newRow("bash") << u"bash"_s << "x=(1 2); echo ${#x[@]}; exit 4"_ba << 4 << "2\n"_ba << ""_ba;
    QTest::newRow("a syntax error in bash is a result")
        << u"bash"_s << "if"_ba << 2 << ""_ba << "syntax error"_ba;
}

void TestDockerCode::runs()
{
    QFETCH(QString, language);
    QFETCH(QByteArray, code);
    QFETCH(int, exitCode);
    QFETCH(QByteArray, standardOutput);
    QFETCH(QByteArray, inStandardError);
    Running run(*m_sandbox, codeRequest(code, language));
    const RecordingEvents &events = run.wait();
    QVERIFY2(events.status.has_value(), events.error ? qPrintable(events.error->toText()) : "no end");
    QCOMPARE(events.status->code, exitCode);
    QCOMPARE(events.standardOutput, standardOutput);
    QVERIFY2(events.standardError.contains(inStandardError), events.standardError.constData());
    QCOMPARE(events.standardError.isEmpty(), inStandardError.isEmpty());
    QCOMPARE(events.breaches.join(u"; "_s), QString());
}

void TestDockerCode::tracebacksBeginInTheCell()
{
    Running run(*m_sandbox, codeRequest("def f():\n    return 1/0\nf()\n"_ba));
    const QByteArray text = run.wait().standardError;
    QVERIFY2(
        text.startsWith("Traceback (most recent call last):\n  File \"<cell>\", line 3, in <module>\n    f()"),
        text.constData());
    QVERIFY2(text.contains("File \"<cell>\", line 2, in f\n    return 1/0"), text.constData());
    QVERIFY2(!text.contains("sandboxio"), text.constData());
}

void TestDockerCode::standardInputBelongsToTheProgram()
{
    ProcessRequest request = codeRequest("import sys; print(len(sys.stdin.read())); print('end')"_ba);
    request.codeOptions.standardInput = QByteArray(1000, 'x');
    Running run(*m_sandbox, request);
    QCOMPARE(run.wait().standardOutput, "1000\nend\n"_ba);

    ProcessRequest interactive = codeRequest("print('hello ' + input())"_ba);
    interactive.interactiveInput = true;
    Running asked(*m_sandbox, interactive);
    await(asked.process->write("you\n"_ba)); // before it runs
    QCOMPARE(asked.wait().standardOutput, "hello you\n"_ba);
}

void TestDockerCode::streamedCodeArrivesAsItIsPrinted()
{
    ProcessRequest request =
        codeRequest("import sys\nprint('first')\nsys.stdin.readline()\nprint('second')"_ba);
    request.streamed = true;
    request.interactiveInput = true;
    Running run(*m_sandbox, request);
    QTRY_COMPARE(run.events->standardOutput, "first\n"_ba);
    QVERIFY(!run.events->status);
    await(run.process->write("\n"_ba));
    QCOMPARE(run.wait().standardOutput, "first\nsecond\n"_ba);
}

void TestDockerCode::nothingIsLeftBehind()
{
    Running killed(*m_sandbox, codeRequest("print('x', flush=True)\nimport time; time.sleep(60)"_ba));
    QTRY_COMPARE(killed.events->standardOutput, "x\n"_ba);
    await(killed.process->killTree());
    Running script(*m_sandbox, codeRequest("true"_ba, u"bash"_s));
    script.wait();
    Running look(*m_sandbox, shellRequest(u"find / -xdev -name '.sandboxio-*' 2>/dev/null; true"_s));
    QCOMPARE(look.wait().standardOutput, ""_ba);
}

void TestDockerCode::theCodeIsInNoArgument()
{
    Running run(*m_sandbox,
                codeRequest("# canary-in-code\nimport glob\nfor name in glob.glob('/proc/[0-9]*/cmdline'):\n"
                            "    try:\n        print(b'canary' + b'-in-code' in open(name, 'rb').read())\n"
                            "    except OSError:\n        pass"_ba));
    const QByteArray output = run.wait().standardOutput;
    QVERIFY(output.contains("False"));
    QVERIFY(!output.contains("True"));
}

void TestDockerCode::anUnknownLanguageNamesThoseThereAre()
{
    for (const QString &language : {u"cobol"_s, u"node"_s}) {
        Running run(*m_sandbox, codeRequest("1"_ba, language));
        const RecordingEvents &events = run.wait();
        QVERIFY(events.error.has_value());
        QCOMPARE(events.error->kind, ErrorKind::ConfigurationError);
        QVERIFY(events.error->hint.contains(u"python, bash"_s));
    }
}

SANDBOXIO_TEST(TestDockerCode)
#include "tst_dockercode.moc"
