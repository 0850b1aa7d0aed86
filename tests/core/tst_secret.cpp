// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/core/createoptions.h>
#include <sandboxio/core/redactor.h>

#include <QDebug>
#include <QTest>

#include <atomic>
#include <thread>
#include <vector>

using namespace Sandboxio;
using namespace Qt::StringLiterals;

class TestSecret : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void aSecretDoesNotPrint()
    {
        const Secret canary("canary-7f3a"_ba);
        QString text;
        QDebug(&text) << canary << QList{canary} << QMap<QString, Secret>{{u"KEY"_s, canary}};
        QVERIFY(!text.contains("canary"_L1));
        QVERIFY(text.contains("<secret>"_L1));
    }
    void aSecretDoesNotConvert()
    {
        static_assert(!std::is_convertible_v<Secret, QString>);
        static_assert(!std::is_convertible_v<Secret, QByteArray>);
        static_assert(!std::is_convertible_v<QByteArray, Secret>);
        static_assert(!std::is_constructible_v<QString, Secret>);
    }
    void secretsCompare()
    {
        QCOMPARE(Secret("abcd"_ba), Secret("abcd"_ba));
        QVERIFY(!(Secret("abcd"_ba) == Secret("abce"_ba)));
        QVERIFY(!(Secret("abcd"_ba) == Secret("abc"_ba)));
        QVERIFY(Secret().isEmpty());
        QCOMPARE(Secret("abcd"_ba).size(), 4);
        QCOMPARE(Secret("abcd"_ba).reveal(), "abcd"_ba);
    }
    void copiesSurviveTheOriginal()
    {
        auto original = std::make_unique<Secret>("abcdefgh"_ba);
        const Secret copy = *original;
        const QByteArray revealed = original->reveal();
        original.reset();
        QCOMPARE(copy.reveal(), "abcdefgh"_ba);
        QCOMPARE(revealed, "abcdefgh"_ba);
    }

    void redacting_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("redacted");
        const QByteArray mark = "\u2022\u2022\u2022"_ba;
        const auto row = [](const char *name, const QByteArray &text, const QByteArray &redacted) {
            QTest::newRow(name) << text << redacted;
        };
        row("the value itself", "a s3cr3t+value b", "a " + mark + " b");
        row("twice", "s3cr3t+value,s3cr3t+value", mark + ',' + mark);
        row("in Base64", "x " + "s3cr3t+value"_ba.toBase64() + " y", "x " + mark + " y");
        row("percent-encoded", "?q=s3cr3t%2Bvalue&r", "?q=" + mark + "&r");
        row("nothing to hide", "an ordinary line", "an ordinary line");
        row("a part of the value", "s3cr3t", "s3cr3t");
        row("the longer of two values that begin alike", "s3cr3t+value-long", mark);
    }
    void redacting()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, redacted);
        Redactor redactor;
        redactor.add(Secret("s3cr3t+value"_ba));
        redactor.add(Secret("s3cr3t+value-long"_ba));
        QCOMPARE(redactor.redact(text), redacted);
        QCOMPARE(redactor.redact(QString::fromUtf8(text)), QString::fromUtf8(redacted));
    }
    void shortValuesAreIgnored()
    {
        Redactor redactor;
        redactor.add(Secret("abc"_ba));
        redactor.add(Secret());
        QCOMPARE(redactor.redact("abcabc"_ba), "abcabc"_ba);
    }
    void credentialShapedVariablesAreHidden()
    {
        Redactor redactor;
        redactor.addEnvironment({{u"API_KEY"_s, u"key-value"_s}, {u"HOME"_s, u"/home/somebody"_s}});
        QCOMPARE(redactor.redact(u"key-value /home/somebody"_s), u"\u2022\u2022\u2022 /home/somebody"_s);
    }
    void credentialNames_data()
    {
        QTest::addColumn<bool>("credential");
        for (const char *name : {"API_KEY", "apiKey", "access_token", "CLIENT_SECRET", "password", "PASSWD",
                                 "credentials", "Authorization"})
            QTest::newRow(name) << true;
        for (const char *name : {"HOME", "timeout", "host", "store", "createDelayMs", "runtime"})
            QTest::newRow(name) << false;
    }
    void credentialNames()
    {
        QFETCH(bool, credential);
        QCOMPARE(looksLikeCredential(QString::fromUtf8(QTest::currentDataTag())), credential);
    }
    void aRedactorIsUsedFromManyThreads()
    {
        Redactor redactor;
        std::atomic_int wrong = 0;
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&redactor, &wrong, t] {
                for (int i = 0; i < 50; ++i) {
                    const QByteArray value =
                        "value-" + QByteArray::number(t) + '-' + QByteArray::number(i) + "-end";
                    redactor.add(Secret(value));
                    if (redactor.redact("x" + value).contains("value"))
                        ++wrong;
                }
            });
        }
        threads.clear();
        QCOMPARE(wrong.load(), 0);
    }
};

SANDBOXIO_TEST(TestSecret)
#include "tst_secret.moc"
