// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "guestharness.h"
#include "support/testprogram.h"

#include <QTcpServer>
#include <QTest>
#include <QUdpSocket>

#include <cerrno>

using namespace Sandboxio::Guest;
using namespace Sandboxio::Guest::Test;
using namespace Qt::StringLiterals;

/// Several clients of one guest, descriptors handed over, and the network probe.
class TestGuestClients : public QObject
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

    void aSecondClientRunsByARelay()
    {
        std::unique_ptr<Peer> other = guest->relay();
        const auto run = other->run(shell("echo out; echo err >&2; exit 4"));
        QTRY_VERIFY(run->isFinished());
        QVERIFY(other->isReady());
        QVERIFY(!other->client->guest()->creator);
        QCOMPARE(run->out, "out\n");
        QCOMPARE(run->err, "err\n");
        QCOMPARE(run->exit->value, 4);
    }

    void onlyTheCreatorExtendsAndShutsDown()
    {
        std::unique_ptr<Peer> other = guest->relay();
        QList<int> errors;
        other->client->extend(1, [&](const auto &value) { errors.append(value.error().errorNumber); });
        other->client->shutdown([&](const auto &value) { errors.append(value.error().errorNumber); });
        QTRY_COMPARE(errors, QList<int>({EPERM, EPERM}));
        QCOMPARE(guest->finish(command({"true"}))->exit->value, 0);
    }

    void aClientThatLeavesTakesItsRunsAlong()
    {
        const auto mine = guest->run(command({"sleep", "7002"}));
        std::unique_ptr<Peer> other = guest->relay();
        const auto run = other->run(shell("(setsid sleep 7001 &); sleep 7001"));
        QTRY_COMPARE(guest->processes("sleep"_ba + '\0' + "7001").size(), 2);
        other.reset();
        QTRY_COMPARE(guest->processes("sleep"_ba + '\0' + "7001").size(), 0);
        QCOMPARE(guest->processes("sleep"_ba + '\0' + "7002").size(), 1);
        QVERIFY(!mine->exit);
    }

    void aRelayThatIsKilledTakesItsRunsAlong()
    {
        std::unique_ptr<Peer> other = guest->relay();
        const auto run = other->run(command({"sleep", "7001"}));
        QTRY_VERIFY(run->pid);
        other->process.kill();
        QTRY_COMPARE(guest->processes("sleep"_ba + '\0' + "7001").size(), 0);
        QTRY_COMPARE(run->lostCount, 1);
    }

    void aClientThatFloodsIsSlowedNotServedFromMemory()
    {
        std::unique_ptr<Peer> other = guest->relay();
        QTRY_VERIFY(other->isReady());
        other->process.disconnect(other.get()); // reads nothing any more
        QByteArray requests;
        for (quint32 i = 1; i <= 200000; ++i)
            requests += QByteArray::fromStdString(encode(i, FileStat{"/etc/passwd", false}));
        other->process.write(requests);
        QTest::qWait(300);
        QCOMPARE(guest->finish(command({"true"}))->exit->value, 0);
        std::optional<Status> status;
        guest->client()->status([&](const auto &value) { status = *value; });
        QTRY_VERIFY(status);
        QVERIFY2(status->queuedBytes < 6 << 20, qPrintable(QString::number(status->queuedBytes)));
    }

    void garbageEndsThatClientOnly()
    {
        std::unique_ptr<Peer> other = guest->relay();
        QTRY_VERIFY(other->isReady());
        other->process.write(QByteArray(100, '\xff'));
        QTRY_VERIFY(!other->failure.isEmpty() || other->process.state() == QProcess::NotRunning);
        QCOMPARE(guest->finish(command({"true"}))->exit->value, 0);
    }

    void streamsAreTheProcessesOwn_data()
    {
        QTest::addColumn<bool>("spawnFirst");
        QTest::newRow("the spawn waits for the descriptors") << true;
        QTest::newRow("the descriptors wait for the spawn") << false;
    }
    void streamsAreTheProcessesOwn()
    {
        QFETCH(bool, spawnFirst);
        Spawn spawn = shell("cat; echo err >&2; exit 7");
        spawn.streamToken = "token-1";
        spawn.stdinMode = StdinMode::Token;
        RunRecordPtr run;
        if (spawnFirst) {
            run = guest->run(spawn);
            QTest::qWait(50);
        }
        std::unique_ptr<QProcess> stream = guest->start({u"stream"_s, u"token-1"_s});
        if (!spawnFirst) {
            QVERIFY(stream->waitForStarted());
            QTest::qWait(50);
            run = guest->run(spawn);
        }
        stream->write("through");
        stream->closeWriteChannel();
        QTRY_VERIFY(run->exit);
        QCOMPARE(run->exit->value, 7);
        QTRY_COMPARE(stream->state(), QProcess::NotRunning);
        QCOMPARE(stream->exitCode(), 7);
        QCOMPARE(stream->readAllStandardOutput(), "through");
        QCOMPARE(stream->readAllStandardError(), "err\n");
        QVERIFY(run->out.isEmpty() && run->err.isEmpty());
    }

    void aStreamedCommandThatIsNotFoundEndsItsStreamWith127()
    {
        if (const QString why = noStartErrors(); !why.isEmpty())
            QSKIP(qPrintable(why));
        Spawn spawn = command({"no-such-command"});
        spawn.streamToken = "token-2";
        const auto run = guest->run(spawn);
        std::unique_ptr<QProcess> stream = guest->start({u"stream"_s, u"token-2"_s});
        QTRY_COMPARE(run->failedWith, ENOENT);
        QTRY_COMPARE(stream->state(), QProcess::NotRunning);
        QCOMPARE(stream->exitCode(), 127);
    }

    void killingAStreamedRunEndsItsStream()
    {
        Spawn spawn = command({"sleep", "7001"});
        spawn.streamToken = "token-3";
        const auto run = guest->run(spawn);
        std::unique_ptr<QProcess> stream = guest->start({u"stream"_s, u"token-3"_s});
        QTRY_VERIFY(run->pid);
        guest->client()->killTree(run->id, {});
        QTRY_COMPARE(stream->state(), QProcess::NotRunning);
        QCOMPARE(stream->exitCode(), 137);
    }

    void aSpawnThatWaitsForDescriptorsCanBeKilled()
    {
        Spawn spawn = command({"true"});
        spawn.streamToken = "never";
        const auto run = guest->run(spawn);
        bool killed = false;
        guest->client()->killTree(run->id, [&](const auto &result) { killed = result.has_value(); });
        QTRY_VERIFY(killed);
        QCOMPARE(run->failedWith, ECANCELED);
        QVERIFY(*run->failedStage == SpawnStage::Token);
    }

    void descriptorsNobodyAsksForExpire()
    {
        std::unique_ptr<QProcess> stream = guest->start({u"stream"_s, u"nobody"_s});
        Spawn spawn = command({"true"});
        spawn.streamToken = "somebody";
        const auto run = guest->run(spawn);
        QTRY_COMPARE_WITH_TIMEOUT(stream->state(), QProcess::NotRunning, 12000);
        QCOMPARE(stream->exitCode(), 125);
        QTRY_COMPARE(run->failedWith, ETIMEDOUT);
    }

    void probesTellWhatTheyMet()
    {
        QTcpServer open;
        QVERIFY(open.listen(QHostAddress::LocalHost));
        QTcpServer closed;
        QVERIFY(closed.listen(QHostAddress::LocalHost));
        const quint16 closedPort = closed.serverPort();
        closed.close();
        QUdpSocket echo;
        QVERIFY(echo.bind(QHostAddress::LocalHost));
        connect(&echo, &QUdpSocket::readyRead, this, [&] {
            char ping[16];
            QHostAddress from;
            quint16 port = 0;
            echo.readDatagram(ping, sizeof ping, &from, &port);
            echo.writeDatagram("pong", from, port);
        });
        QUdpSocket silent;
        QVERIFY(silent.bind(QHostAddress::LocalHost));

        QCOMPARE(probe({"127.0.0.1", open.serverPort(), NetProtocol::Tcp, 2000, {}}), NetOutcome::Connected);
        QCOMPARE(probe({"localhost", open.serverPort(), NetProtocol::Tcp, 2000, {}}), NetOutcome::Connected);
        QCOMPARE(probe({"127.0.0.1", closedPort, NetProtocol::Tcp, 2000, {}}), NetOutcome::Refused);
        QCOMPARE(probe({"127.0.0.1", echo.localPort(), NetProtocol::Udp, 2000, "ping"}), NetOutcome::Connected);
        QCOMPARE(probe({"127.0.0.1", silent.localPort(), NetProtocol::Udp, 200, "ping"}), NetOutcome::TimedOut);
        QCOMPARE(probe({"not a name..", 1, NetProtocol::Tcp, 200, {}}), NetOutcome::NameNotResolved);
    }

    void aSlowProbeHoldsNobodyUp()
    {
        QUdpSocket silent;
        QVERIFY(silent.bind(QHostAddress::LocalHost));
        bool answered = false;
        guest->client()->netProbe({"127.0.0.1", silent.localPort(), NetProtocol::Udp, 1000, "x"},
                                  [&](const auto &) { answered = true; });
        QCOMPARE(guest->finish(command({"true"}))->exit->value, 0);
        QVERIFY(!answered);
        QTRY_VERIFY(answered);
    }

private:
    NetOutcome probe(const NetProbe &request)
    {
        std::optional<NetProbeResult> result;
        guest->client()->netProbe(request, [&](const auto &value) { result = *value; });
        if (!QTest::qWaitFor([&] { return result.has_value(); }, 5000))
            qFatal("no answer");
        return result->outcome;
    }

    std::unique_ptr<Harness> guest;
};

SANDBOXIO_TEST(TestGuestClients)
#include "tst_guestclients.moc"
