// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/guest/client/interpreterdecoder.h>

#include <QTest>

using namespace Sandboxio;
using namespace Sandboxio::Guest;
using namespace Qt::StringLiterals;

namespace {

using Kind = InterpreterMessage::Kind;

/// What came before the failure, and whether there was one.
struct Decoded
{
    QList<InterpreterMessage> messages;
    bool failed = false;
    bool operator==(const Decoded &) const = default;
};

Decoded decodeAll(const QByteArray &bytes, qsizetype firstPiece)
{
    Decoded decoded;
    InterpreterDecoder decoder;
    for (const QByteArray &piece : {bytes.first(firstPiece), bytes.sliced(firstPiece)}) {
        decoder.append(piece);
        while (true) {
            const InterpreterDecoder::Result message = decoder.next();
            decoded.failed = !message;
            if (!message || !*message)
                break;
            decoded.messages.append(**message);
        }
    }
    return decoded;
}

} // namespace

class TestInterpreterDecoder : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everySplitGivesTheSameMessages()
    {
        const QByteArray stream =
            "ready 6\n3.13.1started 7 0\noutput 7 18\n{\"text/plain\":\"1\"}end 7 130 17\nKeyboardInterruptend 8 0 0\n"_ba;
        const QList<InterpreterMessage> expected{
            {.kind = Kind::Ready, .text = "3.13.1"_ba},
            {.kind = Kind::Started, .cell = 7},
            {.kind = Kind::Output, .cell = 7, .text = "{\"text/plain\":\"1\"}"_ba},
            {.kind = Kind::End, .cell = 7, .code = 130, .text = "KeyboardInterrupt"_ba},
            {.kind = Kind::End, .cell = 8}};
        for (qsizetype split = 0; split <= stream.size(); ++split)
            QCOMPARE(decodeAll(stream, split), (Decoded{expected, false}));
    }

    void brokenMessagesFail_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("an unknown word") << "hello 1\n"_ba;
        QTest::newRow("too few numbers") << "end 1 2\n"_ba;
        QTest::newRow("too many numbers") << "ready 1 2\n"_ba;
        QTest::newRow("a sign") << "started +1 0\n"_ba;
        QTest::newRow("a negative length") << "ready -1\n"_ba;
        QTest::newRow("no number") << "ready \n"_ba;
        QTest::newRow("a number of 33 bits") << "started 4294967296 0\n"_ba;
        QTest::newRow("an exit code of 256") << "end 1 256 0\n"_ba;
        QTest::newRow("a message longer than the limit")
            << "output 1 "_ba + QByteArray::number(largestInterpreterMessage + 1) + '\n';
        QTest::newRow("a head without an end") << QByteArray(64, 'r');
        QTest::newRow("an empty line") << "\n"_ba;
    }
    void brokenMessagesFail()
    {
        QFETCH(const QByteArray, bytes);
        for (qsizetype split = 0; split <= bytes.size(); ++split)
            QCOMPARE(decodeAll(bytes, split), (Decoded{{}, true}));
    }

    void aFailureStays()
    {
        InterpreterDecoder decoder;
        decoder.append("nonsense\nready 0\n");
        QVERIFY(!decoder.next());
        decoder.append("ready 0\n");
        QVERIFY(!decoder.next());
    }

    void bundlesAreReadOrRefused_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<std::optional<RichOutput>>("expected");
        using Maybe = std::optional<RichOutput>;
        QTest::newRow("text") << R"({"text/plain": "gr\u00fc\u00df", "text/html": "<b>"})"_ba
                              << Maybe(RichOutput{
                                     {{u"text/plain"_s, "gr\xc3\xbc\xc3\x9f"_ba}, {u"text/html"_s, "<b>"_ba}}});
        QTest::newRow("bytes") << R"({"image/png": {"base64": "iVBORw=="}})"_ba
                               << Maybe(RichOutput{{{u"image/png"_s, "\x89PNG"_ba}}});
        QTest::newRow("no object") << "[]"_ba << Maybe();
        QTest::newRow("no JSON") << "{"_ba << Maybe();
        QTest::newRow("a number") << R"({"text/plain": 1})"_ba << Maybe();
        QTest::newRow("no MIME type") << R"({"text": "1"})"_ba << Maybe();
        QTest::newRow("no base64") << R"({"image/png": {"base64": "?"}})"_ba << Maybe();
        QTest::newRow("another object") << R"({"image/png": {"bytes": "aaaa"}})"_ba << Maybe();
    }
    void bundlesAreReadOrRefused()
    {
        QFETCH(const QByteArray, json);
        QFETCH(const std::optional<RichOutput>, expected);
        QVERIFY(richOutputOf(json) == expected);
    }
};

SANDBOXIO_TEST(TestInterpreterDecoder)
#include "tst_interpreterdecoder.moc"
