// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "containerfixture.h"
#include "support/testprogram.h"

#include <sandboxio/core/path.h>

#include <QElapsedTimer>
#include <QTest>

#include <cerrno>

using namespace Sandboxio;
using namespace Sandboxio::Docker;
using namespace Qt::StringLiterals;

class TestDockerFiles : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void roundTrips_data();
    void roundTrips();
    void oddNamesSurvive_data();
    void oddNamesSurvive();
    void smallReadsGiveTheSameBytes();
    void filesOfTheKernelAreReadToTheirEnd();
    void relativePathsStartWhereRunsStart();
    void statTellsEverything();
    void aDirectoryOfTenThousandIsListed();
    void directoriesAreMadeMovedAndRemoved();
    void writingReplacesInOneStep();
    void abortLeavesNothing();
    void errors_data();
    void errors();
    void anotherConnectionSeesTheFiles();

private:
    void write(const QString &path, const QByteArray &data, std::optional<quint32> mode = {});
    QByteArray read(const QString &path, qint64 piece = 1024 * 1024);
    QByteArray shell(const QString &script);
    FileSystemPort &files() { return *m_sandbox->files(); }

    std::unique_ptr<ContainerFixture> m_fixture;
    std::shared_ptr<DockerSandbox> m_sandbox;
};

void TestDockerFiles::initTestCase()
{
    QString why;
    m_fixture = ContainerFixture::make(&why);
    if (!m_fixture)
        QSKIP(qPrintable(why));
    m_sandbox = m_fixture->create();
}

void TestDockerFiles::cleanupTestCase()
{
    m_sandbox.reset();
    m_fixture.reset();
}

void TestDockerFiles::write(const QString &path, const QByteArray &data, std::optional<quint32> mode)
{
    const auto writer = await(files().openWrite(path, mode));
    await(writer->write(data));
    await(writer->commit());
}

QByteArray TestDockerFiles::read(const QString &path, qint64 piece)
{
    const auto reader = await(files().openRead(path));
    QByteArray all;
    for (QByteArray part = await(reader->read(piece)); !part.isEmpty(); part = await(reader->read(piece))) {
        if (part.size() > piece)
            return "a piece longer than asked for";
        all += part;
    }
    return all;
}

QByteArray TestDockerFiles::shell(const QString &script)
{
    Running run(*m_sandbox, shellRequest(script));
    return run.wait().standardOutput;
}

void TestDockerFiles::roundTrips_data()
{
    QTest::addColumn<QByteArray>("data");
    QByteArray everyByte;
    for (int i = 0; i < 256; ++i)
        everyByte += static_cast<char>(i);
    QTest::newRow("an empty file") << QByteArray("");
    QTest::newRow("one byte") << QByteArray("x");
    QTest::newRow("every byte") << everyByte;
    QTest::newRow("exactly one piece") << QByteArray(512 * 1024, 'p');
    QTest::newRow("one byte more than a piece") << QByteArray(512 * 1024 + 1, 'p');
    QTest::newRow("20 MB") << everyByte.repeated(80'000);
}

void TestDockerFiles::roundTrips()
{
    QFETCH(QByteArray, data);
    QElapsedTimer timer;
    timer.start();
    write(u"round-trip"_s, data);
    const qint64 written = timer.restart();
    QVERIFY(read(u"round-trip"_s) == data);
    qInfo("%lld bytes, written in %lld ms, read in %lld ms", static_cast<qint64>(data.size()), written,
          timer.elapsed());
    QCOMPARE(await(files().stat(u"round-trip"_s)).size, data.size());
}

void TestDockerFiles::oddNamesSurvive_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::newRow("a space") << "a b"_ba;
    QTest::newRow("a newline") << "a\nb"_ba;
    QTest::newRow("a leading dash") << "-rf"_ba;
    QTest::newRow("quotes and dollars") << "'\"$(x)`"_ba;
    QTest::newRow("invalid UTF-8") << "caf\xe9-\xff\xfe"_ba;
    QTest::newRow("non-ASCII") << "gr\xc3\xbc\xc3\x9f-\xf0\x9f\x98\x80"_ba;
    QTest::newRow("255 bytes") << QByteArray(255, 'n');
}

