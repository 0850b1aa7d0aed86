// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/fake/fakescript.h>
#include <sandboxio/runtime/engine.h>
#include <sandboxio/runtime/recordsinks.h>

#include <QCryptographicHash>
#include <QJsonArray>
#include <QSemaphore>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <tuple>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using Act = std::function<void(const SandboxPtr &sandbox)>;
using End = std::optional<RunOutcome>;

Q_DECLARE_METATYPE(Act)
Q_DECLARE_METATYPE(End)
Q_DECLARE_METATYPE(RecordEvent)
Q_DECLARE_METATYPE(OperationOutcome)

namespace {

constexpr auto discard = Process::ConsumerMode::Discard;

template <typename T>
void expectError(const Operation<T> &operation)
{
    QVERIFY_THROWS_EXCEPTION(SandboxError, operation.result());
}

// Cancels \a start's operation before the engine has begun with it.
template <typename Start>
void cancelInTime(const SandboxPtr &sandbox, Start start)
{
    QSemaphore gate;
    const Operation<void> hold = sandbox->withNative([&gate](void *) { gate.acquire(); });
    const auto operation = start();
    operation.cancel();
    gate.release();
    QVERIFY_THROWS_EXCEPTION(OperationCancelled, operation.result());
    hold.result();
}

void finish(const std::unique_ptr<Process> &process)
{
    process->start(discard).result();
    QVERIFY(process->wait().waitFor(5s));
}

QString localFile(const QTemporaryDir &folder, const QByteArray &content)
{
    const QString path = folder.filePath(u"local"_s);
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        qFatal("The test cannot write its file.");
    return path;
}

} // namespace

class TestRecords : public QObject
{
    Q_OBJECT
    std::shared_ptr<Fake::Script> m_script;
    std::shared_ptr<RecordQueue> m_queue;
    QTemporaryDir m_folder;

    std::unique_ptr<Engine> makeEngine(bool includeCode = false)
    {
        EngineOptions options;
        options.stateDirectory = QString();
        options.records = {.sinks = {m_queue}, .timeout = {}, .includeCode = includeCode};
        auto engine = std::make_unique<Engine>(options);
        engine->registerBackend(u"fake"_s, Fake::factory(m_script));
        return engine;
    }
    // The records of everything that \a act does; the engine is gone, so nothing can follow.
    QList<OperationRecord> recordsOf(const Act &act, bool includeCode = false)
    {
        {
            const auto engine = makeEngine(includeCode);
            const SandboxPtr sandbox =
                engine->create(Target::fromDsn(u"fake://base"_s), {.metadata = {{u"tenant"_s, u"t-1"_s}}})
                    .result();
            act(sandbox);
        }
        return m_queue->take();
    }
    void addRunRows();
    void addStreamRows();
    void addFileRows();

private Q_SLOTS:
    void init()
    {
        m_script = std::make_shared<Fake::Script>();
        m_queue = std::make_shared<RecordQueue>();
    }
    void eachOperationLeavesOne_data();
    void eachOperationLeavesOne();
    void aReadThatIsCancelled();
    void bytesOfFiles();
    void theRecordNamesItsSandbox();
    void codeIsAHashUnlessAskedFor();
    void refusalsAreDenials();
    void nothingElseLeavesARecord();
    void aThousandRunsLeaveAThousand();
    void destroyingTheEngineRecordsWhatItCancels();
    void theJsonFormIsStable();
};

