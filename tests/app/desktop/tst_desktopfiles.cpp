// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "desktopfixture.h"
#include "errors/messagearea.h"
#include "files/filespane.h"
#include "files/fileviewer.h"
#include "files/hexdump.h"
#include "session/sessionpage.h"
#include "support/testprogram.h"

#include <sandboxio/models/filetreemodel.h>

#include <QDir>
#include <QFile>
#include <QPushButton>
#include <QTest>

using namespace Sandboxio;
using namespace Sandboxio::Desktop;
using namespace Qt::StringLiterals;

namespace {

std::optional<FileInfo> fileNamed(const FileTreeModel *model, const QString &name)
{
    for (int row = 0; row < model->rowCount(); ++row) {
        if (model->fileInfo(model->index(row, 0)).name == name)
            return model->fileInfo(model->index(row, 0));
    }
    return std::nullopt;
}

} // namespace

class FilesTest : public QObject
{
    Q_OBJECT
private:
    QTemporaryDir m_folder;

    // Writes \a data to \a name in the sandbox and waits until the tree shows it.
    std::optional<FileInfo> put(SessionPage *session, const QString &name, const QByteArray &data)
    {
        int written = 0;
        session->sandbox()->files().write(name, data).then(this, [&] { ++written; });
        if (!QTest::qWaitFor([&] { return written == 1; }))
            return std::nullopt;
        session->files()->refresh();
        if (!QTest::qWaitFor([&] { return fileNamed(session->files()->model(), name).has_value(); }))
            return std::nullopt;
        return fileNamed(session->files()->model(), name);
    }

private Q_SLOTS:
    void textAndBinaryOpenAsWhatTheyAre_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<bool>("isText");
        QTest::addColumn<QString>("shown");
        QTest::newRow("text is text") << "def f():\n    return 1\n"_ba << true << u"return 1"_s;
        QTest::newRow("large text is lines")
            << QByteArray("some line\n").repeated(40000) << true << u"some line"_s;
        QTest::newRow("binary is hexadecimal") << QByteArray("\x7f"
                                                             "ELF\0\1",
                                                             6)
                                               << false << u"7f 45 4c 46"_s;
    }
    void textAndBinaryOpenAsWhatTheyAre()
    {
        QFETCH(QByteArray, content);
        QFETCH(bool, isText);
        QFETCH(QString, shown);
        DesktopFixture fixture;
        SessionPage *session = fixture.createSession();
        QVERIFY(session);
        const std::optional<FileInfo> file = put(session, u"file.py"_s, content);
        QVERIFY(file);
        session->openFile(*file);
        QTRY_COMPARE(session->viewers().size(), 1);
        const FileViewer *viewer = session->viewers().first();
        QTRY_VERIFY(viewer->isLoaded());
        QCOMPARE(viewer->isText(), isText);
        QTRY_VERIFY2(viewer->shownText(1000).contains(shown), qPrintable(viewer->shownText(1000)));
    }

    void aLargeFileIsNotFetchedBeforeSomebodySaysSo()
    {
        DesktopFixture fixture;
        SessionPage *session = fixture.createSession();
        QVERIFY(session);
        const std::optional<FileInfo> file = put(session, u"large.bin"_s, QByteArray(6 * 1024 * 1024, 'x'));
        QVERIFY(file);
        session->openFile(*file);
        QCOMPARE(session->messages()->bars().size(), 1);
        QVERIFY(session->viewers().isEmpty());
        session->messages()->bars().first()->findChildren<QPushButton *>().first()->click(); // Open
        QTRY_COMPARE(session->viewers().size(), 1);
    }

    void filesTravelBothWaysUnchanged()
    {
        DesktopFixture fixture;
        SessionPage *session = fixture.createSession();
        QVERIFY(session);
        const QByteArray content = QByteArray("payload\0\xff", 9).repeated(1000);
        QFile local(m_folder.filePath(u"up.bin"_s));
        QVERIFY(local.open(QIODevice::WriteOnly));
        local.write(content);
        local.close();
        session->files()->upload(local.fileName());
        QTRY_VERIFY(fileNamed(session->files()->model(), u"up.bin"_s));
        const QString back = m_folder.filePath(u"down.bin"_s);
        session->files()->download(*fileNamed(session->files()->model(), u"up.bin"_s), back);
        QTRY_VERIFY(QFile::exists(back));
        QFile downloaded(back);
        QVERIFY(downloaded.open(QIODevice::ReadOnly));
        QTRY_COMPARE(downloaded.size(), content.size());
        QCOMPARE(downloaded.readAll(), content);
        QVERIFY(session->messages()->bars().isEmpty());
    }

    void foldersTravelBothWays()
    {
        DesktopFixture fixture;
        SessionPage *session = fixture.createSession();
        QVERIFY(session);
        const QString folder = m_folder.filePath(u"project"_s);
        QVERIFY(QDir().mkpath(folder + u"/below"_s));
        QFile file(folder + u"/below/file"_s);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("content") == 7);
        file.close();
        session->files()->upload(folder);
        QTRY_VERIFY(fileNamed(session->files()->model(), u"project"_s));
        const FileInfo project = *fileNamed(session->files()->model(), u"project"_s);
        QCOMPARE(project.type, FileInfo::Type::Directory);
        const QString back = m_folder.filePath(u"project-back"_s);
        session->files()->download(project, back);
        QTRY_VERIFY(QFile::exists(back + u"/below/file"_s));
        QVERIFY(session->messages()->bars().isEmpty());
    }

    void aMissingLocalFileIsReportedWithTheFix()
    {
        DesktopFixture fixture;
        SessionPage *session = fixture.createSession();
        QVERIFY(session);
        session->files()->upload(m_folder.filePath(u"not-there"_s));
        QTRY_COMPARE(session->messages()->bars().size(), 1);
        QVERIFY(!session->messages()->bars().first()->message().hint.isEmpty());
    }

    void hexDumpsShowOffsetBytesAndText()
    {
        QCOMPARE(hexDump("0123456789abcdef\x01", 32),
                 "00000020  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  |0123456789abcdef|\n"
                 "00000030  01                                                |.|\n"_ba);
        QCOMPARE(hexDump({}, 0), QByteArray());
    }
};

SANDBOXIO_WIDGETS_TEST(FilesTest)
#include "tst_desktopfiles.moc"
