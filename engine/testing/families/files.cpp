// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

#include <sandboxio/core/path.h>

#include <QTemporaryDir>

namespace Sandboxio {

using namespace Qt::StringLiterals;

/*! The files inside a sandbox. */
class FileContract final : public ContractFamily
{
    Q_OBJECT
public:
    using ContractFamily::ContractFamily;

private Q_SLOTS:
    void whatIsWrittenIsRead_data();
    void whatIsWrittenIsRead();
    void oddNamesSurvive_data();
    void oddNamesSurvive();
    void whatIsMissingIsPathNotFound_data();
    void whatIsMissingIsPathNotFound();
    void relativePathsStartWhereRunsStart();
    void noPathIsLookedUpOnTheHost();
    void aListingNamesEverythingOnce();
    void aListingWithoutAPathIsOfTheWorkingDirectory();
    void factsOfAFileAreTrue();
    void directoriesAreMade();
    void directoriesAreRemovedOnlyWhenAskedFor();
    void movingKeepsWhatIsThere();
    void modesAreChangedAndKept();
    void aDirectoryIsNoFile();
    void aLongFileIsNotReadPastTheLimit();
    void aWriteReplacesTheWholeFile();
    void aLinkIsSeenAndFollowed();
    void removingALinkLeavesItsTarget();

private:
    void prepare() override;
    FileSystem files() { return sandbox()->files(); }
    QString place(const QString &name) const { return m_directory + u'/' + name; }

    QString m_directory; // a new one for every row
    int m_serial = 0;
};

void FileContract::prepare()
{
    needCapability(Capability::FileSystem);
    m_directory = u"/tmp/contract-%1"_s.arg(++m_serial);
    value(files().mkdir(m_directory, true));
}

void FileContract::whatIsWrittenIsRead_data()
{
    QTest::addColumn<QByteArray>("content");
    QByteArray every;
    for (int i = 0; i < 256; ++i)
        every += static_cast<char>(i);
    QByteArray large(3'000'001, '\0');
    for (qsizetype i = 0; i < large.size(); ++i)
        large[i] = static_cast<char>(i * 7 >> 2);
    QTest::newRow("an empty file") << ""_ba;
    QTest::newRow("one byte") << "x"_ba;
    QTest::newRow("every byte there is") << every;
    QTest::newRow("line ends of every kind") << "a\r\nb\rc\n"_ba;
    QTest::newRow("three megabytes") << large;
}

void FileContract::whatIsWrittenIsRead()
{
    QFETCH(QByteArray, content);
    value(files().write(place(u"file"_s), content));
    const QByteArray read = value(files().read(place(u"file"_s)));
    QCOMPARE(read.size(), content.size());
    QVERIFY2(read == content, "other bytes came back");
    QCOMPARE(value(files().stat(place(u"file"_s))).size, content.size());
}

void FileContract::oddNamesSurvive_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::newRow("spaces") << " a  b "_ba;
    QTest::newRow("a line break") << "a\nb"_ba;
    QTest::newRow("a leading dash") << "-rf"_ba;
    QTest::newRow("quotes and a dollar") << "it's \"$HOME\""_ba;
    QTest::newRow("a backslash") << "a\\b"_ba;
    QTest::newRow("a question mark and a percent sign") << "a?b%20c"_ba;
    QTest::newRow("letters of any alphabet") << "äöü 漢字 😀"_ba;
    QTest::newRow("a byte that is no letter") << "a\xff"_ba;
    QTest::newRow("the longest name") << QByteArray(255, 'n');
}

void FileContract::oddNamesSurvive()
{
    QFETCH(QByteArray, name);
    const QString path = m_directory + u'/' + decodePath(name);
    value(files().write(path, "content"_ba));
    QCOMPARE(value(files().read(path)), "content"_ba);
    const QList<FileInfo> entries = value(files().ls(m_directory));
    QCOMPARE(entries.size(), 1);
    QCOMPARE(encodePath(entries.first().name), name);
    QCOMPARE(encodePath(entries.first().path), encodePath(path));
    value(files().remove(path));
    QCOMPARE(value(files().ls(m_directory)).size(), 0);
}

void FileContract::whatIsMissingIsPathNotFound_data()
{
    QTest::addColumn<QString>("action");
    for (const char *action : {"read", "stat", "ls", "remove", "remove recursively", "move", "chmod",
                               "write below it", "make a directory below it"})
        QTest::newRow(action) << QString::fromLatin1(action);
}

