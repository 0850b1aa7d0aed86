// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "execrecords.h"
#include "support/testprogram.h"

#include <transport/everysplit.h>

#include <QTest>

using namespace Sandboxio;
using namespace Sandboxio::Docker;
using namespace Qt::StringLiterals;

namespace {

const QByteArray prefix = "\x1esandboxio-7"_ba;

struct Taken
{
    QByteArray output;
    QByteArrayList records; //!< with the size of the output before each
    bool operator==(const Taken &) const = default;
};

Taken take(const QByteArrayList &parts, qsizetype *accounted)
{
    ExecRecords records(prefix);
    Taken taken;
    *accounted = 0;
    const auto account = [&](const ExecRecords::Piece &piece) {
        *accounted += piece.size;
        if (piece.isRecord)
            taken.records.append(QByteArray::number(taken.output.size()) + ':' + piece.bytes);
        else
            taken.output += piece.bytes;
    };
    for (const QByteArray &part : parts) {
        for (const ExecRecords::Piece &piece : records.feed(part))
            account(piece);
    }
    const QByteArray rest = records.takeRest();
    account({.bytes = rest, .isRecord = false, .size = rest.size()});
    return taken;
}

} // namespace

class TestExecRecords : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void recordsAreTakenOut_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("output");
        QTest::addColumn<QByteArrayList>("records");
        const auto row = [](const char *name, const QByteArray &bytes, const QByteArray &output,
                            const QByteArrayList &records) {
            QTest::newRow(name) << bytes << output << records;
        };
        row("nothing but output", "one\ntwo"_ba, "one\ntwo"_ba, {});
        row("a record alone", prefix + " exited 3 0\n"_ba, ""_ba, {"0:exited 3 0"_ba});
        row("a record amid a line", "on"_ba + prefix + " started 9\ne\n"_ba, "one\n"_ba, {"2:started 9"_ba});
        row("two in a row", prefix + " a\n"_ba + prefix + " b\nx"_ba, "x"_ba, {"0:a"_ba, "0:b"_ba});
        row("another one's record", "\x1esandboxio-8 a\n"_ba, "\x1esandboxio-8 a\n"_ba, {});
        row("a longer number", "\x1esandboxio-77 a\n"_ba, "\x1esandboxio-77 a\n"_ba, {});
        row("a beginning that leads nowhere", "\x1e\x1es\x1e"_ba, "\x1e\x1es\x1e"_ba, {});
        row("a record right after such a beginning", "\x1esand"_ba + prefix + " a\n"_ba, "\x1esand"_ba,
            {"5:a"_ba});
        row("the stream ends in a record", "x"_ba + prefix + " ex"_ba, "x"_ba + prefix + " ex"_ba, {});
        row("a text that is too long for a record", prefix + ' ' + QByteArray(70, 'x') + '\n',
            prefix + ' ' + QByteArray(70, 'x') + '\n', {});
        row("an empty text", prefix + " \n"_ba, ""_ba, {"0:"_ba});
    }
    void recordsAreTakenOut()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, output);
        QFETCH(QByteArrayList, records);
        const Taken expected{output, records};
        for (const QList<QByteArray> &parts : everySplit(bytes)) {
            qsizetype accounted = 0;
            QCOMPARE(take(parts, &accounted), expected);
            QCOMPARE(accounted, bytes.size());
        }
    }

    void onlyWhatMayBeARecordIsHeldBack()
    {
        ExecRecords records(prefix);
        QCOMPARE(records.feed("plain text"_ba).size(), 1);
        QCOMPARE(records.feed("more\x1esandbox"_ba).first().bytes, "more"_ba);
        QCOMPARE(records.feed("y"_ba).first().bytes, "\x1esandboxy"_ba);
        QCOMPARE(records.takeRest(), ""_ba);
    }
};

SANDBOXIO_TEST(TestExecRecords)
#include "tst_execrecords.moc"
