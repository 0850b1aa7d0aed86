// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "guestharness.h"
#include "support/testprogram.h"

#include <QCryptographicHash>
#include <QElapsedTimer>
#include <QTest>

#include <cerrno>
#include <csignal>

using namespace Sandboxio::Guest;
using namespace Sandboxio::Guest::Test;
using namespace Qt::StringLiterals;

/// One process at a time, against the real helper as an ordinary process.
class TestGuestRuns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        guest = std::make_unique<Harness>();
        QVERIFY(guest->waitReady());
    }
    void cleanup()
    {
        QVERIFY(guest->shutDown());
        guest.reset();
    }

    void guestTellsWhatItIs()
    {
        const HelloReply &hello = *guest->client()->guest();
        QCOMPARE(hello.version, protocolVersion);
        QVERIFY(hello.architecture == "amd64" || hello.architecture == "arm64");
        QVERIFY(hello.creator);
        QVERIFY(hello.listening);
        QVERIFY(hello.lifetimeLeftMs > 50000 && hello.lifetimeLeftMs <= 60000);
    }

    void exitCodes_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<int>("code");
        QTest::newRow("success is 0") << "true"_ba << 0;
        QTest::newRow("failure is its code") << "exit 3"_ba << 3;
        QTest::newRow("the largest code") << "exit 255"_ba << 255;
    }
    void exitCodes()
    {
        QFETCH(QByteArray, script);
        QFETCH(int, code);
        const auto run = guest->finish(shell(script.toStdString()));
        QVERIFY(run->exit);
        QVERIFY(run->exit->kind == ExitStatus::Kind::Exited);
        QCOMPARE(run->exit->value, code);
        QVERIFY(run->pid > 0);
    }

    void deathBySignalIsToldApartFromAnExitCode()
    {
        const auto run = guest->finish(shell("kill -USR1 $$"));
        QVERIFY(run->exit && run->exit->kind == ExitStatus::Kind::Signalled);
        QCOMPARE(run->exit->value, SIGUSR1);
    }

    void streamsAreApart()
    {
        const auto run = guest->finish(shell("echo out; echo err >&2; exit 3"));
        QCOMPARE(run->out, "out\n");
        QCOMPARE(run->err, "err\n");
        QCOMPARE(run->exit->value, 3);
    }

    void argumentsPassThroughNoShell()
    {
        const auto run = guest->finish(command({"printf", "%s|", "$HOME", "a b", "", "*", "\xff"}));
        QCOMPARE(run->out, "$HOME|a b||*|\xff|");
    }

    void standardInputIsEmptyUnlessAskedFor()
    {
        const auto run = guest->finish(command({"cat"}));
        QCOMPARE(run->out, "");
        QCOMPARE(run->exit->value, 0);
    }

    void standardInputIsEchoed()
    {
        Spawn spawn = command({"cat"});
        spawn.stdinMode = StdinMode::Pipe;
        const auto run = guest->run(spawn);
        QCOMPARE(guest->client()->writeStdin(run->id, "hello"), 5);
        QTRY_COMPARE(run->out, "hello");
        QVERIFY(!run->exit);
        guest->client()->closeStdin(run->id);
        QTRY_VERIFY(run->isFinished());
        QCOMPARE(run->exit->value, 0);
    }

    void standardInputLargerThanItsWindowArrivesWhole()
    {
        Spawn spawn = command({"sha256sum"});
        spawn.stdinMode = StdinMode::Pipe;
        const auto run = guest->run(spawn);
        const QByteArray data(3 << 20, 'x');
        qint64 written = guest->client()->writeStdin(run->id, data);
        QCOMPARE(written, qint64(stdinWindow));
        while (written < data.size()) {
            QVERIFY(QTest::qWaitFor([&] { return run->stdinOffered > 0; }, 5000));
            run->stdinOffered = 0;
            written += guest->client()->writeStdin(run->id, QByteArrayView(data).sliced(written));
        }
        guest->client()->closeStdin(run->id);
        QTRY_VERIFY(run->isFinished());
        QCOMPARE(run->out.left(64), QCryptographicHash::hash(data, QCryptographicHash::Sha256).toHex());
    }

    void aProcessThatReadsNothingDropsItsInput()
    {
        Spawn spawn = shell("exec <&-; echo closed; sleep 5");
        spawn.stdinMode = StdinMode::Pipe;
        const auto run = guest->run(spawn);
        QTRY_COMPARE(run->out, "closed\n");
        guest->client()->writeStdin(run->id, "x");
        QTRY_VERIFY(run->stdinEof);
        QCOMPARE(guest->client()->writeStdin(run->id, QByteArray(1 << 20, 'x')), 1 << 20);
    }

    void environmentIsAddedOrReplaced()
    {
        Spawn added = shell("echo $SANDBOXIO_TEST_MARK $A");
        added.environment = {"A=1"};
        QCOMPARE(guest->finish(added)->out, guest->mark.toLatin1() + " 1\n");
        Spawn overridden = added;
        overridden.environment = {"SANDBOXIO_TEST_MARK=" + guest->mark.toStdString(), "A=1", "A=2"};
        QCOMPARE(guest->finish(overridden)->out, guest->mark.toLatin1() + " 2\n");
        Spawn cleared = command({"/usr/bin/env"});
        cleared.clearEnvironment = true;
        cleared.environment = {"ONLY=this"};
        QCOMPARE(guest->finish(cleared)->out, "ONLY=this\n");
    }

    void commandIsFoundByThePathOfTheRun()
    {
        if (const QString why = noStartErrors(); !why.isEmpty())
            QSKIP(qPrintable(why));
        Spawn spawn = command({"true"});
        spawn.environment = {"PATH=/nowhere"};
        const auto run = guest->finish(spawn);
        QCOMPARE(run->failedWith, ENOENT);
    }

    void workingDirectory()
    {
        Spawn spawn = command({"pwd"});
        spawn.workingDirectory = "/usr/bin";
        QCOMPARE(guest->finish(spawn)->out, "/usr/bin\n");
    }

    void whatCannotStartSaysWhy_data()
    {
        QTest::addColumn<QByteArray>("program");
        QTest::addColumn<QByteArray>("folder");
        QTest::addColumn<int>("errorNumber");
        QTest::addColumn<int>("stage");
        const int exec = int(SpawnStage::Exec);
        QTest::newRow("an unknown command is ENOENT") << "no-such-command"_ba << ""_ba << ENOENT << exec;
        QTest::newRow("an unknown path is ENOENT") << "/no/such"_ba << ""_ba << ENOENT << exec;
        QTest::newRow("a file that is not executable is EACCES") << "/etc/passwd"_ba << ""_ba << EACCES << exec;
        QTest::newRow("a folder is EACCES") << "/etc"_ba << ""_ba << EACCES << exec;
        QTest::newRow("an empty name is ENOENT") << ""_ba << ""_ba << ENOENT << exec;
        QTest::newRow("an unknown working directory is told apart")
            << "true"_ba << "/no/such"_ba << ENOENT << int(SpawnStage::WorkingDirectory);
    }
    void whatCannotStartSaysWhy()
    {
        if (const QString why = noStartErrors(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QFETCH(QByteArray, program);
        QFETCH(QByteArray, folder);
        QFETCH(int, errorNumber);
        QFETCH(int, stage);
        Spawn spawn = command({program.toStdString()});
        spawn.workingDirectory = folder.toStdString();
        const auto run = guest->finish(spawn);
        QCOMPARE(run->failedWith, errorNumber);
        QCOMPARE(int(*run->failedStage), stage);
        QVERIFY(!run->pid && !run->exit);
        QCOMPARE(guest->finish(command({"true"}))->exit->value, 0);
    }

    void aRequestOverTheFrameLimitFails()
    {
        const auto run = guest->run(command({"true", std::string(2 << 20, 'x')}));
        QVERIFY2(!run->failedWith, "a handler ran inside the call");
        QTRY_COMPARE(run->failedWith, E2BIG);
        QCOMPARE(guest->finish(command({"true"}))->exit->value, 0);
    }

    void unreadOutputStopsTheProcessAtTheWindow()
    {
        const auto run = guest->run(command({"head", "-c", "10000000", "/dev/zero"}), Crediting::Manual);
        QTRY_COMPARE(run->out.size(), qsizetype(outputWindow));
        QTest::qWait(100);
        QCOMPARE(run->out.size(), qsizetype(outputWindow));
        QVERIFY(!run->exit);
        qint64 given = 0;
        while (!run->isFinished()) {
            const qint64 fresh = run->out.size() - given;
            QVERIFY(fresh <= qint64(outputWindow));
            guest->client()->credit(run->id, StreamId::Stdout, fresh);
            given += fresh;
            QVERIFY(QTest::qWaitFor([&] { return run->out.size() > given || run->isFinished(); }, 5000));
        }
        QCOMPARE(run->out.size(), 10000000);
    }

    void unreadOutputDoesNotStopANeighbour()
    {
        const auto stalled = guest->run(command({"yes"}), Crediting::Manual);
        QTRY_COMPARE(stalled->out.size(), qsizetype(outputWindow));
        QCOMPARE(guest->finish(shell("echo hi"))->out, "hi\n");
        bool killed = false;
        guest->client()->killTree(stalled->id, [&](const auto &result) { killed = result.has_value(); });
        QTRY_VERIFY(killed);
    }

    void terminalHasItsSizeAndTerm()
    {
        Spawn spawn = shell("tty; stty size; echo $TERM; read line; stty size; echo got $line");
        spawn.pty = true;
        spawn.windowSize = {33, 101};
        const auto run = guest->run(spawn);
        QTRY_VERIFY(run->out.contains("xterm-256color\r\n"));
        QVERIFY2(run->out.startsWith("/dev/pts/"), run->out.constData());
        QVERIFY2(run->out.contains("33 101\r\n"), run->out.constData());
        guest->client()->resize(run->id, {40, 120});
        guest->client()->writeStdin(run->id, "go\n");
        QTRY_VERIFY(run->exit && run->outEof);
        QVERIFY2(run->out.contains("40 120\r\ngot go\r\n"), run->out.constData());
    }

    void terminalInterruptsByControlC()
    {
        Spawn spawn = shell("echo ready; sleep 60");
        spawn.pty = true;
        const auto run = guest->run(spawn);
        QTRY_VERIFY(run->out.contains("ready"));
        guest->client()->writeStdin(run->id, "\x03");
        QTRY_VERIFY(run->exit);
        QVERIFY(run->exit->kind == ExitStatus::Kind::Signalled);
        QCOMPARE(run->exit->value, SIGINT);
    }

    void endOfInputOnATerminalEndsCat()
    {
        Spawn spawn = command({"cat"});
        spawn.pty = true;
        const auto run = guest->run(spawn);
        QTRY_VERIFY(run->pid);
        guest->client()->closeStdin(run->id);
        QTRY_VERIFY(run->exit);
        QCOMPARE(run->exit->value, 0);
    }

    void aBackgroundChildKeepsTheStreamButNotTheExit()
    {
        const auto run = guest->run(shell("sleep 1 & echo hi"));
        QElapsedTimer timer;
        timer.start();
        QTRY_VERIFY(run->exit);
        QVERIFY2(timer.elapsed() < 500, "the exit waited for the background child");
        QVERIFY(!run->exit->treeEmpty);
        QCOMPARE(run->out, "hi\n");
        QVERIFY(!run->outEof);
        QTRY_VERIFY(run->outEof && run->errEof);
        QVERIFY(timer.elapsed() >= 900);
    }

    void theExitTellsWhetherAProcessIsLeft_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<bool>("empty");
        QTest::newRow("nothing but the process") << "true"_ba << true;
        QTest::newRow("a child that has ended") << "sh -c true"_ba << true;
        QTest::newRow("a child in the background") << "sleep 60 &"_ba << false;
        QTest::newRow("a grandchild whose parent has ended") << "sh -c 'sleep 60 &'"_ba << false;
        QTest::newRow("a child in a session of its own") << "setsid sleep 60 & sleep 0.1"_ba << false;
    }
    void theExitTellsWhetherAProcessIsLeft()
    {
        QFETCH(QByteArray, script);
        QFETCH(bool, empty);
        const auto run = guest->run(shell(script.toStdString()));
        QTRY_VERIFY(run->exit);
        QCOMPARE(run->exit->treeEmpty, empty);
        bool killed = false;
        guest->client()->killTree(run->id, [&](const auto &) { killed = true; });
        QTRY_VERIFY(killed);
    }

    void outputWrittenBeforeTheEndComesBeforeTheExit()
    {
        if (isEmulated())
            QSKIP("what comes while an emulator is stopped is its own business");
        // The process ends while the helper is stopped and more than one read of output waits in the pipe.
        const qint64 helper = guest->creator->process.processId();
        constexpr qsizetype written = 900'000;
        const auto run = guest->run(command({"python3", "-c", R"(
import fcntl, os, sys, time
fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, 1 << 20)
while " T " not in open(f"/proc/{sys.argv[1]}/stat").read(): time.sleep(0.002)
os.write(1, bytes(int(sys.argv[2])))
)",
                                             std::to_string(helper), std::to_string(written)}));
        QTRY_VERIFY(run->pid);
        const QString process = u"/proc/%1"_s.arg(*run->pid);
        QCOMPARE(::kill(pid_t(helper), SIGSTOP), 0);
        const bool ended = QTest::qWaitFor([&] { return !QFile::exists(process); }, 20'000);
        ::kill(pid_t(helper), SIGCONT);
        QVERIFY(ended);
        QTRY_VERIFY(run->exit);
        QCOMPARE(run->outAtExit, written);
    }

    void aControlStreamIsDescriptorThree()
    {
        Spawn spawn =
            shell("cat; read -r line <&3; echo \"heard $line\" >&3; cat <&3 >&3; ls /proc/self/fd | wc -l");
        spawn.stdinMode = StdinMode::Control;
        const RunRecordPtr run = guest->run(spawn);
        QTRY_VERIFY(run->pid);
        const QByteArray much(200'000, 'x');
        QCOMPARE(guest->client()->writeStdin(run->id, "word\n" + much), 5 + much.size());
        QTRY_COMPARE(run->control, "heard word\n" + much);
        guest->client()->closeStdin(run->id);
        QTRY_VERIFY(run->isFinished());
        QCOMPARE(run->exit->value, 0);
        QCOMPARE(run->out.trimmed(), "5"_ba); // the three, the control stream, and that of ls
    }

    void controlBytesComeAfterTheOutputBeforeThem()
    {
        Spawn spawn = shell("head -c 1300000 /dev/zero; echo end >&3; cat <&3");
        spawn.stdinMode = StdinMode::Control;
        const RunRecordPtr run = guest->run(spawn, Crediting::Manual);
        QTRY_COMPARE(run->out.size(), qsizetype(outputWindow));
        QTest::qWait(100); // nothing may come
        QCOMPARE(run->control, QByteArray());
        guest->client()->credit(run->id, StreamId::Stdout, run->out.size());
        QTRY_COMPARE(run->control, "end\n"_ba);
        QCOMPARE(run->outAtControl, 1'300'000);
        guest->client()->closeStdin(run->id);
        QTRY_VERIFY(run->isFinished());
    }

    void aControlStreamGoesWithNeitherTerminalNorToken()
    {
        for (const bool pty : {true, false}) {
            Spawn spawn = shell("true");
            spawn.stdinMode = StdinMode::Control;
            spawn.pty = pty;
            spawn.streamToken = pty ? "" : "token";
            const RunRecordPtr run = guest->finish(spawn);
            QCOMPARE(run->failedWith, EINVAL);
            QCOMPARE(run->failedStage, SpawnStage::Setup);
        }
    }

    void twoHundredRunsAtOnce()
    {
        QList<RunRecordPtr> runs;
        for (int i = 0; i < 200; ++i)
            runs.append(guest->run(shell("echo " + std::to_string(i))));
        for (int i = 0; i < 200; ++i) {
            QTRY_VERIFY(runs[i]->isFinished());
            QCOMPARE(runs[i]->out, QByteArray::number(i) + '\n');
            guest->client()->release(runs[i]->id);
        }
        std::optional<Status> status;
        guest->client()->status([&](const auto &value) { status = *value; });
        QTRY_VERIFY(status);
        QCOMPARE(status->runs, 0u);
    }

private:
    std::unique_ptr<Harness> guest;
};

SANDBOXIO_TEST(TestGuestRuns)
#include "tst_guestruns.moc"