void TestRecords::addRunRows()
{
    const auto row = [](const char *name, RecordEvent event, OperationOutcome outcome, const End &end,
                        qint64 in, qint64 out, const Act &act) {
        QTest::newRow(name) << event << outcome << end << in << out << act;
    };
    using Kind = RunOutcome::Kind;
    using enum OperationOutcome;
    row("a run that succeeds", RecordEvent::Run, Value, RunOutcome{Kind::Exited, 0}, 0, 3,
        [](const SandboxPtr &s) { s->run({u"echo"_s, u"hi"_s}).result(); });
    row("a run that exits 3", RecordEvent::Run, Value, RunOutcome{Kind::Exited, 3}, 0, 0,
        [](const SandboxPtr &s) { s->run(Command::shell(u"exit 3"_s)).result(); });
    row("a run with input", RecordEvent::Run, Value, RunOutcome{Kind::Exited, 0}, 5, 5,
        [](const SandboxPtr &s) { s->run({u"cat"_s}, {.standardInput = "hello"_ba}).result(); });
    row("a run that cannot start", RecordEvent::Run, Error, RunOutcome{Kind::Unknown, 0}, 0, 0,
        [](const SandboxPtr &s) { expectError(s->run({u"no-such-program"_s})); });
    row("a run that is refused", RecordEvent::Run, Error, End(), 0, 0,
        [](const SandboxPtr &s) { expectError(s->run({u"true"_s}, {.timeout = 0s})); });
    row("a run that is cancelled", RecordEvent::Run, Cancelled, RunOutcome{Kind::Cancelled, 0}, 0, 0,
        [](const SandboxPtr &s) {
            const auto run = s->run({u"sleep"_s, u"600"_s});
            run.cancel();
            QVERIFY_THROWS_EXCEPTION(OperationCancelled, run.result());
        });
    row("a run that takes too long", RecordEvent::Run, Error, RunOutcome{Kind::TimedOut, 0}, 0, 0,
        [](const SandboxPtr &s) { expectError(s->run({u"sleep"_s, u"600"_s}, {.timeout = 30ms})); });
    row("a run whose operation is dropped", RecordEvent::Run, Value, RunOutcome{Kind::Exited, 0}, 0, 3,
        [](const SandboxPtr &s) {
            std::ignore = s->run({u"echo"_s, u"hi"_s});
            QTest::qWait(50);
        });
    row("a run in a sandbox that is gone", RecordEvent::Run, Error, RunOutcome{Kind::SandboxGone, 0}, 0, 0,
        [](const SandboxPtr &s) {
            s->kill().result();
            expectError(s->run({u"true"_s}));
        });
    row("code that succeeds", RecordEvent::RunCode, Value, RunOutcome{Kind::Exited, 0}, 0, 3,
        [](const SandboxPtr &s) { s->runCode(u"print('hi')"_s).result(); });
    row("code that raises", RecordEvent::RunCode, Value, RunOutcome{Kind::Exited, 1}, 0, -1,
        [](const SandboxPtr &s) { s->runCode(u"raise ValueError('x')"_s).result(); });
    row("code in an unknown language", RecordEvent::RunCode, Error, RunOutcome{Kind::Unknown, 0}, 0, 0,
        [](const SandboxPtr &s) { expectError(s->runCode(u"1"_s, {.language = u"cobol"_s})); });
    row("code that takes too long", RecordEvent::RunCode, Error, RunOutcome{Kind::TimedOut, 0}, 0, 0,
        [](const SandboxPtr &s) {
            expectError(s->runCode(u"import time; time.sleep(600)"_s, {.timeout = 30ms}));
        });
}

void TestRecords::addStreamRows()
{
    const auto row = [](const char *name, RecordEvent event, OperationOutcome outcome, const End &end,
                        qint64 in, qint64 out, const Act &act) {
        QTest::newRow(name) << event << outcome << end << in << out << act;
    };
    using Kind = RunOutcome::Kind;
    using enum OperationOutcome;
    row("a stream that succeeds", RecordEvent::Stream, Value, RunOutcome{Kind::Exited, 0}, 0, 3,
        [](const SandboxPtr &s) { finish(s->stream({u"echo"_s, u"hi"_s})); });
    row("a stream that is written to", RecordEvent::Stream, Value, RunOutcome{Kind::Exited, 0}, 5, 5,
        [](const SandboxPtr &s) {
            const auto process = s->stream({u"cat"_s});
            process->start(discard).result();
            process->write("hello"_ba).result();
            process->closeWrite().result();
            process->wait().result();
        });
    row("a stream that cannot start", RecordEvent::Stream, Error, RunOutcome{Kind::Unknown, 0}, 0, 0,
        [](const SandboxPtr &s) {
            const auto process = s->stream({u"no-such-program"_s});
            expectError(process->start(discard));
        });
    row("a stream that is refused", RecordEvent::Stream, Error, End(), 0, 0, [](const SandboxPtr &s) {
        QVERIFY_THROWS_EXCEPTION(ConfigurationError, s->stream({u"true"_s}, {.timeout = -1s}));
    });
    row("a stream that is killed", RecordEvent::Stream, Value, RunOutcome{Kind::Killed, 0}, 0, 0,
        [](const SandboxPtr &s) {
            const auto process = s->stream({u"sleep"_s, u"600"_s});
            process->start(discard).result();
            process->kill().result();
        });
    row("a stream that takes too long", RecordEvent::Stream, Error, RunOutcome{Kind::TimedOut, 0}, 0, 0,
        [](const SandboxPtr &s) { finish(s->stream({u"sleep"_s, u"600"_s}, {.timeout = 30ms})); });
    row("a stream that is dropped", RecordEvent::Stream, Value, RunOutcome{Kind::Killed, 0}, 0, 0,
        [](const SandboxPtr &s) { s->stream({u"sleep"_s, u"600"_s})->start(discard).result(); });
    row("streamed code", RecordEvent::StreamCode, Value, RunOutcome{Kind::Exited, 0}, 0, 3,
        [](const SandboxPtr &s) { finish(s->streamCode(u"print('hi')"_s)); });
    row("streamed code that is refused", RecordEvent::StreamCode, Error, End(), 0, 0, [](const SandboxPtr &s) {
        QVERIFY_THROWS_EXCEPTION(ConfigurationError, s->streamCode(u"1"_s, {.timeout = 0s}));
    });
}

