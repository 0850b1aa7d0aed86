// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

#include <sandboxio/runtime/scopedsandbox.h>

#include <QFile>
#include <QJsonDocument>
#include <QTemporaryDir>

namespace Sandboxio {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

const QString recordCanary = u"recordCanary-1618033988"_s;

/*! What an operation did, as its caller saw it, and what its record must say. */
struct Done
{
    RecordEvent event;
    OperationOutcome outcome;
    QString errorCode; // of an error

    bool operator==(const Done &) const = default;
};

QString textOf(const QList<Done> &all)
{
    QStringList lines;
    for (const Done &done : all)
        lines.append(recordEventName(done.event) + u" ended as "_s + outcomeName(done.outcome) + u' ' +
                     done.errorCode);
    return lines.join(u", "_s);
}

} // namespace

/*! Records: one for each operation, true, and free of secrets. */
class RecordContract final : public ContractFamily
{
    Q_OBJECT
public:
    using ContractFamily::ContractFamily;

private Q_SLOTS:
    void everyOperationMakesOneRecord_data();
    void everyOperationMakesOneRecord();
    void recordsNameTheirSandbox();
    void recordsHoldNoSecret();

private:
    using Acts = void (RecordContract::*)(const SandboxPtr &own);

    /*! The records of everything that \a acts does in a sandbox \a with these options. Its engine is gone, so
        nothing can follow. */
    QList<OperationRecord> recordsOf(const CreateOptions &with,
                                     const std::function<void(const SandboxPtr &own)> &acts);
    /*! Waits for \a operation, which may need \a time. */
    template <typename T>
    void note(RecordEvent event, const Operation<T> &operation, std::chrono::milliseconds time = 0ms)
    {
        endedAfter(time + engine().teardownGrace(), operation);
        const bool failed = operation.outcome() == OperationOutcome::Error;
        m_done.append({event, operation.outcome(), failed ? operation.error().code() : QString()});
    }
    void noteStream(RecordEvent event, const std::unique_ptr<Process> &process, bool kills = false);
    void doRuns(const SandboxPtr &own);
    void doCode(const SandboxPtr &own);
    void doStreams(const SandboxPtr &own);
    void doFiles(const SandboxPtr &own);
    void doTransfers(const SandboxPtr &own);

    QList<Done> m_done; // in the order of the ends
};

QList<OperationRecord> RecordContract::recordsOf(const CreateOptions &with,
                                                 const std::function<void(const SandboxPtr &own)> &acts)
{
    m_done.clear();
    subject.records->clear();
    QString id;
    {
        const std::unique_ptr<Engine> audited = anotherEngine();
        const SandboxPtr own = value(audited->create(target(), with));
        const ScopedSandbox scope(own);
        id = own->id();
        acts(own);
        check(!m_done.isEmpty(), u"nothing was done"_s);
    }
    const QList<OperationRecord> records = subject.records->recordsOf(id);
    check(!records.isEmpty(),
          u"no record has come; engineOptions() must start from ContractSubject::engineOptions()"_s);
    return records;
}

void RecordContract::noteStream(RecordEvent event, const std::unique_ptr<Process> &process, bool kills)
{
    const std::shared_ptr<RunEnd> end = endOf(*process);
    ended(process->start(Process::ConsumerMode::Discard));
    if (kills)
        endedAfter(engine().teardownGrace(), process->kill());
    check(pass(engine().teardownGrace(), [&] { return end->count > 0; }), u"the stream did not end"_s);
    m_done.append({event, end->error ? OperationOutcome::Error : OperationOutcome::Value,
                   end->error ? end->error->code() : QString()});
}

void RecordContract::doRuns(const SandboxPtr &own)
{
    RunOptions refused;
    refused.timeout = 0ms;
    RunOptions limited;
    limited.timeout = subject.shortLimit;
    note(RecordEvent::Run, own->run(print(u"x"_s)));
    note(RecordEvent::Run, own->run(need(subject.commands.exitWith, "command `exitWith`")(3)));
    note(RecordEvent::Run, own->run({u"no-such-program"_s}));
    note(RecordEvent::Run, own->run(print(u"x"_s), refused));
    note(RecordEvent::Run, own->run(hang(), limited), subject.shortLimit);
    const Operation<ExecResult> run = own->run(hang());
    letPass(20ms);
    run.cancel();
    note(RecordEvent::Run, run);
}

void RecordContract::doCode(const SandboxPtr &own)
{
    RunCodeOptions unknown;
    unknown.language = u"cobol"_s;
    note(RecordEvent::RunCode, own->runCode(need(subject.code.print, "code `print`")(u"x"_s)));
    note(RecordEvent::RunCode, own->runCode(need(subject.code.raise, "code `raise`")()));
    note(RecordEvent::RunCode, own->runCode(u"1"_s, unknown));
    const Operation<ExecResult> run = own->runCode(need(subject.code.hang, "code `hang`")(600));
    letPass(20ms);
    run.cancel();
    note(RecordEvent::RunCode, run);
    if (own->capabilities().testFlag(Capability::Streaming))
        noteStream(RecordEvent::StreamCode, own->streamCode(subject.code.print(u"x"_s)));
}

void RecordContract::doStreams(const SandboxPtr &own)
{
    noteStream(RecordEvent::Stream, own->stream(print(u"x"_s)));
    noteStream(RecordEvent::Stream, own->stream(need(subject.commands.exitWith, "command `exitWith`")(3)));
    noteStream(RecordEvent::Stream, own->stream(hang()), true);
}

