// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "archivefiles.h"
#include "labels.h"
#include "support/operationend.h"
#include "support/processmemory.h"
#include "support/testprogram.h"

#include "support/stubserver.h"

#include <sandboxio/core/path.h>
#include <sandboxio/transport/tararchive.h>

#include <QElapsedTimer>
#include <QEventLoop>
#include <QJsonDocument>
#include <QTest>
#include <QTimer>

using namespace Qt::StringLiterals;
using namespace Sandboxio;
using namespace Sandboxio::Docker;
using namespace std::chrono_literals;

namespace {

using Files = std::shared_ptr<StoredFilesPort>;
using Reader = std::shared_ptr<FileReaderPort>;

constexpr qint64 mebibyte = 1024 * 1024;

QByteArray inspected(const QString &status, bool managed)
{
    QJsonObject labels;
    if (managed)
        labels.insert(QString::fromLatin1(managedLabel), u"true"_s);
    const QJsonObject config{{u"Labels"_s, labels}, {u"WorkingDir"_s, u"/work"_s}};
    return QJsonDocument(QJsonObject{{u"Id"_s, u"full"_s},
                                     {u"Config"_s, config},
                                     {u"State"_s, QJsonObject{{u"Status"_s, status}}}})
        .toJson(QJsonDocument::Compact);
}

QByteArray head(qint64 length, const QByteArray &linkTarget = {})
{
    const QByteArray stat =
        R"({"name":"x","size":3,"mode":134218239,"mtime":"","linkTarget":")" + linkTarget + "\"}";
    return "HTTP/1.1 200 OK\r\nX-Docker-Container-Path-Stat: " + stat.toBase64() +
           "\r\nContent-Length: " + QByteArray::number(length) + "\r\n\r\n";
}

StubAnswer archive(const QList<TarEntry> &entries, const QByteArray &linkTarget = {})
{
    const QByteArray bytes = *tarOf(entries);
    return {.bytes = head(bytes.size(), linkTarget) + bytes};
}

/*! A directory with one file of \a size zeros, and \a size of them. */
StubAnswer largeArchive(qint64 size)
{
    TarEntry file{.path = "work/large"_ba, .data = "x"_ba};
    QByteArray bytes = tarOf({{.path = "work/"_ba, .type = TarEntry::Type::Directory}, file})->first(1024);
    constexpr qsizetype sizeField = 512 + 124;
    constexpr qsizetype checksumField = 512 + 148;
    bytes.replace(sizeField, 12, QByteArray::number(size, 8).rightJustified(11, '0') + '\0');
    bytes.replace(checksumField, 8, "        "_ba);
    int sum = 0;
    for (const char byte : bytes.last(512))
        sum += static_cast<unsigned char>(byte);
    bytes.replace(checksumField, 8, QByteArray::number(sum, 8).rightJustified(6, '0') + "\0 "_ba);
    return {.bytes = head(bytes.size() + size + 1024) + bytes, .zeros = size + 1024};
}

} // namespace

/*! Stopped containers at a scripted daemon. */
class tst_ArchiveStore : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void onlyEndedSandboxesOfOursAreOpened_data();
    void onlyEndedSandboxesOfOursAreOpened();
    void linksAreFollowedWhereTheDaemonSays();
    void aLinkWhoseTargetWasLostInJsonIsFollowedAllTheSame();
    void aLinkToALinkIsAnError();
    void secondNamesAreLookedAtThemselves();
    void aSocketIsSeenAndNotRead();
    void bytesThatAreNoTextReachTheDaemon();
    void refusalsAreErrorsOfFiles();
    void aLargeDirectoryIsListedInLittleMemory();
    void whoReadsSlowlySlowsTheDaemon();
    void cancellingEndsTheRequest();
    void cancellingEndsAReadThatWaits();
    void anArchiveThatBreaksOffIsAnError_data();
    void anArchiveThatBreaksOffIsAnError();

private:
    Files opened()
    {
        const auto operation = m_store->open(u"id"_s);
        return ends(operation) ? operation.result() : nullptr;
    }
    void answer(const QByteArray &path, const StubAnswer &answer)
    {
        m_server->answer("GET /v1.45/containers/full/archive?path=" + path.toPercentEncoding(), answer);
    }

    QObject m_ioObject;
    EngineContext m_context;
    std::unique_ptr<LocalStubServer> m_server;
    std::shared_ptr<Api> m_api;
    std::unique_ptr<ArchiveStore> m_store;
};

