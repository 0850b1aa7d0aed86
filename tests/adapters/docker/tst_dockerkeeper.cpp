// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "keeper/keeper.h"
#include "keeperlaunch.h"
#include "pausewatch.h"
#include "support/testprogram.h"

#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace Sandboxio;
using namespace Sandboxio::Docker;
using Keeper::Sight;

Q_DECLARE_METATYPE(Sandboxio::Keeper::Sight)

/*! What the keeper of paused sandboxes believes, and when it is asked for. No daemon is needed. */
class TestDockerKeeper : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void sight_data();
    void sight();
    void resumed_data();
    void resumed();
    void status_data();
    void status();
    void obstacle();
    void whoEndsASandboxIsSaid();
    void theKeeperIsFoundOrNamed();
    void aSilenceIsLookedInto();
};

void TestDockerKeeper::sight_data()
{
    QTest::addColumn<int>("answered");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<Sight>("sight");
    QTest::newRow("paused") << 200 << R"({"State":{"Status":"paused","Running":true,"Paused":true}})"_ba
                            << Sight::Paused;
    QTest::newRow("running") << 200 << R"({"State":{"Status":"running","Running":true,"Paused":false}})"_ba
                             << Sight::Running;
    QTest::newRow("ended") << 200 << R"({"State":{"Status":"exited","Running":false,"Paused":false}})"_ba
                           << Sight::Over;
    QTest::newRow("removed") << 404 << R"({"message":"No such container"})"_ba << Sight::Over;
    QTest::newRow("a daemon in trouble proves nothing") << 500 << QByteArray() << Sight::Unknown;
    QTest::newRow("no answer proves nothing") << 0 << QByteArray() << Sight::Unknown;
    QTest::newRow("a label that says paused is no state")
        << 200
        << R"({"State":{"Running":true,"Paused":false},"Labels":{"Paused":"true","x":"\"Paused\":true"}})"_ba
        << Sight::Running;
}

void TestDockerKeeper::sight()
{
    QFETCH(int, answered);
    QFETCH(QByteArray, body);
    QFETCH(Sight, sight);
    QCOMPARE(Keeper::sightOf({.status = answered, .body = body.toStdString()}), sight);
}

void TestDockerKeeper::resumed_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<bool>("resumed");
    QTest::newRow("the event")
        << R"({"status":"unpause","Type":"container","Action":"unpause","Actor":{"ID":"a"}})"_ba << true;
    QTest::newRow("another event") << R"({"Type":"container","Action":"pause","Actor":{"ID":"a"}})"_ba << false;
    QTest::newRow("a label with that name and value")
        << R"({"Type":"container","Action":"pause","Actor":{"Attributes":{"Action":"unpause"}}})"_ba << false;
    QTest::newRow("a label with the whole text")
        << R"({"Action":"die","Actor":{"Attributes":{"x":"\"Action\":\"unpause\""}}})"_ba << false;
    QTest::newRow("nothing") << QByteArray() << false;
    QTest::newRow("half a line") << R"({"status":"unpa)"_ba << false;
}

void TestDockerKeeper::resumed()
{
    QFETCH(QByteArray, line);
    QTEST(Keeper::saysResumed(line.toStdString()), "resumed");
}

void TestDockerKeeper::status_data()
{
    QTest::addColumn<QByteArray>("head");
    QTest::addColumn<int>("status");
    QTest::newRow("an answer") << "HTTP/1.0 200 OK\r\n\r\n"_ba << 200;
    QTest::newRow("a refusal") << "HTTP/1.1 404 Not Found\r\n\r\n"_ba << 404;
    QTest::newRow("nothing") << QByteArray() << 0;
    QTest::newRow("another protocol") << "SSH-2.0-x 200 OK\r\n\r\n"_ba << 0;
    QTest::newRow("no number") << "HTTP/1.1 abc\r\n\r\n"_ba << 0;
    QTest::newRow("a number out of range") << "HTTP/1.1 999 x\r\n\r\n"_ba << 0;
    QTest::newRow("cut off") << "HTTP/1.1"_ba << 0;
}

void TestDockerKeeper::status()
{
    QFETCH(QByteArray, head);
    QTEST(Keeper::statusOf(head.toStdString()), "status");
}

void TestDockerKeeper::obstacle()
{
    const Endpoint local{.path = u"/run/docker.sock"_s, .origin = u"test"_s};
    const Endpoint remote{.host = u"example.com"_s, .port = 2375, .origin = u"test"_s};
    QVERIFY(!keeperObstacle(local, u"/keeper"_s));
    QCOMPARE(keeperObstacle(local, {})->kind, ErrorKind::CapabilityNotSupported);
    QCOMPARE(keeperObstacle(remote, u"/keeper"_s)->kind, ErrorKind::CapabilityNotSupported);
    QVERIFY(!keeperObstacle(remote, u"/keeper"_s)->hint.isEmpty());
    QVERIFY(keeperObstacle(std::unexpected(makeError(ErrorKind::ConnectError, u"no daemon"_s)), u"/keeper"_s));
}

void TestDockerKeeper::whoEndsASandboxIsSaid()
{
    QVERIFY(!needsKeeper(IsolationTier::Container) && !needsKeeper(IsolationTier::MicroVm));
    QVERIFY(needsKeeper(IsolationTier::GVisor) && needsKeeper(IsolationTier::Unknown));
    QSet<QString> texts;
    for (const IsolationTier tier : {IsolationTier::Container, IsolationTier::GVisor}) {
        for (const bool hasKeeper : {false, true}) {
            const QString text = lifetimeText(tier, hasKeeper);
            QCOMPARE(text.contains(u"keeper"_s), hasKeeper);
            texts.insert(text);
        }
    }
    QCOMPARE(texts.size(), 4);
}

void TestDockerKeeper::theKeeperIsFoundOrNamed()
{
    QVERIFY2(keeperProgram().endsWith(u"/libexec/sandboxio/sandboxio-keeper"_s), qPrintable(keeperProgram()));
    QTemporaryDir folder;
    qputenv(keeperVariable, folder.filePath(u"missing"_s).toLocal8Bit());
    QCOMPARE(keeperProgram(), QString());
    qputenv(keeperVariable, "/bin/true");
    QCOMPARE(keeperProgram(), u"/bin/true"_s);
    qunsetenv(keeperVariable);
}

void TestDockerKeeper::aSilenceIsLookedInto()
{
    int looks = 0;
    bool isPaused = false;
    PauseWatch watch(Clock::system(), [&] {
        ++looks;
        return finishedOperation(isPaused ? std::optional(makeError(ErrorKind::ConnectError, u"paused"_s))
                                          : std::nullopt);
    });
    int stopped = 0;
    const quint64 answered = watch.begin([&](const ErrorInfo &) { ++stopped; });
    QVERIFY(watch.end(answered));
    const quint64 silent = watch.begin([&](const ErrorInfo &) { ++stopped; });
    QTRY_VERIFY_WITH_TIMEOUT(looks >= 1, 10000);
    QCOMPARE(stopped, 0);
    isPaused = true;
    QTRY_COMPARE_WITH_TIMEOUT(stopped, 1, 10000);
    QVERIFY(!watch.end(silent)); // too late
    const int before = looks;
    const quint64 next = watch.begin([](const ErrorInfo &) {});
    QVERIFY(watch.end(next));
    QTest::qWait(2500); // nobody waits: nobody is asked
    QCOMPARE(looks, before);
}

SANDBOXIO_TEST(TestDockerKeeper)
#include "tst_dockerkeeper.moc"