void FileContract::whatIsMissingIsPathNotFound()
{
    QFETCH(QString, action);
    const QString missing = place(u"missing"_s);
    const FileSystem fs = files();
    const QMap<QString, std::function<ErrorInfo()>> actions{
        {u"read"_s,
         [&] {
             return errorOf(fs.read(missing));
         }},
        {u"stat"_s,
         [&] {
             return errorOf(fs.stat(missing));
         }},
        {u"ls"_s,
         [&] {
             return errorOf(fs.ls(missing));
         }},
        {u"remove"_s,
         [&] {
             return errorOf(fs.remove(missing));
         }},
        {u"remove recursively"_s,
         [&] {
             return errorOf(fs.remove(missing, true));
         }},
        {u"move"_s,
         [&] {
             return errorOf(fs.move(missing, place(u"to"_s)));
         }},
        {u"chmod"_s,
         [&] {
             return errorOf(fs.chmod(missing, 0600));
         }},
        {u"write below it"_s,
         [&] {
             return errorOf(fs.write(missing + u"/file"_s, "x"_ba));
         }},
        {u"make a directory below it"_s,
         [&] {
             return errorOf(fs.mkdir(missing + u"/directory"_s));
         }},
    };
    const ErrorInfo error = actions[action]();
    check(error.kind == ErrorKind::PathNotFound,
          u"failed as %1: %2"_s.arg(kindName(error.kind), error.toText()));
    QCOMPARE(error.code(), u"SBX_E1701"_s);
}

void FileContract::relativePathsStartWhereRunsStart()
{
    value(files().write(u"relative.txt"_s, "relative"_ba));
    const QString directory = sandbox()->details().workingDirectory;
    QCOMPARE(value(files().read(directory + u"/relative.txt"_s)), "relative"_ba);
    if (sandbox()->capabilities().testFlag(Capability::RunCommand)) {
        const auto &print = need(subject.commands.printFile, "command `printFile`");
        QCOMPARE(run(print(u"relative.txt"_s)).standardOutput, "relative"_ba);
    }
    value(files().remove(u"relative.txt"_s));
    failsAs(ErrorKind::PathNotFound, files().stat(directory + u"/relative.txt"_s));
}

void FileContract::noPathIsLookedUpOnTheHost()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(u"of-the-host"_s);
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("of the host");
    file.close();
    failsAs(ErrorKind::PathNotFound, files().read(path));
    failsAs(ErrorKind::PathNotFound, files().ls(folder.path()));
    value(files().mkdir(folder.path(), true));
    value(files().write(path, "of the sandbox"_ba));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), "of the host"_ba);
    value(files().remove(folder.path(), true));
    QVERIFY(QFile::exists(path));
}

void FileContract::aListingNamesEverythingOnce()
{
    value(files().write(place(u"b"_s), "12"_ba));
    value(files().write(place(u"a"_s), "1"_ba));
    value(files().mkdir(place(u"c"_s)));
    value(files().write(place(u"c/below"_s), "x"_ba));
    const QList<FileInfo> entries = value(files().ls(m_directory));
    QStringList names;
    for (const FileInfo &entry : entries)
        names.append(entry.name);
    QCOMPARE(names, QStringList({u"a"_s, u"b"_s, u"c"_s}));
    QCOMPARE(entries[0].size, 1);
    QCOMPARE(entries[1].size, 2);
    QCOMPARE(entries[0].type, FileInfo::Type::File);
    QCOMPARE(entries[2].type, FileInfo::Type::Directory);
    QCOMPARE(entries[2].path, place(u"c"_s));
    QCOMPARE(value(files().ls(place(u"c"_s))).size(), 1);
}

void FileContract::aListingWithoutAPathIsOfTheWorkingDirectory()
{
    value(files().write(u"listed-here"_s, "x"_ba));
    QStringList names;
    for (const FileInfo &entry : value(files().ls()))
        names.append(entry.name);
    QVERIFY(names.contains(u"listed-here"_s));
    value(files().remove(u"listed-here"_s));
}

void FileContract::factsOfAFileAreTrue()
{
    const QDateTime created = value(sandbox()->info()).createdAt;
    value(files().write(place(u"facts"_s), "12345"_ba));
    const FileInfo info = value(files().stat(place(u"facts"_s)));
    QCOMPARE(info.name, u"facts"_s);
    QCOMPARE(info.path, place(u"facts"_s));
    QCOMPARE(info.type, FileInfo::Type::File);
    QCOMPARE(info.size, 5);
    QVERIFY(!info.owner.isEmpty());
    QVERIFY(info.modifiedAt.isValid());
    check(created.secsTo(info.modifiedAt) >= -2,
          u"modified before the sandbox was created: "_s + info.modifiedAt.toString(Qt::ISODateWithMs));
    QCOMPARE(value(files().stat(m_directory)).type, FileInfo::Type::Directory);
}

void FileContract::directoriesAreMade()
{
    value(files().mkdir(place(u"one"_s)));
    QCOMPARE(failsAs(ErrorKind::FileSystemError, files().mkdir(place(u"one"_s))).code(), u"SBX_E1700"_s);
    value(files().mkdir(place(u"one"_s), true));
    value(files().mkdir(place(u"one/two/three"_s), true));
    QCOMPARE(value(files().stat(place(u"one/two/three"_s))).type, FileInfo::Type::Directory);
    value(files().write(place(u"file"_s), "x"_ba));
    failsAs(ErrorKind::FileSystemError, files().mkdir(place(u"file"_s), true));
}

