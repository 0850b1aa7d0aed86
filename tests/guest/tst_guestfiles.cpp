// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "guestharness.h"
#include "support/testprogram.h"

#include <QDir>
#include <QFile>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <cerrno>
#include <limits>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace Sandboxio::Guest;
using namespace Sandboxio::Guest::Test;
using namespace Qt::StringLiterals;

/// The file requests. The helper's working directory is a temporary folder.
class TestGuestFiles : public QObject
{
    Q_OBJECT

    std::expected<FileInfo, FileError> stat(const std::string &path, bool follow = false)
    {
        return replyTo<FileInfo>([&](auto reply) { client()->stat(path, follow, reply); });
    }
    int errorOf(const std::expected<void, FileError> &result)
    {
        return result ? 0 : result.error().errorNumber;
    }

    int write(const FileOpenWrite &request, const QByteArray &data)
    {
        const auto opened = replyTo<FileOpened>([&](auto reply) { client()->openWrite(request, reply); });
        if (!opened)
            return opened.error().errorNumber;
        for (qsizetype offset = 0; offset < data.size(); offset += qsizetype(maximumChunk)) {
            const QByteArray chunk = data.mid(offset, qsizetype(maximumChunk));
            const auto result = replyTo<void>(
                [&](auto reply) { client()->write(opened->handle, quint64(offset), chunk, reply); });
            if (!result)
                return errorOf(result);
        }
        return errorOf(replyTo<void>([&](auto reply) { client()->commit(opened->handle, {}, reply); }));
    }
    std::expected<QByteArray, int> read(const std::string &path)
    {
        const auto opened = replyTo<FileOpened>([&](auto reply) { client()->openRead(path, reply); });
        if (!opened)
            return std::unexpected(opened.error().errorNumber);
        QByteArray data;
        while (true) {
            const auto chunk = replyTo<QByteArray>(
                [&](auto reply) { client()->read(opened->handle, quint64(data.size()), maximumChunk, reply); });
            if (!chunk || chunk->isEmpty())
                break;
            data += *chunk;
        }
        replyTo<void>([&](auto reply) { client()->close(opened->handle, reply); });
        return data;
    }
    std::expected<std::vector<FileInfo>, int> list(const std::string &path)
    {
        std::vector<FileInfo> entries;
        const auto result = replyTo<void>([&](auto reply) {
            client()->list(
                path, [&](std::vector<FileInfo> page) { std::ranges::move(page, std::back_inserter(entries)); },
                reply);
        });
        if (!result)
            return std::unexpected(result.error().errorNumber);
        return entries;
    }
    QByteArray local(const QString &name) const
    {
        QFile file(folder->filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QStringList temporaries() const
    {
        return QDir(folder->path()).entryList({u".sandboxio-*"_s}, QDir::Files | QDir::Hidden);
    }
    Client *client() { return guest->client(); }

private Q_SLOTS:
    void init()
    {
        folder = std::make_unique<QTemporaryDir>();
        guest =
            std::make_unique<Harness>(Harness::Place::Host, 60000, QStringList{u"--workdir"_s, folder->path()});
        QVERIFY(guest->waitReady());
    }
    void cleanup()
    {
        QCOMPARE(temporaries(), QStringList());
        QVERIFY(guest->shutDown());
        guest.reset();
    }

    void contentComesBackAsWritten_data()
    {
        QTest::addColumn<QByteArray>("data");
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("one byte") << "x"_ba;
        QTest::newRow("every byte value") << [] {
            QByteArray b;
            for (int i = 0; i < 256; ++i)
                b += char(i);
            return b;
        }();
        QTest::newRow("exactly one chunk") << QByteArray(qsizetype(maximumChunk), 'c');
        QTest::newRow("several chunks and a rest") << QByteArray(3 * qsizetype(maximumChunk) + 17, 'r');
    }
    void contentComesBackAsWritten()
    {
        QFETCH(QByteArray, data);
        QCOMPARE(write({"file", modeUnset, false}, data), 0);
        QCOMPARE(local(u"file"_s), data);
        QCOMPARE(read("file").value(), data);
        QCOMPARE(stat("file")->size, quint64(data.size()));
    }

    void oddNamesWork_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::newRow("a newline") << "a\nb"_ba;
        QTest::newRow("a leading dash") << "-rf"_ba;
        QTest::newRow("invalid UTF-8") << "\xff\xfe"_ba;
        QTest::newRow("blanks and quotes") << " \"'$(x) "_ba;
        QTest::newRow("the longest name") << QByteArray(255, 'n');
    }
    void oddNamesWork()
    {
        QFETCH(QByteArray, name);
        const std::string path = name.toStdString();
        QCOMPARE(write({path, modeUnset, false}, "data"), 0);
        QCOMPARE(read(path).value(), "data");
        const auto entries = list(".");
        QCOMPARE(entries->size(), 1u);
        QCOMPARE(QByteArray::fromStdString(entries->front().name), name);
        QCOMPARE(errorOf(replyTo<void>([&](auto reply) { client()->remove(path, false, reply); })), 0);
        QCOMPARE(list(".")->size(), 0u);
    }

    void missingAndWrongPathsSayTheirErrno()
    {
        QVERIFY(QDir(folder->path()).mkdir(u"dir"_s));
        QCOMPARE(stat("missing").error(), (FileError{ENOENT, false}));
        QCOMPARE(stat("").error().errorNumber, ENOENT);
        QCOMPARE(read("missing").error(), ENOENT);
        QCOMPARE(read("dir").error(), EISDIR);
        QCOMPARE(list("missing").error(), ENOENT);
        QCOMPARE(write({"missing/file", modeUnset, false}, "x"), ENOENT);
        QCOMPARE(write({"dir", modeUnset, false}, "x"), EISDIR);
        QCOMPARE(write({"file", modeUnset, false}, "x"), 0);
        QCOMPARE(list("file").error(), ENOTDIR);
        QCOMPARE(stat("file/x").error().errorNumber, ENOTDIR);
        QCOMPARE(stat(std::string(300, 'n')).error().errorNumber, ENAMETOOLONG);
        QCOMPARE(errorOf(replyTo<void>([&](auto reply) { client()->commit(4711, {}, reply); })), EBADF);
    }

    void writingKeepsModeAndOwner()
    {
        QCOMPARE(write({"file", modeUnset, false}, "old"), 0);
        const QByteArray path = folder->filePath(u"file"_s).toLocal8Bit();
        QCOMPARE(::chmod(path.constData(), 0640), 0);
        if (::geteuid() == 0)
            QCOMPARE(::chown(path.constData(), 1234, 4321), 0);
        const auto before = stat("file");
        QCOMPARE(write({"file", modeUnset, false}, "new"), 0);
        const auto after = stat("file");
        QCOMPARE(local(u"file"_s), "new");
        QCOMPARE(after->mode, 0640u);
        QCOMPARE(after->uid, before->uid);
        QCOMPARE(after->gid, before->gid);
        QCOMPARE(write({"file", 0600, false}, "new"), 0);
        QCOMPARE(stat("file")->mode, 0600u);
    }

    void anUnfinishedUploadIsInvisible()
    {
        QCOMPARE(write({"file", modeUnset, false}, "old"), 0);
        const auto opened =
            replyTo<FileOpened>([&](auto reply) { client()->openWrite({"file", modeUnset, false}, reply); });
        replyTo<void>([&](auto reply) { client()->write(opened->handle, 0, "half", reply); });
        QCOMPARE(local(u"file"_s), "old");
        QCOMPARE(temporaries().size(), 1);
        replyTo<void>([&](auto reply) { client()->close(opened->handle, reply); });
        QCOMPARE(local(u"file"_s), "old");
        QCOMPARE(temporaries(), QStringList());
    }

    void anUploadOfAClientThatWentAwayLeavesNothing()
    {
        std::unique_ptr<Peer> other = guest->relay();
        const auto opened = replyTo<FileOpened>(
            [&](auto reply) { other->client->openWrite({"file", modeUnset, false}, reply); });
        QVERIFY(opened);
        QCOMPARE(temporaries().size(), 1);
        other.reset();
        QTRY_COMPARE(temporaries(), QStringList());
        QVERIFY(!QFile::exists(folder->filePath(u"file"_s)));
    }

    void parentsAreMadeWhenAskedFor()
    {
        QCOMPARE(write({"a/b/c/file", modeUnset, true}, "x"), 0);
        QCOMPARE(read("a/b/c/file").value(), "x");
        QCOMPARE(read("a/b/../b/c/file").value(), "x");
    }

    void symbolicLinksAreShownAndWrittenThrough()
    {
        QCOMPARE(write({"target", modeUnset, false}, "old"), 0);
        QCOMPARE(::symlink("target", folder->filePath(u"link"_s).toLocal8Bit().constData()), 0);
        QCOMPARE(::symlink("nowhere", folder->filePath(u"dangling"_s).toLocal8Bit().constData()), 0);
        QCOMPARE(::symlink("loop", folder->filePath(u"loop"_s).toLocal8Bit().constData()), 0);
        QVERIFY(stat("link")->fileType == FileType::SymbolicLink);
        QCOMPARE(stat("link")->linkTarget, "target");
        QVERIFY(stat("link", true)->fileType == FileType::Regular);
        QCOMPARE(stat("dangling", true).error().errorNumber, ENOENT);
        QCOMPARE(write({"link", modeUnset, false}, "new"), 0);
        QVERIFY(stat("link")->fileType == FileType::SymbolicLink);
        QCOMPARE(local(u"target"_s), "new");
        QCOMPARE(write({"dangling", modeUnset, false}, "made"), 0);
        QCOMPARE(local(u"nowhere"_s), "made");
        QCOMPARE(write({"loop", modeUnset, false}, "x"), ELOOP);
    }

    void symbolicLinksAreMadeAsTheyAre()
    {
        const auto link = [this](const std::string &target, const std::string &path) {
            return errorOf(replyTo<void>([&](auto reply) { client()->makeLink(target, path, reply); }));
        };
        QCOMPARE(link("../no where\xff", "link"), 0);
        QCOMPARE(stat("link")->linkTarget, "../no where\xff");
        QCOMPARE(link("elsewhere", "link"), EEXIST);
        QCOMPARE(stat("link")->linkTarget, "../no where\xff");
        QCOMPARE(link("x", "no directory/link"), ENOENT);
    }

    void whatIsNoFileIsRefusedAtOnce()
    {
        QCOMPARE(::mkfifo(folder->filePath(u"fifo"_s).toLocal8Bit().constData(), 0600), 0);
        QCOMPARE(read("fifo").error(), EOPNOTSUPP);
        QCOMPARE(read("/dev/zero").error(), EOPNOTSUPP);
        QCOMPARE(write({"fifo", modeUnset, false}, "x"), EOPNOTSUPP);
        QVERIFY(stat("fifo")->fileType == FileType::Fifo);
        QVERIFY(stat("/dev/null")->fileType == FileType::CharacterDevice);
    }

    void kernelFilesOfSizeZeroAreRead()
    {
        QVERIFY(read("/proc/self/status").value().contains(isEmulated() ? "qemu" : "sandboxio-guest"));
    }

    void ownersHaveNames()
    {
        const auto info = stat("/etc/passwd");
        QCOMPARE(info->owner, "root");
        QCOMPARE(info->group, "root");
        QCOMPARE(info->name, "passwd");
        QVERIFY(info->modifiedNs > 0);
    }

    void aFileThatEndsInAHole()
    {
        const auto opened =
            replyTo<FileOpened>([&](auto reply) { client()->openWrite({"sparse", modeUnset, false}, reply); });
        replyTo<void>([&](auto reply) { client()->write(opened->handle, 1 << 20, "x", reply); });
        replyTo<void>([&](auto reply) { client()->commit(opened->handle, 64 << 20, reply); });
        struct stat status{};
        QCOMPARE(::stat(folder->filePath(u"sparse"_s).toLocal8Bit().constData(), &status), 0);
        QCOMPARE(status.st_size, 64 << 20);
        QVERIFY(status.st_blocks * 512 < 1 << 20);
    }

    void tenThousandEntriesAreListed()
    {
        for (int i = 0; i < 10000; ++i) {
            QFile file(folder->filePath(u"file-%1"_s.arg(i)));
            QVERIFY(file.open(QIODevice::WriteOnly));
        }
        const auto entries = list(".");
        QCOMPARE(entries->size(), 10000u);
        QSet<QByteArray> names;
        for (const FileInfo &info : *entries)
            names.insert(QByteArray::fromStdString(info.name));
        QCOMPARE(names.size(), 10000);
    }

    void foldersAreMadeMovedAndRemoved()
    {
        auto make = [&](const std::string &path, bool parents) {
            return errorOf(replyTo<void>([&](auto reply) { client()->makeDirectory(path, parents, reply); }));
        };
        auto move = [&](const std::string &from, const std::string &to, bool overwrite) {
            return errorOf(replyTo<void>([&](auto reply) { client()->move(from, to, overwrite, reply); }));
        };
        auto remove = [&](const std::string &path, bool recursive) {
            return errorOf(replyTo<void>([&](auto reply) { client()->remove(path, recursive, reply); }));
        };
        QCOMPARE(make("a/b", false), ENOENT);
        QCOMPARE(make("a/b/", true), 0);
        QCOMPARE(make("a/b", true), 0);
        QCOMPARE(make("a/b", false), EEXIST);
        QCOMPARE(write({"a/b/file", modeUnset, false}, "x"), 0);
        QCOMPARE(make("a/b/file/c", true), ENOTDIR);
        QCOMPARE(move("a/b/file", "a/other", false), 0);
        QCOMPARE(write({"a/b/file", modeUnset, false}, "y"), 0);
        QCOMPARE(move("a/b/file", "a/other", false), EEXIST);
        QCOMPARE(move("a/b/file", "a/other", true), 0);
        QCOMPARE(read("a/other").value(), "y");
        QCOMPARE(errorOf(replyTo<void>([&](auto reply) { client()->changeMode("a/other", 0600, reply); })), 0);
        QCOMPARE(stat("a/other")->mode, 0600u);
        QCOMPARE(remove("a", false), ENOTEMPTY);
        QCOMPARE(::symlink("/etc", folder->filePath(u"a/etc"_s).toLocal8Bit().constData()), 0);
        QCOMPARE(remove("a", true), 0);
        QVERIFY(!stat("a"));
        QCOMPARE(stat("a").error().errorNumber, ENOENT);
        QVERIFY2(QFile::exists(u"/etc/passwd"_s), "removing followed a symbolic link");
        QCOMPARE(remove("a", true), ENOENT);
        QCOMPARE(remove("/", true), EBUSY);
    }

    void manyReadsAskedAtOnceStayBounded()
    {
        QCOMPARE(write({"file", modeUnset, false}, QByteArray(4 << 20, 'x')), 0);
        const auto opened = replyTo<FileOpened>([&](auto reply) { client()->openRead("file", reply); });
        int replies = 0;
        for (int i = 0; i < 100; ++i)
            client()->read(opened->handle, 0, maximumChunk,
                           [&](const auto &data) { replies += data->size() == qsizetype(maximumChunk); });
        QTRY_COMPARE_WITH_TIMEOUT(replies, 100, 30000);
    }
    void aPlaceBeyondEveryFileIsAnErrorAndHarmsNothing()
    {
        QCOMPARE(write({"file", modeUnset, false}, QByteArray(4 << 20, 'x')), 0);
        const auto opened = replyTo<FileOpened>([&](auto reply) { client()->openRead("file", reply); });
        const quint64 last = std::numeric_limits<quint64>::max() - 1000; // its end is a small number again
        const auto beyond =
            replyTo<QByteArray>([&](auto reply) { client()->read(opened->handle, last, maximumChunk, reply); });
        QVERIFY(!beyond);
        QCOMPARE(beyond.error().errorNumber, EINVAL);
        const auto first =
            replyTo<QByteArray>([&](auto reply) { client()->read(opened->handle, 0, maximumChunk, reply); });
        QCOMPARE(first.value_or(QByteArray()), QByteArray(maximumChunk, 'x'));
    }
    void aFileThatShrinksWhileItIsReadIsAnError()
    {
        constexpr int pieces = 32;
        QCOMPARE(write({"file", modeUnset, false}, QByteArray(pieces * qsizetype(maximumChunk), 'x')), 0);
        const auto opened = replyTo<FileOpened>([&](auto reply) { client()->openRead("file", reply); });
        int replies = 0;
        int errors = 0;
        for (int i = 0; i < pieces; ++i)
            client()->read(opened->handle, quint64(i) * maximumChunk, maximumChunk, [&](const auto &data) {
                if (++replies == 1) // the next ones have been announced and wait
                    QFile::resize(folder->filePath(u"file"_s), 0);
                errors += !data && data.error().errorNumber == EIO;
            });
        QTRY_COMPARE_WITH_TIMEOUT(replies, pieces, 30000);
        QVERIFY2(errors > 0, "it looks like a shorter file");
        const auto atEnd = replyTo<QByteArray>(
            [&](auto reply) { client()->read(opened->handle, pieces * maximumChunk, maximumChunk, reply); });
        QVERIFY(!atEnd);
        QCOMPARE(atEnd.error().errorNumber, EIO);
    }

private:
    std::unique_ptr<QTemporaryDir> folder;
    std::unique_ptr<Harness> guest;
};

SANDBOXIO_TEST(TestGuestFiles)
#include "tst_guestfiles.moc"
