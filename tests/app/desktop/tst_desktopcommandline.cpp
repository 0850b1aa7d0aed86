// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "shell/desktopoptions.h"
#include "support/testprogram.h"

#include <QTest>

using namespace Sandboxio;
using namespace Sandboxio::Desktop;
using namespace Qt::StringLiterals;

class CommandLineTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void argumentsBecomeOptions()
    {
        const CommandLineResult result =
            parseCommandLine({u"x"_s, u"--target"_s, u"fake://base"_s, u"--target"_s, u"fake://?store=b"_s,
                              u"--color-scheme"_s, u"dark"_s, u"--self-test"_s});
        QVERIFY(!result.exitCode);
        QCOMPARE(result.options.targets.size(), 2);
        QCOMPARE(result.options.targets.first().templateId, u"base"_s);
        QCOMPARE(result.options.colorScheme, Qt::ColorScheme::Dark);
        QVERIFY(result.options.selfTest);
    }

    void wrongArgumentsEndWithUsageError_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("an unknown option") << QStringList{u"--nonsense"_s};
        QTest::newRow("a colour scheme that is none") << QStringList{u"--color-scheme"_s, u"pink"_s};
        QTest::newRow("a target that is no DSN") << QStringList{u"--target"_s, u"no dsn"_s};
        QTest::newRow("a stray argument") << QStringList{u"stray"_s};
        QTest::newRow("an amount of output that is no number") << QStringList{u"--output-script"_s, u"abc"_s};
        QTest::newRow("no output at all") << QStringList{u"--output-script"_s, u"0"_s};
    }
    void wrongArgumentsEndWithUsageError()
    {
        QFETCH(QStringList, arguments);
        const CommandLineResult result = parseCommandLine(QStringList{u"x"_s} + arguments);
        QCOMPARE(result.exitCode, 2);
        QVERIFY(!result.message.isEmpty());
    }

    void theDemoIsNeverShownUnasked()
    {
        BackendDescription real;
        real.name = u"real"_s;
        BackendDescription broken;
        broken.name = u"broken"_s;
        broken.problem = u"wrong version"_s;
        BackendDescription demo;
        demo.name = u"fake"_s;
        demo.isDemo = true;
        QCOMPARE(usualTargets({broken, demo, real}), QList<Target>{(Target{u"real"_s, {}, {}})});
        QVERIFY(demoTarget({demo}));
        QVERIFY(!demoTarget({real}));
    }
};

SANDBOXIO_TEST(CommandLineTest)
#include "tst_desktopcommandline.moc"
