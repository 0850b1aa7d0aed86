// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "statssample.h"
#include "support/testprogram.h"

#include <QJsonDocument>
#include <QTest>
#include <QTimeZone>

using namespace Qt::StringLiterals;
using namespace Sandboxio;
using namespace Sandboxio::Docker;

namespace {

constexpr const char *time = R"("read":"2026-11-30T15:04:15.950441698Z")";

QJsonObject answerOf(const QByteArray &members)
{
    return QJsonDocument::fromJson('{' + QByteArray(time) + ',' + members + '}').object();
}

} // namespace

/*! The daemon's answer about what a container uses, whole and in every way broken. */
class TestStatsSample : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void theFirstVersionOfControlGroups();
    void theSecondVersionOfControlGroups();
    void withoutATimeThereIsNoSample_data();
    void withoutATimeThereIsNoSample();
    void whatIsBrokenIsAbsent_data();
    void whatIsBrokenIsAbsent();
    void sumsThatDoNotFitAreLeftOut();
    void processorsBusyBetweenSamples();
};

void TestStatsSample::theFirstVersionOfControlGroups()
{
    const auto stats = statsSample(answerOf(R"("pids_stats":{"current":3,"limit":512},
        "blkio_stats":{"io_service_bytes_recursive":[{"major":8,"minor":0,"op":"Read","value":4096},
            {"major":8,"minor":16,"op":"Read","value":1},{"op":"Write","value":7},{"op":"Total","value":9000}]},
        "cpu_stats":{"cpu_usage":{"total_usage":61223744},"online_cpus":2},
        "memory_stats":{"usage":638976,"limit":536870912,"stats":{"total_inactive_file":38976,"inactive_file":1}},
        "networks":{"eth0":{"rx_bytes":10,"tx_bytes":20},"eth1":{"rx_bytes":1,"tx_bytes":2}})"));
    QVERIFY(stats);
    QCOMPARE(stats->time.toMSecsSinceEpoch() % 1000, 950);
    QCOMPARE(stats->cpuTime, std::chrono::nanoseconds(61223744));
    QCOMPARE(stats->memoryUsed, 600000);
    QCOMPARE(stats->memoryLimit, 536870912);
    QCOMPARE(stats->processes, 3);
    QCOMPARE(stats->processLimit, 512);
    QCOMPARE(stats->networkReceived, 11);
    QCOMPARE(stats->networkSent, 22);
    QCOMPARE(stats->blockRead, 4097);
    QCOMPARE(stats->blockWritten, 7);
}

void TestStatsSample::theSecondVersionOfControlGroups()
{
    const auto stats = statsSample(answerOf(R"("pids_stats":{"current":1,"limit":18446744073709551615},
        "blkio_stats":{"io_service_bytes_recursive":[{"op":"read","value":5},{"op":"write","value":6}]},
        "cpu_stats":{"cpu_usage":{"total_usage":9}},
        "memory_stats":{"usage":1000,"limit":2000,"stats":{"inactive_file":400}})"));
    QVERIFY(stats);
    QCOMPARE(stats->memoryUsed, 600);
    QVERIFY(!stats->processLimit); // it is written so where there is none
    QCOMPARE(stats->blockRead, 5);
    QCOMPARE(stats->blockWritten, 6);
    QVERIFY(!stats->networkReceived); // it has no network
}

void TestStatsSample::withoutATimeThereIsNoSample_data()
{
    QTest::addColumn<QByteArray>("answer");
    QTest::newRow("a container that does not run")
        << R"({"read":"0001-01-01T00:00:00Z","cpu_stats":{"cpu_usage":{"total_usage":0}},"memory_stats":{}})"_ba;
    QTest::newRow("nothing at all") << "{}"_ba;
    QTest::newRow("a time that is none") << R"({"read":"yesterday"})"_ba;
    QTest::newRow("a time of another type") << R"({"read":17})"_ba;
    QTest::newRow("an array") << "[]"_ba;
}

void TestStatsSample::withoutATimeThereIsNoSample()
{
    QFETCH(QByteArray, answer);
    QVERIFY(!statsSample(QJsonDocument::fromJson(answer).object()));
}

void TestStatsSample::whatIsBrokenIsAbsent_data()
{
    QTest::addColumn<QByteArray>("members");
    const QByteArray shape =
        R"("pids_stats":{"current":%,"limit":%},"cpu_stats":{"cpu_usage":{"total_usage":%}},
        "memory_stats":{"usage":%,"limit":%},"networks":{"eth0":{"rx_bytes":%,"tx_bytes":%}},
        "blkio_stats":{"io_service_bytes_recursive":[{"op":"read","value":%},{"op":"write","value":%}]})";
    const auto with = [&](const char *value) {
        return QByteArray(shape).replace('%', value);
    };
    QTest::newRow("missing") << R"("name":"x")"_ba;
    QTest::newRow("null") << with("null");
    QTest::newRow("text instead of numbers") << with(R"("12")");
    QTest::newRow("negative") << with("-1");
    QTest::newRow("too large") << with("1e300");
    QTest::newRow("larger than any number of ours") << with("18446744073709551615");
    QTest::newRow("fractions") << with("0.5");
    QTest::newRow("objects instead of numbers") << with("{}");
    QTest::newRow("lists instead of numbers") << with("[1]");
    QTest::newRow("other types in the places of objects")
        << R"("pids_stats":[],"cpu_stats":7,"memory_stats":"x","networks":[{"rx_bytes":1}],"blkio_stats":true)"_ba;
    QTest::newRow("other types one step inside")
        << R"("cpu_stats":{"cpu_usage":3},"networks":{"eth0":4},"blkio_stats":{"io_service_bytes_recursive":{}})"_ba;
    QTest::newRow("entries without an operation")
        << R"("blkio_stats":{"io_service_bytes_recursive":[{"value":1},{"op":5,"value":1},null]})"_ba;
}

void TestStatsSample::whatIsBrokenIsAbsent()
{
    QFETCH(QByteArray, members);
    const QJsonObject answer = answerOf(members);
    QVERIFY(!answer.isEmpty());
    const auto stats = statsSample(answer);
    QVERIFY(stats);
    SandboxStats nothing;
    nothing.time = stats->time;
    QVERIFY(*stats == nothing);
}

void TestStatsSample::sumsThatDoNotFitAreLeftOut()
{
    const auto stats = statsSample(answerOf(R"("networks":{"a":{"rx_bytes":9223372036854775807,"tx_bytes":1},
        "b":{"rx_bytes":9223372036854775807,"tx_bytes":2}},"memory_stats":{"usage":5,"stats":{"inactive_file":9}})"));
    QVERIFY(stats);
    QCOMPARE(stats->networkReceived, std::numeric_limits<qint64>::max());
    QCOMPARE(stats->networkSent, 3);
    QCOMPARE(stats->memoryUsed, 5); // more cache than memory is nonsense
}

void TestStatsSample::processorsBusyBetweenSamples()
{
    SandboxStats first;
    first.time = QDateTime::fromMSecsSinceEpoch(1000, QTimeZone::UTC);
    first.cpuTime = std::chrono::seconds(10);
    SandboxStats second = first;
    QVERIFY(!processorsBusy(first, second)); // no time has passed
    second.time = first.time.addMSecs(2000);
    second.cpuTime = std::chrono::seconds(11);
    QCOMPARE(processorsBusy(first, second), 0.5);
    QVERIFY(!processorsBusy(second, first));
    second.cpuTime = std::chrono::seconds(1); // started anew
    QVERIFY(!processorsBusy(first, second));
    second.cpuTime.reset();
    QVERIFY(!processorsBusy(first, second));
    QVERIFY(!processorsBusy({}, {}));
}

SANDBOXIO_TEST(TestStatsSample)
#include "tst_statssample.moc"
