// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "archiveentries.h"
#include "support/testprogram.h"

#include <QTest>
#include <QTimeZone>

#include <cerrno>

using namespace Qt::StringLiterals;
using namespace Sandboxio;
using namespace Sandboxio::Docker;

/*! What the daemon's archives and its words about them mean. */
class tst_ArchiveEntries : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void pathsBecomeAbsolute_data();
    void pathsBecomeAbsolute();
    void onlyEntriesOfOneLevelCount_data();
    void onlyEntriesOfOneLevelCount();
    void entriesBecomeFacts();
    void theHeaderIsRead();
    void aHeaderThatIsNoneIsNotRead_data();
    void aHeaderThatIsNoneIsNotRead();
    void refusalsBecomeNumbers_data();
    void refusalsBecomeNumbers();
};

void tst_ArchiveEntries::pathsBecomeAbsolute_data()
{
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<QByteArray>("absolute");
    QTest::newRow("a relative one") << "a/b"_ba << "/work/a/b"_ba;
    QTest::newRow("an absolute one") << "/etc/x"_ba << "/etc/x"_ba;
    QTest::newRow("the directory where runs start") << "."_ba << "/work"_ba;
    QTest::newRow("slashes at the end") << "/a//"_ba << "/a"_ba;
    QTest::newRow("a dot at the end") << "a/./"_ba << "/work/a"_ba;
    QTest::newRow("a name that ends in a dot") << "a."_ba << "/work/a."_ba;
    QTest::newRow("the root") << "/"_ba << "/"_ba;
    QTest::newRow("the root and a dot") << "/."_ba << "/"_ba;
    QTest::newRow("bytes that are no text") << "\xff"_ba << "/work/\xff"_ba;
}

void tst_ArchiveEntries::pathsBecomeAbsolute()
{
    QFETCH(QByteArray, path);
    QTEST(archivePath(path, "/work"_ba), "absolute");
}

void tst_ArchiveEntries::onlyEntriesOfOneLevelCount_data()
{
    QTest::addColumn<QByteArray>("directory");
    QTest::addColumn<QByteArray>("entry");
    QTest::addColumn<std::optional<QByteArray>>("name");
    const std::optional<QByteArray> none;
    QTest::newRow("an entry") << "work/"_ba << "work/a"_ba << std::optional("a"_ba);
    QTest::newRow("a directory in it") << "work/"_ba << "work/a/"_ba << std::optional("a"_ba);
    QTest::newRow("what stands below that") << "work/"_ba << "work/a/b"_ba << none;
    QTest::newRow("the directory itself") << "work/"_ba << "work/"_ba << none;
    QTest::newRow("one that begins alike") << "work/"_ba << "works/a"_ba << none;
    QTest::newRow("an entry of the root") << "/"_ba << "/.dockerenv"_ba << std::optional(".dockerenv"_ba);
    QTest::newRow("a directory of the root") << "/"_ba << "/bin/"_ba << std::optional("bin"_ba);
    QTest::newRow("below a directory of the root") << "/"_ba << "/etc/passwd"_ba << none;
    QTest::newRow("the root itself") << "/"_ba << "/"_ba << none;
}

void tst_ArchiveEntries::onlyEntriesOfOneLevelCount()
{
    QFETCH(QByteArray, directory);
    QFETCH(QByteArray, entry);
    QTEST(nameBelow(directory, entry), "name");
}