void tst_ArchiveStore::init()
{
    m_context.clock = Clock::system();
    m_context.ioObject = &m_ioObject;
    m_server = std::make_unique<LocalStubServer>();
    QVERIFY(m_server->isListening());
    m_server->answer("GET /_ping",
                     {.bytes = "HTTP/1.1 200 OK\r\nApi-Version: 1.45\r\nContent-Length: 2\r\n\r\nOK"});
    m_server->answer("GET /v1.45/containers/id/json", StubAnswer::ok(inspected(u"exited"_s, true)));
    m_api = std::make_shared<Api>(Endpoint{.path = m_server->path()});
    m_store = std::make_unique<ArchiveStore>(m_api, &m_context, Target());
}

void tst_ArchiveStore::onlyEndedSandboxesOfOursAreOpened_data()
{
    QTest::addColumn<StubAnswer>("answer");
    QTest::addColumn<QString>("words");
    QTest::newRow("one that has ended") << StubAnswer::ok(inspected(u"exited"_s, true)) << QString();
    QTest::newRow("one that runs") << StubAnswer::ok(inspected(u"running"_s, true)) << u"is running"_s;
    QTest::newRow("one that is paused") << StubAnswer::ok(inspected(u"paused"_s, true)) << u"is paused"_s;
    QTest::newRow("one that never ran") << StubAnswer::ok(inspected(u"created"_s, true)) << u"is creating"_s;
    QTest::newRow("an ended container of others")
        << StubAnswer::ok(inspected(u"exited"_s, false)) << u"not a sandbox of ours"_s;
    QTest::newRow("none") << StubAnswer::ok(R"({"message":"No such container: id"})"_ba, 404)
                          << u"There is no sandbox"_s;
}

void tst_ArchiveStore::onlyEndedSandboxesOfOursAreOpened()
{
    QFETCH(StubAnswer, answer);
    QFETCH(QString, words);
    m_server->answer("GET /v1.45/containers/other/json", answer);
    const auto operation = m_store->open(u"other"_s);
    QVERIFY(ends(operation));
    if (words.isEmpty()) {
        QCOMPARE(operation.result()->managed().id, u"full"_s);
        return;
    }
    QCOMPARE(operation.outcome(), OperationOutcome::Error);
    QCOMPARE(operation.error().kind, ErrorKind::ConnectError);
    QVERIFY2(operation.error().message.contains(words), qPrintable(operation.error().message));
    QVERIFY(!operation.error().hint.isEmpty());
}

void tst_ArchiveStore::linksAreFollowedWhereTheDaemonSays()
{
    answer("/work/link",
           archive({{.path = "link"_ba, .type = TarEntry::Type::SymbolicLink, .linkTarget = "../x"_ba}},
                   "/real/x"_ba));
    answer("/real/x", archive({{.path = "x"_ba, .data = "content"_ba}}));
    const Files files = opened();
    const auto stat = files->stat(u"link"_s);
    QVERIFY(ends(stat));
    QCOMPARE(stat.result().linkTarget, u"../x"_s);
    const auto opening = files->openRead(u"link"_s);
    QVERIFY(ends(opening));
    const Reader reader = opening.result();
    QCOMPARE(reader->size(), 7);
    QByteArray content;
    for (const qsizetype expected : {3, 3, 1, 0}) {
        const auto read = reader->read(3);
        QVERIFY(ends(read));
        QCOMPARE(read.result().size(), expected);
        content += read.result();
    }
    QCOMPARE(content, "content"_ba);
}

void tst_ArchiveStore::aLinkWhoseTargetWasLostInJsonIsFollowedAllTheSame()
{
    answer("/work/link",
           archive({{.path = "link"_ba, .type = TarEntry::Type::SymbolicLink, .linkTarget = "b\xff"_ba}},
                   "/work/b\xef\xbf\xbd"_ba));
    answer("/work/b\xff", archive({{.path = "b\xff"_ba, .data = "content"_ba}}));
    const auto opening = opened()->openRead(u"link"_s);
    QVERIFY(ends(opening));
    QCOMPARE(opening.result()->size(), 7);
}

void tst_ArchiveStore::aLinkToALinkIsAnError()
{
    const TarEntry link{.path = "link"_ba, .type = TarEntry::Type::SymbolicLink, .linkTarget = "link"_ba};
    answer("/work/link", archive({link}, "/work/link"_ba));
    const auto opening = opened()->openRead(u"link"_s);
    QVERIFY(ends(opening));
    QCOMPARE(opening.error().kind, ErrorKind::FileSystemError);
}

