// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "guestharness.h"
#include "support/testprogram.h"

#include <QFile>
#include <QTest>

#include <cerrno>
#include <csignal>

using namespace Sandboxio::Guest;
using namespace Sandboxio::Guest::Test;
using namespace Qt::StringLiterals;

namespace {

StartKept kept(const std::string &name, const Spawn &spawn, const std::string &input = {})
{
    StartKept request;
    request.name = name;
    request.label = spawn.argv;
    request.input = input;
    request.spawn = spawn;
    if (!input.empty())
        request.spawn.stdinMode = StdinMode::Pipe;
    return request;
}

KeptStarted start(Client *client, const StartKept &request)
{
    return replyTo<KeptStarted>([&](auto reply) { client->startKept(request, reply); })
        .value_or(KeptStarted{0, -1, {}});
}

std::vector<KeptRunInfo> list(Client *client)
{
    return replyTo<KeptList>([&](auto reply) { client->listKept(reply); }).value_or(KeptList{}).runs;
}

int removed(Client *client, const std::string &name)
{
    const auto reply = replyTo<void>([&](auto to) { client->removeKept(name, to); });
    return reply ? 0 : reply.error().errorNumber;
}

/// Bytes of memory that a process holds.
qint64 residentBytes(qint64 pid)
{
    QFile file(u"/proc/%1/statm"_s.arg(pid));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    return file.readAll().split(' ').at(1).toLongLong() * 4096;
}

} // namespace

