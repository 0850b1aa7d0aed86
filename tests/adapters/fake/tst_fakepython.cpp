// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fakefixture.h"
#include "support/testprogram.h"

using namespace Sandboxio;
using namespace Sandboxio::Fake;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

class TestFakePython : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void code_data()
    {
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QByteArray>("out");
        QTest::addColumn<QByteArray>("lastErrorLine");
        const auto row = [](const char *name, const QByteArray &code, int exitCode, const QByteArray &out,
                            const QByteArray &error = {}) {
            QTest::newRow(name) << code << exitCode << out << error;
        };
        row("print writes a text", "print(\"hello\")", 0, "hello\n");
        row("print joins its arguments with blanks", "print('a', 1, 2.5)", 0, "a 1 2.5\n");
        row("text stays UTF-8", "print('gr\xC3\xBC\xC3\x9F')", 0, "gr\xC3\xBC\xC3\x9F\n");
        row("products come before sums", "print(1 + 2 * 3, (1 + 2) * 3)", 0, "7 9\n");
        row("a true division is a float", "print(4 / 2)", 0, "2.0\n");
        row("a floor division rounds down", "print(-7 // 2, -7 % 2)", 0, "-4 1\n");
        row("texts are added and repeated", "print('ab' + 'c' * 3)", 0, "abccc\n");
        row("comments and blank lines are passed over", "# hello\n\nprint(1) # one\n", 0, "1\n");
        row("statements may stand on one line", "import sys; print(1); print(2)", 0, "1\n2\n");
        row("an expression alone prints nothing", "1 + 1", 0, "");
        row("no code does nothing", "", 0, "");
        row("print writes to standard error", "import sys\nprint('x', file=sys.stderr)", 0, "", "x");
        row("sys.exit gives the code", "import sys\nprint(1)\nsys.exit(7)\nprint(2)", 7, "1\n");
        row("an exception is a traceback and 1", "print(1)\nraise Exception('boom')\nprint(2)", 1, "1\n",
            "Exception: boom");
        row("a named exception keeps its name", "raise ValueError('bad')", 1, "", "ValueError: bad");
        row("a division by zero is an exception", "print(1 // 0)", 1, "",
            "ZeroDivisionError: division by zero");
        row("a bracket left open is a syntax error", "print(1\n", 1, "", "SyntaxError: '(' was never closed");
        row("a quote left open is a syntax error", "print('x)\n", 1, "",
            "SyntaxError: unterminated string literal");
        row("a syntax error runs nothing before it", "print(1)\nprint(]", 1, "", "SyntaxError: unmatched ']'");
    }
    void code()
    {
        QFETCH(QByteArray, code);
        QFETCH(int, exitCode);
        QFETCH(QByteArray, out);
        QFETCH(QByteArray, lastErrorLine);
        Fixture fixture;
        const auto sandbox = fixture.create();
        Recorder run;
        run.start(*sandbox, codeRequest(code));
        QVERIFY(run.finish());
        QVERIFY2(!run.failure, qPrintable(run.failure.value_or(ErrorInfo()).toText()));
        QCOMPARE(run.status->code, exitCode);
        QCOMPARE(run.out, out);
        QCOMPARE(run.err.trimmed().split('\n').last(), lastErrorLine);
    }
    void whatItCannotDoIsAnErrorThatSaysSo_data()
    {
        QTest::addColumn<QByteArray>("code");
        QTest::newRow("an assignment") << "x = 1"_ba;
        QTest::newRow("a loop") << "for i in range(3):\n    print(i)"_ba;
        QTest::newRow("a function") << "def f():\n    pass"_ba;
        QTest::newRow("another import") << "import pandas"_ba;
        QTest::newRow("a name") << "print(undefined)"_ba;
        QTest::newRow("a power") << "print(2 ** 10)"_ba;
        QTest::newRow("a number larger than it can hold") << "print(99999999999999999999)"_ba;
        QTest::newRow("a sum that overflows") << "print(9223372036854775807 + 1)"_ba;
        QTest::newRow("brackets over two lines") << "print(\n1)"_ba;
        QTest::newRow("text over two lines") << "print('''a\nb''')"_ba;
        QTest::newRow("a known statement after an unknown one") << "x = 1\nprint('fine')"_ba;
    }
    void whatItCannotDoIsAnErrorThatSaysSo()
    {
        QFETCH(QByteArray, code);
        Fixture fixture;
        const auto sandbox = fixture.create();
        Recorder run;
        run.start(*sandbox, codeRequest(code));
        QVERIFY(run.finish());
        QVERIFY(run.failure);
        QVERIFY(!run.status);
        QCOMPARE(run.failure->kind, ErrorKind::ConfigurationError);
        QVERIFY(run.failure->hint.contains("onRunCode"_L1));
        QVERIFY(run.out.isEmpty());
    }
    void sleepTakesTheClocksTime()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        Recorder run;
        run.start(*sandbox, codeRequest("import time; time.sleep(200); print('late')"));
        Fixture::settle();
        QVERIFY(!run.status);
        fixture.clock->advance(199s);
        Fixture::settle();
        QVERIFY(!run.status);
        fixture.clock->advance(1s);
        QVERIFY(run.finish());
        QCOMPARE(run.out, "late\n"_ba);
    }
    void anUnknownLanguageNamesThoseThereAre()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        RunCodeOptions options;
        options.language = u"cobol"_s;
        Recorder run;
        run.start(*sandbox, codeRequest("1", options));
        QVERIFY(run.finish());
        QCOMPARE(run.failure->kind, ErrorKind::ConfigurationError);
        QVERIFY(run.failure->hint.contains("python"_L1));
    }
    void aContextIsNotSupported()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        RunCodeOptions options;
        options.context = u"c1"_s;
        Recorder run;
        run.start(*sandbox, codeRequest("1", options));
        QVERIFY(run.finish());
        QCOMPARE(run.failure->kind, ErrorKind::CapabilityNotSupported);
    }
};

SANDBOXIO_TEST(TestFakePython)
#include "tst_fakepython.moc"
