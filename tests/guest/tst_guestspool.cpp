// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "../../engine/guest/helper/spool.h"

#include "support/testprogram.h"

#include <QTest>

using namespace Sandboxio::Guest;

namespace {

std::string pattern(std::size_t from, std::size_t size)
{
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i)
        text[i] = char((from + i) % 251);
    return text;
}

std::string readAll(const Spool &spool)
{
    std::string text;
    for (std::uint64_t at = spool.begin(); at < spool.end(); at += spool.at(at).size())
        text += spool.at(at);
    return text;
}

} // namespace

class TestGuestSpool : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsWhatFits_data()
    {
        QTest::addColumn<quint64>("piece");
        QTest::newRow("bytes one by one") << quint64{1};
        QTest::newRow("pieces that straddle blocks") << quint64{1000};
        QTest::newRow("one block at a time") << quint64{Spool::blockSize};
        QTest::newRow("more than a block at a time") << quint64{200001};
    }
    void keepsWhatFits()
    {
        QFETCH(quint64, piece);
        constexpr std::size_t size = 300000;
        Spool spool;
        spool.setLimit(size);
        for (std::size_t at = 0; at < size; at += piece)
            spool.append(pattern(at, std::min<std::size_t>(piece, size - at)));
        QCOMPARE(spool.begin(), 0u);
        QCOMPARE(spool.end(), size);
        QVERIFY(readAll(spool) == pattern(0, size));
    }

    void theOldestGoFirst()
    {
        constexpr std::size_t limit = 4 * Spool::blockSize;
        constexpr std::size_t size = 1000000;
        Spool spool;
        spool.setLimit(limit);
        for (std::size_t at = 0; at < size; at += 777)
            spool.append(pattern(at, std::min<std::size_t>(777, size - at)));
        QCOMPARE(spool.end(), size);
        const std::size_t kept = spool.end() - spool.begin();
        QVERIFY(kept >= limit && kept < limit + Spool::blockSize);
        QVERIFY(readAll(spool) == pattern(spool.begin(), kept));
        QVERIFY(spool.at(spool.begin() - 1).empty());
        QVERIFY(spool.at(spool.end()).empty());
    }

    void aSmallerLimitCountsAtOnce()
    {
        Spool spool;
        spool.setLimit(1 << 20);
        spool.append(pattern(0, 1 << 20));
        spool.setLimit(100000);
        QCOMPARE(spool.end() - spool.begin(), 2 * Spool::blockSize);
        QVERIFY(readAll(spool) == pattern(spool.begin(), 2 * Spool::blockSize));
        spool.setLimit(0);
        QCOMPARE(spool.end() - spool.begin(), Spool::blockSize);
    }
};

SANDBOXIO_TEST(TestGuestSpool)
#include "tst_guestspool.moc"