void RecordContract::doFiles(const SandboxPtr &own)
{
    const FileSystem files = own->files();
    note(RecordEvent::MakeDirectory, files.mkdir(u"/tmp/records"_s, true));
    note(RecordEvent::WriteFile, files.write(u"/tmp/records/a"_s, "content"_ba));
    note(RecordEvent::WriteFile, files.write(u"/tmp/no-such-directory/a"_s, "content"_ba));
    note(RecordEvent::ReadFile, files.read(u"/tmp/records/a"_s));
    note(RecordEvent::ReadFile, files.read(u"/tmp/records/missing"_s));
    note(RecordEvent::ListDirectory, files.ls(u"/tmp/records"_s));
    note(RecordEvent::StatFile, files.stat(u"/tmp/records/a"_s));
    note(RecordEvent::ChangeMode, files.chmod(u"/tmp/records/a"_s, 0600));
    note(RecordEvent::MoveFile, files.move(u"/tmp/records/a"_s, u"/tmp/records/b"_s));
    note(RecordEvent::RemoveFile, files.remove(u"/tmp/records"_s, true));
}

void RecordContract::doTransfers(const SandboxPtr &own)
{
    const QTemporaryDir folder;
    QFile file(folder.filePath(u"there"_s));
    check(file.open(QIODevice::WriteOnly) && file.write("content") == 7, file.errorString());
    file.close();
    const FileSystem files = own->files();
    note(RecordEvent::Upload, files.upload(file.fileName(), u"/tmp/uploaded"_s));
    note(RecordEvent::Upload, files.upload(folder.filePath(u"missing"_s), u"/tmp/uploaded"_s));
    note(RecordEvent::Download, files.download(u"/tmp/uploaded"_s, folder.filePath(u"back"_s)));
    note(RecordEvent::Download, files.download(u"/tmp/missing"_s, folder.filePath(u"nothing"_s)));
}

void RecordContract::everyOperationMakesOneRecord_data()
{
    QTest::addColumn<Capability>("needed");
    QTest::addColumn<Acts>("acts");
    QTest::newRow("runs") << Capability::RunCommand << &RecordContract::doRuns;
    QTest::newRow("code") << Capability::RunCode << &RecordContract::doCode;
    QTest::newRow("streams") << Capability::Streaming << &RecordContract::doStreams;
    QTest::newRow("files") << Capability::FileSystem << &RecordContract::doFiles;
    QTest::newRow("transfers") << Capability::UploadDownload << &RecordContract::doTransfers;
}

void RecordContract::everyOperationMakesOneRecord()
{
    QFETCH(Capability, needed);
    QFETCH(Acts, acts);
    needCapability(needed);
    const QList<OperationRecord> records =
        recordsOf(options(), [&](const SandboxPtr &own) { (this->*acts)(own); });
    QList<Done> recorded;
    for (const OperationRecord &record : records)
        recorded.append({record.event, record.outcome, record.error ? record.error->code() : QString()});
    check(recorded == m_done, u"done: %1; recorded: %2"_s.arg(textOf(m_done), textOf(recorded)));
}

void RecordContract::recordsNameTheirSandbox()
{
    needCapability(Capability::RunCommand);
    CreateOptions with = options();
    with.metadata.insert(u"tenant"_s, u"one"_s);
    const bool hasFiles = sandbox()->capabilities().testFlag(Capability::FileSystem);
    const QList<OperationRecord> records = recordsOf(with, [&](const SandboxPtr &own) {
        note(RecordEvent::Run, own->run(print(u"x"_s)));
        note(RecordEvent::Run, own->run(print(u"y"_s)));
        if (hasFiles)
            note(RecordEvent::ListDirectory, own->files().ls());
    });
    QCOMPARE(records.size(), m_done.size());
    for (const OperationRecord &record : records) {
        QCOMPARE(record.target.identity(), target().identity());
        QCOMPARE(record.tier, sandbox()->isolation());
        QCOMPARE(record.metadata, with.metadata);
        QVERIFY(record.time.isValid() && record.duration >= 0ns);
    }
    QCOMPARE(records[0].argv, print(u"x"_s).arguments());
    QCOMPARE(records[1].argv, print(u"y"_s).arguments());
}

void RecordContract::recordsHoldNoSecret()
{
    needCapability(Capability::RunCommand);
    CreateOptions with = options();
    with.secrets = {{u"CONTRACT_TOKEN"_s, Secret(recordCanary.toUtf8())}};
    const bool hasFiles = sandbox()->capabilities().testFlag(Capability::FileSystem);
    const QList<OperationRecord> records = recordsOf(with, [&](const SandboxPtr &own) {
        note(RecordEvent::Run, own->run(print(recordCanary)));
        note(RecordEvent::Run, own->run({u"no-such-program"_s, recordCanary}));
        if (hasFiles)
            note(RecordEvent::ReadFile, own->files().read(u"/tmp/"_s + recordCanary));
    });
    QCOMPARE(records.size(), m_done.size());
    for (const OperationRecord &record : records) {
        const QByteArray text = QJsonDocument(record.toJson()).toJson() + QDebug::toString(record).toUtf8() +
                                record.error.value_or(ErrorInfo()).cause.value_or(ErrorCause()).text.toUtf8();
        check(!text.contains("1618033988") && !text.contains(recordCanary.toUtf8().toBase64()),
              u"the secret is in the record of "_s + recordEventName(record.event));
    }
}

std::unique_ptr<ContractFamily> makeRecordContract(ContractSubject &subject, const QString &label)
{
    return std::make_unique<RecordContract>(subject, label);
}

} // namespace Sandboxio

#include "records.moc"
