// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
// Tests transfers with a sandbox that lies: nothing may be written beside the folder that is made, and what differs from
// what was copied is told where somebody compares.
#include "barebackend.h"
#include "support/testprogram.h"

#include <sandboxio/core/path.h>
#include <sandboxio/runtime/engine.h>
#include <sandboxio/runtime/sandbox.h>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

using Type = FileInfo::Type;

class LyingReader final : public FileReaderPort
{
public:
    explicit LyingReader(QByteArray content)
        : m_content(std::move(content))
    {}
    std::optional<qint64> size() const override { return 4; }
    Operation<QByteArray> read(qint64) override { return finishedOperation(std::exchange(m_content, {})); }

private:
    QByteArray m_content;
};

/*! Forgets what is written. */
class LyingWriter final : public FileWriterPort
{
public:
    Operation<void> write(const QByteArray &) override { return finishedOperation(); }
    Operation<void> commit() override { return finishedOperation(); }
    Operation<void> abort() override { return finishedOperation(); }
};

/*! Says of every path that it is a directory, and of the first one that \a entries are in it. What a file contains is
    another thing each time. */
class LyingFiles final : public FileSystemPort
{
public:
    explicit LyingFiles(QList<FileInfo> entries)
        : m_entries(std::move(entries))
    {}
    Operation<FileInfo> stat(const QString &path) override
    {
        return finishedOperation(FileInfo{.path = path, .type = Type::Directory});
    }
    Operation<QList<FileInfo>> list(const QString &) override
    {
        return finishedOperation(std::exchange(m_entries, {}));
    }
    Operation<std::shared_ptr<FileReaderPort>> openRead(const QString &path) override
    {
        if (path == u"/top")
            return failedOperation<std::shared_ptr<FileReaderPort>>(
                makeError(ErrorKind::FileSystemError, u"It is a directory."_s));
        return finishedOperation<std::shared_ptr<FileReaderPort>>(
            std::make_shared<LyingReader>(m_reads++ % 2 == 0 ? "evil"_ba : "good"_ba));
    }
    Operation<std::shared_ptr<FileWriterPort>> openWrite(const QString &, std::optional<quint32>) override
    {
        return finishedOperation<std::shared_ptr<FileWriterPort>>(std::make_shared<LyingWriter>());
    }
    Operation<void> makeDirectory(const QString &, bool) override { return finishedOperation(); }
    Operation<void> remove(const QString &, bool) override { return finishedOperation(); }
    Operation<void> move(const QString &, const QString &) override { return finishedOperation(); }
    Operation<void> changeMode(const QString &, quint32) override { return finishedOperation(); }

private:
    QList<FileInfo> m_entries;
    int m_reads = 0;
};

class LyingSandbox final : public BareSandbox
{
public:
    explicit LyingSandbox(const QList<FileInfo> &entries)
        : m_files(entries)
    {}
    SandboxDetails details() const override
    {
        SandboxDetails details;
        details.capabilities = Capability::FileSystem | Capability::UploadDownload;
        return details;
    }
    FileSystemPort *files() override { return &m_files; }

private:
    LyingFiles m_files;
};

class LyingBackend final : public BareBackend
{
public:
    explicit LyingBackend(QList<FileInfo> entries)
        : m_entries(std::move(entries))
    {}
    Operation<std::shared_ptr<SandboxPort>> create(const CreatePlan &) override
    {
        return finishedOperation<std::shared_ptr<SandboxPort>>(std::make_shared<LyingSandbox>(m_entries));
    }

private:
    QList<FileInfo> m_entries;
};

FileInfo entry(const QByteArray &name, Type type, const QString &target = {})
{
    FileInfo info{.name = decodePath(name), .type = type, .size = 4};
    if (!target.isEmpty())
        info.linkTarget = target;
    return info;
}

} // namespace

class TestFolderTransfer : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::unique_ptr<Engine> m_engine;

    SandboxPtr lyingSandbox(const QList<FileInfo> &entries = {})
    {
        m_engine = std::make_unique<Engine>();
        m_engine->registerBackend(u"lying"_s, [entries](EngineContext &, const Target &) {
            return std::make_unique<LyingBackend>(entries);
        });
        const Operation<SandboxPtr> creation = m_engine->create(Target::fromDsn(u"lying://"_s));
        return creation.waitFor(5s) ? creation.result() : nullptr;
    }
    QString localFile(const QByteArray &content)
    {
        QFile file(m_folder.filePath(u"local"_s));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("no file can be made");
        return file.fileName();
    }

