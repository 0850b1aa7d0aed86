// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "support/testprogram.h"

#include <QTest>

#include <sandboxio/transport/httpresponsedecoder.h>

#include "everysplit.h"

using namespace Qt::StringLiterals;
using namespace Sandboxio;

namespace {

struct ResponseOutcome
{
    std::optional<HttpHead> head;
    QByteArray body;
    QByteArray rest;
    bool ended = false;
    bool upgraded = false;
    bool completeAtClose = false;
    std::optional<DecodeError::Kind> error;

    bool operator==(const ResponseOutcome &) const = default;
};

/// Feeds one piece; false where decoding is over.
bool feed(HttpResponseDecoder &decoder, QByteArrayView input, ResponseOutcome &outcome)
{
    using Kind = HttpResponseDecoder::Step::Kind;
    while (true) {
        const auto step = decoder.decode(input);
        if (!step) {
            outcome.error = step.error().kind;
            return false;
        }
        input = input.sliced(step->consumed);
        outcome.body += step->body;
        switch (step->kind) {
        case Kind::NeedMore:
            return true;
        case Kind::Head:
            outcome.head = decoder.head();
            break;
        case Kind::Body:
            break;
        case Kind::End:
        case Kind::Upgraded:
            outcome.ended = true;
            outcome.upgraded = step->kind == Kind::Upgraded;
            outcome.rest += input;
            return false;
        }
    }
}

ResponseOutcome decodeResponse(const QList<QByteArray> &pieces, const QByteArray &method = "GET"_ba,
                               bool upgrade = false)
{
    HttpResponseDecoder decoder(method, upgrade);
    ResponseOutcome outcome;
    for (qsizetype i = 0; i < pieces.size(); ++i) {
        if (feed(decoder, pieces[i], outcome))
            continue;
        for (qsizetype later = i + 1; later < pieces.size() && !outcome.error; ++later)
            outcome.rest += pieces[later];
        break;
    }
    if (!outcome.error)
        outcome.completeAtClose = decoder.finish().has_value();
    return outcome;
}

constexpr auto ok = "HTTP/1.1 200 OK\r\n";

} // namespace

class TestHttpResponseDecoder : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void decodesAtEverySplit_data();
    void decodesAtEverySplit();
    void refuses_data();
    void refuses();
    void saysWhetherAnythingArrived();
    void reportsTruncationAtEveryCut_data();
    void reportsTruncationAtEveryCut();
};

void TestHttpResponseDecoder::decodesAtEverySplit_data()
{
    QTest::addColumn<QByteArray>("method");
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("rest");
    QTest::addColumn<bool>("ended");
    QTest::addColumn<bool>("upgraded");
    const QByteArray get = "GET"_ba;
    QTest::newRow("content length") << get << ok + "Content-Length: 5\r\n\r\nhello"_ba << 200 << "hello"_ba
                                    << ""_ba << true << false;
    QTest::newRow("content length and the next reply")
        << get << ok + "Content-Length: 2\r\n\r\nhello"_ba << 200 << "he"_ba << "llo"_ba << true << false;
    QTest::newRow("content length zero")
        << get << ok + "Content-Length: 0\r\n\r\n"_ba << 200 << ""_ba << ""_ba << true << false;
    QTest::newRow("the same length twice") << get << ok + "Content-Length: 1\r\ncontent-length: 1\r\n\r\na"_ba
                                           << 200 << "a"_ba << ""_ba << true << false;
    QTest::newRow("chunked") << get << ok + "Transfer-Encoding: Chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"_ba << 200
                             << "ab"_ba
                             << ""_ba << true << false;
    QTest::newRow("chunked with bytes behind")
        << get << ok + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\nx"_ba << 200 << "a"_ba << "x"_ba
        << true << false;
    QTest::newRow("until close") << get << ok + "\r\nall of it\r\n"_ba << 200 << "all of it\r\n"_ba << ""_ba
                                 << false << false;
    QTest::newRow("no body after 204")
        << get << "HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n"_ba << 204 << ""_ba
        << ""_ba << true << false;
    QTest::newRow("no body after 304")
        << get << "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n"_ba << 304 << ""_ba << ""_ba
        << true << false;
    QTest::newRow("no body for HEAD") << "HEAD"_ba << ok + "Content-Length: 7\r\n\r\n"_ba << 200 << ""_ba
                                      << ""_ba << true << false;
    QTest::newRow("interim replies")
        << get
        << "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
           "HTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\na"_ba
        << 201 << "a"_ba << ""_ba << true << false;
    QTest::newRow("an upgrade with bytes behind the head")
        << "POST"_ba << "HTTP/1.1 101 UPGRADED\r\nUpgrade: tcp\r\n\r\n\1\0\0\0\0\0\0\1a"_ba << 101 << ""_ba
        << "\1\0\0\0\0\0\0\1a"_ba << true << true;
    QTest::newRow("an upgrade that was declined")
        << "POST"_ba << "HTTP/1.1 409 Conflict\r\nContent-Length: 2\r\n\r\nno"_ba << 409 << "no"_ba << ""_ba
        << true << false;
}

