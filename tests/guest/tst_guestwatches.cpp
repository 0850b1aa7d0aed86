// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "guestharness.h"
#include "support/testprogram.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

using namespace Sandboxio::Guest;
using namespace Sandboxio::Guest::Test;
using namespace Qt::StringLiterals;

namespace {

/// "kind path" or "kind path > new path".
QByteArray textOf(const FileChange &change)
{
    static constexpr std::array kinds{"created", "modified", "attributes", "removed", "renamed", "overflow"};
    QByteArray text = QByteArray(kinds.at(size_t(change.kind))) + ' ' + QByteArray::fromStdString(change.path);
    if (!change.newPath.empty())
        text += " > " + QByteArray::fromStdString(change.newPath);
    return text;
}

/// Follows a watch from its start.
struct Follower
{
    Follower(Client *client, const std::string &path, bool recursive)
        : m_client(client)
    {
        client->watch(path, recursive, [this](const std::expected<FileOpened, FileError> &opened) {
            error = opened ? 0 : opened.error().errorNumber;
            if (opened) {
                handle = opened->handle;
                ask();
            }
        });
    }
    bool isInForce()
    {
        return QTest::qWaitFor([this] { return inForce || error; }, 10000) && inForce;
    }
    bool tells(const QByteArray &change)
    {
        return QTest::qWaitFor([&] { return told.contains(change); }, 10000);
    }
    int lastError()
    {
        return QTest::qWaitFor([this] { return error != 0; }, 10000) ? error : 0;
    }

    FileHandle handle = 0;
    bool inForce = false;
    bool paused = false;
    int error = 0;
    int answers = 0;
    QByteArrayList told;

    void ask()
    {
        m_client->watchNext(handle, [this](const std::expected<std::vector<FileChange>, FileError> &changes) {
            ++answers;
            if (!changes) {
                error = changes.error().errorNumber;
                return;
            }
            if (!std::exchange(inForce, true) && !changes->empty())
                told.append("told before it was in force"_ba);
            for (const FileChange &change : *changes)
                told.append(textOf(change));
            if (!paused)
                ask();
        });
    }

private:
    Client *m_client;
};

} // namespace

/// Watching files. The helper's working directory is a temporary folder; the changes are made from outside it.
class TestGuestWatches : public QObject
{
    Q_OBJECT

    QString at(const QString &name) const { return folder->filePath(name); }
    bool write(const QString &name, const QByteArray &data = "x"_ba)
    {
        QFile file(at(name));
        return file.open(QIODevice::WriteOnly) && file.write(data) == data.size();
    }
    Client *client() { return guest->client(); }
    /// Lives until the guest is gone: it is told of that, too.
    Follower *follow(const std::string &path, bool recursive = false)
    {
        followers.push_back(std::make_unique<Follower>(client(), path, recursive));
        return followers.back()->isInForce() ? followers.back().get() : nullptr;
    }

private Q_SLOTS:
    void init()
    {
        if (isEmulated())
            QSKIP("an emulator of user programs hands inotify through as it likes");
        folder = std::make_unique<QTemporaryDir>();
        guest =
            std::make_unique<Harness>(Harness::Place::Host, 60000, QStringList{u"--workdir"_s, folder->path()});
        QVERIFY(guest->waitReady());
    }
    void cleanup()
    {
        if (guest)
            QVERIFY(guest->shutDown());
        guest.reset();
        followers.clear();
    }

    void everyKindOfChangeIsTold()
    {
        QVERIFY(QDir().mkdir(at(u"d"_s)));
        Follower *watch = follow("d");
        QVERIFY(watch);
        QVERIFY(write(u"d/a"_s));
        QVERIFY(watch->tells("created d/a"_ba) && watch->tells("modified d/a"_ba));
        QCOMPARE(::chmod(QFile::encodeName(at(u"d/a"_s)).constData(), 0600), 0);
        QVERIFY(watch->tells("attributes d/a"_ba));
        QVERIFY(QFile::rename(at(u"d/a"_s), at(u"d/b"_s)));
        QVERIFY(watch->tells("renamed d/a > d/b"_ba));
        QVERIFY(QFile::remove(at(u"d/b"_s)));
        QVERIFY(watch->tells("removed d/b"_ba));
        QCOMPARE(watch->told.first(), "created d/a"_ba);
    }