private Q_SLOTS:
    void cleanup() { m_engine.reset(); }

    void noNameLeadsOutOfTheFolder_data()
    {
        QTest::addColumn<QList<FileInfo>>("entries");
        const auto row = [](const char *name, const QList<FileInfo> &entries) {
            QTest::newRow(name) << entries;
        };
        row("a file in the parent", {entry("../victim", Type::File)});
        row("the parent as a directory", {entry("..", Type::Directory), entry("victim", Type::File)});
        row("the folder itself", {entry(".", Type::Directory)});
        row("a path below a directory", {entry("a", Type::Directory), entry("a/b", Type::File)});
        row("an absolute path", {entry("/victim", Type::File)});
        row("no name", {entry("", Type::File)});
        row("a name that ends early", {entry(QByteArray("a\0b", 3), Type::File)});
        row("a file through a link that came before",
            {entry("x", Type::SymbolicLink, u"../victim"_s), entry("x", Type::File)});
        row("a directory through a link that came before",
            {entry("x", Type::SymbolicLink, u".."_s), entry("x", Type::Directory)});
        row("a link in the place of a directory",
            {entry("x", Type::Directory), entry("x", Type::SymbolicLink, u".."_s)});
        row("a device", {entry("x", Type::Other)});
    }

    void noNameLeadsOutOfTheFolder()
    {
        QFETCH(const QList<FileInfo>, entries);
        const QTemporaryDir here;
        QFile victim(here.filePath(u"victim"_s));
        QVERIFY(victim.open(QIODevice::WriteOnly) && victim.write("good") == 4);
        victim.close();
        const SandboxPtr sandbox = lyingSandbox(entries);
        QVERIFY(sandbox);
        const Operation<void> download = sandbox->files().download(u"/top"_s, here.filePath(u"copy"_s));
        QVERIFY(download.waitFor(5s));
        QCOMPARE(download.outcome(), OperationOutcome::Error);
        QCOMPARE(download.error().kind, ErrorKind::FileSystemError);
        QVERIFY(!download.error().hint.isEmpty());
        QCOMPARE(
            QDir(here.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot),
            QStringList{u"victim"_s});
        QVERIFY(victim.open(QIODevice::ReadOnly));
        QCOMPARE(victim.readAll(), "good"_ba);
    }

    void whatDiffersIsToldWhereItIsCompared_data()
    {
        QTest::addColumn<bool>("isCompared");
        QTest::newRow("compared") << true;
        QTest::newRow("not compared") << false;
    }

    void whatDiffersIsToldWhereItIsCompared()
    {
        QFETCH(const bool, isCompared);
        TransferOptions options;
        options.verification = isCompared ? TransferVerification::Content : TransferVerification::None;
        const SandboxPtr sandbox = lyingSandbox();
        QVERIFY(sandbox);
        const Operation<void> upload = sandbox->files().upload(localFile("good"), u"/there"_s, options);
        QVERIFY(upload.waitFor(5s));
        const QString back = m_folder.filePath(isCompared ? u"back"_s : u"back, not compared"_s);
        const Operation<void> download = sandbox->files().download(u"/there"_s, back, options);
        QVERIFY(download.waitFor(5s));
        for (const Operation<void> &transfer : {upload, download}) {
            QCOMPARE(transfer.outcome(), isCompared ? OperationOutcome::Error : OperationOutcome::Value);
            if (isCompared) {
                QCOMPARE(transfer.error().kind, ErrorKind::FileSystemError);
                QVERIFY(transfer.error().message.contains(u"SHA-256"));
            }
        }
        QCOMPARE(QFile::exists(back), !isCompared);
    }

    void oneModeIsNotForAFolder()
    {
        const SandboxPtr sandbox = lyingSandbox();
        QVERIFY(sandbox);
        TransferOptions options;
        options.mode = 0600;
        const Operation<void> upload = sandbox->files().upload(m_folder.path(), u"/there"_s, options);
        QVERIFY(upload.waitFor(5s));
        QCOMPARE(upload.outcome(), OperationOutcome::Error);
        QCOMPARE(upload.error().kind, ErrorKind::ConfigurationError);
        QVERIFY(!upload.error().hint.isEmpty());
    }
};

SANDBOXIO_TEST(TestFolderTransfer)
#include "tst_foldertransfer.moc"