void TestHttpResponseDecoder::decodesAtEverySplit()
{
    QFETCH(const QByteArray, method);
    QFETCH(const QByteArray, bytes);
    const ResponseOutcome whole = decodeResponse({bytes}, method, method == "POST");
    QVERIFY(!whole.error);
    QVERIFY(whole.completeAtClose);
    QTEST(whole.head->status, "status");
    QTEST(whole.body, "body");
    QTEST(whole.rest, "rest");
    QTEST(whole.ended, "ended");
    QTEST(whole.upgraded, "upgraded");
    for (const auto &pieces : everySplit(bytes))
        QVERIFY(decodeResponse(pieces, method, method == "POST") == whole);
}

void TestHttpResponseDecoder::refuses_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("an upgrade that nobody asked for") << "HTTP/1.1 101 UPGRADED\r\n\r\n"_ba;
    QTest::newRow("two different lengths") << ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\na"_ba;
    QTest::newRow("a list of lengths") << ok + "Content-Length: 1, 1\r\n\r\na"_ba;
    QTest::newRow("a negative length") << ok + "Content-Length: -1\r\n\r\n"_ba;
    QTest::newRow("a length with a plus") << ok + "Content-Length: +1\r\n\r\na"_ba;
    QTest::newRow("an empty length") << ok + "Content-Length:\r\n\r\na"_ba;
    QTest::newRow("a length of 19 digits") << ok + "Content-Length: 1000000000000000000\r\n\r\na"_ba;
    QTest::newRow("a length and chunked") << ok + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"_ba;
    QTest::newRow("a compressed body") << ok + "Transfer-Encoding: gzip, chunked\r\n\r\n"_ba;
    QTest::newRow("a malformed chunk") << ok + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n"_ba;
    QTest::newRow("interim replies without end") << "HTTP/1.1 100 Continue\r\n\r\n"_ba.repeated(40);
}

void TestHttpResponseDecoder::refuses()
{
    QFETCH(const QByteArray, bytes);
    for (const auto &pieces : everySplit(bytes))
        QCOMPARE(decodeResponse(pieces).error, DecodeError::Kind::Malformed);
}

void TestHttpResponseDecoder::saysWhetherAnythingArrived()
{
    HttpResponseDecoder decoder("GET");
    QVERIFY(decoder.isUntouched());
    QVERIFY(decoder.decode({}));
    QVERIFY(decoder.isUntouched());
    QVERIFY(decoder.decode("H"));
    QVERIFY(!decoder.isUntouched());
}

void TestHttpResponseDecoder::reportsTruncationAtEveryCut_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("content length") << ok + "Content-Length: 5\r\n\r\nhello"_ba;
    QTest::newRow("chunked") << ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"_ba;
    QTest::newRow("behind an interim reply") << "HTTP/1.1 100 C\r\n\r\n"_ba + ok + "Content-Length: 1\r\n\r\na";
}

void TestHttpResponseDecoder::reportsTruncationAtEveryCut()
{
    QFETCH(const QByteArray, bytes);
    QVERIFY(decodeResponse({bytes}).completeAtClose);
    for (qsizetype size = 0; size < bytes.size(); ++size)
        QVERIFY2(!decodeResponse({bytes.first(size)}).completeAtClose, QByteArray::number(size).constData());
}

SANDBOXIO_TEST(TestHttpResponseDecoder)
#include "tst_httpresponsedecoder.moc"
