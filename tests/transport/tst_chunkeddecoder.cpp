// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "support/testprogram.h"

#include <QTest>

#include <sandboxio/transport/chunkeddecoder.h>
#include <sandboxio/transport/httpheaddecoder.h>

#include "everysplit.h"

using namespace Qt::StringLiterals;
using namespace Sandboxio;

namespace {

struct ChunkOutcome
{
    QByteArray body;
    QByteArray rest;
    bool complete = false;
    std::optional<DecodeError::Kind> error;
    qsizetype trailers = 0;

    bool operator==(const ChunkOutcome &) const = default;
};

ChunkOutcome decodeChunks(const QList<QByteArray> &pieces)
{
    ChunkedDecoder decoder;
    ChunkOutcome outcome;
    for (const QByteArray &piece : pieces) {
        QByteArrayView input = piece;
        while (!input.isEmpty()) {
            const auto step = decoder.decode(input);
            if (!step) {
                outcome.error = step.error().kind;
                return outcome;
            }
            outcome.body += step->body;
            input = input.sliced(step->consumed);
            if (step->kind == BodyStep::Kind::End) {
                outcome.rest += input;
                break;
            }
        }
    }
    outcome.complete = decoder.isComplete();
    outcome.trailers = decoder.trailers().size();
    return outcome;
}

} // namespace

class TestChunkedDecoder : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void decodesAtEverySplit_data();
    void decodesAtEverySplit();
    void refuses_data();
    void refuses();
    void isIncompleteWhenCut_data();
    void isIncompleteWhenCut();
    void keepsTrailers();
    void refusesEndlessLines_data();
    void refusesEndlessLines();
    void bodyIsAViewIntoTheInput();
    void decodesOneGigabyteOfChunks();
};

void TestChunkedDecoder::decodesAtEverySplit_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("rest");
    QTest::newRow("two chunks") << "4\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\n"_ba << "Wikipedia"_ba << ""_ba;
    QTest::newRow("an empty body") << "0\r\n\r\n"_ba << ""_ba << ""_ba;
    QTest::newRow("bytes of the next reply") << "1\r\na\r\n0\r\n\r\nHTTP/1.1"_ba << "a"_ba << "HTTP/1.1"_ba;
    QTest::newRow("upper and lower case sizes") << "A\r\n0123456789\r\nb\r\n0123456789a\r\n000\r\n\r\n"_ba
                                                << "01234567890123456789a"_ba << ""_ba;
    QTest::newRow("leading zeros") << "00002\r\nab\r\n0\r\n\r\n"_ba << "ab"_ba << ""_ba;
    QTest::newRow("extensions") << "2;name=\"a;b\";x\r\nab\r\n0 ; last\r\n\r\n"_ba << "ab"_ba << ""_ba;
    QTest::newRow("CRLF as payload") << "4\r\n\r\n\r\n\r\n0\r\n\r\n"_ba << "\r\n\r\n"_ba << ""_ba;
    QTest::newRow("binary payload") << "3\r\n\0\xff\n\r\n0\r\n\r\n"_ba << "\0\xff\n"_ba << ""_ba;
    QTest::newRow("trailers") << "1\r\na\r\n0\r\nMd5: x\r\nB: y\r\n\r\nz"_ba << "a"_ba << "z"_ba;
}

void TestChunkedDecoder::decodesAtEverySplit()
{
    QFETCH(const QByteArray, bytes);
    const ChunkOutcome whole = decodeChunks({bytes});
    QVERIFY(!whole.error);
    QVERIFY(whole.complete);
    QTEST(whole.body, "body");
    for (const auto &pieces : everySplit(bytes)) {
        ChunkOutcome outcome = decodeChunks(pieces);
        QVERIFY(outcome == whole);
        QTEST(outcome.rest, "rest");
    }
}