void TestRecords::addFileRows()
{
    const auto row = [](const char *name, RecordEvent event, OperationOutcome outcome, qint64 in, qint64 out,
                        const Act &act) {
        QTest::newRow(name) << event << outcome << End() << in << out << act;
    };
    using enum OperationOutcome;
    row("a file that is written", RecordEvent::WriteFile, Value, 5, 0,
        [](const SandboxPtr &s) { s->files().write(u"a"_s, "hello"_ba).result(); });
    row("a write that is cancelled", RecordEvent::WriteFile, Cancelled, 0, 0,
        [](const SandboxPtr &s) { cancelInTime(s, [&] { return s->files().write(u"a"_s, "hello"_ba); }); });
    row("a write without its folder", RecordEvent::WriteFile, Error, 0, 0,
        [](const SandboxPtr &s) { expectError(s->files().write(u"no/a"_s, "hello"_ba)); });
    row("a read of nothing", RecordEvent::ReadFile, Error, 0, 0,
        [](const SandboxPtr &s) { expectError(s->files().read(u"missing"_s)); });
    row("an upload", RecordEvent::Upload, Value, 7, 0,
        [this](const SandboxPtr &s) { s->files().upload(localFile(m_folder, "content"_ba), u"b"_s).result(); });
    row("an upload of nothing", RecordEvent::Upload, Error, 0, 0,
        [](const SandboxPtr &s) { expectError(s->files().upload(u"/nowhere/x"_s, u"b"_s)); });
    row("a download of nothing", RecordEvent::Download, Error, 0, 0, [this](const SandboxPtr &s) {
        expectError(s->files().download(u"missing"_s, m_folder.filePath(u"out"_s)));
    });
    row("a listing", RecordEvent::ListDirectory, Value, 0, 0,
        [](const SandboxPtr &s) { s->files().ls().result(); });
    row("a look at nothing", RecordEvent::StatFile, Error, 0, 0,
        [](const SandboxPtr &s) { expectError(s->files().stat(u"missing"_s)); });
    row("a new folder", RecordEvent::MakeDirectory, Value, 0, 0,
        [](const SandboxPtr &s) { s->files().mkdir(u"d"_s).result(); });
    row("a removal of nothing", RecordEvent::RemoveFile, Error, 0, 0,
        [](const SandboxPtr &s) { expectError(s->files().remove(u"missing"_s)); });
    row("a move of nothing", RecordEvent::MoveFile, Error, 0, 0,
        [](const SandboxPtr &s) { expectError(s->files().move(u"missing"_s, u"x"_s)); });
    row("a watch that is let go of", RecordEvent::Watch, Cancelled, 0, 0, [](const SandboxPtr &s) {
        const auto watcher = s->files().watch(u"/"_s);
        QVERIFY(QSignalSpy(watcher.get(), &FileWatcher::started).wait());
    });
    row("a watch of nothing", RecordEvent::Watch, Error, 0, 0, [](const SandboxPtr &s) {
        const auto watcher = s->files().watch(u"missing"_s);
        QVERIFY(QSignalSpy(watcher.get(), &FileWatcher::failed).wait());
    });
    row("a mode for nothing", RecordEvent::ChangeMode, Error, 0, 0,
        [](const SandboxPtr &s) { expectError(s->files().chmod(u"missing"_s, 0600)); });
}

