// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fileerror.h"
#include "sandboxloss.h"
#include "support/testprogram.h"

#include <QJsonDocument>
#include <QTest>

#include <cerrno>

using namespace Sandboxio;
using namespace Sandboxio::Docker;
using namespace Qt::StringLiterals;

using State = std::optional<ContainerState>;

class TestSandboxLoss : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void readsTheStateOfAnInspection();
    void namesTheEvidence_data();
    void namesTheEvidence();
    void outOfMemoryNamesTheCap();
    void aLostConnectionIsNoGoneSandbox();
    void errorsOfFiles_data();
    void errorsOfFiles();
};

void TestSandboxLoss::readsTheStateOfAnInspection()
{
    const QJsonObject inspection =
        QJsonDocument::fromJson(R"({"Id":"a","State":{"Status":"exited","Running":false,
        "Paused":false,"Restarting":false,"OOMKilled":true,"Dead":false,"Pid":0,"ExitCode":137,"Error":""}})"_ba)
            .object();
    QCOMPARE(containerState(inspection),
             (ContainerState{.running = false, .paused = false, .outOfMemory = true, .exitCode = 137}));
}

void TestSandboxLoss::namesTheEvidence_data()
{
    QTest::addColumn<State>("state");
    QTest::addColumn<int>("secondsAfterStart");
    QTest::addColumn<QString>("text"); // in message or hint
    QTest::newRow("gone after its lifetime") << State() << 60 << u"lifetime of 60 s ended"_s;
    QTest::newRow("gone within the tolerance of the two clocks")
        << State() << 59 << u"lifetime of 60 s ended"_s;
    QTest::newRow("gone before its lifetime") << State() << 30 << u"removed"_s;
    QTest::newRow("ended by its guest at the end of its lifetime")
        << State({.exitCode = 124}) << 55 << u"lifetime of 60 s ended"_s;
    QTest::newRow("out of memory") << State({.outOfMemory = true, .exitCode = 137}) << 10 << u"out of memory"_s;
    QTest::newRow("killed from outside") << State({.exitCode = 137}) << 10 << u"killed"_s;
    QTest::newRow("killed from outside after a run had been out of memory and the guest shut down")
        << State({.outOfMemory = true, .exitCode = 0}) << 10 << u"shut down"_s;
    QTest::newRow("stopped from outside") << State({.exitCode = 143}) << 10 << u"stopped"_s;
    QTest::newRow("ended by itself") << State({.exitCode = 5}) << 10 << u"exit code 5"_s;
}

void TestSandboxLoss::namesTheEvidence()
{
    QFETCH(State, state);
    QFETCH(int, secondsAfterStart);
    QFETCH(QString, text);
    ManagedSandbox managed;
    managed.createdAt = QDateTime(QDate(2026, 1, 1), QTime(12, 0), QTimeZone::UTC);
    managed.expiresAt = managed.createdAt.addSecs(60);
    const ErrorInfo error = sandboxGone(state, managed, {}, managed.createdAt.addSecs(secondsAfterStart));
    QCOMPARE(error.kind, ErrorKind::SandboxGone);
    QVERIFY2((error.message + error.hint).contains(text), qPrintable(error.toText()));
    QVERIFY(!error.hint.isEmpty());
}

void TestSandboxLoss::outOfMemoryNamesTheCap()
{
    Resources resources;
    resources.memoryMb = 512;
    const ErrorInfo error =
        sandboxGone(ContainerState{.outOfMemory = true, .exitCode = 137}, {}, resources, {});
    QCOMPARE(error.limit, u"memory"_s);
    QCOMPARE(error.limitValue, 512 * 1024 * 1024);
    QVERIFY(error.message.contains(u"512 MB"_s));
}

void TestSandboxLoss::aLostConnectionIsNoGoneSandbox()
{
    const ErrorInfo error = connectionLost(u"0123456789abcdef"_s);
    QCOMPARE(error.kind, ErrorKind::ConnectError);
    QVERIFY(error.message.contains(u"unknown"_s));
    QVERIFY(error.hint.contains(u"docker inspect 0123456789ab`"_s));
}

void TestSandboxLoss::errorsOfFiles_data()
{
    QTest::addColumn<int>("errorNumber");
    QTest::addColumn<ErrorKind>("kind");
    QTest::addColumn<QString>("hint");
    QTest::newRow("a missing path is PathNotFound") << ENOENT << ErrorKind::PathNotFound << u"ls"_s;
    QTest::newRow("no permission") << EACCES << ErrorKind::FileSystemError << u"mode"_s;
    QTest::newRow("a full disk") << ENOSPC << ErrorKind::FileSystemError << u"disk"_s;
    QTest::newRow("a directory") << EISDIR << ErrorKind::FileSystemError << u"directory"_s;
    QTest::newRow("a read-only file system") << EROFS << ErrorKind::FileSystemError << u"read-only"_s;
    QTest::newRow("something rare still has a hint") << EIO << ErrorKind::FileSystemError << QString();
}

void TestSandboxLoss::errorsOfFiles()
{
    QFETCH(int, errorNumber);
    QFETCH(ErrorKind, kind);
    QFETCH(QString, hint);
    const ErrorInfo error = fileError(errorNumber, u"read"_s, u"odd\nname"_s);
    QCOMPARE(error.kind, kind);
    QVERIFY(error.hint.contains(hint));
    QVERIFY(!error.hint.isEmpty());
    QVERIFY2(error.message.contains(u"odd\\x0aname"_s), qPrintable(error.message));
    QCOMPARE(error.cause->status, errorNumber);
}

SANDBOXIO_TEST(TestSandboxLoss)
#include "tst_sandboxloss.moc"
