// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

#include <sandboxio/runtime/storedfiles.h>

#include <QDir>
#include <QTemporaryDir>

#include <algorithm>

namespace Sandboxio {

using namespace Qt::StringLiterals;

/*! What can be had of a sandbox whose lifetime is over. */
class StoredFilesContract final : public ContractFamily
{
    Q_OBJECT
public:
    using ContractFamily::ContractFamily;

private Q_SLOTS:
    void theFilesOfAnEndedSandboxAreRead();
    void aListingIsOfOneLevel();
    void factsOfWhatIsStoredAreTrue();
    void whatIsMissingIsPathNotFound();
    void aDirectoryIsNoFile();
    void aLargeFileComesWhole();
    void aLongFileIsNotReadPastTheLimit();
    void aDownloadThatIsCancelledLeavesNothing();
    void aLinkIsSeenAndFollowed();
    void lookingChangesNothing();
    void eachLookLeavesOneRecord();
    void whatRunsIsRefused();
    void whatIsNotManagedIsRefused();
    void whatDoesNotExistIsRefused();
    void whatWasRemovedIsRefused();

private:
    void prepare() override
    {
        needCapability(Capability::FileSystem);
        const Operation<FileInfo> look = engine().storedFiles(target(), u"no-such-sandbox-0"_s).stat(u"/"_s);
        if (ended(look).outcome() == OperationOutcome::Error &&
            look.error().kind == ErrorKind::CapabilityNotSupported)
            skip(u"the backend cannot read what has ended"_s);
    }
    /*! The ended sandbox that the rows look at, none of which may change it. */
    SandboxPtr left();
    void fill(const SandboxPtr &own);
    StoredFiles files() { return engine().storedFiles(target(), left()->id()); }
    QByteArray large() const
    {
        QByteArray content(subject.transferBytes, '\0');
        for (qsizetype i = 0; i < content.size(); ++i)
            content[i] = static_cast<char>(i * 13 >> 3);
        return content;
    }
    QString local(const QString &name) const { return m_folder.filePath(name); }
    QByteArray contentOf(const QString &name) const
    {
        QFile file(local(name));
        check(file.open(QIODevice::ReadOnly), file.errorString());
        return file.readAll();
    }