void TestRecords::eachOperationLeavesOne_data()
{
    QTest::addColumn<RecordEvent>("event");
    QTest::addColumn<OperationOutcome>("outcome");
    QTest::addColumn<End>("end");
    QTest::addColumn<qint64>("bytesIn");
    QTest::addColumn<qint64>("bytesOut"); // -1: whatever came
    QTest::addColumn<Act>("act");
    addRunRows();
    addStreamRows();
    addFileRows();
}

void TestRecords::eachOperationLeavesOne()
{
    QFETCH(const Act, act);
    const QList<OperationRecord> records = recordsOf(act);
    QCOMPARE(records.size(), 1);
    const OperationRecord &record = records.first();
    QTEST(record.event, "event");
    QTEST(record.outcome, "outcome");
    QTEST(record.end, "end");
    QTEST(record.bytesIn, "bytesIn");
    QFETCH(const qint64, bytesOut);
    QVERIFY2(bytesOut < 0 ? record.bytesOut > 0 : record.bytesOut == bytesOut,
             QByteArray::number(record.bytesOut).constData());
    QCOMPARE(record.error.has_value(), record.outcome == OperationOutcome::Error);
    QVERIFY(record.duration >= 0ns);
}

void TestRecords::aReadThatIsCancelled()
{
    const QList<OperationRecord> records = recordsOf([](const SandboxPtr &s) {
        s->files().write(u"a"_s, "hello"_ba).result();
        cancelInTime(s, [&] { return s->files().read(u"a"_s); });
    });
    QCOMPARE(records.size(), 2);
    QCOMPARE(records.last().event, RecordEvent::ReadFile);
    QCOMPARE(records.last().outcome, OperationOutcome::Cancelled);
    QCOMPARE(records.last().bytesOut, 0);
}

void TestRecords::bytesOfFiles()
{
    const QList<OperationRecord> records = recordsOf([this](const SandboxPtr &s) {
        const FileSystem files = s->files();
        files.upload(localFile(m_folder, "content"_ba), u"a"_s).result();
        files.chmod(u"a"_s, 0600).result();
        files.move(u"a"_s, u"b"_s).result();
        files.stat(u"b"_s).result();
        files.read(u"b"_s).result();
        files.download(u"b"_s, m_folder.filePath(u"copy"_s)).result();
        files.remove(u"b"_s).result();
    });
    using enum RecordEvent;
    const QList<std::tuple<RecordEvent, qint64, qint64>> expected{
        {Upload, 7, 0},   {ChangeMode, 0, 0}, {MoveFile, 0, 0},  {StatFile, 0, 0},
        {ReadFile, 0, 7}, {Download, 0, 7},   {RemoveFile, 0, 0}};
    QList<std::tuple<RecordEvent, qint64, qint64>> seen;
    for (const OperationRecord &record : records) {
        QCOMPARE(record.outcome, OperationOutcome::Value);
        seen.append({record.event, record.bytesIn, record.bytesOut});
    }
    QVERIFY(seen == expected);
}

void TestRecords::theRecordNamesItsSandbox()
{
    QString id;
    const QDateTime before = QDateTime::currentDateTimeUtc();
    const QList<OperationRecord> records = recordsOf([&id](const SandboxPtr &s) {
        id = s->id();
        s->run({u"echo"_s, u"hi"_s}).result();
        s->files().move(u"missing"_s, u"elsewhere"_s).waitFor(5s);
    });
    QCOMPARE(records.size(), 2);
    for (const OperationRecord &record : records) {
        QCOMPARE(record.sandboxId, id);
        QCOMPARE(record.target.backend, u"fake"_s);
        QCOMPARE(record.tier, IsolationTier::Container);
        QCOMPARE(record.metadata.value(u"tenant"_s), u"t-1"_s);
        QVERIFY(record.time >= before && record.time <= QDateTime::currentDateTimeUtc());
    }
    QCOMPARE(records.at(0).argv, (QStringList{u"echo"_s, u"hi"_s}));
    QCOMPARE(records.at(1).paths, (QStringList{u"missing"_s, u"elsewhere"_s}));
    QCOMPARE(records.at(1).error->code(), u"SBX_E1701"_s);
}

void TestRecords::codeIsAHashUnlessAskedFor()
{
    const QString code = u"print('hi')"_s;
    const Act act = [&code](const SandboxPtr &s) {
        s->runCode(code).result();
    };
    const QString hash =
        QString::fromLatin1(QCryptographicHash::hash(code.toUtf8(), QCryptographicHash::Sha256).toHex());
    const OperationRecord without = recordsOf(act).value(0);
    QCOMPARE(without.codeSha256, hash);
    QCOMPARE(without.language, u"python"_s);
    QVERIFY(!without.code);
    QVERIFY(!QDebug::toString(without).contains(u"print"_s));
    const OperationRecord with = recordsOf(act, true).value(0);
    QCOMPARE(with.codeSha256, hash);
    QCOMPARE(with.code, code);
}

