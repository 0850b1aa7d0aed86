// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "support/testprogram.h"

#include <QTest>

#include <sandboxio/transport/httpheaddecoder.h>

#include "everysplit.h"

using namespace Qt::StringLiterals;
using namespace Sandboxio;

namespace {

struct HeadOutcome
{
    std::optional<HttpHead> head;
    QByteArray rest;
    std::optional<DecodeError::Kind> error;

    bool operator==(const HeadOutcome &) const = default;
};

HeadOutcome decode(const QList<QByteArray> &pieces)
{
    HttpHeadDecoder decoder;
    HeadOutcome outcome;
    for (const QByteArray &piece : pieces) {
        const auto consumed = decoder.feed(piece);
        if (!consumed) {
            outcome.error = consumed.error().kind;
            return outcome;
        }
        outcome.rest += piece.sliced(*consumed);
    }
    if (decoder.isComplete())
        outcome.head = decoder.takeHead();
    return outcome;
}

} // namespace

class TestHttpHeadDecoder : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void decodesAtEverySplit_data();
    void decodesAtEverySplit();
    void refuses_data();
    void refuses();
    void refusesHeadsOverTheLimit();
    void acceptsHeadsOfExactlyTheLimit();
    void comparesNamesWithoutCase();
    void keepsBytesOfValues();
    void decodesTheNextHeadAfterTakeHead();
    void findsTokensInLists();
};

void TestHttpHeadDecoder::decodesAtEverySplit_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("reason");
    QTest::addColumn<int>("headerCount");
    QTest::addColumn<QByteArray>("rest");
    QTest::newRow("a reply of Docker")
        << "HTTP/1.1 200 OK\r\nApi-Version: 1.45\r\nContent-Length: 2\r\n\r\nOK"_ba << 200 << "OK"_ba << 2
        << "OK"_ba;
    QTest::newRow("no header at all") << "HTTP/1.1 204 No Content\r\n\r\n"_ba << 204 << "No Content"_ba << 0
                                      << ""_ba;
    QTest::newRow("no reason") << "HTTP/1.1 404\r\nA: b\r\n\r\n"_ba << 404 << ""_ba << 1 << ""_ba;
    QTest::newRow("an empty reason") << "HTTP/1.0 500 \r\n\r\n"_ba << 500 << ""_ba << 0 << ""_ba;
    QTest::newRow("an empty value") << "HTTP/1.1 200 OK\r\nX:\r\n\r\n"_ba << 200 << "OK"_ba << 1 << ""_ba;
    QTest::newRow("spaces around a value")
        << "HTTP/1.1 200 OK\r\nX: \t y \t\r\n\r\n"_ba << 200 << "OK"_ba << 1 << ""_ba;
    QTest::newRow("a colon in a value") << "HTTP/1.1 200 OK\r\nLocation: http://a/b\r\n\r\nrest\r\n\r\n"_ba
                                        << 200 << "OK"_ba << 1 << "rest\r\n\r\n"_ba;
    QTest::newRow("raw bytes behind an upgrade")
        << "HTTP/1.1 101 UPGRADED\r\nUpgrade: tcp\r\n\r\n\0\1\2"_ba << 101 << "UPGRADED"_ba << 1 << "\0\1\2"_ba;
}

void TestHttpHeadDecoder::decodesAtEverySplit()
{
    QFETCH(const QByteArray, bytes);
    const HeadOutcome whole = decode({bytes});
    QVERIFY(whole.head);
    QTEST(whole.head->status, "status");
    QTEST(whole.head->reason, "reason");
    QTEST(static_cast<int>(whole.head->headers.size()), "headerCount");
    QTEST(whole.rest, "rest");
    for (const auto &pieces : everySplit(bytes))
        QVERIFY2(decode(pieces) == whole, qPrintable(u"split %1"_s.arg(pieces.first().size())));
}