void TestDockerFiles::oddNamesSurvive()
{
    QFETCH(QByteArray, name);
    const QString path = u"/tmp/odd/"_s + decodePath(name);
    await(files().makeDirectory(u"/tmp/odd"_s, true));
    write(path, name);
    QCOMPARE(read(path), name);
    const QList<FileInfo> entries = await(files().list(u"/tmp/odd"_s));
    QCOMPARE(entries.size(), 1);
    QCOMPARE(encodePath(entries.first().name), name);
    QCOMPARE(entries.first().path, path);
    await(files().remove(path, false));
    QVERIFY(await(files().list(u"/tmp/odd"_s)).isEmpty());
}

void TestDockerFiles::smallReadsGiveTheSameBytes()
{
    const QByteArray data = QByteArray("0123456789").repeated(150'000);
    write(u"small"_s, data);
    QVERIFY(read(u"small"_s, 100'003) == data);
    const auto reader = await(files().openRead(u"small"_s));
    QCOMPARE(reader->size(), data.size());
    QCOMPARE(await(reader->read(10)), "0123456789"_ba);
}

void TestDockerFiles::filesOfTheKernelAreReadToTheirEnd()
{
    const QByteArray limits = read(u"/proc/self/limits"_s);
    QVERIFY(limits.startsWith("Limit") && limits.contains("Max realtime timeout"));
}

void TestDockerFiles::relativePathsStartWhereRunsStart()
{
    write(u"relative"_s, "here"_ba);
    QCOMPARE(shell(u"cat relative"_s), "here"_ba);
    QCOMPARE(read(m_sandbox->details().workingDirectory + u"/relative"_s), "here"_ba);
}

void TestDockerFiles::statTellsEverything()
{
    shell(u"rm -rf s; mkdir s; echo abc > s/file; chmod 640 s/file; touch -d 2020-02-03T04:05:06Z s/file; "
          "ln -s ../elsewhere s/link; mkfifo s/pipe"_s);
    const FileInfo file = await(files().stat(u"s/file"_s));
    QCOMPARE(file.type, FileInfo::Type::File);
    QCOMPARE(file.path, u"s/file"_s);
    QCOMPARE(file.name, u"file"_s);
    QCOMPARE(file.size, 4);
    QCOMPARE(file.mode, 0640u);
    QCOMPARE(file.owner, u"root"_s);
    QCOMPARE(file.modifiedAt, QDateTime(QDate(2020, 2, 3), QTime(4, 5, 6), QTimeZone::UTC));
    QVERIFY(!file.linkTarget);
    const FileInfo link = await(files().stat(u"s/link"_s));
    QCOMPARE(link.type, FileInfo::Type::SymbolicLink);
    QCOMPARE(link.linkTarget, u"../elsewhere"_s);
    QCOMPARE(await(files().stat(u"s/pipe"_s)).type, FileInfo::Type::Other);
    QCOMPARE(await(files().stat(u"s"_s)).type, FileInfo::Type::Directory);
}

void TestDockerFiles::aDirectoryOfTenThousandIsListed()
{
    shell(u"mkdir -p many && cd many && seq 10000 | xargs touch"_s);
    QElapsedTimer timer;
    timer.start();
    const QList<FileInfo> entries = await(files().list(u"many"_s));
    qInfo("listed in %lld ms", timer.elapsed());
    QSet<QString> names;
    for (const FileInfo &entry : entries)
        names.insert(entry.name);
    QCOMPARE(entries.size(), 10'000);
    QCOMPARE(names.size(), 10'000);
}

void TestDockerFiles::directoriesAreMadeMovedAndRemoved()
{
    await(files().makeDirectory(u"d/e/f"_s, true));
    await(files().makeDirectory(u"d/e/f"_s, true)); // not an error with parents
    write(u"d/e/f/file"_s, "x"_ba);
    await(files().move(u"d/e"_s, u"d/g"_s));
    QCOMPARE(read(u"d/g/f/file"_s), "x"_ba);
    await(files().changeMode(u"d/g/f/file"_s, 0600));
    QCOMPARE(await(files().stat(u"d/g/f/file"_s)).mode, 0600u);
    await(files().remove(u"d"_s, true));
    QCOMPARE(awaitError(files().stat(u"d"_s)).kind, ErrorKind::PathNotFound);
}

void TestDockerFiles::writingReplacesInOneStep()
{
    write(u"replaced"_s, "old"_ba, 0640);
    QCOMPARE(await(files().stat(u"replaced"_s)).mode, 0640u);
    const auto writer = await(files().openWrite(u"replaced"_s, {}));
    await(writer->write("new and longer"_ba));
    QCOMPARE(read(u"replaced"_s), "old"_ba); // until it is committed
    await(writer->commit());
    QCOMPARE(read(u"replaced"_s), "new and longer"_ba);
    QCOMPARE(await(files().stat(u"replaced"_s)).mode, 0640u);
    QCOMPARE(awaitError(writer->write("late"_ba)).kind, ErrorKind::FileSystemError);
}

void TestDockerFiles::abortLeavesNothing()
{
    await(files().makeDirectory(u"aborted"_s, true));
    {
        const auto writer = await(files().openWrite(u"aborted/file"_s, {}));
        await(writer->write(QByteArray(3'000'000, 'x')));
        await(writer->abort());
    }
    {
        const auto dropped = await(files().openWrite(u"aborted/file"_s, {}));
        await(dropped->write("x"_ba));
    }
    QTRY_COMPARE(shell(u"ls -A aborted"_s), ""_ba);
}

void TestDockerFiles::errors_data()
{
    using Call = std::function<ErrorInfo(FileSystemPort &)>;
    QTest::addColumn<Call>("call");
    QTest::addColumn<ErrorKind>("kind");
    QTest::addColumn<int>("errorNumber");
    const auto row = [](const char *name, Call call, ErrorKind kind, int errorNumber) {
        QTest::newRow(name) << call << kind << errorNumber;
    };
    row(
        "a missing file cannot be read", [](FileSystemPort &f) { return awaitError(f.openRead(u"no"_s)); },
        ErrorKind::PathNotFound, ENOENT);
    row(
        "a missing directory cannot be listed", [](FileSystemPort &f) { return awaitError(f.list(u"no"_s)); },
        ErrorKind::PathNotFound, ENOENT);
    row(
        "a missing parent is not made",
        [](FileSystemPort &f) { return awaitError(f.openWrite(u"no/file"_s, {})); }, ErrorKind::PathNotFound,
        ENOENT);
    row(
        "a file cannot be listed", [](FileSystemPort &f) { return awaitError(f.list(u"/etc/passwd"_s)); },
        ErrorKind::FileSystemError, ENOTDIR);
    row(
        "a directory cannot be read", [](FileSystemPort &f) { return awaitError(f.openRead(u"/etc"_s)); },
        ErrorKind::FileSystemError, EISDIR);
    row(
        "a directory with entries is not removed by accident",
        [](FileSystemPort &f) { return awaitError(f.remove(u"/var/lib"_s, false)); },
        ErrorKind::FileSystemError, ENOTEMPTY);
    row(
        "nothing is moved over something",
        [](FileSystemPort &f) { return awaitError(f.move(u"/etc/hostname"_s, u"/etc/hosts"_s)); },
        ErrorKind::FileSystemError, EEXIST);
    row(
        "an existing directory is not made again",
        [](FileSystemPort &f) { return awaitError(f.makeDirectory(u"/etc"_s, false)); },
        ErrorKind::FileSystemError, EEXIST);
    row(
        "the kernel's files are not written",
        [](FileSystemPort &f) { return awaitError(f.openWrite(u"/proc/version"_s, {})); },
        ErrorKind::FileSystemError, 0);
}

void TestDockerFiles::errors()
{
    using Call = std::function<ErrorInfo(FileSystemPort &)>;
    QFETCH(Call, call);
    QFETCH(ErrorKind, kind);
    QFETCH(int, errorNumber);
    const ErrorInfo error = call(files());
    QVERIFY2(error.kind == kind, qPrintable(error.toText()));
    if (errorNumber != 0)
        QCOMPARE(error.cause->status, errorNumber);
    QVERIFY(!error.hint.isEmpty());
}

void TestDockerFiles::anotherConnectionSeesTheFiles()
{
    write(u"shared"_s, "bytes"_ba);
    const auto other = m_fixture->connectTo(m_sandbox->id());
    const auto reader = await(other->files()->openRead(u"shared"_s));
    QCOMPARE(await(reader->read(100)), "bytes"_ba);
    QCOMPARE(await(reader->read(100)), ""_ba);
}

SANDBOXIO_TEST(TestDockerFiles)
#include "tst_dockerfiles.moc"