void TestRecords::refusalsAreDenials()
{
    const QList<OperationRecord> records = recordsOf([](const SandboxPtr &s) {
        expectError(s->run({u"true"_s}, {.pty = TerminalSize{}}));
        expectError(s->runCode(u"1"_s, {.context = u"notebook"_s}));
    });
    QCOMPARE(records.size(), 2);
    for (const OperationRecord &record : records) {
        QCOMPARE(record.error->code(), u"SBX_E1101"_s);
        QCOMPARE(record.denials, QStringList{record.error->message});
    }
}

void TestRecords::nothingElseLeavesARecord()
{
    const QList<OperationRecord> records = recordsOf([](const SandboxPtr &s) {
        s->info().result();
        s->stream({u"true"_s}).reset(); // never started
        s->kill().result();
    });
    QCOMPARE(records.size(), 0);
}

void TestRecords::aThousandRunsLeaveAThousand()
{
    constexpr int count = 1000;
    const QList<OperationRecord> records = recordsOf([](const SandboxPtr &s) {
        std::vector<Operation<ExecResult>> runs;
        for (int i = 0; i < count; ++i) {
            runs.push_back(s->run({u"echo"_s, QString::number(i)}));
            if (i % 3 == 0)
                runs.back().cancel();
        }
        for (const auto &run : runs)
            QVERIFY(run.waitFor(20s));
    });
    QCOMPARE(records.size(), count);
    QSet<QString> seen;
    for (const OperationRecord &record : records)
        seen.insert(record.argv.last());
    QCOMPARE(seen.size(), count);
}

void TestRecords::destroyingTheEngineRecordsWhatItCancels()
{
    std::vector<Operation<ExecResult>> runs;
    SandboxPtr sandbox;
    {
        const auto engine = makeEngine();
        sandbox = engine->create(Target::fromDsn(u"fake://base"_s)).result();
        for (int i = 0; i < 20; ++i)
            runs.push_back(sandbox->run({u"sleep"_s, u"600"_s}));
    }
    // No wait: the engine does not end before its records are written.
    const QList<OperationRecord> records = m_queue->take();
    QCOMPARE(records.size(), 20);
    for (const OperationRecord &record : records)
        QCOMPARE(record.outcome, OperationOutcome::Cancelled);
    expectError(sandbox->run({u"true"_s}));
    QCOMPARE(m_queue->size(), 0);
}

void TestRecords::theJsonFormIsStable()
{
    OperationRecord record;
    record.time = QDateTime::fromString(u"2026-01-02T03:04:05.678Z"_s, Qt::ISODateWithMs);
    record.sandboxId = u"id"_s;
    record.target = Target::fromDsn(u"fake://base"_s);
    record.tier = IsolationTier::Container;
    record.metadata = {{u"tenant"_s, u"t"_s}};
    record.argv = QStringList{u"ls"_s};
    record.outcome = OperationOutcome::Error;
    record.end = RunOutcome{RunOutcome::Kind::TimedOut, 0};
    record.error = makeError(ErrorKind::ExecutionTimeout, u"too long"_s);
    record.duration = 1500us;
    record.bytesOut = 7;
    const QJsonObject expected{
        {u"time"_s, u"2026-01-02T03:04:05.678Z"_s},
        {u"event"_s, u"run"_s},
        {u"sandbox"_s, u"id"_s},
        {u"target"_s, u"fake://base"_s},
        {u"tier"_s, u"Container"_s},
        {u"metadata"_s, QJsonObject{{u"tenant"_s, u"t"_s}}},
        {u"argv"_s, QJsonArray{u"ls"_s}},
        {u"outcome"_s, u"error"_s},
        {u"end"_s, u"timed out"_s},
        {u"error"_s, QJsonObject{{u"code"_s, u"SBX_E1302"_s}, {u"message"_s, u"too long"_s}}},
        {u"durationMs"_s, 1.5},
        {u"bytesIn"_s, 0},
        {u"bytesOut"_s, 7},
        {u"denials"_s, QJsonArray()}};
    QCOMPARE(record.toJson(), expected);
}

SANDBOXIO_TEST(TestRecords)
#include "tst_records.moc"