void TestHttpHeadDecoder::refuses_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("another protocol") << "SSH-2.0-OpenSSH_9.2\r\n"_ba;
    QTest::newRow("HTTP/2") << "HTTP/2 200\r\n\r\n"_ba;
    QTest::newRow("HTTP/1.2") << "HTTP/1.2 200 OK\r\n\r\n"_ba;
    QTest::newRow("an empty line first") << "\r\nHTTP/1.1 200 OK\r\n\r\n"_ba;
    QTest::newRow("a status of two digits") << "HTTP/1.1 20 OK\r\n\r\n"_ba;
    QTest::newRow("a status of four digits") << "HTTP/1.1 2000 OK\r\n\r\n"_ba;
    QTest::newRow("a status below 100") << "HTTP/1.1 099 OK\r\n\r\n"_ba;
    QTest::newRow("a status of letters") << "HTTP/1.1 2xx OK\r\n\r\n"_ba;
    QTest::newRow("no space before the status") << "HTTP/1.1200 OK\r\n\r\n"_ba;
    QTest::newRow("NUL in the reason") << "HTTP/1.1 200 O\0K\r\n\r\n"_ba;
    QTest::newRow("a header without colon") << "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"_ba;
    QTest::newRow("a header without name") << "HTTP/1.1 200 OK\r\n: x\r\n\r\n"_ba;
    QTest::newRow("a space before the colon") << "HTTP/1.1 200 OK\r\nA : x\r\n\r\n"_ba;
    QTest::newRow("a folded header") << "HTTP/1.1 200 OK\r\nA: x\r\n y\r\n\r\n"_ba;
    QTest::newRow("LF alone in a header") << "HTTP/1.1 200 OK\r\nA: x\nB: y\r\n\r\n"_ba;
    QTest::newRow("CR alone in a value") << "HTTP/1.1 200 OK\r\nA: x\ry\r\n\r\n"_ba;
    QTest::newRow("NUL in a value") << "HTTP/1.1 200 OK\r\nA: x\0y\r\n\r\n"_ba;
    QTest::newRow("a name with a byte over 127") << "HTTP/1.1 200 OK\r\n\xc3\xa4: x\r\n\r\n"_ba;
}

void TestHttpHeadDecoder::refuses()
{
    QFETCH(const QByteArray, bytes);
    for (const auto &pieces : everySplit(bytes))
        QCOMPARE(decode(pieces).error, DecodeError::Kind::Malformed);
}

void TestHttpHeadDecoder::refusesHeadsOverTheLimit()
{
    const QByteArray endless = "HTTP/1.1 200 OK\r\nA: "_ba + QByteArray(HttpHeadDecoder::maximumSize, 'a');
    QCOMPARE(decode({endless}).error, DecodeError::Kind::TooLarge);
    QCOMPARE(decode({endless.first(1000), endless.sliced(1000)}).error, DecodeError::Kind::TooLarge);
    const QByteArray oneTooMany = endless.first(HttpHeadDecoder::maximumSize - 3) + "\r\n\r\n";
    QCOMPARE(decode({oneTooMany}).error, DecodeError::Kind::TooLarge);
}

void TestHttpHeadDecoder::acceptsHeadsOfExactlyTheLimit()
{
    const QByteArray start = "HTTP/1.1 200 OK\r\nA: "_ba;
    const QByteArray bytes =
        start + QByteArray(HttpHeadDecoder::maximumSize - start.size() - 4, 'a') + "\r\n\r\nrest";
    const HeadOutcome whole = decode({bytes});
    QVERIFY(whole.head);
    QCOMPARE(whole.rest, "rest"_ba);
    QVERIFY(decode({bytes.first(40'000), bytes.sliced(40'000)}) == whole);
}

void TestHttpHeadDecoder::comparesNamesWithoutCase()
{
    const auto head = decode({"HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: 2\r\nX-a: 3\r\n\r\n"_ba}).head;
    QCOMPARE(head->headers.values("x-A"_L1), (QList<QByteArray>{"1"_ba, "2"_ba, "3"_ba}));
}

void TestHttpHeadDecoder::keepsBytesOfValues()
{
    const auto head = decode({"HTTP/1.1 200 \xe9t\xe9\r\nX: caf\xe9 \xc3\xa9\r\n\r\n"_ba}).head;
    QCOMPARE(head->headers.values("x"_L1), QList<QByteArray>{"caf\xe9 \xc3\xa9"_ba});
    QCOMPARE(head->reason, "\xe9t\xe9"_ba);
}

void TestHttpHeadDecoder::decodesTheNextHeadAfterTakeHead()
{
    HttpHeadDecoder decoder;
    QVERIFY(decoder.isEmpty());
    QCOMPARE(decoder.feed("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"), 25);
    QCOMPARE(decoder.feed("more"), 0);
    QCOMPARE(decoder.takeHead().status, 100);
    QVERIFY(decoder.isEmpty());
    QCOMPARE(decoder.feed("HTTP/1.1 200 OK\r\n\r\n"), 19);
    QCOMPARE(decoder.takeHead().status, 200);
}

void TestHttpHeadDecoder::findsTokensInLists()
{
    const auto head =
        decode({"HTTP/1.1 200 OK\r\nConnection: keep-alive, Close\r\nConnection: x\r\n\r\n"_ba}).head;
    QVERIFY(head->hasToken("connection", "close"));
    QVERIFY(head->hasToken("Connection", "x"));
    QVERIFY(!head->hasToken("connection", "clos"));
    QVERIFY(!head->hasToken("upgrade", "close"));
}

SANDBOXIO_TEST(TestHttpHeadDecoder)
#include "tst_httpheaddecoder.moc"
