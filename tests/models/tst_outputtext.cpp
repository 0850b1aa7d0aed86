// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/models/outputtext.h>

#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;

class OutputTextTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void displayed_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("text");
        QTest::newRow("plain text stays") << "hello"_ba << u"hello"_s;
        QTest::newRow("UTF-8 is decoded") << QByteArray("gr\xc3\xbc\xc3\x9f") << u"grüß"_s;
        QTest::newRow("bytes that are no UTF-8 become replacement characters") << QByteArray("a\xff"
                                                                                             "b")
                                                                               << u"a\uFFFDb"_s;
        QTest::newRow("a NUL byte is a picture") << QByteArray("a\0b", 3) << u"a\u2400b"_s;
        QTest::newRow("of overwritten text the last stays") << "10%\r50%\r100%"_ba << u"100%"_s;
        QTest::newRow("a carriage return at the end goes") << "dos line\r"_ba << u"dos line"_s;
        QTest::newRow("colours go") << "\x1b[1;31mred\x1b[0m end"_ba << u"red end"_s;
        QTest::newRow("a window title goes") << "\x1b]0;title\x07text"_ba << u"text"_s;
        QTest::newRow("a title ended by string terminator goes") << "\x1b]0;title\x1b\\text"_ba << u"text"_s;
        QTest::newRow("a character set choice goes") << "\x1b(Btext"_ba << u"text"_s;
        QTest::newRow("an escape sequence cut off goes") << "text\x1b[3"_ba << u"text"_s;
        QTest::newRow("a lone escape goes") << "text\x1b"_ba << u"text"_s;
        QTest::newRow("tabs reach the next eighth column") << "ab\tc"_ba << u"ab      c"_s;
        QTest::newRow("an empty line is empty") << ""_ba << u""_s;
    }
    void displayed()
    {
        QFETCH(QByteArray, bytes);
        QTEST(displayLine(bytes), "text");
    }

    void folding_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("limit");
        QTest::addColumn<int>("length");
        QTest::newRow("what fits is whole") << "abc"_ba << 3 << 3;
        QTest::newRow("ASCII is cut at the limit") << "abcdef"_ba << 4 << 4;
        QTest::newRow("a two-byte character is not cut") << QByteArray("abc\xc3\xbc") << 4 << 3;
        QTest::newRow("a four-byte character is not cut") << QByteArray("a\xf0\x9f\x98\x80z") << 4 << 1;
        QTest::newRow("garbage is cut at the limit") << QByteArray(10, '\x80') << 4 << 4;
    }
    void folding()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(int, limit);
        QTEST(int(foldLength(bytes, limit)), "length");
    }
};

SANDBOXIO_TEST(OutputTextTest)
#include "tst_outputtext.moc"
