// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/core/path.h>

#include <QRandomGenerator>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;

class TestPath : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyByteSurvives()
    {
        for (int byte = 0; byte < 256; ++byte) {
            for (const QByteArray &around : {""_ba, "a"_ba, "\xC3\xA9"_ba}) {
                const QByteArray path = around + static_cast<char>(byte) + around;
                QCOMPARE(encodePath(decodePath(path)), path);
            }
        }
    }
    void everyPairOfBytesSurvives()
    {
        for (int first = 0; first < 256; ++first) {
            for (int second = 0; second < 256; ++second) {
                const QByteArray path = QByteArray(1, static_cast<char>(first)) + static_cast<char>(second);
                if (encodePath(decodePath(path)) != path)
                    QFAIL(path.toHex().constData());
            }
        }
    }
    void randomBytesSurvive()
    {
        QRandomGenerator random(20260101);
        for (int round = 0; round < 20'000; ++round) {
            QByteArray path(random.bounded(1, 40), '\0');
            for (char &byte : path)
                byte = static_cast<char>(random.bounded(256));
            if (encodePath(decodePath(path)) != path)
                QFAIL(path.toHex().constData());
        }
    }
    void differentPathsStayDifferent()
    {
        // CESU-style bytes of a surrogate are no UTF-8: they must not come back as the byte that the surrogate
        // stands for.
        QVERIFY(decodePath("\xED\xB2\x80"_ba) != decodePath("\x80"_ba));
        QVERIFY(decodePath("\xFF"_ba) != decodePath("\xEF\xBF\xBD"_ba));
    }
    void names_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("withoutSlashes");
        QTest::addColumn<QString>("name");
        QTest::newRow("a name alone") << u"a"_s << u"a"_s << u"a"_s;
        QTest::newRow("the last of several") << u"/a/b"_s << u"/a/b"_s << u"b"_s;
        QTest::newRow("slashes at the end") << u"a/b//"_s << u"a/b"_s << u"b"_s;
        QTest::newRow("the root") << u"/"_s << u"/"_s << u"/"_s;
        QTest::newRow("the root, several times") << u"///"_s << u"/"_s << u"/"_s;
        QTest::newRow("nothing") << QString() << QString() << QString();
    }
    void names()
    {
        QFETCH(const QString, path);
        QTEST(withoutTrailingSlashes(path), "withoutSlashes");
        QTEST(pathName(path), "name");
    }
    void decoding_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("text");
        QTest::newRow("ASCII stays") << "/a/b"_ba << u"/a/b"_s;
        QTest::newRow("UTF-8 is decoded") << "gr\xC3\xBC\xC3\x9F"_ba << u"gr\u00FC\u00DF"_s;
        QTest::newRow("characters beyond the first plane are decoded")
            << "\xF0\x9F\x98\x80"_ba << u"\U0001F600"_s;
        QTest::newRow("a lone byte becomes a lone surrogate") << "a\xFFz"_ba << u"a"_s + QChar(0xDCFF) + u'z';
        QTest::newRow("good text next to a bad byte is kept")
            << "\xC3\xBC\x80"_ba << u"\u00FC"_s + QChar(0xDC80);
        QTest::newRow("a cut sequence becomes its bytes")
            << "\xE2\x82"_ba << QString(QChar(0xDCE2)) + QChar(0xDC82);
    }
    void decoding()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, text);
        QCOMPARE(decodePath(bytes), text);
        QCOMPARE(encodePath(text), bytes);
    }
    void showing_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("shown");
        QTest::newRow("ordinary text stays") << "/a b/\xC3\xA9"_ba << u"/a b/\u00E9"_s;
        QTest::newRow("a newline") << "a\nb"_ba << u"a\\x0ab"_s;
        QTest::newRow("an escape") << "\x1B[31m"_ba << u"\\x1b[31m"_s;
        QTest::newRow("a bad byte") << "\xFF"_ba << u"\\xff"_s;
        QTest::newRow("delete") << "\x7F"_ba << u"\\x7f"_s;
        QTest::newRow("characters beyond the first plane stay") << "\xF0\x9F\x98\x80"_ba << u"\U0001F600"_s;
    }
    void showing()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, shown);
        QCOMPARE(displayPath(decodePath(bytes)), shown);
    }
};

SANDBOXIO_TEST(TestPath)
#include "tst_path.moc"