/// Runs that belong to the sandbox: they survive their client, and are read from any byte on.
class TestGuestKeptRuns : public QObject
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

    void aRunSurvivesTheClientThatStartedItAndAnotherReadsItAll()
    {
        std::unique_ptr<Peer> first = guest->relay();
        const KeptStarted started =
            start(first->client,
                  kept("one", shell("echo begin; cat; echo err >&2; sleep 0.3; echo end; exit 3"), "input\n"));
        QVERIFY(started.pid > 0);
        first->process.kill();
        first.reset();
        const std::unique_ptr<Peer> second = guest->relay();
        const auto run = second->attach({"one", 0, 0});
        QTRY_VERIFY(run->isFinished());
        QVERIFY(run->attached && !run->attached->terminal && !run->attached->input);
        QCOMPARE(run->attached->pid, started.pid);
        QCOMPARE(run->out, "begin\ninput\nend\n");
        QCOMPARE(run->err, "err\n");
        QCOMPARE(run->exit->value, 3);
        QCOMPARE(run->outAtExit, run->out.size());
        QVERIFY(run->gaps.isEmpty());
    }

    void anEndedRunIsReadAgainFromAnyByteUntilItIsRemoved()
    {
        QVERIFY(
            start(guest->client(), kept("one", shell("printf 0123456789; printf abc >&2; kill -9 $$"))).pid >
            0);
        QTRY_VERIFY(list(guest->client()).at(0).ended);
        const KeptRunInfo info = list(guest->client()).at(0);
        QCOMPARE(info.name, "one");
        QCOMPARE(info.label.front(), "sh");
        QVERIFY(info.startedMs > 1'700'000'000'000);
        QCOMPARE(info.status.kind, ExitStatus::Kind::Signalled);
        QCOMPARE(info.status.value, SIGKILL);
        QCOMPARE(info.outputWritten, 10u);
        QCOMPARE(info.outputKept, 10u);
        QCOMPARE(info.errorsWritten, 3u);
        for (const quint64 from : {0, 1, 9, 10}) {
            const auto run = guest->creator->attach({"one", from, 3});
            QTRY_VERIFY(run->isFinished());
            QCOMPARE(run->out, "0123456789"_ba.sliced(qsizetype(from)));
            QVERIFY(run->out.isEmpty() || run->firstOffset == from);
            QVERIFY(run->err.isEmpty());
            guest->client()->release(run->id);
        }
        QCOMPARE(removed(guest->client(), "one"), 0);
        QVERIFY(list(guest->client()).empty());
        QCOMPARE(removed(guest->client(), "one"), ENOENT);
    }

    void attachingFailsWithTheReason_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<quint64>("offset");
        QTest::addColumn<int>("expected");
        QTest::newRow("a run that is not there") << "two"_ba << quint64{0} << ENOENT;
        QTest::newRow("no name") << ""_ba << quint64{0} << ENOENT;
        QTest::newRow("an offset beyond what was written") << "one"_ba << quint64{1} << ERANGE;
        QTest::newRow("the largest offset") << "one"_ba << ~quint64{0} << ERANGE;
    }
    void attachingFailsWithTheReason()
    {
        QFETCH(QByteArray, name);
        QFETCH(quint64, offset);
        QVERIFY(start(guest->client(), kept("one", command({"sleep", "7003"}))).pid > 0);
        const auto run = guest->creator->attach({name.toStdString(), offset, 0});
        QTRY_VERIFY(run->failedWith);
        QTEST(*run->failedWith, "expected");
    }

    void startsThatCannotBeLeaveNothing_data()
    {
        QTest::addColumn<int>("which");
        QTest::addColumn<int>("expected");
        QTest::newRow("a program that is not there") << 0 << ENOENT;
        QTest::newRow("a name that is taken") << 1 << EEXIST;
        QTest::newRow("no name") << 2 << EINVAL;
        QTest::newRow("a name that is too long") << 3 << EINVAL;
        QTest::newRow("input without a pipe for it") << 4 << EINVAL;
        QTest::newRow("too much input") << 5 << EINVAL;
        QTest::newRow("a stream token") << 6 << EINVAL;
        QTest::newRow("a control stream") << 7 << EINVAL;
    }
    void startsThatCannotBeLeaveNothing()
    {
        QFETCH(int, which);
        if (const QString why = noStartErrors(); which == 0 && !why.isEmpty())
            QSKIP(qPrintable(why));
        QVERIFY(start(guest->client(), kept("taken", command({"true"}))).pid > 0);
        StartKept request = kept("two", command({which == 0 ? "no-such-program" : "true"}));
        if (which == 1 || which == 2)
            request.name = which == 1 ? "taken" : "";
        if (which == 3)
            request.name.assign(maximumKeptName + 1, 'x');
        if (which == 4 || which == 5)
            request.input.assign(which == 4 ? 1 : maximumKeptInput + 1, 'i');
        if (which == 5)
            request.spawn.stdinMode = StdinMode::Pipe;
        if (which == 6)
            request.spawn.streamToken = "token";
        if (which == 7)
            request.spawn.stdinMode = StdinMode::Control;
        const KeptStarted answer = start(guest->client(), request);
        QCOMPARE(answer.pid, 0u);
        QTEST(answer.errorNumber, "expected");
        QCOMPARE(list(guest->client()).size(), 1u);
    }

    void onlySoManyRunsAreKept()
    {
        for (std::size_t i = 0; i < maximumKeptRuns; ++i)
            QVERIFY(start(guest->client(), kept("run" + std::to_string(i), command({"true"}))).pid > 0);
        QCOMPARE(start(guest->client(), kept("more", command({"true"}))).errorNumber, ENOSPC);
        QCOMPARE(removed(guest->client(), "run0"), 0);
        QVERIFY(start(guest->client(), kept("more", command({"true"}))).pid > 0);
        QCOMPARE(list(guest->client()).front().name, "run1");
        QCOMPARE(list(guest->client()).back().name, "more");
    }

    void muchOutputIsBoundedAndItsGapIsTold()
    {
        constexpr quint64 size = 100'000'000;
        QVERIFY(start(guest->client(), kept("one", shell("head -c 100000000 /dev/zero; printf the-end"))).pid >
                0);
        qint64 most = 0;
        const auto hasEnded = [&] {
            most = std::max(most, residentBytes(guest->creator->process.processId()));
            return list(guest->client()).at(0).ended;
        };
        QTRY_VERIFY_WITH_TIMEOUT(hasEnded(), 30000);
        const KeptRunInfo info = list(guest->client()).at(0);
        QCOMPARE(info.outputWritten, size + 7);
        QVERIFY(info.outputKept >= largestSpool && info.outputKept < largestSpool + (64 << 10));
        if (!isEmulated())
            QVERIFY2(most < 16 << 20, qPrintable(QString::number(most)));
        const auto run = guest->creator->attach({"one", 5, 0});
        QTRY_VERIFY(run->isFinished());
        QCOMPARE(run->gaps,
                 (QList<std::pair<StreamId, quint64>>{{StreamId::Stdout, size + 7 - info.outputKept - 5}}));
        QCOMPARE(run->firstOffset, size + 7 - info.outputKept);
        QCOMPARE(quint64(run->out.size()), info.outputKept);
        QVERIFY(run->out.endsWith("the-end"));
        QCOMPARE(run->outAtExit, run->out.size());
    }

    void aReaderThatIsTooSlowSeesGapsAndHoldsNothingUp()
    {
        const Spawn slow = shell("head -c 20000000 /dev/zero");
        QVERIFY(start(guest->client(), kept("one", slow)).pid > 0);
        const auto run = guest->creator->attach({"one", 0, 0}, Crediting::Manual);
        QTRY_VERIFY(list(guest->client()).at(0).ended);
        QTRY_COMPARE(quint64(run->out.size()), outputWindow);
        QVERIFY(!run->exit);
        while (!run->isFinished()) {
            guest->client()->credit(run->id, StreamId::Stdout, qint64(outputWindow));
            QTest::qWait(1);
        }
        quint64 lost = 0;
        for (const auto &gap : run->gaps)
            lost += gap.second;
        QVERIFY(lost > 0);
        QCOMPARE(lost + quint64(run->out.size()), 20000000u);
        QCOMPARE(run->exit->value, 0);
    }

    void theSpoolsOfManyRunsShareOneBound()
    {
        for (int i = 0; i < 16; ++i)
            QVERIFY(
                start(guest->client(), kept("run" + std::to_string(i), shell("head -c 6000000 /dev/zero; "
                                                                             "head -c 6000000 /dev/zero >&2")))
                    .pid > 0);
        const auto allEnded = [&] {
            return std::ranges::all_of(list(guest->client()), &KeptRunInfo::ended);
        };
        QTRY_VERIFY_WITH_TIMEOUT(allEnded(), 30000);
        quint64 keptBytes = 0;
        for (const KeptRunInfo &info : list(guest->client()))
            keptBytes += info.outputKept + info.errorsKept;
        QVERIFY2(keptBytes >= allSpools && keptBytes <= allSpools + 32 * (64 << 10),
                 qPrintable(QString::number(keptBytes)));
    }

    void aRemovedRunKeepsNothingForThoseWhoStillReadIt()
    {
        const auto kept4MiB = kept("one", shell("head -c 5000000 /dev/zero; sleep 100"));
        QVERIFY(start(guest->client(), kept4MiB).pid > 0);
        QTRY_COMPARE(list(guest->client()).at(0).outputWritten, 5000000u);
        const auto reader = guest->creator->attach({"one", 0, 0}, Crediting::Manual);
        QTRY_COMPARE(quint64(reader->out.size()), outputWindow);
        QCOMPARE(removed(guest->client(), "one"), 0);
        guest->client()->credit(reader->id, StreamId::Stdout, qint64(8) << 20);
        QTRY_VERIFY(reader->isFinished());
        QVERIFY2(quint64(reader->out.size()) < outputWindow + (256 << 10),
                 qPrintable(QString::number(reader->out.size())));
    }

    void severalReadOneRunAndGoWithoutATrace()
    {
        std::unique_ptr<Peer> other = guest->relay();
        QVERIFY(start(guest->client(), kept("one", shell("echo begin; sleep 0.5; echo end"))).pid > 0);
        const auto mine = guest->creator->attach({"one", 0, 0});
        const auto theirs = other->attach({"one", 2, 0});
        const auto third = other->attach({"one", 0, 0});
        QTRY_VERIFY(mine->attached && theirs->attached && third->attached);
        QCOMPARE(list(guest->client()).at(0).attachments, 3u);
        other->client->release(third->id);
        QTRY_COMPARE(list(guest->client()).at(0).attachments, 2u);
        QTRY_VERIFY(mine->isFinished() && theirs->isFinished());
        QCOMPARE(mine->out, "begin\nend\n");
        QCOMPARE(theirs->out, "gin\nend\n");
        other.reset();
        QTRY_COMPARE(list(guest->client()).at(0).attachments, 1u);
    }

    void killingAnAttachmentKillsTheRunAndItsDaemons()
    {
        QVERIFY(start(guest->client(), kept("one", shell("(setsid sleep 7004 &); sleep 7004"))).pid > 0);
        const auto other = guest->run(command({"sleep", "7005"}));
        QTRY_COMPARE(guest->processes("sleep"_ba + '\0' + "7004").size(), 2);
        const auto run = guest->creator->attach({"one", 0, 0});
        bool killed = false;
        guest->client()->killTree(run->id, [&](const auto &reply) { killed = reply.has_value(); });
        QTRY_VERIFY(killed);
        QCOMPARE(guest->processes("sleep"_ba + '\0' + "7004").size(), 0);
        QTRY_VERIFY(run->isFinished());
        QCOMPARE(run->exit->value, SIGKILL);
        QVERIFY(list(guest->client()).at(0).ended);
        QVERIFY(!other->exit);
    }

    void removingARunKillsItAndEndsItsReaders()
    {
        QVERIFY(
            start(guest->client(), kept("one", shell("echo begin; (setsid sleep 7004 &); sleep 7004"))).pid >
            0);
        std::unique_ptr<Peer> other = guest->relay();
        const auto run = other->attach({"one", 0, 0});
        QTRY_COMPARE(run->out, "begin\n");
        QCOMPARE(removed(guest->client(), "one"), 0);
        QCOMPARE(guest->processes("sleep"_ba + '\0' + "7004").size(), 0);
        QTRY_VERIFY(run->isFinished());
        QVERIFY(list(guest->client()).empty());
        QVERIFY(start(guest->client(), kept("one", command({"true"}))).pid > 0);
    }

    void signalsReachTheMainProcess()
    {
        QVERIFY(start(guest->client(),
                      kept("one", shell("trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done")))
                    .pid > 0);
        const auto run = guest->creator->attach({"one", 0, 0});
        QTRY_COMPARE(run->out, "ready\n");
        guest->client()->signal(run->id, SIGTERM);
        QTRY_VERIFY(run->isFinished());
        QCOMPARE(run->exit->value, 9);
    }

    void aTerminalTakesTheInputOfItsFirstReaderOnly()
    {
        Spawn spawn = shell("stty -echo; echo ready; while read line; do [ \"$line\" = size ] && stty size || "
                            "echo got $line; done");
        spawn.pty = true;
        spawn.windowSize = {24, 80};
        QVERIFY(start(guest->client(), kept("one", spawn)).pid > 0);
        std::unique_ptr<Peer> other = guest->relay();
        const auto first = other->attach({"one", 0, 0});
        QTRY_COMPARE(first->out, "ready\r\n");
        QVERIFY(first->attached->terminal && first->attached->input);
        const auto second = guest->creator->attach({"one", 7, 0});
        QTRY_VERIFY(second->attached);
        QVERIFY(second->attached->terminal && !second->attached->input);
        QCOMPARE(guest->client()->writeStdin(second->id, "lost\n"), 5);
        other->client->writeStdin(first->id, "one\n");
        QTRY_COMPARE(second->out, "got one\r\n");
        other.reset();
        QTRY_COMPARE(list(guest->client()).at(0).attachments, 1u);
        const auto third = guest->creator->attach({"one", 7, 0});
        QTRY_VERIFY(third->attached);
        QVERIFY(third->attached->input);
        guest->client()->resize(third->id, {50, 100});
        guest->client()->writeStdin(third->id, "size\n");
        QTRY_COMPARE(third->out, "got one\r\n50 100\r\n");
        guest->client()->closeStdin(third->id);
        QTRY_VERIFY(third->isFinished());
        QCOMPARE(third->exit->value, 0);
    }

    void inputThatATerminalDidNotTakeGoesWithItsWriter()
    {
        Spawn spawn = shell("stty -echo -icanon; echo ready; sleep 0.5; exec cat >/dev/null");
        spawn.pty = true;
        QVERIFY(start(guest->client(), kept("one", spawn)).pid > 0);
        std::unique_ptr<Peer> other = guest->relay();
        const auto first = other->attach({"one", 0, 0});
        QTRY_COMPARE(first->out, "ready\r\n");
        QCOMPARE(other->client->writeStdin(first->id, QByteArray(200000, 'x')), 200000);
        other.reset();
        QTRY_COMPARE(list(guest->client()).at(0).attachments, 0u);
        const auto second = guest->creator->attach({"one", 0, 0});
        QTRY_VERIFY(second->attached && second->attached->input);
        // A whole window again: the guest would end a connection that exceeds it.
        QCOMPARE(guest->client()->writeStdin(second->id, QByteArray(stdinWindow, 'y')), qint64(stdinWindow));
        QCOMPARE(guest->finish(command({"true"}))->exit->value, 0);
        QVERIFY(guest->creator->failure.isEmpty());
    }

    void aChildThatWritesOnDoesNotHoldUpTheNewsOfTheExit()
    {
        QVERIFY(start(guest->client(), kept("one", shell("yes & exit 5"))).pid > 0);
        const auto run = guest->creator->attach({"one", 0, 0});
        QTRY_VERIFY(run->exit);
        QCOMPARE(run->exit->value, 5);
        QVERIFY(!run->exit->treeEmpty);
        QCOMPARE(removed(guest->client(), "one"), 0);
        QTRY_VERIFY(run->isFinished());
    }

    void labelsAreCut()
    {
        StartKept request = kept("one", command({"true"}));
        request.label = {"begin", std::string(100000, 'x'), "end"};
        QVERIFY(start(guest->client(), request).pid > 0);
        const std::vector<std::string> label = list(guest->client()).at(0).label;
        QCOMPARE(label.size(), 2u);
        QCOMPARE(label.front(), "begin");
        QVERIFY(label.back().size() <= maximumKeptLabel && label.back().size() > maximumKeptLabel / 2);
    }

private:
    std::unique_ptr<Harness> guest;
};

SANDBOXIO_TEST(TestGuestKeptRuns)
#include "tst_guestkeptruns.moc"
