// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "cappedbuffer_p.h"
#include "support/testprogram.h"

#include <QTest>

using Sandboxio::Detail::CappedBuffer;

class TestCappedBuffer : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void keepsHeadAndTail_data()
    {
        QTest::addColumn<qint64>("limit");
        QTest::addColumn<QByteArray>("input");
        QTest::addColumn<QByteArray>("kept");
        QTest::newRow("less than the limit is kept whole")
            << qint64(10) << QByteArray("abc") << QByteArray("abc");
        QTest::newRow("exactly the limit is kept whole")
            << qint64(4) << QByteArray("abcd") << QByteArray("abcd");
        QTest::newRow("one more drops one from the middle")
            << qint64(4) << QByteArray("abcde") << QByteArray("abde");
        QTest::newRow("an odd limit gives the head one more")
            << qint64(3) << QByteArray("abcdefgh") << QByteArray("abh");
        QTest::newRow("a limit of zero keeps nothing") << qint64(0) << QByteArray("abc") << QByteArray();
        QTest::newRow("a limit of one keeps the first") << qint64(1) << QByteArray("abc") << QByteArray("a");
        QTest::newRow("nothing stays nothing") << qint64(4) << QByteArray() << QByteArray();
    }
    void keepsHeadAndTail()
    {
        QFETCH(qint64, limit);
        QFETCH(QByteArray, input);
        QFETCH(QByteArray, kept);
        for (qsizetype first = 0; first <= input.size(); ++first) {
            for (qsizetype second = first; second <= input.size(); ++second) {
                CappedBuffer buffer(limit);
                buffer.append(input.first(first));
                buffer.append(input.sliced(first, second - first));
                buffer.append(input.sliced(second));
                QCOMPARE(buffer.content(), kept);
                QCOMPARE(buffer.total(), input.size());
                QCOMPARE(buffer.isTruncated(), kept.size() < input.size());
            }
        }
    }
    void memoryStaysNearTheLimit()
    {
        CappedBuffer buffer(1024);
        for (int i = 0; i < 100'000; ++i)
            buffer.append(QByteArray(100, 'x'));
        QCOMPARE(buffer.total(), 10'000'000);
        QCOMPARE(buffer.content().size(), 1024);
    }
};

SANDBOXIO_TEST(TestCappedBuffer)
#include "tst_cappedbuffer.moc"