    void movesOverTheEdgeAreToldAsWhatIsSeen()
    {
        QVERIFY(QDir().mkdir(at(u"d"_s)) && write(u"out"_s) && write(u"d/in"_s));
        Follower *watch = follow("d/");
        QVERIFY(watch);
        QVERIFY(QFile::rename(at(u"d/in"_s), at(u"gone"_s)));
        QVERIFY(watch->tells("renamed d/in"_ba));
        QVERIFY(QFile::rename(at(u"out"_s), at(u"d/came"_s)));
        QVERIFY(watch->tells("created d/came"_ba));
    }

    void onlyRecursiveWatchesSeeBelow()
    {
        QVERIFY(QDir().mkpath(at(u"d/sub/deep"_s)));
        Follower *flat = follow("d");
        Follower *deep = follow("d", true);
        QVERIFY(flat && deep);
        QVERIFY(write(u"d/sub/deep/f"_s));
        QVERIFY(deep->tells("created d/sub/deep/f"_ba));
        QVERIFY(write(u"d/last"_s));
        QVERIFY(flat->tells("created d/last"_ba) && deep->tells("created d/last"_ba));
        QVERIFY2(!flat->told.join().contains("deep"), flat->told.join(", ").constData());
    }

    void whatIsMadeInNewDirectoriesIsNotLost()
    {
        Follower *watch = follow(".", true);
        QVERIFY(watch);
        for (int i = 0; i < 50; ++i) {
            const QString directory = u"n%1/x/y"_s.arg(i);
            QVERIFY(QDir().mkpath(at(directory)) && write(directory + u"/f"_s));
        }
        for (int i = 0; i < 50; ++i)
            QVERIFY(watch->tells("created ./n" + QByteArray::number(i) + "/x/y/f"));
    }

    void movedDirectoriesAreFollowedUnderTheirNewNames()
    {
        QVERIFY(QDir().mkpath(at(u"d/old/sub"_s)) && QDir().mkpath(at(u"other"_s)));
        Follower *watch = follow("d", true);
        QVERIFY(watch);
        QVERIFY(QDir().rename(at(u"d/old"_s), at(u"d/new"_s)));
        QVERIFY(watch->tells("renamed d/old > d/new"_ba));
        QVERIFY(write(u"d/new/sub/f"_s));
        QVERIFY(watch->tells("created d/new/sub/f"_ba));
        QVERIFY(QDir().rename(at(u"d/new"_s), at(u"other/new"_s)));
        QVERIFY(watch->tells("renamed d/new"_ba));
        QVERIFY(write(u"other/new/sub/g"_s) && write(u"d/last"_s));
        QVERIFY(watch->tells("created d/last"_ba));
        QVERIFY2(!watch->told.join().contains("sub/g"), "a directory that left is still watched");
    }

    void theEndOfTheWatchedDirectoryEndsTheWatch_data()
    {
        QTest::addColumn<bool>("removed");
        QTest::newRow("when it is removed") << true;
        QTest::newRow("when it is renamed") << false;
    }
    void theEndOfTheWatchedDirectoryEndsTheWatch()
    {
        QFETCH(bool, removed);
        QVERIFY(QDir().mkpath(at(u"d/sub"_s)));
        Follower *watch = follow("d", true);
        QVERIFY(watch);
        QVERIFY(removed ? QDir(at(u"d"_s)).removeRecursively() : QDir().rename(at(u"d"_s), at(u"e"_s)));
        QCOMPARE(watch->lastError(), ENOENT);
        QCOMPARE(watch->told.last(), removed ? "removed d"_ba : "renamed d"_ba);
    }

    void aFileIsFollowedThroughItsReplacement()
    {
        QVERIFY(write(u"f"_s) && write(u"other"_s));
        Follower *watch = follow("f");
        QVERIFY(watch);
        QVERIFY(write(u"other"_s, "more"_ba) && write(u"f"_s, "more"_ba));
        QVERIFY(watch->tells("modified f"_ba));
        QCOMPARE(
            ::rename(QFile::encodeName(at(u"other"_s)).constData(), QFile::encodeName(at(u"f"_s)).constData()),
            0);
        QVERIFY(watch->tells("created f"_ba));
        QVERIFY(QFile::remove(at(u"f"_s)));
        QCOMPARE(watch->lastError(), ENOENT);
        QCOMPARE(watch->told.last(), "removed f"_ba);
        QVERIFY2(!watch->told.join().contains("other"), watch->told.join(", ").constData());
    }

