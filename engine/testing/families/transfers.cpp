// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

#include <QDir>
#include <QTemporaryDir>

#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

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
    void aTransferCanBeCompared();
    void aFolderGoesThereAndBack();
    void linksInAFolderGoAsTheyAre();
    void aFolderReplacesNothing();
    void aFolderWithWhatCannotBeCopiedLeavesNothing();
    void aCancelledFolderLeavesNothing();

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
    /*! A folder with about everything that there is; \a name must be new. */
    QString localFolder(const QString &name)
    {
        check(QDir(m_folder.path()).mkpath(name + u"/empty"_s), u"no folder"_s);
        check(QDir(m_folder.path()).mkpath(name + u"/-a b\n"_s), u"no folder"_s);
        localFile(name + u"/zero"_s, {});
        localFile(name + u"/-a b\n/large"_s, pattern(600'000));
        const QString program = localFile(name + u"/-a b\n/program"_s, "#!/bin/sh\n"_ba);
        check(QFile::setPermissions(program, QFile::Permissions(0x7055)), u"no mode"_s);
        return local(name);
    }
    /*! What is below \a folder: path, mode and content or target. */
    static QMap<QByteArray, QByteArray> treeOf(const QString &folder)
    {
        namespace fs = std::filesystem;
        QMap<QByteArray, QByteArray> tree;
        const fs::path top(folder.toStdString());
        for (const fs::directory_entry &entry : fs::recursive_directory_iterator(top)) {
            QByteArray fact;
            if (entry.is_symlink())
                fact = QByteArray::fromStdString(fs::read_symlink(entry.path()).native());
            else
                fact = QByteArray::number(int(entry.status().permissions()), 8);
            if (!entry.is_symlink() && entry.is_regular_file())
                fact += ' ' + contentOf(QString::fromStdString(entry.path().native()));
            tree.insert(QByteArray::fromStdString(entry.path().lexically_relative(top).native()), fact);
        }
        return tree;
    }
    QStringList namesIn(const QString &directory)
    {
        QStringList names;
        for (const FileInfo &entry : value(files().ls(directory)))
            names.append(entry.name);
        return names;
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

void TransferContract::aTransferCanBeCompared()
{
    TransferOptions with;
    with.verification = TransferVerification::Content;
    const QByteArray content = pattern(600'000);
    const Operation<void> upload = files().upload(localFile(u"there"_s, content), u"/tmp/compared"_s, with);
    value(upload);
    QCOMPARE(upload.progress().done, content.size());
    value(files().download(u"/tmp/compared"_s, local(u"back"_s), with));
    QVERIFY(contentOf(local(u"back"_s)) == content);
}

void TransferContract::aFolderGoesThereAndBack()
{
    const QString there = localFolder(u"folder"_s);
    value(files().mkdir(u"/tmp/folders"_s, true));
    const Operation<void> upload = files().upload(there, u"/tmp/folders/copy/"_s);
    value(upload);
    QCOMPARE(upload.progress().total, upload.progress().done);
    QCOMPARE(namesIn(u"/tmp/folders"_s), QStringList{u"copy"_s});
    QCOMPARE(namesIn(u"/tmp/folders/copy"_s), (QStringList{u"-a b\n"_s, u"empty"_s, u"zero"_s}));
    const Operation<void> download = files().download(u"/tmp/folders/copy"_s, local(u"folder-back"_s));
    value(download);
    QCOMPARE(download.progress().done, upload.progress().done);
    QCOMPARE(treeOf(local(u"folder-back"_s)), treeOf(there));
    QVERIFY(!treeOf(there).isEmpty());
}

void TransferContract::linksInAFolderGoAsTheyAre()
{
    need(subject.commands.makeSymbolicLink, "command `makeSymbolicLink`");
    const QString there = localFolder(u"with-links"_s);
    QCOMPARE(::symlink("../../no where\xff", QFile::encodeName(there + u"/link"_s).constData()), 0);
    QCOMPARE(::symlink("empty", QFile::encodeName(there + u"/to-directory"_s).constData()), 0);
    value(files().upload(there, u"/tmp/with-links"_s));
    value(files().download(u"/tmp/with-links"_s, local(u"links-back"_s)));
    QCOMPARE(treeOf(local(u"links-back"_s)), treeOf(there));
}

void TransferContract::aFolderReplacesNothing()
{
    const QString there = localFolder(u"not-there"_s);
    value(files().write(u"/tmp/a-file"_s, "x"_ba));
    failsAs(ErrorKind::FileSystemError, files().upload(there, u"/tmp/a-file"_s));
    QCOMPARE(value(files().read(u"/tmp/a-file"_s)), "x"_ba);
    value(files().mkdir(u"/tmp/a-directory"_s, true));
    failsAs(ErrorKind::FileSystemError, files().upload(there, u"/tmp/a-directory"_s));
    QCOMPARE(namesIn(u"/tmp/a-directory"_s), QStringList());
    failsAs(ErrorKind::PathNotFound, files().upload(there, u"/tmp/no-such-directory/copy"_s));
    const auto before = treeOf(there);
    failsAs(ErrorKind::FileSystemError, files().download(u"/tmp/a-directory"_s, there));
    QCOMPARE(treeOf(there), before);
}

void TransferContract::aFolderWithWhatCannotBeCopiedLeavesNothing()
{
    const QString there = localFolder(u"with-a-pipe"_s);
    QCOMPARE(::mkfifo(QFile::encodeName(there + u"/pipe"_s).constData(), 0600), 0);
    value(files().mkdir(u"/tmp/pipes"_s, true));
    failsAs(ErrorKind::FileSystemError, files().upload(there, u"/tmp/pipes/copy"_s));
    QCOMPARE(namesIn(u"/tmp/pipes"_s), QStringList());
}

void TransferContract::aCancelledFolderLeavesNothing()
{
    const QString there = localFolder(u"to-cancel"_s);
    for (int i = 0; i < 100; ++i)
        localFile(u"to-cancel/%1"_s.arg(i), "x"_ba);
    const auto whenBegun = [&](const Operation<void> &transfer) {
        eventually([&] { return transfer.isEnded() || transfer.progress().done > 0; }, u"progress"_s);
        transfer.cancel();
        return ended(transfer).outcome() == OperationOutcome::Cancelled;
    };
    value(files().mkdir(u"/tmp/cancelled-folder"_s, true));
    const bool isGone = whenBegun(files().upload(there, u"/tmp/cancelled-folder/copy"_s));
    QCOMPARE(namesIn(u"/tmp/cancelled-folder"_s), isGone ? QStringList() : QStringList{u"copy"_s});
    if (isGone) // otherwise it was faster
        value(files().upload(there, u"/tmp/cancelled-folder/copy"_s));
    const QTemporaryDir here;
    const QString back = here.filePath(u"back"_s);
    const bool nothingHere = whenBegun(files().download(u"/tmp/cancelled-folder/copy"_s, back));
    QCOMPARE(QDir(here.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
             nothingHere ? QStringList() : QStringList{u"back"_s});
    if (!isGone && !nothingHere)
        skip(u"both were finished before they could be cancelled"_s);
}

std::unique_ptr<ContractFamily> makeTransferContract(ContractSubject &subject, const QString &label)
{
    return std::make_unique<TransferContract>(subject, label);
}

} // namespace Sandboxio

#include "transfers.moc"
