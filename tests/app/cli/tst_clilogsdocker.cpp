// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "invocation.h"
#include "support/testprogram.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <QUuid>

#include <csignal>

using namespace Qt::StringLiterals;

/*! Background runs by the real binary in real containers: started by one process, read by others. */
class TestCliLogsDocker : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup();
    void aRunOutlivesTheProgramThatStartedItBySignal9();
    void whatThereIsIsShownAndReadingGoesOn();
    void stoppingToFollowLeavesTheRun();
    void muchOutputHasAGapThatIsTold();
    void aRunIsKilledAndRemoved();
    void aRunEndsWithTheLifetimeOfItsSandbox();
    void mistakesSayWhatToDo();

private:
    QString createSandbox(const QStringList &options = {});
    QString detach(const QString &script);
    QJsonArray runs() const
    {
        return invoke({u"logs"_s, m_sandbox, u"--json"_s})->json().value("runs"_L1).toArray();
    }

    QTemporaryDir m_folder;
    QString m_case;
    QString m_sandbox;
};

void TestCliLogsDocker::initTestCase()
{
    if (!qEnvironmentVariableIsSet("DOCKER_HOST") && !QFileInfo::exists(u"/var/run/docker.sock"_s))
        QSKIP("DOCKER_HOST names no daemon and there is no /var/run/docker.sock");
    QVERIFY(m_folder.isValid());
    qputenv("XDG_STATE_HOME", m_folder.filePath(u"state"_s).toLocal8Bit());
}

void TestCliLogsDocker::init()
{
    m_case = u"case="_s + QUuid::createUuid().toString(QUuid::WithoutBraces);
    m_sandbox = createSandbox();
    QVERIFY(!m_sandbox.isEmpty());
}

void TestCliLogsDocker::cleanup()
{
    if (!m_sandbox.isEmpty())
        invoke({u"kill"_s, m_sandbox});
}

QString TestCliLogsDocker::createSandbox(const QStringList &options)
{
    return invoke(QStringList{u"create"_s, u"--json"_s, u"--image"_s, u"sandboxio-test:1"_s, u"--label"_s,
                              m_case} +
                  testLabel() + options)
        ->json()
        .value("id"_L1)
        .toString();
}

QString TestCliLogsDocker::detach(const QString &script)
{
    const auto run =
        invoke({u"run"_s, u"--detach"_s, u"--sandbox"_s, m_sandbox, u"--"_s, u"sh"_s, u"-c"_s, script});
    return run->exitCode() == 0 ? QString::fromLatin1(run->output().trimmed()) : QString();
}

void TestCliLogsDocker::aRunOutlivesTheProgramThatStartedItBySignal9()
{
    Invocation start({u"run"_s, u"--detach"_s, u"--sandbox"_s, m_sandbox, u"--"_s, u"sh"_s, u"-c"_s,
                      u"for i in 1 2 3 4 5 6; do echo line $i; echo error $i >&2; sleep 0.2; done; exit 3"_s});
    start.start();
    QVERIFY2(start.waitForOutput("\n"), start.report());
    start.signal(SIGKILL);
    QVERIFY(start.finish());
    const QString id = QString::fromLatin1(start.output().trimmed());
    const auto follow = invoke({u"logs"_s, m_sandbox, id, u"--follow"_s});
    QVERIFY2(follow->exitCode() == 3, follow->report());
    QCOMPARE(follow->output(), "line 1\nline 2\nline 3\nline 4\nline 5\nline 6\n");
    QCOMPARE(follow->error(), "error 1\nerror 2\nerror 3\nerror 4\nerror 5\nerror 6\n");
    const auto again = invoke({u"logs"_s, m_sandbox, id.first(6)});
    QVERIFY2(again->exitCode() == 3 && again->output() == follow->output(), again->report());
    QCOMPARE(runs().at(0)["exitCode"_L1].toInt(-1), 3);
}

void TestCliLogsDocker::whatThereIsIsShownAndReadingGoesOn()
{
    const QString id =
        detach(u"printf first; while [ ! -e /tmp/go ]; do sleep 0.05; done; printf second; exit 4"_s);
    QVERIFY(!id.isEmpty());
    QTRY_COMPARE_WITH_TIMEOUT(runs().at(0)["stdoutBytes"_L1].toInt(), 5, 10000);
    const auto now = invoke({u"logs"_s, m_sandbox, id, u"--json"_s});
    QVERIFY2(now->exitCode() == 0, now->report());
    QCOMPARE(now->json().value("stdout"_L1).toString(), u"first"_s);
    QVERIFY(now->json().value("running"_L1).toBool());
    const QString next = QString::number(now->json().value("nextStdoutOffset"_L1).toInteger());
    QCOMPARE(next, u"5"_s);
    invoke({u"run"_s, u"--sandbox"_s, m_sandbox, u"--"_s, u"touch"_s, u"/tmp/go"_s});
    const auto rest = invoke({u"logs"_s, m_sandbox, id, u"-f"_s, u"--since-offset"_s, next});
    QVERIFY2(rest->exitCode() == 4, rest->report());
    QCOMPARE(rest->output(), "second");
    const auto list = invoke({u"logs"_s, m_sandbox});
    QVERIFY2(list->output().contains(id.toLatin1()) && list->output().contains("exited 4"), list->report());
}

