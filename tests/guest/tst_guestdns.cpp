// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "../../engine/guest/helper/dns.h"
#include "support/testprogram.h"

#include <QTest>

using namespace Sandboxio::Guest;
using namespace Qt::StringLiterals;

namespace {

std::string answerTo(std::string query, const std::string &address, char code = 0)
{
    query[2] = char(query[2] | 0x80);
    query[3] = code;
    query[7] = 1;
    return query + std::string("\xc0\x0c\0\x01\0\x01\0\0\0\x3c\0\x04", 12) + address;
}

} // namespace

class TestGuestDns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void queryIsAsInTheStandard()
    {
        QCOMPARE(QByteArray::fromStdString(dnsQuery("a.bc", 0x1234)).toHex(),
                 "123401000001000000000000"_ba + "0161026263" + "0000010001");
        QVERIFY(dnsQuery("a..b", 1).empty());
        QVERIFY(dnsQuery(std::string(64, 'a'), 1).empty());
        QVERIFY(dnsQuery("", 1).empty());
    }

    void replyGivesItsAddress()
    {
        std::string address;
        const std::string reply = answerTo(dnsQuery("example.org", 5), "\x01\x02\x03\x04");
        QVERIFY(parseDnsReply(reply, 5, address) == DnsAnswer::Address);
        QCOMPARE(address, "1.2.3.4");
        QVERIFY(parseDnsReply(reply, 6, address) == DnsAnswer::Malformed);
    }

    void everyCutOfAReplyIsMalformed()
    {
        const std::string reply = answerTo(dnsQuery("example.org", 5), "\x01\x02\x03\x04");
        for (std::size_t size = 0; size < reply.size(); ++size) {
            std::string address;
            QVERIFY(parseDnsReply(std::string_view(reply).substr(0, size), 5, address) == DnsAnswer::Malformed);
            QVERIFY(address.empty());
        }
    }

    void codesAreToldApart()
    {
        std::string address;
        QVERIFY(parseDnsReply(answerTo(dnsQuery("x", 1), "abcd", 3), 1, address) == DnsAnswer::NoSuchName);
        QVERIFY(parseDnsReply(answerTo(dnsQuery("x", 1), "abcd", 2), 1, address) == DnsAnswer::Malformed);
    }

    void filesAreRead()
    {
        const auto servers =
            parseResolverFile("# nameserver 9.9.9.9\nsearch x\nnameserver\t10.0.0.1 \nnameserver ::1");
        QVERIFY((servers == std::vector<std::string>{"10.0.0.1", "::1"}));
        QCOMPARE(findInHostsFile("127.0.0.1 localhost\n10.1.1.1\tbox box.lan # peer\n", "box.lan"), "10.1.1.1");
        QCOMPARE(findInHostsFile("10.1.1.1 box # peer\n", "peer"), "");
    }
};

SANDBOXIO_TEST(TestGuestDns)
#include "tst_guestdns.moc"
