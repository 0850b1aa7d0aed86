// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "support/testprogram.h"

#include <ctime>

#include <QTest>

#include <sandboxio/transport/linesplitter.h>

#include "everysplit.h"

using namespace Qt::StringLiterals;
using namespace Sandboxio;

namespace {

struct SplitOutcome
{
    QList<QByteArray> lines;
    bool tooLarge = false;
    std::optional<QByteArray> rest;

    bool operator==(const SplitOutcome &) const = default;
};

SplitOutcome split(const QList<QByteArray> &pieces, qsizetype maximum)
{
    LineSplitter splitter(maximum);
    SplitOutcome outcome;
    for (const QByteArray &piece : pieces) {
        splitter.feed(piece);
        while (true) {
            const auto line = splitter.next();
            if (!line) {
                outcome.tooLarge = true;
                return outcome;
            }
            if (!*line)
                break;
            outcome.lines.append(**line);
        }
    }
    outcome.rest = splitter.takeRest();
    return outcome;
}

} // namespace

class TestLineSplitter : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void splitsAtEverySplit_data();
    void splitsAtEverySplit();
    void goesOnFailing();
    void isLinearInTheNumberOfLines();
};

void TestLineSplitter::splitsAtEverySplit_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QList<QByteArray>>("lines");
    QTest::addColumn<QByteArray>("rest");
    QTest::addColumn<bool>("tooLarge");
    using Lines = QList<QByteArray>;
    QTest::newRow("nothing") << ""_ba << Lines{} << ""_ba << false;
    QTest::newRow("two events") << "{\"a\":1}\n{\"b\":2}\n"_ba << Lines{"{\"a\":1}"_ba, "{\"b\":2}"_ba} << ""_ba
                                << false;
    QTest::newRow("CRLF") << "a\r\nb\r\n"_ba << Lines{"a"_ba, "b"_ba} << ""_ba << false;
    QTest::newRow("a CR inside") << "a\rb\n"_ba << Lines{"a\rb"_ba} << ""_ba << false;
    QTest::newRow("empty lines") << "\n\r\n\n"_ba << Lines{""_ba, ""_ba, ""_ba} << ""_ba << false;
    QTest::newRow("no terminator at the end") << "a\nbc"_ba << Lines{"a"_ba} << "bc"_ba << false;
    QTest::newRow("exactly the limit")
        << "01234567\n01234567\r\n"_ba << Lines{"01234567"_ba, "01234567"_ba} << ""_ba << false;
    QTest::newRow("one over the limit behind a good line")
        << "a\n012345678\nb\n"_ba << Lines{"a"_ba} << ""_ba << true;
    QTest::newRow("over the limit without terminator") << "0123456789abc"_ba << Lines{} << ""_ba << true;
    QTest::newRow("NUL and bytes over 127") << "\0\xff\n"_ba << Lines{"\0\xff"_ba} << ""_ba << false;
}

void TestLineSplitter::splitsAtEverySplit()
{
    QFETCH(const QByteArray, bytes);
    constexpr qsizetype maximum = 8;
    const SplitOutcome whole = split({bytes}, maximum);
    QTEST(whole.lines, "lines");
    QTEST(whole.rest.value_or(QByteArray("")), "rest");
    QTEST(whole.tooLarge, "tooLarge");
    for (const auto &pieces : everySplit(bytes))
        QVERIFY(split(pieces, maximum) == whole);
}

void TestLineSplitter::goesOnFailing()
{
    LineSplitter splitter(2);
    splitter.feed("abcd\n");
    QVERIFY(!splitter.next());
    splitter.feed("a\n");
    QCOMPARE(splitter.next().error().kind, DecodeError::Kind::TooLarge);
}

void TestLineSplitter::isLinearInTheNumberOfLines()
{
    const auto cost = [](int lineCount) {
        LineSplitter splitter;
        splitter.feed("0123456789\n"_ba.repeated(lineCount));
        int count = 0;
        const std::clock_t start = std::clock();
        for (auto line = splitter.next(); line && *line; line = splitter.next())
            ++count;
        return count == lineCount ? static_cast<double>(std::clock() - start) : -1;
    };
    // Moving the rest for every line would make it sixteen times.
    constexpr int lines = 100'000;
    const double few = std::min({cost(lines), cost(lines), cost(lines)});
    const double many = std::min({cost(4 * lines), cost(4 * lines), cost(4 * lines)});
    QVERIFY(few > 0 && many > 0);
    QCOMPARE_LT(many, 10 * few);
}

SANDBOXIO_TEST(TestLineSplitter)
#include "tst_linesplitter.moc"
