// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "execfilescripts.h"
#include "support/testprogram.h"

#include <sandboxio/core/path.h>

#include <QDir>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

using namespace Sandboxio;
using namespace Sandboxio::Docker;
using namespace Qt::StringLiterals;

// The scripts on this host, by every shell and set of tools that it has.
class TestExecFileScripts : public QObject
{
    Q_OBJECT

    struct Ran
    {
        int code = -1;
        QByteArray output;
        QByteArray errors;
        int error() const { return code == 0 ? 0 : FileScript::errorNumberOf(errors); }
    };
    Ran run(const QStringList &command, const QByteArray &input = {}, const QString &programsFirst = {})
    {
        QFETCH_GLOBAL(QString, shell);
        QFETCH_GLOBAL(QString, path);
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        if (!path.isEmpty())
            environment.insert(u"PATH"_s, path);
        if (!programsFirst.isEmpty())
            environment.insert(u"PATH"_s, programsFirst + u':' + environment.value(u"PATH"_s));
        process.setProcessEnvironment(environment);
        process.start(shell, command.sliced(1));
        process.write(input);
        process.closeWriteChannel();
        if (!process.waitForFinished(20'000))
            return {};
        return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
    }
    QByteArray at(const QByteArray &name) const { return QFile::encodeName(folder->path()) + '/' + name; }
    bool write(const QByteArray &name, const QByteArray &content)
    {
        QFile file(QFile::decodeName(at(name)));
        return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
    }
    QByteArray contentOf(const QByteArray &name)
    {
        QFile file(QFile::decodeName(at(name)));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : "missing"_ba;
    }
    QStringList everything() const
    {
        return QDir(folder->path())
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
    }

private Q_SLOTS:
    void initTestCase_data()
    {
        QTest::addColumn<QString>("shell");
        QTest::addColumn<QString>("path");
        for (const QString &name : {u"dash"_s, u"bash"_s}) {
            if (const QString shell = QStandardPaths::findExecutable(name); !shell.isEmpty())
                QTest::newRow(qPrintable(name)) << shell << QString();
        }
        const QString busybox = QStandardPaths::findExecutable(u"busybox"_s);
        if (busybox.isEmpty())
            return;
        for (const QString &tool : {u"sh"_s, u"cat"_s, u"chmod"_s, u"chown"_s, u"mkdir"_s, u"mv"_s,
                                    u"readlink"_s, u"rm"_s, u"rmdir"_s, u"stat"_s})
            QVERIFY(QFile::link(busybox, tools.filePath(tool)));
        QTest::newRow("busybox") << tools.filePath(u"sh"_s) << tools.path();
    }
    void init() { folder = std::make_unique<QTemporaryDir>(); }

    void allThatIsNeededIsFound() { QCOMPARE(run(FileScript::probe()).code, 0); }

    void aDirectoryIsListedWithFactsAndOddNames()
    {
        QVERIFY(write("plain", "12345"));
        QVERIFY(write("-a\nb \\", ""));
        QVERIFY(write("...", "1"));
        const QByteArray raw = "x\xff'\"$HOME"_ba;
        QCOMPARE(::mkdir(at(raw).constData(), 0751), 0);
        QCOMPARE(::symlink("to/no\nwhere", at(".link").constData()), 0);
        const Ran listed = run(FileScript::list(at("")));
        QCOMPARE(listed.code, 0);
        const auto entries = FileScript::readEntries(listed.output);
        QVERIFY2(entries, listed.output.constData());
        QMap<QByteArray, FileInfo> byName;
        for (const FileInfo &info : *entries)
            byName.insert(encodePath(info.name), info);
        QCOMPARE(byName.keys(), QByteArrayList({"-a\nb \\"_ba, "..."_ba, ".link"_ba, "plain"_ba, raw}));
        QCOMPARE(byName.value("plain"_ba).size, 5);
        QCOMPARE(byName.value(raw).mode, 0751U);
        QCOMPARE(byName.value(raw).type, FileInfo::Type::Directory);
        QCOMPARE(byName.value(".link"_ba).linkTarget, u"to/no\nwhere"_s);
        QVERIFY(qAbs(byName.value("plain"_ba).modifiedAt.secsTo(QDateTime::currentDateTimeUtc())) < 60);
        const auto one = FileScript::readEntries(run(FileScript::stat(at(".link"))).output);
        QVERIFY(one && one->size() == 1);
        QCOMPARE(one->first(), byName.value(".link"_ba));
        QCOMPARE(::rmdir(at(raw).constData()), 0); // QTemporaryDir cannot
    }

    void tenThousandEntriesAreListedOnce()
    {
        for (int i = 0; i < 10'000; ++i)
            QVERIFY(write("file" + QByteArray::number(i), {}));
        const auto entries = FileScript::readEntries(run(FileScript::list(at(""))).output);
        QVERIFY(entries);
        QCOMPARE(entries->size(), 10'000);
    }

    void anUploadReplacesInOneStepAndKeepsTheMode()
    {
        QVERIFY(write("real", "old"));
        QCOMPARE(::chmod(at("real").constData(), 0604), 0);
        QCOMPARE(::symlink("real", at("link").constData()), 0);
        const QByteArray content = QByteArray("\0\xff\n", 3) + QByteArray(100'000, 'x');
        QCOMPARE(run(FileScript::upload(at("link"), ".t"), content).output, "ready\n"_ba);
        QCOMPARE(contentOf("real"), "old"_ba);
        QCOMPARE(run(FileScript::commit(at("link"), ".t", content.size() - 1, {})).error(), EIO);
        QCOMPARE(run(FileScript::commit(at("link"), ".t", content.size(), {})).error(), 0);
        QCOMPARE(contentOf("real"), content);
        struct stat facts{};
        QCOMPARE(::stat(at("real").constData(), &facts), 0);
        QCOMPARE(facts.st_mode & 07777U, 0604U);
        QCOMPARE(everything(), QStringList({u"link"_s, u"real"_s}));
        QCOMPARE(run(FileScript::upload(at("new"), ".t"), {}).code, 0);
        QCOMPARE(run(FileScript::commit(at("new"), ".t", 0, 0640)).error(), 0);
        QCOMPARE(::stat(at("new").constData(), &facts), 0);
        QCOMPARE(facts.st_mode & 07777U, 0640U);
    }

    void whatIsDiscardedLeavesNothing()
    {
        QCOMPARE(run(FileScript::upload(at("file"), ".t"), "half").code, 0);
        QCOMPARE(everything(), QStringList{u".t"_s});
        QCOMPARE(run(FileScript::discard(at("file"), ".t")).code, 0);
        QCOMPARE(everything(), QStringList());
    }

    void whatIsDiscardedLeavesNothingWhereADirectoryHasComeMeanwhile()
    {
        QCOMPARE(run(FileScript::upload(at("file"), ".t"), "half").code, 0);
        QVERIFY(QDir(folder->path()).mkdir(u"file"_s));
        QCOMPARE(run(FileScript::commit(at("file"), ".t", 4, {})).error(), EISDIR);
        QCOMPARE(run(FileScript::discard(at("file"), ".t")).code, 0);
        QCOMPARE(everything(), QStringList{u"file"_s});
    }

    void aLinkToNowhereIsNoDirectory()
    {
        QVERIFY(QFile::link(u"/sandboxio-missing/x"_s, QFile::decodeName(at("link"))));
        QCOMPARE(run(FileScript::upload(at("link"), ".t")).error(), ENOENT);
        QCOMPARE(everything(), QStringList{u"link"_s});
    }

    void entriesThatCouldNotBeLookedAtAreNoPartialListing()
    {
        QVERIFY(write("file", {}));
        QVERIFY(QDir(folder->path()).mkdir(u"bin"_s));
        QVERIFY(write("bin/stat", "#!/bin/sh\n[ -n \"$2\" ] || exit 0\nkill -9 $$\n"));
        QVERIFY(QFile::setPermissions(QFile::decodeName(at("bin/stat")), QFile::ReadOwner | QFile::ExeOwner));
        const Ran ran = run(FileScript::list(at({})), {}, QFile::decodeName(at("bin")));
        QVERIFY2(ran.error() == EIO, ran.errors.constData());
    }

    void whatCannotBeIsSaid_data()
    {
        QTest::addColumn<QStringList>("script");
        QTest::addColumn<int>("error");
        const QByteArray d = "/sandboxio-missing";
        QTest::newRow("stat of nothing") << FileScript::stat(d) << ENOENT;
        QTest::newRow("list of nothing") << FileScript::list(d) << ENOENT;
        QTest::newRow("read of nothing") << FileScript::read(d) << ENOENT;
        QTest::newRow("read of a directory") << FileScript::read("/") << EISDIR;
        QTest::newRow("read below a file") << FileScript::read("/etc/passwd/x") << ENOTDIR;
        QTest::newRow("read of a device") << FileScript::read("/dev/null") << EOPNOTSUPP;
        QTest::newRow("list of a file") << FileScript::list("/etc/passwd") << ENOTDIR;
        QTest::newRow("write to nowhere") << FileScript::upload(d + "/f", ".t") << ENOENT;
        QTest::newRow("write over a directory") << FileScript::upload("/etc", ".t") << EISDIR;
        QTest::newRow("directory in nothing") << FileScript::makeDirectory(d + "/a", false) << ENOENT;
        QTest::newRow("directory that is there") << FileScript::makeDirectory("/etc", false) << EEXIST;
        QTest::newRow("directory where a file is") << FileScript::makeDirectory("/etc/passwd", true) << EEXIST;
        QTest::newRow("removal of nothing") << FileScript::remove(d, true) << ENOENT;
        QTest::newRow("removal of a full directory") << FileScript::remove("/etc", false) << ENOTEMPTY;
        QTest::newRow("move of nothing") << FileScript::move(d, "/tmp/sandboxio-x") << ENOENT;
        QTest::newRow("link over something") << FileScript::makeLink("x", "/etc/passwd") << EEXIST;
        QTest::newRow("link in nothing") << FileScript::makeLink("x", "/tmp/sandboxio-no-such/x") << ENOENT;
        QTest::newRow("move over something") << FileScript::move("/etc/passwd", "/etc") << EEXIST;
        QTest::newRow("mode of nothing") << FileScript::changeMode(d, 0600) << ENOENT;
    }
    void whatCannotBeIsSaid()
    {
        QFETCH(QStringList, script);
        QFETCH(int, error);
        const Ran ran = run(script);
        QVERIFY2(ran.error() == error, ran.errors.constData());
    }

    void garbageIsNoListing_data()
    {
        QTest::addColumn<QByteArray>("output");
        QTest::newRow("text") << "hello"_ba;
        QTest::newRow("facts without a name") << "S81a4 5 0 root 1 ./"_ba;
        QTest::newRow("a mode that is no number") << "Sxyz 5 0 root 1 ./a/\n"_ba;
        QTest::newRow("a link without an end") << "L./a/target"_ba;
    }
    void garbageIsNoListing()
    {
        QFETCH(QByteArray, output);
        QVERIFY(!FileScript::readEntries(output));
    }

private:
    QTemporaryDir tools;
    std::unique_ptr<QTemporaryDir> folder;
};

SANDBOXIO_TEST(TestExecFileScripts)
#include "tst_execfilescripts.moc"