void TestCliLogsDocker::stoppingToFollowLeavesTheRun()
{
    const QString id = detach(u"echo up; sleep 600"_s);
    Invocation follow({u"logs"_s, m_sandbox, id, u"--follow"_s});
    follow.start();
    QVERIFY2(follow.waitForOutput("up"), follow.report());
    follow.signal(SIGINT);
    QVERIFY(follow.finish());
    QVERIFY2(follow.exitCode() == 130, follow.report());
    const QJsonArray left = runs();
    QVERIFY(left.at(0)["running"_L1].toBool());
    QCOMPARE(left.at(0)["attachments"_L1].toInt(-1), 0);
}

void TestCliLogsDocker::muchOutputHasAGapThatIsTold()
{
    const QString id = detach(u"head -c 100000000 /dev/zero; echo; echo the end"_s);
    QTRY_VERIFY_WITH_TIMEOUT(!runs().at(0)["running"_L1].toBool(true), 60000);
    const QJsonArray all = runs();
    const qint64 kept = all.at(0)["stdoutKept"_L1].toInteger();
    QCOMPARE(all.at(0)["stdoutBytes"_L1].toInteger(), 100000009);
    QVERIFY(kept > 4000000 && kept < 5000000);
    const auto logs = invoke({u"logs"_s, m_sandbox, id});
    QVERIFY2(logs->exitCode() == 0, logs->error().constData());
    QCOMPARE(logs->output().size(), kept);
    QVERIFY(logs->output().endsWith("\nthe end\n"));
    QVERIFY2(logs->error().contains(QByteArray::number(100000009 - kept) + " bytes"),
             logs->error().constData());
}

void TestCliLogsDocker::aRunIsKilledAndRemoved()
{
    const QString id = detach(u"echo up; sleep 600"_s);
    const auto kill = invoke({u"logs"_s, m_sandbox, id, u"--kill"_s});
    QVERIFY2(kill->exitCode() == 0, kill->report());
    const auto logs = invoke({u"logs"_s, m_sandbox, id});
    QVERIFY2(logs->exitCode() == 137 && logs->output() == "up\n", logs->report());
    const auto remove = invoke({u"logs"_s, m_sandbox, id, u"--remove"_s, u"--json"_s});
    QVERIFY2(remove->exitCode() == 0 && remove->json().value("run"_L1).toString() == id, remove->report());
    QVERIFY(runs().isEmpty());
}

void TestCliLogsDocker::aRunEndsWithTheLifetimeOfItsSandbox()
{
    invoke({u"kill"_s, m_sandbox});
    m_sandbox = createSandbox({u"--timeout"_s, u"5"_s});
    const QString id = detach(u"echo up; sleep 600"_s);
    QVERIFY(!id.isEmpty());
    const auto follow = invoke({u"logs"_s, m_sandbox, id, u"--follow"_s});
    QVERIFY2(follow->exitCode() == 125 && follow->error().contains("SBX_E1204"), follow->report());
    QCOMPARE(follow->output(), "up\n");
}

void TestCliLogsDocker::mistakesSayWhatToDo()
{
    const auto unknown = invoke({u"logs"_s, m_sandbox, u"none"_s});
    QVERIFY2(unknown->exitCode() == 125 && unknown->error().contains("SBX_E1000"), unknown->report());
    const auto missing =
        invoke({u"run"_s, u"--detach"_s, u"--sandbox"_s, m_sandbox, u"--"_s, u"no-such-program"_s});
    QVERIFY2(missing->exitCode() == 127, missing->report());
    const QString id = detach(u"echo up"_s);
    const auto beyond = invoke({u"logs"_s, m_sandbox, id, u"--since-offset"_s, u"100"_s});
    QVERIFY2(beyond->exitCode() == 125 && beyond->error().contains("SBX_E1000"), beyond->report());
    QVERIFY2(invoke({u"logs"_s, m_sandbox})->output().contains(id.toLatin1()), "the run is not listed");
}

SANDBOXIO_TEST(TestCliLogsDocker)
#include "tst_clilogsdocker.moc"
