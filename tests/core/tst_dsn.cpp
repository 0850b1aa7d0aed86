// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/core/dsn.h>
#include <sandboxio/core/error.h>

#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using Parameters = QMap<QString, QString>;

class TestDsn : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void accepted_data()
    {
        QTest::addColumn<QString>("dsn");
        QTest::addColumn<QString>("backend");
        QTest::addColumn<QString>("templateId");
        QTest::addColumn<Parameters>("parameters");
        const auto row = [](const char *name, const QString &dsn, const QString &backend,
                            const QString &templateId, const Parameters &parameters = {}) {
            QTest::newRow(name) << dsn << backend << templateId << parameters;
        };
        row("a scheme alone", u"fake://"_s, u"fake"_s, u""_s);
        row("a template", u"fake://base"_s, u"fake"_s, u"base"_s);
        row("an image with a tag", u"fake://python:3.12-slim"_s, u"fake"_s, u"python:3.12-slim"_s);
        row("an image with a registry and a port", u"fake://registry.example:5000/a/b:1"_s, u"fake"_s,
            u"registry.example:5000/a/b:1"_s);
        row("an image with a digest", u"fake://a/b:1@sha256:0123"_s, u"fake"_s, u"a/b:1@sha256:0123"_s);
        row("an upper-case scheme is lowered", u"FAKE://Base"_s, u"fake"_s, u"Base"_s);
        row("parameters", u"fake://b?x=1&y=two"_s, u"fake"_s, u"b"_s, {{u"x"_s, u"1"_s}, {u"y"_s, u"two"_s}});
        row("a parameter without a template", u"fake://?timeout=600"_s, u"fake"_s, u""_s,
            {{u"timeout"_s, u"600"_s}});
        row("percent-encoded values", u"fake://a%20b?x=1%262"_s, u"fake"_s, u"a b"_s, {{u"x"_s, u"1&2"_s}});
        row("a value with an equals sign", u"fake://?x=a=b"_s, u"fake"_s, u""_s, {{u"x"_s, u"a=b"_s}});
        row("a question mark without parameters", u"fake://b?"_s, u"fake"_s, u"b"_s);
    }
    void accepted()
    {
        QFETCH(QString, dsn);
        QFETCH(QString, backend);
        QFETCH(QString, templateId);
        QFETCH(Parameters, parameters);
        const auto result = parseDsn(dsn);
        QVERIFY(std::holds_alternative<Target>(result));
        const Target target = std::get<Target>(result);
        QCOMPARE(target.backend, backend);
        QCOMPARE(target.templateId, templateId);
        QCOMPARE(target.parameters, parameters);
        QCOMPARE(Target::fromDsn(target.toDsn()), target);
    }
    void refused_data()
    {
        QTest::addColumn<QString>("dsn");
        QTest::newRow("nothing") << u""_s;
        QTest::newRow("no scheme") << u"python:3.12"_s;
        QTest::newRow("an empty scheme") << u"://x"_s;
        QTest::newRow("one slash") << u"fake:/x"_s;
        QTest::newRow("a fragment") << u"fake://x#y"_s;
        QTest::newRow("a newline") << u"fake://x\ny"_s;
        QTest::newRow("a newline at the end") << u"fake://x\n"_s;
        QTest::newRow("a parameter without a value") << u"fake://x?y"_s;
        QTest::newRow("a parameter with an empty value") << u"fake://x?y="_s;
        QTest::newRow("a parameter without a name") << u"fake://x?=y"_s;
        QTest::newRow("a parameter twice") << u"fake://x?y=1&y=2"_s;
        QTest::newRow("a name with a blank") << u"fake://x?a b=1"_s;
        QTest::newRow("a structured name") << u"fake://x?a[0]=1"_s;
        QTest::newRow("a user name with a password") << u"fake://user:pass@host"_s;
        QTest::newRow("an API key") << u"fake://x?api_key=abc"_s;
        QTest::newRow("a token") << u"fake://x?token=abc"_s;
        QTest::newRow("a secret in capitals") << u"fake://x?clientSECRET=abc"_s;
        QTest::newRow("a password") << u"fake://x?password=abc"_s;
    }
    void refused()
    {
        QFETCH(QString, dsn);
        const auto result = parseDsn(dsn);
        QVERIFY(std::holds_alternative<ErrorInfo>(result));
        const ErrorInfo error = std::get<ErrorInfo>(result);
        QCOMPARE(error.kind, ErrorKind::ConfigurationError);
        QVERIFY(!error.hint.isEmpty());
        QVERIFY2(!error.toText().contains("abc"_L1), "the value of a credential is not repeated");
        QVERIFY_THROWS_EXCEPTION(ConfigurationError, Target::fromDsn(dsn));
    }
    void oddTargetsSurviveTheRoundTrip_data()
    {
        QTest::addColumn<Target>("target");
        QTest::newRow("a template with every kind of character")
            << Target{u"fake"_s, u"a b?c#d&e=f%g\u00E9"_s, {}};
        QTest::newRow("values with every kind of character")
            << Target{u"fake"_s, {}, {{u"x"_s, u"a b?c#d&e=f%g\u00E9+"_s}, {u"host"_s, u"tcp://h:1"_s}}};
    }
    void oddTargetsSurviveTheRoundTrip()
    {
        QFETCH(Target, target);
        QCOMPARE(Target::fromDsn(target.toDsn()), target);
    }
    void identityIsThePlaceAlone()
    {
        QCOMPARE(Target::fromDsn(u"fake://a?timeout=5&host=h&gpu=T4&runtime=r"_s).identity(),
                 u"fake://?host=h"_s);
        QCOMPARE(Target::fromDsn(u"fake://a"_s).identity(),
                 Target::fromDsn(u"fake://b?timeout=9"_s).identity());
        QVERIFY(Target::fromDsn(u"fake://?host=a"_s).identity() !=
                Target::fromDsn(u"fake://?host=b"_s).identity());
    }
    void seconds_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<std::optional<qint64>>("milliseconds");
        const auto row = [](const char *name, const QString &text, std::optional<qint64> ms) {
            QTest::newRow(name) << text << ms;
        };
        row("whole seconds", u"600"_s, 600'000);
        row("parts of seconds", u"1.5"_s, 1500);
        row("less than a millisecond is rounded", u"0.0006"_s, 1);
        row("zero", u"0"_s, 0);
        row("a negative number is left to the checks", u"-1"_s, -1000);
        row("no number", u"ten"_s, {});
        row("a unit", u"10s"_s, {});
        row("nothing", u""_s, {});
        row("infinity", u"inf"_s, {});
        row("not a number", u"nan"_s, {});
        row("more than a century", u"1e12"_s, {});
    }
    void seconds()
    {
        QFETCH(QString, text);
        QFETCH(std::optional<qint64>, milliseconds);
        QCOMPARE(parseSecondsAsMilliseconds(text), milliseconds);
    }
};

SANDBOXIO_TEST(TestDsn)
#include "tst_dsn.moc"