void FileContract::directoriesAreRemovedOnlyWhenAskedFor()
{
    value(files().mkdir(place(u"full"_s)));
    value(files().write(place(u"full/file"_s), "x"_ba));
    failsAs(ErrorKind::FileSystemError, files().remove(place(u"full"_s)));
    QCOMPARE(value(files().read(place(u"full/file"_s))), "x"_ba);
    value(files().remove(place(u"full"_s), true));
    failsAs(ErrorKind::PathNotFound, files().stat(place(u"full"_s)));
}

void FileContract::movingKeepsWhatIsThere()
{
    value(files().write(place(u"from"_s), "new"_ba));
    value(files().write(place(u"to"_s), "old"_ba));
    failsAs(ErrorKind::FileSystemError, files().move(place(u"from"_s), place(u"to"_s)));
    QCOMPARE(value(files().read(place(u"from"_s))), "new"_ba);
    QCOMPARE(value(files().read(place(u"to"_s))), "old"_ba);
    value(files().mkdir(place(u"directory"_s)));
    value(files().move(place(u"from"_s), place(u"directory/moved"_s)));
    failsAs(ErrorKind::PathNotFound, files().stat(place(u"from"_s)));
    value(files().move(place(u"directory"_s), place(u"renamed"_s)));
    QCOMPARE(value(files().read(place(u"renamed/moved"_s))), "new"_ba);
}

void FileContract::modesAreChangedAndKept()
{
    value(files().write(place(u"mode"_s), "1"_ba));
    value(files().chmod(place(u"mode"_s), 0751));
    QCOMPARE(value(files().stat(place(u"mode"_s))).mode, 0751U);
    value(files().write(place(u"mode"_s), "2"_ba));
    QCOMPARE(value(files().stat(place(u"mode"_s))).mode, 0751U);
}

void FileContract::aDirectoryIsNoFile()
{
    failsAs(ErrorKind::FileSystemError, files().read(m_directory));
    failsAs(ErrorKind::FileSystemError, files().write(m_directory, "x"_ba));
    value(files().write(place(u"file"_s), "x"_ba));
    failsAs(ErrorKind::FileSystemError, files().ls(place(u"file"_s)));
    failsAs(ErrorKind::FileSystemError, files().read(place(u"file/below"_s)));
}

void FileContract::aLongFileIsNotReadPastTheLimit()
{
    value(files().write(place(u"long"_s), QByteArray(1001, 'x')));
    QCOMPARE(value(files().read(place(u"long"_s), 1001)).size(), 1001);
    failsAs(ErrorKind::FileSystemError, files().read(place(u"long"_s), 1000));
}

void FileContract::aWriteReplacesTheWholeFile()
{
    value(files().write(place(u"file"_s), QByteArray(10'000, 'a')));
    value(files().write(place(u"file"_s), "short"_ba));
    QCOMPARE(value(files().read(place(u"file"_s))), "short"_ba);
    QCOMPARE(value(files().ls(m_directory)).size(), 1); // nothing beside it
}

void FileContract::aLinkIsSeenAndFollowed()
{
    const auto &link = need(subject.commands.makeSymbolicLink, "command `makeSymbolicLink`");
    value(files().write(place(u"target"_s), "behind"_ba));
    QCOMPARE(run(link(u"target"_s, place(u"link"_s))).exitCode, 0);
    const FileInfo info = value(files().stat(place(u"link"_s)));
    QCOMPARE(info.type, FileInfo::Type::SymbolicLink);
    QCOMPARE(info.linkTarget, u"target"_s);
    QCOMPARE(value(files().read(place(u"link"_s))), "behind"_ba);
    QCOMPARE(run(link(u"nowhere"_s, place(u"broken"_s))).exitCode, 0);
    QCOMPARE(value(files().stat(place(u"broken"_s))).type, FileInfo::Type::SymbolicLink);
    failsAs(ErrorKind::PathNotFound, files().read(place(u"broken"_s)));
}

void FileContract::removingALinkLeavesItsTarget()
{
    const auto &link = need(subject.commands.makeSymbolicLink, "command `makeSymbolicLink`");
    value(files().mkdir(place(u"kept"_s)));
    value(files().write(place(u"kept/file"_s), "kept"_ba));
    QCOMPARE(run(link(place(u"kept"_s), place(u"link"_s))).exitCode, 0);
    value(files().remove(place(u"link"_s), true));
    QCOMPARE(value(files().read(place(u"kept/file"_s))), "kept"_ba);
}

std::unique_ptr<ContractFamily> makeFileContract(ContractSubject &subject, const QString &label)
{
    return std::make_unique<FileContract>(subject, label);
}

} // namespace Sandboxio

#include "files.moc"