void tst_ArchiveEntries::entriesBecomeFacts()
{
    const FileInfo file = entryInfo({.path = "w/a"_ba,
                                     .type = TarEntry::Type::File,
                                     .size = 12,
                                     .mode = 04750,
                                     .userId = 1000,
                                     .modifiedSeconds = 1700000000});
    QCOMPARE(file.type, FileInfo::Type::File);
    QCOMPARE(file.size, 12);
    QCOMPARE(file.mode, 04750U);
    QCOMPARE(file.owner, u"1000"_s);
    QCOMPARE(file.modifiedAt, QDateTime::fromSecsSinceEpoch(1700000000, QTimeZone::UTC));
    QVERIFY(!file.linkTarget);
    const FileInfo link =
        entryInfo({.type = TarEntry::Type::SymbolicLink, .userName = "joe"_ba, .linkTarget = "../t"_ba});
    QCOMPARE(link.type, FileInfo::Type::SymbolicLink);
    QCOMPARE(link.linkTarget, u"../t"_s);
    QCOMPARE(link.size, 4);
    QCOMPARE(link.owner, u"joe"_s);
    QCOMPARE(entryInfo({.type = TarEntry::Type::Directory}).type, FileInfo::Type::Directory);
    QCOMPARE(entryInfo({.type = TarEntry::Type::Other}).type, FileInfo::Type::Other);
}

void tst_ArchiveEntries::theHeaderIsRead()
{
    // As Docker 26.1.5 sent it for a link and for a directory with the sticky bit.
    const QByteArray link =
        R"({"name":"link","size":5,"mode":134218239,"mtime":"2026-12-01T03:59:35.099395033Z",)"
        R"("linkTarget":"/work/a.txt"})"_ba;
    const auto stat = pathStat(link.toBase64());
    QVERIFY(stat);
    QCOMPARE(stat->linkTarget, "/work/a.txt"_ba);
    QCOMPARE(stat->mode, 0777U);
    QCOMPARE(stat->size, 5);
    QCOMPARE(stat->modifiedAt.toSecsSinceEpoch(), 1796097575);
    QCOMPARE(pathStat(R"({"mode":2148532735})"_ba.toBase64())->mode, 01777U);
}

void tst_ArchiveEntries::aHeaderThatIsNoneIsNotRead_data()
{
    QTest::addColumn<QByteArray>("header");
    QTest::newRow("nothing") << ""_ba;
    QTest::newRow("no base64") << "{}"_ba;
    QTest::newRow("no JSON") << "no"_ba.toBase64();
    QTest::newRow("no object") << "[]"_ba.toBase64();
}

void tst_ArchiveEntries::aHeaderThatIsNoneIsNotRead()
{
    QFETCH(QByteArray, header);
    QVERIFY(!pathStat(header));
}

void tst_ArchiveEntries::refusalsBecomeNumbers_data()
{
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("text");
    QTest::addColumn<std::optional<int>>("number");
    QTest::newRow("a missing path") << 404 << u"Could not find the file /nope in container 1d32"_s
                                    << std::optional(ENOENT);
    QTest::newRow("below a file") << 500 << u"lstat /work/a/x: not a directory"_s << std::optional(ENOTDIR);
    QTest::newRow("a link to itself") << 400 << u"evalSymlinksInScope: too many links in /work/loop"_s
                                      << std::optional(ELOOP);
    QTest::newRow("below a link to itself")
        << 500 << u"lstat /work/loop/x: too many levels of symbolic links"_s << std::optional(ELOOP);
    QTest::newRow("a long name") << 500 << u"lstat /work/n: file name too long"_s
                                 << std::optional(ENAMETOOLONG);
    QTest::newRow("another way of missing") << 404 << u"whatever"_s << std::optional(ENOENT);
    QTest::newRow("something else") << 500 << u"driver failed"_s << std::optional<int>();
}

void tst_ArchiveEntries::refusalsBecomeNumbers()
{
    QFETCH(int, status);
    QFETCH(QString, text);
    const ErrorInfo error = makeError(ErrorKind::FileSystemError, u"x"_s, {}, {status, text});
    QTEST(errorNumberOf(error), "number");
    QVERIFY(!errorNumberOf(makeError(ErrorKind::SandboxGone, u"x"_s, {}, {status, text})));
    QVERIFY(!errorNumberOf(makeError(ErrorKind::FileSystemError, u"x"_s)));
}

SANDBOXIO_TEST(tst_ArchiveEntries)
#include "tst_archiveentries.moc"
