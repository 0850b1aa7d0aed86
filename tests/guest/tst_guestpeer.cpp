// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/guest/client/client.h>

#include <QTest>

#include <cerrno>

using namespace Sandboxio::Guest;
using namespace Qt::StringLiterals;

namespace {

QByteArray bytes(const std::string &text)
{
    return QByteArray::fromStdString(text);
}

QByteArray greeting()
{
    HelloReply reply;
    reply.architecture = "amd64";
    return bytes(std::string(preamble) + encode(0, reply));
}

} // namespace

/// The client against a peer made of bytes: one that lies, floods, or goes away.
class TestGuestPeer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        written.clear();
        backlog = 0;
        failures.clear();
        client = std::make_unique<Client>(Transport{[this](const QByteArray &data) { written += data; },
                                                    [this] {
                                                        return backlog;
                                                    }},
                                          ClientHandlers{{}, [this](const QString &reason) {
                                                             failures.append(reason);
                                                         }});
        client->start();
    }

    void nothingIsReadyBeforeTheGreeting()
    {
        QCOMPARE(written, bytes(std::string(preamble) + encode(0, Hello{})));
        QVERIFY(!client->guest());
        client->feed(greeting());
        QVERIFY(client->guest());
        QVERIFY(failures.isEmpty());
    }

    void peersThatBreakTheProtocolFailTheClient_data()
    {
        QTest::addColumn<QByteArray>("reply");
        const std::string hello = greeting().toStdString();
        HelloReply other;
        other.version = 99;
        auto row = [](const char *name, const std::string &text) {
            QTest::newRow(name) << bytes(text);
        };
        row("a text instead of the protocol", "exec failed: no such file\n");
        row("another version", std::string(preamble) + encode(0, other));
        row("a refusal with its reason", hello + encode(0, Fatal{"because"}));
        row("a frame before the greeting", std::string(preamble) + encode(1, Spawned{5}));
        row("a second greeting", hello + encode(0, HelloReply{}));
        row("an unknown frame type", hello + std::string("\x05\0\0\0\x7f\0\0\0\0", 9));
        row("an event of a run that was never started", hello + encode(9, Spawned{5}));
        row("an answer that nobody asked for", hello + encode(77, Done{}));
        row("an answer of another kind", hello + encode(1, Done{}));
        row("an end before the start", hello + encode(1, ExitStatus{}));
        row("two starts", hello + encode(1, Spawned{5}) + encode(1, Spawned{5}));
        row("two ends", hello + encode(1, Spawned{5}) + encode(1, ExitStatus{}) + encode(1, ExitStatus{}));
        row("control output of a run that has no control stream",
            hello + encode(1, Output{StreamId::Control, 0, "x"}));
        row("the end of a control stream that the run has not",
            hello + encode(1, StreamEof{StreamId::Control}));
        row("output with a gap", hello + encode(1, Output{StreamId::Stdout, 1, "x"}));
        row("output after its end",
            hello + encode(1, StreamEof{StreamId::Stdout}) + encode(1, Output{StreamId::Stdout, 0, "x"}));
        row("credit that was never used", hello + encode(1, StdinCredit{1}));
        row("a kill that nobody asked for", hello + encode(1, TreeKilled{}));
        const std::string chunk(maximumChunk, 'x');
        row("an attachment where nothing was attached", hello + encode(1, Attached{5, false, false}));
        row("a gap in the output of an ordinary run",
            hello + encode(1, Spawned{5}) + encode(1, OutputLost{StreamId::Stdout, 5}));
        row("more output than was credited", hello + encode(1, Output{StreamId::Stdout, 0, chunk}) +
                                                 encode(1, Output{StreamId::Stdout, maximumChunk, chunk}) +
                                                 encode(1, Output{StreamId::Stdout, 2 * maximumChunk, "x"}));
    }
    void peersThatBreakTheProtocolFailTheClient()
    {
        QFETCH(QByteArray, reply);
        int lost = 0;
        QList<FileError> errors;
        client->spawn({}, {.lost = [&] {
                          ++lost;
                      }});
        client->stat("x", false, [&](const auto &answer) { errors.append(answer.error()); });
        client->feed(reply);
        QCOMPARE(failures.size(), 1);
        QVERIFY(!failures.front().isEmpty());
        QCOMPARE(lost, 1);
        QCOMPARE(errors, QList<FileError>({{0, true}}));
        QVERIFY(!client->isUsable());

        client->feed(greeting());
        client->connectionLost();
        QCOMPARE(failures.size(), 1);
        QCOMPARE(lost, 1);
    }

    void splitsAtEveryByteGiveTheSameEvents()
    {
        const QByteArray reply =
            greeting() + bytes(encode(1, Spawned{5}) + encode(1, Output{StreamId::Stderr, 0, "data"}) +
                               encode(1, ExitStatus{ExitStatus::Kind::Exited, 3, false, 0}));
        for (qsizetype cut = 0; cut <= reply.size(); ++cut) {
            init();
            QByteArray events;
            client->spawn({}, {.spawned = [&](qint64 pid) { events += 's' + QByteArray::number(pid); },
                               .output = [&](StreamId, quint64, const QByteArray &data) { events += data; },
                               .exited =
                                   [&](const ExitStatus &status) {
                                       events += QByteArray::number(status.value);
                                   }});
            client->feed(QByteArrayView(reply).first(cut));
            client->feed(QByteArrayView(reply).sliced(cut));
            QCOMPARE(events, "s5data3");
        }
    }

    void splitsOfAnAttachmentGiveTheSameEvents()
    {
        const QByteArray reply =
            greeting() +
            bytes(encode(1, Attached{5, true, true}) + encode(1, OutputLost{StreamId::Stdout, 4}) +
                  encode(1, Output{StreamId::Stdout, 14, "data"}) + encode(1, StreamEof{StreamId::Stdout}) +
                  encode(1, ExitStatus{ExitStatus::Kind::Exited, 3, false, 0}));
        for (qsizetype cut = 0; cut <= reply.size(); ++cut) {
            init();
            QByteArray events;
            client->attach(
                {"name", 10, 0},
                {.attached = [&](const Attached &attached) { events += attached.input ? "i" : "-"; },
                 .output = [&](StreamId, quint64 offset,
                               const QByteArray &data) { events += QByteArray::number(offset) + data; },
                 .outputLost = [&](StreamId, quint64 count) { events += 'g' + QByteArray::number(count); },
                 .eof = [&](StreamId) { events += 'e'; },
                 .exited =
                     [&](const ExitStatus &status) {
                         events += QByteArray::number(status.value);
                     }});
            client->feed(QByteArrayView(reply).first(cut));
            client->feed(QByteArrayView(reply).sliced(cut));
            QCOMPARE(events, "ig414datae3");
        }
    }

    void attachmentsThatBreakTheProtocolFailTheClient_data()
    {
        QTest::addColumn<QByteArray>("reply");
        const auto row = [](const char *name, const std::string &text) {
            QTest::newRow(name) << greeting() + bytes(text);
        };
        row("a spawn instead of an attachment", encode(1, Spawned{5}));
        row("output from another offset than was asked for",
            encode(1, Attached{5, false, false}) + encode(1, Output{StreamId::Stdout, 0, "x"}));
        row("output that was told as lost", encode(1, Attached{5, false, false}) +
                                                encode(1, OutputLost{StreamId::Stdout, 4}) +
                                                encode(1, Output{StreamId::Stdout, 10, "x"}));
        row("a gap of nothing",
            encode(1, Attached{5, false, false}) + encode(1, OutputLost{StreamId::Stdout, 0}));
        row("a gap beyond every number",
            encode(1, Attached{5, false, false}) + encode(1, OutputLost{StreamId::Stdout, ~std::uint64_t(0)}));
        row("a gap after the end", encode(1, Attached{5, false, false}) +
                                       encode(1, StreamEof{StreamId::Stdout}) +
                                       encode(1, OutputLost{StreamId::Stdout, 4}));
        row("input that ends where none was taken",
            encode(1, Attached{5, false, false}) + encode(1, StreamEof{StreamId::Stdin}));
    }
    void attachmentsThatBreakTheProtocolFailTheClient()
    {
        QFETCH(QByteArray, reply);
        int lost = 0;
        client->attach({"name", 10, 0}, {.lost = [&] {
                           ++lost;
                       }});
        client->feed(reply);
        QCOMPARE(failures.size(), 1);
        QCOMPARE(lost, 1);
    }

    void aLostConnectionEndsEverythingOnce()
    {
        client->feed(greeting());
        int lost = 0;
        int errors = 0;
        auto count = [&](const auto &answer) {
            errors += answer.error().connectionLost ? 1 : 0;
        };
        const RunId run = client->spawn({}, {.lost = [&] {
                                            ++lost;
                                        }});
        client->killTree(run, count);
        client->list("x", {}, count);
        client->status(count);
        client->connectionLost();
        client->connectionLost();
        QCOMPARE(lost, 1);
        QCOMPARE(errors, 3);
        QVERIFY2(failures.isEmpty(), "a lost connection is no protocol error");
    }

    void requestsAfterTheEndFailLaterAndOnce()
    {
        client->connectionLost();
        int lost = 0;
        int errors = 0;
        auto count = [&](const auto &answer) {
            errors += answer.error().connectionLost ? 1 : 0;
        };
        const RunId run = client->spawn({}, {.lost = [&] {
                                            ++lost;
                                        }});
        client->killTree(run, count);
        client->stat("x", false, count);
        client->close(1, count);
        QCOMPARE(lost + errors, 0);
        QCoreApplication::processEvents();
        QCOMPARE(lost, 1);
        QCOMPARE(errors, 3);
    }

    void deletingTheClientInAnyHandlerIsSafe_data()
    {
        QTest::addColumn<int>("handler");
        QTest::newRow("in spawned") << 0;
        QTest::newRow("in output") << 1;
        QTest::newRow("in exited") << 2;
        QTest::newRow("in lost") << 3;
        QTest::newRow("in a reply") << 4;
        QTest::newRow("in a page") << 5;
        QTest::newRow("in ready") << 6;
        QTest::newRow("in failed") << 7;
    }
    void deletingTheClientInAnyHandlerIsSafe()
    {
        QFETCH(int, handler);
        int calls = 0;
        auto on = [&](int which) {
            if (which == handler) {
                ++calls;
                client.reset();
            }
        };
        client = std::make_unique<Client>(Transport{[](const QByteArray &) {},
                                                    [] {
                                                        return qint64(0);
                                                    }},
                                          ClientHandlers{[&](const HelloReply &) { on(6); },
                                                         [&](const QString &) {
                                                             on(7);
                                                         }});
        client->start();
        RunHandlers handlers;
        handlers.spawned = [&](qint64) {
            on(0);
        };
        handlers.output = [&](StreamId, quint64, const QByteArray &) {
            on(1);
        };
        handlers.exited = [&](const ExitStatus &) {
            on(2);
        };
        handlers.lost = [&] {
            on(3);
        };
        client->spawn({}, handlers);
        client->spawn({}, handlers);
        client->list("x", [&](const auto &) { on(5); }, {});
        client->stat("x", false, [&](const auto &) { on(4); });
        const QByteArray reply = greeting() +
                                 bytes(encode(1, FileListPage{3, false, {}}) + encode(1, Spawned{5}) +
                                       encode(1, Output{StreamId::Stdout, 0, "x"}) + encode(1, ExitStatus{}) +
                                       encode(2, FileInfo{})) +
                                 bytes(std::string("\0\0\0\0", 4));
        client->feed(reply);
        QCOMPARE(calls, 1);
        QVERIFY(!client);
    }

    void creditGoesBackInPortions()
    {
        client->feed(greeting());
        const RunId run = client->spawn({}, {});
        const std::string chunk(maximumChunk, 'x');
        client->feed(bytes(encode(run, Output{StreamId::Stdout, 0, chunk})));
        written.clear();
        client->credit(run, StreamId::Stdout, 1000);
        QVERIFY(written.isEmpty());
        client->credit(run, StreamId::Stdout, qint64(chunk.size()) - 1000);
        QCOMPARE(written, bytes(encode(run, Credit{StreamId::Stdout, quint32(chunk.size())})));
        written.clear();
        client->credit(run, StreamId::Stdout, 1 << 20);
        QVERIFY2(written.isEmpty(), "credit was given for bytes that never came");
    }

    void standardInputWaitsForASlowTransport()
    {
        client->feed(greeting());
        qint64 offered = 0;
        Spawn spawn;
        spawn.stdinMode = StdinMode::Pipe;
        const RunId run = client->spawn(spawn, {.stdinCredit = [&](qint64 space) {
                                            offered = space;
                                        }});
        backlog = 2 << 20;
        QCOMPARE(client->writeStdin(run, "abc"), 0);
        client->outputDrained();
        QCOMPARE(offered, 0);
        backlog = 0;
        client->outputDrained();
        QCOMPARE(offered, qint64(stdinWindow));
        QCOMPARE(client->writeStdin(run, "abc"), 3);
    }

    void aReleasedRunIsSilent()
    {
        client->feed(greeting());
        int calls = 0;
        const RunId run = client->spawn({}, {.spawned = [&](qint64) { ++calls; },
                                             .lost =
                                                 [&] {
                                                     ++calls;
                                                 }});
        client->release(run);
        client->feed(bytes(encode(run, Spawned{5}) + encode(run, Output{StreamId::Stdout, 0, "x"})));
        client->connectionLost();
        QCOMPARE(calls, 0);
        QVERIFY(failures.isEmpty());
    }

private:
    std::unique_ptr<Client> client;
    QByteArray written;
    qint64 backlog = 0;
    QStringList failures;
};

SANDBOXIO_TEST(TestGuestPeer)
#include "tst_guestpeer.moc"
