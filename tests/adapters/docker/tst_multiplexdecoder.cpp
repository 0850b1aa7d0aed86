// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "multiplexdecoder.h"
#include "support/testprogram.h"

#include <QtEndian>
#include <QTest>

using namespace Sandboxio;
using namespace Sandboxio::Docker;
using namespace Qt::StringLiterals;

using Stream = MultiplexDecoder::Stream;
using Pieces = QList<std::pair<Stream, QByteArray>>;

namespace {

QByteArray header(quint8 stream, quint32 length)
{
    QByteArray bytes(8, '\0');
    bytes[0] = static_cast<char>(stream);
    qToBigEndian(length, bytes.data() + 4);
    return bytes;
}

QByteArray frame(Stream stream, const QByteArray &data)
{
    return header(static_cast<quint8>(stream), static_cast<quint32>(data.size())) + data;
}

struct Decoded
{
    Pieces pieces; // neighbours of one stream joined
    bool failed = false;
    bool whole = false;
    bool operator==(const Decoded &) const = default;
};

Decoded decode(const QByteArrayList &parts)
{
    MultiplexDecoder decoder;
    Decoded result;
    for (const QByteArray &part : parts) {
        const auto error = decoder.feed(part, [&](Stream stream, QByteArrayView data) {
            if (result.pieces.isEmpty() || result.pieces.last().first != stream)
                result.pieces.append({stream, {}});
            result.pieces.last().second += data;
            return true;
        });
        result.failed = result.failed || error.has_value();
    }
    result.whole = !decoder.end();
    return result;
}

} // namespace

class TestMultiplexDecoder : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everySplitGivesTheSame_data();
    void everySplitGivesTheSame();
    void garbageIsRefused_data();
    void garbageIsRefused();
    void aHugeLengthCostsNothing();
    void aReceiverThatSaysNoEndsTheFeed();
};

void TestMultiplexDecoder::everySplitGivesTheSame_data()
{
    QTest::addColumn<QByteArray>("input");
    QTest::addColumn<Pieces>("pieces");
    QTest::addColumn<bool>("whole");
    const QByteArray out = frame(Stream::StandardOutput, "hello"_ba);
    const QByteArray err = frame(Stream::StandardError, "oh"_ba);
    QTest::newRow("nothing") << QByteArray() << Pieces{} << true;
    QTest::newRow("one frame") << out << Pieces{{Stream::StandardOutput, "hello"_ba}} << true;
    QTest::newRow("two streams stay apart") << out + err + out
                                            << Pieces{{Stream::StandardOutput, "hello"_ba},
                                                      {Stream::StandardError, "oh"_ba},
                                                      {Stream::StandardOutput, "hello"_ba}}
                                            << true;
    QTest::newRow("empty frames are skipped")
        << frame(Stream::StandardError, {}) + out + frame(Stream::StandardOutput, {})
        << Pieces{{Stream::StandardOutput, "hello"_ba}} << true;
    QTest::newRow("data that looks like a header is data")
        << frame(Stream::StandardOutput, header(2, 7)) << Pieces{{Stream::StandardOutput, header(2, 7)}}
        << true;
    QTest::newRow("a message of the daemon has its own stream")
        << frame(Stream::System, "gone"_ba) << Pieces{{Stream::System, "gone"_ba}} << true;
    QTest::newRow("an end inside the header is noticed")
        << out + err.first(3) << Pieces{{Stream::StandardOutput, "hello"_ba}} << false;
    QTest::newRow("an end inside the data is noticed")
        << out.chopped(2) << Pieces{{Stream::StandardOutput, "hel"_ba}} << false;
}

void TestMultiplexDecoder::everySplitGivesTheSame()
{
    QFETCH(QByteArray, input);
    QFETCH(Pieces, pieces);
    QFETCH(bool, whole);
    const Decoded expected{pieces, false, whole};
    for (qsizetype first = 0; first <= input.size(); ++first) {
        for (qsizetype second = first; second <= input.size(); ++second)
            QCOMPARE(decode({input.first(first), input.sliced(first, second - first), input.sliced(second)}),
                     expected);
    }
    QByteArrayList bytes;
    for (const char byte : std::as_const(input))
        bytes.append(QByteArray(1, byte));
    QCOMPARE(decode(bytes), expected);
}

void TestMultiplexDecoder::garbageIsRefused_data()
{
    QTest::addColumn<QByteArray>("input");
    QTest::newRow("a stream that does not exist") << header(4, 1) + "x";
    QTest::newRow("a stream number over 127") << header(0xff, 1) + "x";
    QTest::newRow("a second byte that is not zero") << "\1\1\0\0\0\0\0\1x"_ba;
    QTest::newRow("a fourth byte that is not zero") << "\1\0\0\1\0\0\0\1x"_ba;
    QTest::newRow("plain text, as a stream with a terminal has it") << "root@host:/# "_ba;
    QTest::newRow("text after a good frame") << frame(Stream::StandardOutput, "a"_ba) + "HTTP/1.1";
}

void TestMultiplexDecoder::garbageIsRefused()
{
    QFETCH(QByteArray, input);
    for (qsizetype split = 0; split <= input.size(); ++split) {
        const Decoded result = decode({input.first(split), input.sliced(split), "more"_ba});
        QVERIFY(result.failed);
        QVERIFY(!result.whole);
        for (const auto &[stream, data] : result.pieces)
            QCOMPARE(data, "a"_ba);
    }
}

void TestMultiplexDecoder::aHugeLengthCostsNothing()
{
    MultiplexDecoder decoder;
    qsizetype received = 0;
    const auto receiver = [&](Stream, QByteArrayView data) {
        received += data.size();
        return true;
    };
    QVERIFY(!decoder.feed(header(1, 0xffffffff), receiver));
    QVERIFY(!decoder.feed("abc"_ba, receiver));
    QCOMPARE(received, 3);
    QVERIFY(decoder.end().has_value());
}

void TestMultiplexDecoder::aReceiverThatSaysNoEndsTheFeed()
{
    MultiplexDecoder decoder;
    int calls = 0;
    const QByteArray two = frame(Stream::StandardOutput, "a"_ba) + frame(Stream::StandardError, "b"_ba);
    QVERIFY(!decoder.feed(two, [&](Stream, QByteArrayView) { return ++calls == 0; }));
    QCOMPARE(calls, 1);
}

SANDBOXIO_TEST(TestMultiplexDecoder)
#include "tst_multiplexdecoder.moc"