    SandboxPtr m_left;
    bool m_hasLinks = false;
    FileInfo m_before; // left/file while the sandbox ran
    QTemporaryDir m_folder;
};

SandboxPtr StoredFilesContract::left()
{
    if (!m_left) {
        CreateOptions with = options();
        with.timeout = 3 * subject.shortLifetime; // on a busy machine filling it takes its time
        const SandboxPtr own = value(engine().create(target(), with));
        removeAtTheEnd(own);
        fill(own);
        awaitEnd(own, with.timeout);
        m_left = own;
    }
    return m_left;
}

void StoredFilesContract::fill(const SandboxPtr &own)
{
    const FileSystem files = own->files();
    const QString base = own->details().workingDirectory + u"/left"_s;
    value(files.mkdir(base + u"/below/deeper"_s, true));
    value(files.write(base + u"/file"_s, "left\0behind"_ba));
    value(files.write(base + u"/large"_s, large()));
    value(files.write(base + u"/below/file"_s, QByteArray(100'000, 'b')));
    value(files.write(base + u"/below/deeper/file"_s, "deep"_ba));
    value(files.write(base + u"/zz last"_s, {}));
    value(files.mkdir(base + u"/empty"_s));
    if (subject.commands.makeSymbolicLink && own->capabilities().testFlag(Capability::RunCommand)) {
        const auto &link = subject.commands.makeSymbolicLink;
        value(own->run(link(u"file"_s, base + u"/link"_s)));
        value(own->run(link(u"below"_s, base + u"/link to below"_s)));
        value(own->run(link(u"nowhere"_s, base + u"/broken"_s)));
        m_hasLinks = true;
    }
    m_before = value(files.stat(base + u"/file"_s));
}

void StoredFilesContract::theFilesOfAnEndedSandboxAreRead()
{
    QCOMPARE(value(files().read(u"left/file"_s)), "left\0behind"_ba);
    QCOMPARE(value(files().read(u"left/below/deeper/file"_s)), "deep"_ba);
    QCOMPARE(value(files().read(u"left/zz last"_s)), ""_ba);
    const QString directory = left()->details().workingDirectory;
    QCOMPARE(value(files().read(directory + u"/left/file"_s)), "left\0behind"_ba);
    value(files().download(u"left/file"_s, local(u"fetched"_s)));
    QCOMPARE(contentOf(u"fetched"_s), "left\0behind"_ba);
    const auto second = anotherEngine();
    QCOMPARE(value(second->storedFiles(target(), left()->id()).read(u"left/file"_s)), "left\0behind"_ba);
}

void StoredFilesContract::aListingIsOfOneLevel()
{
    const auto namesOf = [](const QList<FileInfo> &entries) {
        QStringList names;
        for (const FileInfo &entry : entries)
            names.append(entry.name);
        return names;
    };
    QStringList expected{u"below"_s, u"empty"_s, u"file"_s, u"large"_s, u"zz last"_s};
    const QList<FileInfo> entries = value(files().ls(u"left"_s));
    if (m_hasLinks)
        expected += {u"broken"_s, u"link"_s, u"link to below"_s};
    expected.sort();
    QCOMPARE(namesOf(entries), expected);
    QCOMPARE(entries.last().path, u"left/zz last"_s);
    QCOMPARE(namesOf(value(files().ls(u"left/below/"_s))), QStringList({u"deeper"_s, u"file"_s}));
    QVERIFY(value(files().ls(u"left/empty"_s)).isEmpty());
    QVERIFY(namesOf(value(files().ls())).contains(u"left"_s));
    QVERIFY(!value(files().ls(u"/"_s)).isEmpty());
}

void StoredFilesContract::factsOfWhatIsStoredAreTrue()
{
    const FileInfo file = value(files().stat(u"left/file"_s));
    QCOMPARE(file.type, FileInfo::Type::File);
    QCOMPARE(file.path, u"left/file"_s);
    QCOMPARE(file.name, u"file"_s);
    QCOMPARE(file.size, 11);
    QCOMPARE(file.mode, m_before.mode);
    QCOMPARE(file.modifiedAt.toSecsSinceEpoch(), m_before.modifiedAt.toSecsSinceEpoch());
    QCOMPARE(value(files().stat(u"left/below"_s)).type, FileInfo::Type::Directory);
    const QList<FileInfo> entries = value(files().ls(u"left"_s));
    const auto listed = std::ranges::find(entries, u"file"_s, &FileInfo::name);
    QVERIFY(listed != entries.end());
    QCOMPARE(*listed, file);
    QCOMPARE(std::ranges::find(entries, u"below"_s, &FileInfo::name)->type, FileInfo::Type::Directory);
    QCOMPARE(std::ranges::find(entries, u"large"_s, &FileInfo::name)->size, subject.transferBytes);
}

void StoredFilesContract::whatIsMissingIsPathNotFound()
{
    failsAs(ErrorKind::PathNotFound, files().stat(u"left/missing"_s));
    failsAs(ErrorKind::PathNotFound, files().read(u"left/missing"_s));
    failsAs(ErrorKind::PathNotFound, files().ls(u"/no/such/directory"_s));
    failsAs(ErrorKind::PathNotFound, files().download(u"left/missing"_s, local(u"nothing"_s)));
    QVERIFY(!QFile::exists(local(u"nothing"_s)));
}

void StoredFilesContract::aDirectoryIsNoFile()
{
    failsAs(ErrorKind::FileSystemError, files().read(u"left/below"_s));
    failsAs(ErrorKind::FileSystemError, files().download(u"left/below"_s, local(u"directory"_s)));
    QVERIFY(!QFile::exists(local(u"directory"_s)));
    failsAs(ErrorKind::FileSystemError, files().ls(u"left/file"_s));
    failsAs(ErrorKind::FileSystemError, files().stat(u"left/file/below"_s));
}

void StoredFilesContract::aLargeFileComesWhole()
{
    const Operation<void> download = files().download(u"left/large"_s, local(u"large"_s));
    value(download);
    QVERIFY2(contentOf(u"large"_s) == large(), "other bytes came back");
    QCOMPARE(download.progress().done, subject.transferBytes);
    QVERIFY2(value(files().read(u"left/large"_s)) == large(), "other bytes were read");
}

void StoredFilesContract::aLongFileIsNotReadPastTheLimit()
{
    QCOMPARE(value(files().read(u"left/file"_s, 11)).size(), 11);
    failsAs(ErrorKind::FileSystemError, files().read(u"left/file"_s, 10));
}

void StoredFilesContract::aDownloadThatIsCancelledLeavesNothing()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(u"file"_s);
    for (int i = 0; i < subject.rounds; ++i) {
        const Operation<void> download = files().download(u"left/large"_s, file);
        QTest::qWait(i);
        download.cancel();
        if (ended(download).outcome() == OperationOutcome::Value) {
            QCOMPARE(QFileInfo(file).size(), subject.transferBytes);
            QVERIFY(QFile::remove(file)); // it was faster
        } else {
            endsAsCancelled(download);
        }
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList());
    }
}

void StoredFilesContract::aLinkIsSeenAndFollowed()
{
    left();
    if (!m_hasLinks)
        need(subject.commands.makeSymbolicLink, "command `makeSymbolicLink`");
    const FileInfo link = value(files().stat(u"left/link"_s));
    QCOMPARE(link.type, FileInfo::Type::SymbolicLink);
    QCOMPARE(link.linkTarget, u"file"_s);
    QCOMPARE(value(files().read(u"left/link"_s)), "left\0behind"_ba);
    QCOMPARE(value(files().ls(u"left/link to below"_s)).size(), 2);
    QCOMPARE(value(files().ls(u"left/link to below"_s)).first().path, u"left/link to below/deeper"_s);
    QCOMPARE(value(files().stat(u"left/broken"_s)).linkTarget, u"nowhere"_s);
    failsAs(ErrorKind::PathNotFound, files().read(u"left/broken"_s));
}

void StoredFilesContract::lookingChangesNothing()
{
    const QString id = left()->id();
    const auto row = [&] {
        ManagedSandbox found;
        for (const ManagedSandbox &listed : rowsOf(value(engine().listManaged({{target()}, {}})))) {
            if (listed.id == id)
                found = listed;
        }
        found.lastSeen = {};
        return found;
    };
    const ManagedSandbox before = row();
    const QList<FileInfo> entries = value(files().ls(u"left"_s));
    value(files().read(u"left/large"_s));
    value(files().stat(u"left/file"_s));
    value(files().download(u"left/file"_s, local(u"unchanged"_s)));
    QCOMPARE(value(files().ls(u"left"_s)), entries);
    QVERIFY2(row() == before, "the sandbox has changed");
    failsAs(ErrorKind::ConnectError, engine().connectTo(target(), id));
    QVERIFY(atProvider().contains(id));
}

void StoredFilesContract::eachLookLeavesOneRecord()
{
    const QString id = left()->id();
    failsAs(ErrorKind::PathNotFound, files().stat(u"left/begin"_s)); // what comes before it is of other rows
    value(files().read(u"left/file"_s));
    failsAs(ErrorKind::PathNotFound, files().stat(u"left/end"_s));
    QList<OperationRecord> records;
    const auto takeUntilEnd = [&] {
        records = subject.records->recordsOf(id);
        return !records.isEmpty() && records.last().paths == QStringList{u"left/end"_s};
    };
    eventually(takeUntilEnd, u"the record of the last look"_s);
    const auto begin = std::ranges::find(records, QStringList{u"left/begin"_s}, &OperationRecord::paths);
    check(begin != records.end(), u"the first look has no record"_s);
    records.erase(records.begin(), std::next(begin));
    QCOMPARE(records.size(), 2);
    QCOMPARE(records.first().event, RecordEvent::ReadFile);
    QCOMPARE(records.first().outcome, OperationOutcome::Value);
    QCOMPARE(records.first().paths, QStringList{u"left/file"_s});
    QCOMPARE(records.first().bytesOut, 11);
    QCOMPARE(records.first().metadata.value(labelName()), label());
    QCOMPARE(records.first().tier, left()->isolation());
    QCOMPARE(records.last().event, RecordEvent::StatFile);
    QCOMPARE(records.last().outcome, OperationOutcome::Error);
}

void StoredFilesContract::whatRunsIsRefused()
{
    value(sandbox()->files().write(u"of a running one"_s, "x"_ba));
    const StoredFiles stored = engine().storedFiles(target(), sandbox()->id());
    failsAs(ErrorKind::ConnectError, stored.read(u"of a running one"_s));
    QCOMPARE(value(sandbox()->info()).state, SandboxState::Running);
}

void StoredFilesContract::whatIsNotManagedIsRefused()
{
    const ForeignSandbox foreign = need(subject.probes.addForeign, "probe `addForeign`")();
    const StoredFiles stored = engine().storedFiles(target(), foreign.id);
    failsAs(ErrorKind::ConnectError, stored.stat(u"/"_s));
    failsAs(ErrorKind::ConnectError, stored.ls(u"/"_s));
}

void StoredFilesContract::whatDoesNotExistIsRefused()
{
    const StoredFiles stored = engine().storedFiles(target(), u"no-such-sandbox-0"_s);
    failsAs(ErrorKind::ConnectError, stored.stat(u"/"_s));
    failsAs(ErrorKind::ConnectError, stored.download(u"/etc/hostname"_s, local(u"of nothing"_s)));
    QVERIFY(!QFile::exists(local(u"of nothing"_s)));
}

void StoredFilesContract::whatWasRemovedIsRefused()
{
    const SandboxPtr own = createEnded();
    const StoredFiles stored = engine().storedFiles(target(), own->id());
    QCOMPARE(value(stored.stat(u"/"_s)).type, FileInfo::Type::Directory);
    value(own->kill());
    failsAs(ErrorKind::ConnectError, stored.stat(u"/"_s));
}

std::unique_ptr<ContractFamily> makeStoredFilesContract(ContractSubject &subject, const QString &label)
{
    return std::make_unique<StoredFilesContract>(subject, label);
}

} // namespace Sandboxio

#include "storedfiles.moc"