void tst_ArchiveStore::secondNamesAreLookedAtThemselves()
{
    answer("/work",
           archive({{.path = "work/"_ba, .type = TarEntry::Type::Directory},
                    {.path = "work/a/"_ba, .type = TarEntry::Type::Directory},
                    {.path = "work/a/deep"_ba, .data = "12345"_ba},
                    {.path = "work/b"_ba, .type = TarEntry::Type::HardLink, .linkTarget = "work/a/deep"_ba}}));
    answer("/work/b", archive({{.path = "b"_ba, .mode = 0600, .data = "12345"_ba}}));
    const auto list = opened()->list(u"."_s);
    QVERIFY(ends(list));
    const QList<FileInfo> entries = list.result();
    QCOMPARE(entries.size(), 2);
    QCOMPARE(entries.at(0).name, u"a"_s);
    QCOMPARE(entries.at(0).path, u"./a"_s);
    QCOMPARE(entries.at(1).name, u"b"_s);
    QCOMPARE(entries.at(1).path, u"./b"_s);
    QCOMPARE(entries.at(1).size, 5);
    QCOMPARE(entries.at(1).mode, 0600U);
}

void tst_ArchiveStore::aSocketIsSeenAndNotRead()
{
    answer("/work/socket", archive({}));
    const Files files = opened();
    const auto stat = files->stat(u"socket"_s);
    QVERIFY(ends(stat));
    QCOMPARE(stat.result().type, FileInfo::Type::Other);
    QCOMPARE(stat.result().mode, 0777U);
    const auto opening = files->openRead(u"socket"_s);
    QVERIFY(ends(opening));
    QCOMPARE(opening.error().kind, ErrorKind::FileSystemError);
}

void tst_ArchiveStore::bytesThatAreNoTextReachTheDaemon()
{
    const QByteArray name = "caf\xe9 a+b&c%20?"_ba;
    answer("/work/" + name, archive({{.path = name, .data = "content"_ba}}));
    const auto stat = opened()->stat(decodePath(name));
    QVERIFY(ends(stat));
    QCOMPARE(encodePath(stat.result().name), name);
}

void tst_ArchiveStore::refusalsAreErrorsOfFiles()
{
    answer("/work/a",
           StubAnswer::ok(R"({"message":"Could not find the file /work/a in container full"})"_ba, 404));
    answer("/work/b", StubAnswer::ok(R"({"message":"lstat /work/b: not a directory"})"_ba, 500));
    answer("/work/c", StubAnswer::ok(R"({"message":"No such container: full"})"_ba, 404));
    answer("/work/d", StubAnswer::ok(R"({"message":"error from the driver"})"_ba, 500));
    answer("/work/e", {.cutAt = 0});
    answer("/work/f", StubAnswer::ok("this is no archive"_ba.repeated(100)));
    const Files files = opened();
    const QList<std::pair<QString, ErrorKind>> cases{
        {u"a"_s, ErrorKind::PathNotFound},    {u"b"_s, ErrorKind::FileSystemError},
        {u"c"_s, ErrorKind::SandboxGone},     {u"d"_s, ErrorKind::FileSystemError},
        {u"e"_s, ErrorKind::ConnectError},    {u"f"_s, ErrorKind::FileSystemError},
        {QString(), ErrorKind::PathNotFound}, {QString(QChar(u'\0')), ErrorKind::FileSystemError}};
    for (const auto &[path, kind] : cases) {
        const auto stat = files->stat(path);
        QVERIFY(ends(stat));
        QVERIFY2(stat.outcome() == OperationOutcome::Error && stat.error().kind == kind, qPrintable(path));
        QVERIFY2(!stat.error().hint.isEmpty(), qPrintable(path));
    }
}

void tst_ArchiveStore::aLargeDirectoryIsListedInLittleMemory()
{
    const qint64 size = 1024 * mebibyte;
    answer("/work", largeArchive(size));
    const Files files = opened();
    const bool canMeasure = forgetPeakMemory();
    const qint64 before = residentMemory();
    QElapsedTimer timer;
    timer.start();
    const auto list = files->list(u"/work"_s);
    QEventLoop loop; // the daemon is in this thread, and QTest sleeps between its turns
    list.then(&loop, [&loop](const QList<FileInfo> &) { loop.quit(); });
    list.onError(&loop, [&loop](const ErrorInfo &) { loop.quit(); });
    QTimer::singleShot(60s, &loop, &QEventLoop::quit);
    loop.exec();
    QVERIFY(list.isEnded());
    qInfo("1 GiB in %lld ms, %lld KiB more at the peak", timer.elapsed(), (peakMemory() - before) / 1024);
    QCOMPARE(list.result().size(), 1);
    QCOMPARE(list.result().first().size, size);
    QVERIFY(!canMeasure || !memoryTells || peakMemory() - before < 32 * mebibyte);
}

