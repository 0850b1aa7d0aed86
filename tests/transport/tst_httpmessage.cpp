// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "support/testprogram.h"

#include <QTest>

#include <sandboxio/transport/httpmessage.h>

using namespace Qt::StringLiterals;
using namespace Sandboxio;

class TestHttpMessage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void encodes_data();
    void encodes();
    void refusesInjection_data();
    void refusesInjection();
    void knowsSafeMethods();
};

void TestHttpMessage::encodes_data()
{
    QTest::addColumn<HttpRequest>("request");
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("a GET") << HttpRequest{.target = "/v1.44/info?a=%20b"_ba}
                           << "GET /v1.44/info?a=%20b HTTP/1.1\r\nHost: localhost\r\n\r\n"_ba;
    QTest::newRow("a POST without body says that it has none")
        << HttpRequest{.method = "POST"_ba, .target = "/x"_ba}
        << "POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"_ba;
    HttpRequest post{.method = "POST"_ba, .target = "/x"_ba, .body = "{\"a\":\r\n1}"_ba};
    post.headers.append("Content-Type"_L1, "application/json"_L1);
    post.headers.append("Content-Length"_L1, "99"_L1);
    QTest::newRow("a POST counts its body itself")
        << post
        << "POST /x HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\nContent-Length: 9\r\n\r\n{\"a\":\r\n1}"_ba;
    HttpRequest host;
    host.headers.append("Host"_L1, "example.org"_L1);
    QTest::newRow("a given host wins") << host << "GET / HTTP/1.1\r\nhost: example.org\r\n\r\n"_ba;
    QTest::newRow("an upgrade")
        << HttpRequest{.method = "POST"_ba, .upgrade = true}
        << "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n"
           "Content-Length: 0\r\n\r\n"_ba;
    HttpRequest h2c{.upgrade = true};
    h2c.headers.append("Connection"_L1, "Upgrade"_L1);
    h2c.headers.append("Upgrade"_L1, "h2c"_L1);
    QTest::newRow("an upgrade to a given protocol")
        << h2c << "GET / HTTP/1.1\r\nHost: localhost\r\nconnection: Upgrade\r\nupgrade: h2c\r\n\r\n"_ba;
}

void TestHttpMessage::encodes()
{
    QFETCH(const HttpRequest, request);
    const auto bytes = encodeRequest(request, "localhost");
    QVERIFY(bytes);
    QTEST(*bytes, "bytes");
}

void TestHttpMessage::refusesInjection_data()
{
    QTest::addColumn<QByteArray>("method");
    QTest::addColumn<QByteArray>("target");
    QTest::addColumn<QByteArray>("host");
    const QByteArray get = "GET"_ba;
    const QByteArray root = "/"_ba;
    QTest::newRow("CRLF in the target") << get << "/a HTTP/1.1\r\nX: y"_ba << "h"_ba;
    QTest::newRow("LF in the target") << get << "/a\n"_ba << "h"_ba;
    QTest::newRow("a space in the target") << get << "/a b"_ba << "h"_ba;
    QTest::newRow("a byte over 127 in the target") << get << "/\xc3\xa4"_ba << "h"_ba;
    QTest::newRow("an empty target") << get << ""_ba << "h"_ba;
    QTest::newRow("a target without slash") << get << "http://x/"_ba << "h"_ba;
    QTest::newRow("CRLF in the method") << "GET\r\n"_ba << root << "h"_ba;
    QTest::newRow("a space in the method") << "G T"_ba << root << "h"_ba;
    QTest::newRow("an empty method") << ""_ba << root << "h"_ba;
    QTest::newRow("CRLF in the host") << get << root << "h\r\nX: y"_ba;
}

void TestHttpMessage::refusesInjection()
{
    QFETCH(const QByteArray, method);
    QFETCH(const QByteArray, target);
    QFETCH(const QByteArray, host);
    const auto bytes = encodeRequest({.method = method, .target = target}, host);
    QVERIFY(!bytes);
    QCOMPARE(bytes.error().kind, TransportError::Kind::InvalidRequest);
}

void TestHttpMessage::knowsSafeMethods()
{
    QVERIFY(isSafeMethod("GET"));
    QVERIFY(isSafeMethod("HEAD"));
    for (const char *method : {"POST", "PUT", "DELETE", "PATCH", "get", ""})
        QVERIFY2(!isSafeMethod(method), method);
}

SANDBOXIO_TEST(TestHttpMessage)
#include "tst_httpmessage.moc"
