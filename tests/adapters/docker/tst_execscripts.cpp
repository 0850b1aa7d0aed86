// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "execscripts.h"
#include "support/testprogram.h"

#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <signal.h>

using namespace Sandboxio;
using namespace Sandboxio::Docker;
using namespace Qt::StringLiterals;

namespace {

struct Ran
{
    int code = -1;
    QByteArray output;
    QByteArray errors;
};

/*! Runs the script of \a command by \a shell on this host. */
Ran runBy(const QString &shell, const QStringList &command, const QByteArray &input = {})
{
    QProcess process;
    process.start(shell, command.sliced(1));
    process.write(input);
    process.closeWriteChannel();
    if (!process.waitForFinished(20'000))
        return {};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

Guest::Spawn spawnOf(std::vector<std::string> argv, std::string directory = {})
{
    Guest::Spawn spawn;
    spawn.argv = std::move(argv);
    spawn.workingDirectory = std::move(directory);
    return spawn;
}

/*! Which of \a pids are alive, zombies apart. */
QList<qint64> alive(const QList<qint64> &pids)
{
    QList<qint64> result;
    for (const qint64 pid : pids) {
        QFile stat(u"/proc/%1/stat"_s.arg(pid));
        if (stat.open(QIODevice::ReadOnly) && !stat.readAll().contains(") Z "))
            result.append(pid);
    }
    return result;
}

} // namespace

// The shells that this host has; dash and bash are the two dialects.
class TestExecScripts : public QObject
{
    Q_OBJECT

    void addShells()
    {
        QTest::addColumn<QString>("shell");
        for (const char *name : {"dash", "bash", "busybox"}) {
            if (QString path = QStandardPaths::findExecutable(QString::fromLatin1(name)); !path.isEmpty())
                QTest::newRow(name) << path;
        }
    }
    static Ran start(const QString &shell, const QStringList &command, const QByteArray &input = {})
    {
        const bool isBusybox = shell.endsWith("busybox"_L1);
        return runBy(shell, isBusybox ? QStringList{{}, u"sh"_s} + command.sliced(1) : command, input);
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (!QFile::exists(u"/proc/self/limits"_s))
            QSKIP("this is no Linux");
    }

    void aRunTellsHowItEnds_data() { addShells(); }
    void aRunTellsHowItEnds()
    {
        QFETCH(QString, shell);
        const auto command = runArguments(spawnOf({"sh", "-c", "echo out; echo err >&2; cat; exit 7"}, "/"), 5);
        const Ran ran = start(shell, *command, "in\n"_ba);
        const QByteArray record = recordPrefix(5);
        QCOMPARE(ran.code, 7);
        QVERIFY(ran.output.startsWith(record + " started "));
        QVERIFY(ran.output.endsWith("\nout\nin\n" + record + " ended\n"));
        QVERIFY(ran.errors.startsWith(record + " started "));
        QVERIFY(ran.errors.endsWith("err\n" + record + " exited 7 0\n"));
    }

    void anEndBySignalSaysNothingElse_data() { addShells(); }
    void anEndBySignalSaysNothingElse()
    {
        QFETCH(QString, shell);
        const Ran ran = start(shell, *runArguments(spawnOf({"sh", "-c", "kill -KILL $$"}), 5));
        QCOMPARE(ran.code, 137);
        QVERIFY2(ran.errors.endsWith("\n" + recordPrefix(5) + " exited 137 0\n"), ran.errors.constData());
        QCOMPARE(ran.errors.count('\n'), 2); // no "Killed" of the shell's own
    }

    void whatCannotStartIsTold_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("directory");
        QTest::addColumn<QByteArray>("record");
        QTest::newRow("no such program in the PATH") << u"no-such-program"_s << u""_s << "program 2"_ba;
        QTest::newRow("no such path") << u"/no/such/program"_s << u""_s << "program 2"_ba;
        QTest::newRow("a file that is not executable") << u"/etc/passwd"_s << u""_s << "program 13"_ba;
        QTest::newRow("a directory as program") << u"/etc"_s << u""_s << "program 13"_ba;
        QTest::newRow("an empty name") << u""_s << u""_s << "program 2"_ba;
        QTest::newRow("no such directory") << u"true"_s << u"/no/such"_s << "directory 2"_ba;
        QTest::newRow("a file as directory") << u"true"_s << u"/etc/passwd"_s << "directory 20"_ba;
        QTest::newRow("a directory with a leading dash") << u"true"_s << u"-P"_s << "directory 2"_ba;
    }
    void whatCannotStartIsTold()
    {
        QFETCH(QString, program);
        QFETCH(QString, directory);
        QFETCH(QByteArray, record);
        const auto command = runArguments(spawnOf({program.toStdString()}, directory.toStdString()), 5);
        const Ran ran = runBy(u"/bin/sh"_s, *command);
        QCOMPARE(ran.code, 125);
        QCOMPARE(ran.errors, recordPrefix(5) + " failed " + record + '\n');
        QCOMPARE(ran.output, ""_ba);
    }

    void aKillFindsWhatBelongsToTheRunAndNothingElse_data() { addShells(); }
    void aKillFindsWhatBelongsToTheRunAndNothingElse()
    {
        QFETCH(QString, shell);
        // Daemonised with an empty environment in a session of its own; and an ordinary child.
        const std::string script =
            "setsid env -i sleep 600 >/dev/null 2>&1 & echo $!; sleep 601 >/dev/null 2>&1 & "
            "echo $!";
        const auto pidsOf = [&](RunMark mark) {
            QList<qint64> pids;
            const Ran ran = start(shell, *runArguments(spawnOf({"sh", "-c", script}), mark));
            for (const QByteArray &line : ran.output.split('\n')) {
                if (const qint64 pid = line.toLongLong(); pid > 0)
                    pids.append(pid);
            }
            return pids;
        };
        const RunMark mark = makeRunMark();
        const RunMark otherMark = makeRunMark();
        const QList<qint64> own = pidsOf(mark);
        const QList<qint64> others = pidsOf(otherMark);
        QCOMPARE(alive(own).size(), 2);
        const Ran killed = start(shell, killArguments(mark));
        QCOMPARE(killed.code, static_cast<int>(KillResult::NothingLeft));
        QTRY_COMPARE(alive(own), QList<qint64>());
        QCOMPARE(alive(others), others);
        QCOMPARE(start(shell, signalArguments(mark, others.first(), SIGKILL)).code, 1); // not of that run
        QCOMPARE(start(shell, signalArguments(otherMark, others.first(), SIGTERM)).code, 0);
        QTRY_COMPARE(alive(others), others.sliced(1));
        start(shell, killArguments(otherMark));
        QTRY_COMPARE(alive(others), QList<qint64>());
    }

    void aProbeSaysWhatThereIs_data() { addShells(); }
    void aProbeSaysWhatThereIs()
    {
        QFETCH(QString, shell);
        const Ran ran = start(shell, probeArguments(makeRunMark(), {u"sh"_s, u"no-such-program"_s, u"env"_s}));
        const ExecProbe expected{
            .canMark = true, .directory = QDir::currentPath(), .programs = {u"sh"_s, u"env"_s}};
        QCOMPARE(readExecProbe(ran.output), expected);
        QCOMPARE(readExecProbe("OCI runtime exec failed: no such file"_ba), ExecProbe());
    }

    void codeIsWrittenPrivatelyAndOverNothing()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"code"_s);
        QCOMPARE(runBy(u"/bin/sh"_s, writePrivateArguments(path), "print(1)"_ba).code, 0);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), "print(1)"_ba);
        QCOMPARE(file.permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
        QVERIFY(runBy(u"/bin/sh"_s, writePrivateArguments(path), "again"_ba).code != 0);
    }

    void whatDockerCannotCarryIsRefused()
    {
        QCOMPARE(runArguments(spawnOf({"cat", "\xff"}), 5).error().kind, ErrorKind::ConfigurationError);
        QCOMPARE(runArguments(spawnOf({"cat"}, "/\xff"), 5).error().kind, ErrorKind::ConfigurationError);
        Guest::Spawn spawn = spawnOf({"env"});
        spawn.environment = {"GOOD_1=a=b", "_x="};
        QCOMPARE(*runEnvironment(spawn), (QStringList{u"GOOD_1=a=b"_s, u"_x="_s}));
        for (const char *bad : {"with.dot=1", "1st=1", "=1", "a-b=1", "GOOD=\xff"}) {
            spawn.environment = {bad};
            QCOMPARE(runEnvironment(spawn).error().kind, ErrorKind::ConfigurationError);
        }
    }
};

SANDBOXIO_TEST(TestExecScripts)
#include "tst_execscripts.moc"
