// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

#include <QDir>
#include <QTemporaryDir>

#include <sys/stat.h>

namespace Sandboxio {

using namespace Qt::StringLiterals;

/*! Copying files there and back. */
class TransferContract final : public ContractFamily
{
    Q_OBJECT
public:
    using ContractFamily::ContractFamily;

private Q_SLOTS:
    void aFileGoesThereAndBack_data();
    void aFileGoesThereAndBack();
    void progressReachesTheTotal();
    void theModeGoesWithTheFile();
    void aMissingLocalFileIsAnError();
    void aMissingRemoteFileLeavesNoLocalOne();
    void anUploadToNowhereLeavesNothing();
    void aDownloadToNowhereIsAnError();
    void anUploadReplacesTheFile();
    void aDownloadReplacesOnlyFiles();

private:
    void prepare() override
    {
        needCapability(Capability::UploadDownload);
        needCapability(Capability::FileSystem);
    }
    FileSystem files() { return sandbox()->files(); }
    QString local(const QString &name) const { return m_folder.filePath(name); }
    QString localFile(const QString &name, const QByteArray &content)
    {
        QFile file(local(name));
        check(file.open(QIODevice::WriteOnly) && file.write(content) == content.size(), file.errorString());
        return file.fileName();
    }
    static QByteArray contentOf(const QString &path)
    {
        QFile file(path);
        check(file.open(QIODevice::ReadOnly), file.errorString());
        return file.readAll();
    }
    QByteArray pattern(qint64 size) const
    {
        QByteArray content(size, '\0');
        for (qsizetype i = 0; i < content.size(); ++i)
            content[i] = static_cast<char>(i * 31 >> 3);
        return content;
    }

    QTemporaryDir m_folder;
};

void TransferContract::aFileGoesThereAndBack_data()
{
    QTest::addColumn<qint64>("size");
    QTest::newRow("an empty file") << qint64(0);
    QTest::newRow("one byte") << qint64(1);
    QTest::newRow("a large file") << subject.transferBytes;
}

void TransferContract::aFileGoesThereAndBack()
{
    QFETCH(qint64, size);
    const QByteArray content = pattern(size);
    value(files().upload(localFile(u"there"_s, content), u"/tmp/trans fer.bin"_s));
    QCOMPARE(value(files().stat(u"/tmp/trans fer.bin"_s)).size, size);
    value(files().download(u"/tmp/trans fer.bin"_s, local(u"back"_s)));
    QVERIFY2(contentOf(local(u"back"_s)) == content, "other bytes came back");
}

void TransferContract::progressReachesTheTotal()
{
    const QByteArray content = pattern(subject.transferBytes);
    const Operation<void> upload = files().upload(localFile(u"there"_s, content), u"/tmp/progress"_s);
    value(upload);
    QCOMPARE(upload.progress().done, subject.transferBytes);
    QCOMPARE(upload.progress().total, subject.transferBytes);
    const Operation<void> download = files().download(u"/tmp/progress"_s, local(u"back"_s));
    value(download);
    QCOMPARE(download.progress().done, subject.transferBytes);
}

void TransferContract::theModeGoesWithTheFile()
{
    const QString path = localFile(u"program"_s, "#!/bin/sh\n"_ba);
    QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    value(files().upload(path, u"/tmp/program"_s));
    const auto mode = value(files().stat(u"/tmp/program"_s)).mode;
    check(mode && (*mode & 0100), u"the program cannot be executed any more"_s);
    TransferOptions with;
    with.mode = 0640;
    value(files().upload(path, u"/tmp/program-0640"_s, with));
    QCOMPARE(value(files().stat(u"/tmp/program-0640"_s)).mode, 0640U);
}

void TransferContract::aMissingLocalFileIsAnError()
{
    failsAs(ErrorKind::FileSystemError, files().upload(local(u"missing"_s), u"/tmp/from-nothing"_s));
    failsAs(ErrorKind::PathNotFound, files().stat(u"/tmp/from-nothing"_s));
}

void TransferContract::aMissingRemoteFileLeavesNoLocalOne()
{
    failsAs(ErrorKind::PathNotFound, files().download(u"/tmp/missing"_s, local(u"nothing"_s)));
    QVERIFY(!QFile::exists(local(u"nothing"_s)));
}

void TransferContract::anUploadToNowhereLeavesNothing()
{
    const QString path = localFile(u"there"_s, "x"_ba);
    failsAs(ErrorKind::PathNotFound, files().upload(path, u"/tmp/no-such-directory/file"_s));
    failsAs(ErrorKind::PathNotFound, files().stat(u"/tmp/no-such-directory"_s));
}

void TransferContract::aDownloadToNowhereIsAnError()
{
    value(files().write(u"/tmp/to-nowhere"_s, "x"_ba));
    failsAs(ErrorKind::FileSystemError, files().download(u"/tmp/to-nowhere"_s, local(u"no/such/file"_s)));
}

void TransferContract::anUploadReplacesTheFile()
{
    value(files().mkdir(u"/tmp/replaced"_s, true));
    value(files().write(u"/tmp/replaced/file"_s, QByteArray(10'000, 'a')));
    value(files().upload(localFile(u"short"_s, "short"_ba), u"/tmp/replaced/file"_s));
    QCOMPARE(value(files().read(u"/tmp/replaced/file"_s)), "short"_ba);
    QCOMPARE(value(files().ls(u"/tmp/replaced"_s)).size(), 1);
}

void TransferContract::aDownloadReplacesOnlyFiles()
{
    value(files().write(u"/tmp/to-a-pipe"_s, "x"_ba));
    const QByteArray pipe = QFile::encodeName(local(u"pipe"_s));
    QCOMPARE(::mkfifo(pipe.constData(), 0600), 0);
    failsAs(ErrorKind::FileSystemError, files().download(u"/tmp/to-a-pipe"_s, local(u"pipe"_s)));
    struct stat found{};
    QCOMPARE(::lstat(pipe.constData(), &found), 0);
    QVERIFY2(S_ISFIFO(found.st_mode), "the pipe was replaced by a file");
}

std::unique_ptr<ContractFamily> makeTransferContract(ContractSubject &subject, const QString &label)
{
    return std::make_unique<TransferContract>(subject, label);
}

} // namespace Sandboxio

#include "transfers.moc"
