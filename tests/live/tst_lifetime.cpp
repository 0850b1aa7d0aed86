// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerdaemon.h"

#include <sandboxio/core/error.h>

#include <QElapsedTimer>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

// The lifetime ends a sandbox whatever is tried from inside.
class TestLifetime : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (const QString why = Live::missingDaemon(); !why.isEmpty())
            QSKIP(qPrintable(why));
    }

    void endsInTime_data()
    {
        QTest::addColumn<QString>("attack");
        QTest::newRow("nothing is tried") << u"true"_s;
        QTest::newRow("PID 1 is stopped") << u"kill -STOP 1"_s;
        QTest::newRow("PID 1 is killed") << u"kill -KILL 1"_s;
        QTest::newRow("PID 1 is asked to end") << u"kill -TERM 1; kill -INT 1; kill -HUP 1"_s;
        QTest::newRow("a child that ignores everything and has a session of its own")
            << u"setsid sh -c 'trap \"\" TERM INT HUP; sleep 600' & true"_s;
    }
    void endsInTime()
    {
        QFETCH(QString, attack);
        Engine engine({.stateDirectory = QString()});
        CreateOptions options = Live::createOptions(u"lifetime"_s);
        options.timeout = 4s;
        const SandboxPtr sandbox = engine.create(Live::target(), options).result();
        QElapsedTimer timer;
        timer.start();
        std::ignore = sandbox->run(Command::shell(attack)).result();
        QCOMPARE(sandbox->run({u"echo"_s, u"alive"_s}).result().text(), u"alive\n"_s);
        const Operation<ExecResult> run = sandbox->run({u"sleep"_s, u"600"_s});
        QVERIFY(run.waitFor(10s));
        QVERIFY_THROWS_EXCEPTION(SandboxGone, run.result());
        QVERIFY2(timer.elapsed() <= 6000, qPrintable(QString::number(timer.elapsed())));
        const QByteArray running =
            Live::docker({u"inspect"_s, u"--format"_s, u"{{.State.Running}}"_s, sandbox->id()});
        QCOMPARE(running.trimmed(), "false"_ba);
        sandbox->kill().result();
    }
};

QTEST_GUILESS_MAIN(TestLifetime)
#include "tst_lifetime.moc"
