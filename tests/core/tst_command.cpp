// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/core/command.h>

#include <QProcess>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;

class TestCommand : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void quoting_data()
    {
        QTest::addColumn<QStringList>("argv");
        QTest::addColumn<QString>("line");
        const auto row = [](const char *name, const QStringList &argv, const QString &line) {
            QTest::newRow(name) << argv << line;
        };
        row("plain words stay plain", {u"make"_s, u"-j4"_s, u"A=b,c:d@e+f%g"_s}, u"make -j4 A=b,c:d@e+f%g"_s);
        row("a blank is quoted", {u"echo"_s, u"a b"_s}, u"echo 'a b'"_s);
        row("an empty argument is visible", {u"echo"_s, u""_s}, u"echo ''"_s);
        row("a single quote is taken out of the quotes", {u"echo"_s, u"it's"_s}, u"echo 'it'\\''s'"_s);
        row("shell characters are quoted", {u"echo"_s, u"$HOME;*"_s}, u"echo '$HOME;*'"_s);
        row("a newline is quoted", {u"echo"_s, u"a\n"_s}, u"echo 'a\n'"_s);
        row("other letters are quoted", {u"echo"_s, u"\u00E9"_s}, u"echo '\u00E9'"_s);
    }
    void quoting()
    {
        QFETCH(QStringList, argv);
        QFETCH(QString, line);
        const Command command(argv);
        QCOMPARE(command.toString(), line);
        QCOMPARE(command.arguments(), argv);
        QVERIFY(!command.isShell());
        // A shell takes the line apart again as it was.
        QProcess shell;
        shell.start(u"sh"_s, {u"-c"_s, u"printf '%s\\0' "_s + line});
        QVERIFY(shell.waitForFinished());
        QCOMPARE(QString::fromUtf8(shell.readAllStandardOutput()), argv.join(QChar(0)) + QChar(0));
    }
    void shellTextIsKept()
    {
        const Command command = Command::shell(u"ls -l | wc -l"_s);
        QVERIFY(command.isShell());
        QCOMPARE(command.arguments(), QStringList({u"sh"_s, u"-c"_s, u"ls -l | wc -l"_s}));
        QCOMPARE(command.toString(), u"ls -l | wc -l"_s);
        QVERIFY(command != Command({u"sh"_s, u"-c"_s, u"ls -l | wc -l"_s}));
    }
    void aListIsNeverAShell()
    {
        const Command command{u"ls -l"_s};
        QCOMPARE(command.arguments(), QStringList{u"ls -l"_s});
        QVERIFY(!command.isShell());
        static_assert(!std::is_convertible_v<QString, Command>);
    }
    void emptiness()
    {
        QVERIFY(Command(QStringList()).isEmpty());
        QVERIFY(Command({QString()}).isEmpty());
        QVERIFY(!Command({u"true"_s}).isEmpty());
    }
};

SANDBOXIO_TEST(TestCommand)
#include "tst_command.moc"