void TestChunkedDecoder::refuses_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("no size") << "\r\nab\r\n"_ba;
    QTest::newRow("a negative size") << "-1\r\na\r\n"_ba;
    QTest::newRow("a size with prefix") << "0x1\r\na\r\n"_ba;
    QTest::newRow("a size with a space inside") << "1 1\r\na\r\n"_ba;
    QTest::newRow("a size of 16 digits") << "1000000000000000\r\na\r\n"_ba;
    QTest::newRow("a size that ends in LF alone") << "1\na\r\n0\r\n\r\n"_ba;
    QTest::newRow("a chunk longer than its size") << "1\r\nab\r\n0\r\n\r\n"_ba;
    QTest::newRow("a chunk that ends in LF alone") << "1\r\na\n0\r\n\r\n"_ba;
    QTest::newRow("a chunk that ends in CR CR") << "1\r\na\r\r0\r\n\r\n"_ba;
    QTest::newRow("a trailer without colon") << "0\r\nnonsense\r\n\r\n"_ba;
    QTest::newRow("a trailer that ends in LF alone") << "0\r\nA: b\n\r\n"_ba;
}

void TestChunkedDecoder::refuses()
{
    QFETCH(const QByteArray, bytes);
    for (const auto &pieces : everySplit(bytes))
        QCOMPARE(decodeChunks(pieces).error, DecodeError::Kind::Malformed);
}

void TestChunkedDecoder::isIncompleteWhenCut_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("two chunks") << "4\r\nWiki\r\n5;x\r\npedia\r\n0\r\n\r\n"_ba;
    QTest::newRow("trailers") << "1\r\na\r\n0\r\nMd5: x\r\n\r\n"_ba;
}

void TestChunkedDecoder::isIncompleteWhenCut()
{
    QFETCH(const QByteArray, bytes);
    for (qsizetype size = 0; size < bytes.size(); ++size) {
        const ChunkOutcome outcome = decodeChunks({bytes.first(size)});
        QVERIFY(!outcome.error);
        QVERIFY2(!outcome.complete, QByteArray::number(size).constData());
    }
}

void TestChunkedDecoder::keepsTrailers()
{
    ChunkedDecoder decoder;
    QCOMPARE(decoder.decode("0\r\nMD5: x\r\nB: \r\n\r\n")->kind, BodyStep::Kind::End);
    QCOMPARE(decoder.trailers().value("md5"_L1).toByteArray(), "x"_ba);
    QVERIFY(decoder.trailers().contains("b"_L1));
}

void TestChunkedDecoder::refusesEndlessLines_data()
{
    QTest::addColumn<QByteArray>("start");
    QTest::addColumn<QByteArray>("repeated");
    QTest::newRow("an endless size") << "1;"_ba << "a"_ba;
    QTest::newRow("one endless trailer") << "0\r\nA: "_ba << "a"_ba;
    QTest::newRow("endless trailers") << "0\r\n"_ba << "A: b\r\n"_ba;
}

void TestChunkedDecoder::refusesEndlessLines()
{
    QFETCH(const QByteArray, start);
    QFETCH(const QByteArray, repeated);
    const QByteArray bytes = start + repeated.repeated(2 * HttpHeadDecoder::maximumSize / repeated.size());
    QCOMPARE(decodeChunks({bytes}).error, DecodeError::Kind::TooLarge);
    QCOMPARE(decodeChunks({bytes.first(100), bytes.sliced(100)}).error, DecodeError::Kind::TooLarge);
}

void TestChunkedDecoder::bodyIsAViewIntoTheInput()
{
    ChunkedDecoder decoder;
    const QByteArray bytes = "3\r\nabc\r\n"_ba;
    const auto step = decoder.decode(bytes);
    QCOMPARE(step->kind, BodyStep::Kind::Body);
    QCOMPARE(step->body.data(), bytes.constData() + 3);
    QCOMPARE(step->consumed, 6);
}

void TestChunkedDecoder::decodesOneGigabyteOfChunks()
{
    constexpr qsizetype chunkSize = 32 * 1024;
    constexpr int chunkCount = 32 * 1024;
    const QByteArray chunk = "8000\r\n"_ba + QByteArray(chunkSize, 'x') + "\r\n";
    ChunkedDecoder decoder;
    qint64 total = 0;
    QElapsedTimer timer;
    timer.start();
    for (int i = 0; i < chunkCount; ++i) {
        QByteArrayView input = chunk;
        while (!input.isEmpty()) {
            const auto step = decoder.decode(input);
            QVERIFY(step);
            total += step->body.size();
            input = input.sliced(step->consumed);
        }
    }
    qInfo("%.1f GB/s", static_cast<double>(total) / static_cast<double>(timer.nsecsElapsed()));
    QCOMPARE(total, qint64(chunkSize) * chunkCount);
}

SANDBOXIO_TEST(TestChunkedDecoder)
#include "tst_chunkeddecoder.moc"
