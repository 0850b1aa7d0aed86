// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fakefixture.h"
#include "support/testprogram.h"

#include <sandboxio/core/path.h>

using namespace Sandboxio;
using namespace Sandboxio::Fake;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestFakeFiles : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_fixture = std::make_unique<Fixture>();
        m_sandbox = m_fixture->create();
    }
    void cleanup()
    {
        m_sandbox.reset();
        m_fixture.reset();
    }

    void bytesSurviveTheRoundTrip_data()
    {
        QTest::addColumn<QByteArray>("data");
        QByteArray all;
        for (int i = 0; i < 256; ++i)
            all += static_cast<char>(i);
        QTest::newRow("an empty file") << QByteArray();
        QTest::newRow("every byte value") << all;
        QTest::newRow("more than one piece") << QByteArray(300'000, 'x');
    }
    void bytesSurviveTheRoundTrip()
    {
        QFETCH(QByteArray, data);
        write(u"out.bin"_s, data);
        QCOMPARE(read(u"/work/out.bin"_s, 4096), data);
        QCOMPARE(Fixture::valueOf(files().stat(u"out.bin"_s)).size, data.size());
    }
    void oddNamesSurvive_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::newRow("a blank") << "a b"_ba;
        QTest::newRow("a newline") << "a\nb"_ba;
        QTest::newRow("bytes that are no UTF-8") << "\xFF\xFE"_ba;
        QTest::newRow("a leading dash") << "-rf"_ba;
        QTest::newRow("255 bytes") << QByteArray(255, 'n');
    }
    void oddNamesSurvive()
    {
        QFETCH(QByteArray, name);
        write(decodePath(name), "content");
        const QList<FileInfo> entries = Fixture::valueOf(files().list(u"."_s));
        QCOMPARE(entries.size(), 1);
        QCOMPARE(encodePath(entries.first().name), name);
        QCOMPARE(encodePath(entries.first().path), "./" + name);
        QCOMPARE(read(decodePath(name), 100), "content"_ba);
    }
    void relativePathsStartWhereRunsStart()
    {
        write(u"sub/../out.txt"_s, "x");
        Recorder run;
        run.start(*m_sandbox, commandRequest(Command({u"cat"_s, u"out.txt"_s})));
        QVERIFY(run.finish());
        QCOMPARE(run.out, "x"_ba);
    }
    void nothingIsThereBeforeCommit()
    {
        const auto writer = Fixture::valueOf(files().openWrite(u"late"_s, {}));
        Fixture::valueOf(writer->write("half"));
        QCOMPARE(Fixture::errorOf(files().stat(u"late"_s)).kind, ErrorKind::PathNotFound);
    }
    void aDroppedWriterLeavesWhatWasThere()
    {
        write(u"f"_s, "before");
        {
            const auto writer = Fixture::valueOf(files().openWrite(u"f"_s, {}));
            Fixture::valueOf(writer->write("half"));
        }
        QCOMPARE(read(u"f"_s, 100), "before"_ba);
    }
    void theModeOfANewFileIsGivenAndThatOfAnOldOneIsKept()
    {
        write(u"f"_s, "1");
        QCOMPARE(Fixture::valueOf(files().stat(u"f"_s)).mode, 0644u);
        Fixture::valueOf(files().changeMode(u"f"_s, 0755));
        const auto writer = Fixture::valueOf(files().openWrite(u"f"_s, 0600));
        Fixture::valueOf(writer->write("2"));
        Fixture::valueOf(writer->commit());
        QCOMPARE(Fixture::valueOf(files().stat(u"f"_s)).mode, 0755u);
    }
    void theTimeOfAChangeIsTheClocks()
    {
        write(u"f"_s, "1");
        const QDateTime before = Fixture::valueOf(files().stat(u"f"_s)).modifiedAt;
        m_fixture->clock->advance(1min);
        write(u"f"_s, "2");
        QCOMPARE(before.secsTo(Fixture::valueOf(files().stat(u"f"_s)).modifiedAt), 60);
    }
    void aReaderKeepsWhatItOpened()
    {
        write(u"f"_s, "before");
        const auto reader = Fixture::valueOf(files().openRead(u"f"_s));
        QCOMPARE(reader->size(), 6);
        write(u"f"_s, "after");
        QCOMPARE(Fixture::valueOf(reader->read(100)), "before"_ba);
        QCOMPARE(Fixture::valueOf(reader->read(100)), QByteArray());
    }
    void directoriesMoveWithWhatIsInThem()
    {
        Fixture::valueOf(files().makeDirectory(u"a/b"_s, true));
        write(u"a/b/f"_s, "x");
        Fixture::valueOf(files().move(u"a"_s, u"c"_s));
        QCOMPARE(read(u"c/b/f"_s, 10), "x"_ba);
        QCOMPARE(Fixture::errorOf(files().stat(u"a"_s)).kind, ErrorKind::PathNotFound);
    }

    void failures_data()
    {
        QTest::addColumn<QString>("call");
        QTest::addColumn<ErrorKind>("kind");
        const auto row = [](const char *name, const QString &call, ErrorKind kind) {
            QTest::newRow(name) << call << kind;
        };
        row("reading what is not there", u"read nope"_s, ErrorKind::PathNotFound);
        row("reading a directory", u"read dir"_s, ErrorKind::FileSystemError);
        row("reading below a file", u"read file/x"_s, ErrorKind::FileSystemError);
        row("writing without the parent", u"write nope/x"_s, ErrorKind::PathNotFound);
        row("writing onto a directory", u"write dir"_s, ErrorKind::FileSystemError);
        row("listing what is not there", u"list nope"_s, ErrorKind::PathNotFound);
        row("listing a file", u"list file"_s, ErrorKind::FileSystemError);
        row("making a directory that is there", u"mkdir dir"_s, ErrorKind::FileSystemError);
        row("making a directory without the parent", u"mkdir nope/x"_s, ErrorKind::PathNotFound);
        row("removing what is not there", u"remove nope"_s, ErrorKind::PathNotFound);
        row("removing a directory with content", u"remove dir"_s, ErrorKind::FileSystemError);
        row("removing the root", u"remove /"_s, ErrorKind::FileSystemError);
        row("moving what is not there", u"move nope"_s, ErrorKind::PathNotFound);
        row("moving onto what is there", u"move other"_s, ErrorKind::FileSystemError);
        row("changing the mode of what is not there", u"chmod nope"_s, ErrorKind::PathNotFound);
        row("a name of 256 bytes", u"write "_s + QString(256, u'n'), ErrorKind::FileSystemError);
        row("a NUL in a path", u"read a"_s + QChar(0) + u'b', ErrorKind::FileSystemError);
    }
    void failures()
    {
        QFETCH(QString, call);
        QFETCH(ErrorKind, kind);
        Fixture::valueOf(files().makeDirectory(u"dir"_s, false));
        write(u"dir/inside"_s, "x");
        write(u"file"_s, "x");
        if (call == "move other"_L1) {
            write(u"other"_s, "x");
            write(u"target"_s, "x");
        }
        const QString path = call.section(u' ', 1);
        const QString verb = call.section(u' ', 0, 0);
        const ErrorInfo error = verb == "read"_L1     ? Fixture::errorOf(files().openRead(path))
                                : verb == "write"_L1  ? Fixture::errorOf(files().openWrite(path, {}))
                                : verb == "list"_L1   ? Fixture::errorOf(files().list(path))
                                : verb == "mkdir"_L1  ? Fixture::errorOf(files().makeDirectory(path, false))
                                : verb == "remove"_L1 ? Fixture::errorOf(files().remove(path, false))
                                : verb == "move"_L1   ? Fixture::errorOf(files().move(path, u"target"_s))
                                                      : Fixture::errorOf(files().changeMode(path, 0600));
        QCOMPARE(error.kind, kind);
        QVERIFY(!error.message.isEmpty());
    }
    void theDiskCapIsInForce()
    {
        CreateOptions options;
        options.resources.diskMb = 1;
        const auto sandbox = m_fixture->create(options);
        const auto writer = Fixture::valueOf(sandbox->files()->openWrite(u"big"_s, {}));
        Fixture::valueOf(writer->write(QByteArray(1024 * 1024 + 1, 'x')));
        const ErrorInfo error = Fixture::errorOf(writer->commit());
        QCOMPARE(error.kind, ErrorKind::ResourceLimitExceeded);
        QCOMPARE(error.limit, u"disk"_s);
        QCOMPARE(error.limitValue, 1024 * 1024);
        QCOMPARE(Fixture::errorOf(sandbox->files()->stat(u"big"_s)).kind, ErrorKind::PathNotFound);
    }
    void theFilesOfAnEndedSandboxAreGone()
    {
        Fixture::valueOf(m_sandbox->kill());
        QCOMPARE(Fixture::errorOf(files().list(u"."_s)).kind, ErrorKind::SandboxGone);
    }

private:
    FileSystemPort &files() { return *m_sandbox->files(); }
    void write(const QString &path, const QByteArray &data)
    {
        const auto writer = Fixture::valueOf(files().openWrite(path, {}));
        Fixture::valueOf(writer->write(data));
        Fixture::valueOf(writer->commit());
    }
    QByteArray read(const QString &path, qint64 piece)
    {
        const auto reader = Fixture::valueOf(files().openRead(path));
        QByteArray all;
        while (true) {
            const QByteArray data = Fixture::valueOf(reader->read(piece));
            if (data.isEmpty())
                return all;
            all += data;
        }
    }

    std::unique_ptr<Fixture> m_fixture;
    std::shared_ptr<SandboxPort> m_sandbox;
};

SANDBOXIO_TEST(TestFakeFiles)
#include "tst_fakefiles.moc"