    void oddNamesStayBytes()
    {
        Follower *watch = follow(".");
        QVERIFY(watch);
        const QByteArray name = "-a\n\xff"_ba;
        const QByteArray path = folder->path().toUtf8() + '/' + name;
        QCOMPARE(::mkdir(path.constData(), 0700), 0);
        QVERIFY(watch->tells("created ./" + name));
        QCOMPARE(::rmdir(path.constData()), 0);
    }

    void whatCannotBeWatchedIsAnError_data()
    {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<int>("error");
        QTest::newRow("nothing there") << "missing"_ba << ENOENT;
        QTest::newRow("no path at all") << ""_ba << ENOENT;
        QTest::newRow("a file taken for a directory") << "f/x"_ba << ENOTDIR;
    }
    void whatCannotBeWatchedIsAnError()
    {
        QFETCH(QByteArray, path);
        QFETCH(int, error);
        QVERIFY(write(u"f"_s));
        Follower watch(client(), path.toStdString(), true);
        QVERIFY(!watch.isInForce());
        QCOMPARE(watch.error, error);
    }

    void whatHappensToTheDirectoryOfAWatchedFileIsNotTold()
    {
        QVERIFY(QDir(folder->path()).mkdir(u"d"_s) && write(u"d/f"_s));
        Follower *watch = follow("d/f");
        QVERIFY(watch);
        QVERIFY(QFile::setPermissions(folder->filePath(u"d"_s),
                                      QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        QVERIFY(write(u"d/f"_s, "more"));
        QVERIFY(watch->tells("modified d/f"_ba));
        QVERIFY2(!watch->told.contains("attributes d/f"_ba), watch->told.join(' ').constData());
    }

    void manyChangesThatNobodyTakesAreToldAsOverflow()
    {
        QVERIFY(QDir(folder->path()).mkdir(u"flood"_s) && QDir(folder->path()).mkdir(u"later"_s));
        Follower *watch = follow("flood");
        Follower *later = follow("later");
        QVERIFY(watch && later);
        watch->paused = true;
        QVERIFY(write(u"flood/first"_s));
        QVERIFY(watch->tells("created flood/first"_ba));
        for (int i = 0; i < 3000; ++i)
            QVERIFY(write(u"flood/file%1"_s.arg(i)));
        QVERIFY(write(u"later/mark"_s)); // one client's changes are read in their order
        QVERIFY(later->tells("created later/mark"_ba));
        watch->paused = false;
        watch->ask();
        QVERIFY(watch->tells("overflow flood"_ba));
        QVERIFY2(watch->told.size() < 2500, QByteArray::number(watch->told.size()).constData());
        QVERIFY(write(u"flood/last"_s));
        QVERIFY(watch->tells("created flood/last"_ba));
    }

    void closingAnswersWhatWaits()
    {
        Follower *watch = follow(".");
        QVERIFY(watch);
        std::optional<bool> closed;
        client()->close(watch->handle,
                        [&](const std::expected<void, FileError> &result) { closed = result.has_value(); });
        QCOMPARE(watch->lastError(), ECANCELED);
        QVERIFY(QTest::qWaitFor([&] { return closed.has_value(); }, 10000) && *closed);
        watch->ask();
        QVERIFY(QTest::qWaitFor([&] { return watch->answers == 3; }, 10000));
        QCOMPARE(watch->error, EBADF);
        Follower *again = follow(".");
        QVERIFY(again && write(u"f"_s) && again->tells("created ./f"_ba));
    }

    void twoQuestionsAtOnceAreRefused()
    {
        Follower *watch = follow(".");
        QVERIFY(watch);
        watch->ask();
        QCOMPARE(watch->lastError(), EBUSY);
        QVERIFY(write(u"f"_s) && watch->tells("created ./f"_ba));
    }

private:
    std::unique_ptr<QTemporaryDir> folder;
    std::unique_ptr<Harness> guest;
    std::vector<std::unique_ptr<Follower>> followers;
};

SANDBOXIO_TEST(TestGuestWatches)
#include "tst_guestwatches.moc"
