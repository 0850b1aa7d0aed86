// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerdaemon.h"
#include "support/testprogram.h"

#include "support/processmemory.h"

#include <sandboxio/core/error.h>
#include <sandboxio/runtime/process.h>
#include <sandboxio/runtime/scopedsandbox.h>

#include <QElapsedTimer>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

// Persistent interpreters in real sandboxes, as a user's program sees them.
class TestContexts : public QObject
{
    Q_OBJECT
    std::unique_ptr<Engine> m_engine;
    SandboxPtr m_sandbox;
    QString m_context;

    RunCodeOptions in(const QString &context, std::optional<std::chrono::milliseconds> timeout = {}) const
    {
        RunCodeOptions options;
        options.context = context;
        options.timeout = timeout;
        return options;
    }
    ExecResult run(const QString &code) { return m_sandbox->runCode(code, in(m_context)).result(); }
    QString valueOf(const QString &code)
    {
        const ExecResult result = run(code);
        const QList<RichOutput> outputs = result.results.value_or(QList<RichOutput>());
        return outputs.isEmpty() ? QString::fromUtf8("no value; " + result.standardError)
                                 : QString::fromUtf8(outputs.last().bundle.value(u"text/plain"_s));
    }
    void isLostUntilRestarted()
    {
        const ErrorInfo error = Live::errorOf(m_sandbox->runCode(u"1"_s, in(m_context)));
        QCOMPARE(error.kind, ErrorKind::ExecutionError);
        QVERIFY2(error.message.contains(u"its state is lost"_s), qPrintable(error.message));
        QVERIFY2(error.hint.contains(u"restartContext()"_s), qPrintable(error.hint));
        QVERIFY_THROWS_EXCEPTION(ExecutionError, m_sandbox->interruptContext(m_context).result());
        m_sandbox->restartContext(m_context).result();
        QCOMPARE(valueOf(u"'kept' in globals()"_s), u"False"_s);
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (const QString why = Live::missingDaemon(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_engine = std::make_unique<Engine>(EngineOptions{.stateDirectory = QString()});
        m_sandbox = m_engine->create(Live::target(), Live::createOptions(u"contexts"_s)).result();
    }
    void cleanupTestCase()
    {
        if (m_sandbox)
            m_sandbox->kill().result();
    }
    void init() { m_context = m_sandbox->createContext(u"python"_s).result(); }
    void cleanup() { m_sandbox->removeContext(m_context).result(); }

    void itIsDeclared() { QVERIFY(m_sandbox->capabilities().testFlag(Capability::StatefulCode)); }

    void aCellHasOutputAValueAndACode()
    {
        const ExecResult result = run(u"import os, sys\nprint('out')\nn = os.system('echo child')\n"
                                      "print('err', file=sys.stderr)\n40 + 2"_s);
        QCOMPARE(result.exitCode, 0);
        QCOMPARE(result.text(), u"out\nchild\n"_s);
        QCOMPARE(result.standardError, "err\n"_ba);
        QVERIFY(result.results.has_value());
        QCOMPARE(*result.results, QList<RichOutput>({{{{u"text/plain"_s, "42"_ba}}}}));
        const ExecResult failed = run(u"undefined_name"_s);
        QCOMPARE(failed.exitCode, 1);
        QVERIFY(failed.standardError.contains("NameError"));
        QVERIFY(!failed.results);
        QCOMPARE(run(u"raise SystemExit(7)"_s).exitCode, 7);
    }

    void aCellThatTakesTheGroundAwayEndsAndTheNextOneRuns()
    {
        run(u"kept = 1"_s);
        QCOMPARE(run(u"import sys\nraw = sys.stdout.detach()"_s).exitCode, 0);
        QCOMPARE(run(u"sys.stderr.close()\nsys.exit('why')"_s).exitCode, 1);
        const ExecResult odd =
            run(u"class Odd:\n    def _repr_mimebundle_(self, **k): return {1: 'x'}\nOdd()"_s);
        QCOMPARE(odd.exitCode, 0);
        QVERIFY2(odd.standardError.contains("no MIME type"), odd.standardError.constData());
        QCOMPARE(run(u"print('out')"_s).text(), u"out\n"_s);
        QCOMPARE(valueOf(u"kept"_s), u"1"_s);
    }

    void onlyTheCodeIsSaidToTheSandbox_data()
    {
        QTest::addColumn<RunCodeOptions>("options");
        RunCodeOptions fed;
        fed.standardInput = "x"_ba;
        QTest::newRow("an input") << fed;
        RunCodeOptions with;
        with.env.insert(u"A"_s, u"b"_s);
        QTest::newRow("an environment") << with;
    }
    void onlyTheCodeIsSaidToTheSandbox()
    {
        QFETCH(RunCodeOptions, options);
        options.context = m_context;
        const ErrorInfo error = Live::errorOf(m_sandbox->runCode(u"1"_s, options));
        QCOMPARE(error.kind, ErrorKind::ConfigurationError);
        QVERIFY(error.hint.contains(u"without a context"_s));
    }

    void theInterpreterHasTheEnvironmentOfTheSandbox()
    {
        CreateOptions options = Live::createOptions(u"contexts"_s);
        options.env.insert(u"PLAIN"_s, u"plain"_s);
        options.secrets.insert(u"TOKEN"_s, Secret("hidden-value"_ba));
        const ScopedSandbox own(m_engine->create(Live::target(), options).result());
        const QString context = own->createContext().result();
        const ExecResult result =
            own->runCode(u"import os\nos.environ['PLAIN'], os.environ['TOKEN'], os.getcwd()"_s, in(context))
                .result();
        QCOMPARE(result.results.value_or(QList<RichOutput>()).value(0).bundle.value(u"text/plain"_s),
                 "('plain', 'hidden-value', '"_ba + own->details().workingDirectory.toUtf8() + "')"_ba);
    }

    void aTimedOutCellIsInterruptedAndTheStateKept()
    {
        run(u"kept = 1"_s);
        const ErrorInfo error = Live::errorOf(
            m_sandbox->runCode(u"import time\nprint('x')\ntime.sleep(600)"_s, in(m_context, 500ms)));
        QCOMPARE(error.kind, ErrorKind::ExecutionTimeout);
        QVERIFY2(!error.message.contains(u"state"_s), qPrintable(error.message));
        QCOMPARE(valueOf(u"kept"_s), u"1"_s);
    }

    void aCellThatIgnoresTheInterruptIsKilledAndSaysSo_data()
    {
        QTest::addColumn<QString>("code");
        QTest::newRow("it catches everything")
            << u"import time\nwhile True:\n    try: time.sleep(600)\n    except BaseException: pass"_s;
        QTest::newRow("it ignores the signal")
            << u"import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\ntime.sleep(600)"_s;
        QTest::newRow("it has stopped itself") << u"import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)"_s;
    }
    void aCellThatIgnoresTheInterruptIsKilledAndSaysSo()
    {
        QFETCH(const QString, code);
        run(u"kept = 1\nimport subprocess; child = subprocess.Popen(['setsid', 'sleep', '603'])"_s);
        QElapsedTimer timer;
        timer.start();
        const ErrorInfo error = Live::errorOf(m_sandbox->runCode(code, in(m_context, 300ms)));
        QVERIFY2(timer.elapsed() < 6000, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(error.kind, ErrorKind::ExecutionTimeout);
        QVERIFY2(error.message.contains(u"its state is lost"_s), qPrintable(error.message));
        QVERIFY2(error.hint.contains(u"restartContext()"_s), qPrintable(error.hint));
        const ExecResult sleepers =
            m_sandbox->run(Command::shell(u"grep -l '[6]03' /proc/[0-9]*/cmdline | wc -l"_s)).result();
        QCOMPARE(sleepers.text().trimmed(), u"0"_s);
        isLostUntilRestarted();
    }

    void aCancelledCellIsInterruptedAndTheStateKept()
    {
        run(u"kept = 1"_s);
        const Operation<ExecResult> cell = m_sandbox->runCode(u"import time; time.sleep(600)"_s, in(m_context));
        QTest::qWait(300);
        cell.cancel();
        QVERIFY_THROWS_EXCEPTION(OperationCancelled, cell.result());
        QCOMPARE(valueOf(u"kept"_s), u"1"_s);
    }

    void aWaitingCellCanTimeOut()
    {
        const Operation<ExecResult> first =
            m_sandbox->runCode(u"import time; time.sleep(1.5); ran = []"_s, in(m_context));
        const ErrorInfo error = Live::errorOf(m_sandbox->runCode(u"ran.append(1)"_s, in(m_context, 200ms)));
        QCOMPARE(error.kind, ErrorKind::ExecutionTimeout);
        QVERIFY(!first.isEnded());
        QCOMPARE(first.result().exitCode, 0);
        QCOMPARE(valueOf(u"ran"_s), u"[]"_s);
    }

    void aDeadInterpreterEndsTheCellByItsStatus_data()
    {
        QTest::addColumn<QString>("code");
        QTest::addColumn<std::optional<int>>("exitCode");
        QTest::addColumn<std::optional<int>>("signal");
        using Maybe = std::optional<int>;
        QTest::newRow("os._exit") << u"import os; os._exit(3)"_s << Maybe(3) << Maybe();
        QTest::newRow("a segmentation fault")
            << u"import ctypes; ctypes.string_at(0)"_s << Maybe() << Maybe(11);
        QTest::newRow("a child that holds the output")
            << u"import os, subprocess\nsubprocess.Popen(['sleep', '604'])\nos._exit(4)"_s << Maybe(4)
            << Maybe();
    }
    void aDeadInterpreterEndsTheCellByItsStatus()
    {
        QFETCH(const QString, code);
        QFETCH(const std::optional<int>, exitCode);
        QFETCH(const std::optional<int>, signal);
        const ExecResult result = run(u"kept = 1\nprint('last words')\n"_s + code);
        QCOMPARE(result.text(), u"last words\n"_s);
        QCOMPARE(result.exitCode, exitCode);
        QCOMPARE(result.signal, signal);
        isLostUntilRestarted();
    }

    void lackOfMemoryNamesTheCap()
    {
        CreateOptions options = Live::createOptions(u"contexts"_s);
        options.resources.memoryMb = 64;
        const ScopedSandbox own(m_engine->create(Live::target(), options).result());
        const QString context = own->createContext().result();
        const ErrorInfo error =
            Live::errorOf(own->runCode(u"data = b'x' * (256 << 20)\nlen(bytearray(data))"_s, in(context)));
        QCOMPARE(error.kind, ErrorKind::ResourceLimitExceeded);
        QCOMPARE(error.limit, u"memory"_s);
        const ErrorInfo next = Live::errorOf(own->runCode(u"1"_s, in(context)));
        QVERIFY2(next.message.contains(u"its state is lost"_s), qPrintable(next.message));
    }

    void aHundredMegabytesCostFlatMemory()
    {
        const auto process = m_sandbox->streamCode(
            u"block = 'x' * 999_999\nfor i in range(100): print(block)\n'done'"_s, in(m_context));
        process->start(Process::ConsumerMode::Pull).result();
        QVERIFY(forgetPeakMemory());
        const qint64 before = residentMemory();
        qint64 bytes = 0;
        while (const auto chunk = process->nextChunk().result())
            bytes += chunk->data.size();
        QCOMPARE(bytes, 100'000'000);
        const ExecResult result = process->wait().result();
        QCOMPARE(result.exitCode, 0);
        QVERIFY(result.streamed);
        QCOMPARE(result.results.value_or(QList<RichOutput>()).size(), 1);
        if (!memoryTells)
            QSKIP("its memory: a sanitizer keeps what is freed");
        QVERIFY2(peakMemory() - before < 32 << 20, qPrintable(QString::number(peakMemory() - before)));
    }

    void aStreamedCellArrivesAsItIsPrinted()
    {
        const auto process = m_sandbox->streamCode(
            u"import os, time\nprint('first', end='')\nwhile not os.path.exists('/tmp/go'):\n"
            "    time.sleep(0.01)\nprint('second')"_s,
            in(m_context));
        process->start(Process::ConsumerMode::Pull).result();
        const auto first = process->nextChunk().result();
        QCOMPARE(first ? first->data : QByteArray(), "first"_ba);
        m_sandbox->run({u"touch"_s, u"/tmp/go"_s}).result();
        QByteArray rest;
        while (const auto chunk = process->nextChunk().result())
            rest += chunk->data;
        QCOMPARE(rest, "second\n"_ba);
    }

    void contextsAreSideBySideAndListed()
    {
        const QString other = m_sandbox->createContext().result();
        QVERIFY(other != m_context);
        QCOMPARE(QSet<QString>({other, m_context}), [&] {
            const QStringList ids = m_sandbox->listContexts().result();
            return QSet<QString>(ids.begin(), ids.end());
        }());
        const Operation<ExecResult> waiting = m_sandbox->runCode(
            u"import os, time\nwhile not os.path.exists('/tmp/met'): time.sleep(0.01)"_s, in(m_context, 20s));
        QTest::qWait(100);
        QCOMPARE(m_sandbox->runCode(u"open('/tmp/met', 'w').close()"_s, in(other)).result().exitCode, 0);
        QCOMPARE(waiting.result().exitCode, 0);
        m_sandbox->removeContext(other).result();
        QCOMPARE(m_sandbox->listContexts().result(), QStringList{m_context});
        const ErrorInfo gone = Live::errorOf(m_sandbox->runCode(u"1"_s, in(other)));
        QCOMPARE(gone.kind, ErrorKind::ConfigurationError);
        QVERIFY2(gone.hint.contains(m_context), qPrintable(gone.hint));
    }

    void removingAContextEndsItsCell()
    {
        const QString other = m_sandbox->createContext().result();
        const Operation<ExecResult> cell = m_sandbox->runCode(u"import time; time.sleep(600)"_s, in(other));
        QTest::qWait(300);
        m_sandbox->removeContext(other).result();
        QCOMPARE(cell.result().signal, 9);
    }

    void anUnknownLanguageNamesThoseThereAre()
    {
        try {
            m_sandbox->createContext(u"cobol"_s).result();
            QFAIL("it did not fail");
        } catch (const ConfigurationError &error) {
            QVERIFY(error.info().hint.contains(u"python"_s));
        }
    }

    void bashKeepsItsStateToo()
    {
        const QString bash = m_sandbox->createContext(u"bash"_s).result();
        QCOMPARE(m_sandbox->runCode(u"kept=yes; cd /tmp; exit 3"_s, in(bash)).result().exitCode, 3);
        QCOMPARE(m_sandbox->runCode(u"echo $kept $PWD"_s, in(bash)).result().text(), u"yes /tmp\n"_s);
        QCOMPARE(m_sandbox->runCode(u"set -e; return 4"_s, in(bash)).result().exitCode, 4);
        QCOMPARE(Live::errorOf(m_sandbox->runCode(u"sleep 600"_s, in(bash, 300ms))).kind,
                 ErrorKind::ExecutionTimeout);
        QCOMPARE(m_sandbox->runCode(u"echo $kept"_s, in(bash)).result().text(), u"yes\n"_s);
        QCOMPARE(Live::errorOf(m_sandbox->runCode(QString(QChar(0)), in(bash))).kind,
                 ErrorKind::ConfigurationError);
        m_sandbox->removeContext(bash).result();
    }

    void codeWithoutAContextKnowsNothingOfIt()
    {
        run(u"kept = 1"_s);
        QCOMPARE(m_sandbox->runCode(u"print('kept' in globals())"_s).result().text(), u"False\n"_s);
    }

    void anotherClientHasItsOwn()
    {
        const SandboxPtr other = m_engine->connectTo(Live::target(), m_sandbox->id()).result();
        QCOMPARE(other->listContexts().result(), QStringList());
        QCOMPARE(Live::errorOf(other->runCode(u"1"_s, in(m_context))).kind, ErrorKind::ConfigurationError);
        const QString own = other->createContext().result();
        QCOMPARE(other->runCode(u"print(5)"_s, in(own)).result().text(), u"5\n"_s);
        other->removeContext(own).result();
    }
};

SANDBOXIO_TEST(TestContexts)
#include "tst_contexts.moc"