void tst_ArchiveStore::whoReadsSlowlySlowsTheDaemon()
{
    const QByteArray whole = largeArchive(1024 * mebibyte).bytes;
    const QByteArray file = whole.last(512);
    answer("/work/large", {.bytes = head(512 + 1025 * mebibyte) + file, .zeros = 1025 * mebibyte});
    const Files files = opened();
    const auto opening = files->openRead(u"large"_s);
    QVERIFY(ends(opening));
    Reader reader = opening.result();
    const auto read = reader->read(1000);
    QVERIFY(ends(read));
    QCOMPARE(read.result(), QByteArray(1000, '\0'));
    QTest::qWait(300);
    const qint64 sent = m_server->zerosSent();
    QVERIFY2(sent < 16 * mebibyte, qPrintable(QString::number(sent)));
    qint64 taken = 0;
    while (taken < 64 * mebibyte) {
        const auto next = reader->read(mebibyte);
        QVERIFY(ends(next));
        taken += next.result().size();
    }
    QVERIFY(m_server->zerosSent() - taken < 16 * mebibyte);
}

void tst_ArchiveStore::cancellingEndsTheRequest()
{
    answer("/work", {.bytes = head(1000000) + QByteArray(100, 'x')}); // and nothing more
    answer("/silent", {.silent = true});
    const Files files = opened();
    for (const QString &path : {u"/work"_s, u"/silent"_s}) {
        const auto list = files->list(path);
        QTest::qWait(100);
        QVERIFY(!list.isEnded());
        QElapsedTimer timer;
        timer.start();
        list.cancel();
        QVERIFY(ends(list));
        QCOMPARE(list.outcome(), OperationOutcome::Cancelled);
        QVERIFY(timer.elapsed() < 5000);
    }
}

void tst_ArchiveStore::cancellingEndsAReadThatWaits()
{
    const QByteArray file = tarOf({{.path = "f"_ba, .data = QByteArray(2000, 'x')}})->first(1000);
    answer("/work/f", {.bytes = head(100000) + file});
    const auto opening = opened()->openRead(u"f"_s);
    QVERIFY(ends(opening));
    Reader reader = opening.result();
    const auto first = reader->read(mebibyte);
    QVERIFY(ends(first));
    QCOMPARE(first.result().size(), 1000 - 512);
    const auto second = reader->read(mebibyte);
    QTest::qWait(50);
    QVERIFY(!second.isEnded());
    second.cancel();
    QVERIFY(ends(second));
    QCOMPARE(second.outcome(), OperationOutcome::Cancelled);
}

void tst_ArchiveStore::anArchiveThatBreaksOffIsAnError_data()
{
    QTest::addColumn<bool>("isGone");
    QTest::newRow("because the container was removed") << true;
    QTest::newRow("and the container is still there") << false;
}

void tst_ArchiveStore::anArchiveThatBreaksOffIsAnError()
{
    QFETCH(bool, isGone);
    const QByteArray file = tarOf({{.path = "f"_ba, .data = QByteArray(2000, 'x')}})->first(1000);
    answer("/work/f", {.bytes = head(100000) + file, .closeAfter = true});
    m_server->answer("GET /v1.45/containers/full/json",
                     isGone ? StubAnswer::ok(R"({"message":"No such container: full"})"_ba, 404)
                            : StubAnswer::ok(inspected(u"exited"_s, true)));
    const auto opening = opened()->openRead(u"f"_s);
    QVERIFY(ends(opening));
    Reader reader = opening.result();
    std::optional<ErrorInfo> error;
    for (int i = 0; i < 10 && !error; ++i) {
        const auto read = reader->read(mebibyte);
        QVERIFY(ends(read));
        if (read.outcome() == OperationOutcome::Error)
            error = read.error();
        else
            QVERIFY(!read.result().isEmpty());
    }
    QVERIFY(error);
    QCOMPARE(error->kind, isGone ? ErrorKind::SandboxGone : ErrorKind::ConnectError);
}

SANDBOXIO_TEST(tst_ArchiveStore)
#include "tst_archivestore.moc"
