// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dnsmessage_p.h"
#include "networkcanary_p.h"
#include "support/testprogram.h"

#include <QTest>

using namespace Sandboxio;
using namespace Sandboxio::Detail;
using namespace Qt::StringLiterals;

/// The few DNS messages that the verification of a policy needs.
class TestDnsMessage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void queryIsWhatTheStandardSays()
    {
        QCOMPARE(dnsQuery("a.bc", 0x1234).toHex(), "123401000001000000000000"
                                                   "0161"
                                                   "026263"
                                                   "00"
                                                   "0001"
                                                   "0001"_ba);
    }

    void replyRepeatsTheQuestionAndGivesTheAddress()
    {
        const QByteArray query = dnsQuery("a.bc", 7);
        const QByteArray reply = dnsReply(query, QHostAddress(u"10.1.2.3"_s));
        QCOMPARE(reply.toHex(), "000781000001000100000000"
                                "01610262630000010001"
                                "c00c"
                                "0001"
                                "0001"
                                "00000001"
                                "0004"
                                "0a010203"_ba);
        QVERIFY(isDnsReply(reply, 7));
        QVERIFY(!isDnsReply(reply, 8));
        QVERIFY(!isDnsReply(query, 7));
    }

    void everyPartOfAQueryIsNoQuery()
    {
        const QByteArray query = dnsQuery("canary.sandboxio.invalid", 7);
        for (qsizetype size = 0; size < query.size(); ++size)
            QVERIFY2(dnsReply(query.first(size), {}).isEmpty(), qPrintable(QString::number(size)));
    }

    void whatIsNoQueryHasNoReply_data()
    {
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("a reply") << dnsReply(dnsQuery("a.bc", 7), QHostAddress(QHostAddress::LocalHost));
        QTest::newRow("two questions") << QByteArray(dnsQuery("a.bc", 7)).replace(4, 2, "\0\2"_ba);
        QTest::newRow("a compressed name") << QByteArray(dnsQuery("a.bc", 7)).replace(12, 1, "\xc0"_ba);
        QTest::newRow("another operation") << QByteArray(dnsQuery("a.bc", 7)).replace(2, 1, "\x10"_ba);
        QTest::newRow("a text") << "sandboxio, are you there?"_ba;
    }
    void whatIsNoQueryHasNoReply()
    {
        QFETCH(QByteArray, message);
        QCOMPARE(dnsReply(message, {}), QByteArray());
    }

    void theCanaryAnswersAsNameServer()
    {
        NetworkCanary canary;
        QVERIFY(canary.listen());
        const Operation<bool> reached = canary.reachByDns(QHostAddress(QHostAddress::LocalHost), "a.bc");
        QTRY_VERIFY(reached.isEnded());
        QVERIFY(reached.result());
    }
};

SANDBOXIO_TEST(TestDnsMessage)
#include "tst_dnsmessage.moc"
