// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/fake/fakescript.h>
#include <sandboxio/runtime/engine.h>
#include <sandboxio/runtime/recordsinks.h>

#include <QDir>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSemaphore>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using FailureMode = RecordOptions::FailureMode;

namespace {

/*! Does what the test says. */
class TestSink final : public RecordSink
{
public:
    using Write = std::function<Operation<void>(const OperationRecord &)>;
    explicit TestSink(Write write)
        : m_write(std::move(write))
    {}
    QString name() const override { return u"test sink"_s; }
    Operation<void> write(const OperationRecord &record) override { return m_write(record); }

private:
    Write m_write;
};

std::shared_ptr<RecordSink> sinkThat(TestSink::Write write)
{
    return std::make_shared<TestSink>(std::move(write));
}

/*! Ends its writes when told to. */
class HeldSink final : public RecordSink
{
public:
    QString name() const override { return u"held sink"_s; }
    Operation<void> write(const OperationRecord &) override
    {
        const std::lock_guard lock(m_mutex);
        const OperationPromise<void> promise;
        if (m_released)
            promise.finish();
        m_promises.append(promise);
        return promise.operation();
    }
    qsizetype asked() const
    {
        const std::lock_guard lock(m_mutex);
        return m_promises.size();
    }
    void finishLast()
    {
        const std::lock_guard lock(m_mutex);
        m_promises.last().finish();
    }
    /*! Ends all writes, now and from now on. */
    void release()
    {
        const std::lock_guard lock(m_mutex);
        m_released = true;
        for (const auto &promise : std::as_const(m_promises))
            promise.finish();
    }

private:
    mutable std::mutex m_mutex;
    QList<OperationPromise<void>> m_promises;
    bool m_released = false;
};

std::shared_ptr<RecordSink> brokenSink()
{
    return sinkThat([](const OperationRecord &) {
        return failedOperation<void>(makeError(ErrorKind::SandboxError, u"disk on fire"_s));
    });
}

Target sinkTarget()
{
    return Target::fromDsn(u"fake://base"_s);
}

EngineOptions withSinks(const QList<std::shared_ptr<RecordSink>> &sinks, FailureMode mode,
                        std::chrono::milliseconds timeout = 200ms)
{
    EngineOptions options;
    options.stateDirectory = QString();
    options.records = {.sinks = sinks, .failureMode = mode, .timeout = timeout};
    return options;
}

QList<QByteArray> linesOf(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QList<QByteArray> lines = file.readAll().split('\n');
    if (lines.takeLast() != QByteArray())
        qFatal("The last line does not end.");
    return lines;
}

QStringList threadNames()
{
    QStringList names;
    const QStringList tasks = QDir(u"/proc/self/task"_s).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    for (const QString &task : tasks) {
        QFile file(u"/proc/self/task/%1/comm"_s.arg(task));
        if (file.open(QIODevice::ReadOnly))
            names.append(QString::fromLatin1(file.readAll()).trimmed());
    }
    return names;
}

QStringList logged;
void keepMessage(QtMsgType type, const QMessageLogContext &context, const QString &message)
{
    if (type == QtInfoMsg && context.category == "app.audit"_ba)
        logged.append(message);
}

} // namespace

class TestRecordSinks : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void jsonLinesAreWholeWithManyWriters()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"audit.jsonl"_s);
        constexpr int count = 200;
        {
            const auto sink = std::make_shared<JsonLinesRecordSink>(path);
            Engine first(withSinks({sink}, FailureMode::Warn));
            Engine second(withSinks({std::make_shared<JsonLinesRecordSink>(path)}, FailureMode::Warn));
            std::vector<Operation<ExecResult>> runs;
            const SandboxPtr a = first.create(sinkTarget()).result();
            const SandboxPtr b = second.create(sinkTarget()).result();
            for (int i = 0; i < count; ++i)
                runs.push_back((i % 2 ? a : b)->run({u"echo"_s, QString(i, u'x')}));
            for (const auto &run : runs)
                QVERIFY(run.waitFor(10s));
        }
        const QList<QByteArray> lines = linesOf(path);
        QCOMPARE(lines.size(), count);
        for (const QByteArray &line : lines)
            QCOMPARE(QJsonDocument::fromJson(line).object().value("event"_L1).toString(), u"run"_s);
        QVERIFY(!(QFile::permissions(path) & (QFile::ReadGroup | QFile::ReadOther)));
    }

    void jsonLinesSurviveAFullDisk()
    {
        JsonLinesRecordSink sink(u"/dev/full"_s);
        QCOMPARE(sink.write({}).outcome(), OperationOutcome::Error);
        JsonLinesRecordSink nowhere(u"/nowhere/audit.jsonl"_s);
        QCOMPARE(nowhere.write({}).outcome(), OperationOutcome::Error);
        QVERIFY(!nowhere.write({}).error().message.isEmpty());
    }

    void aMovedFileIsBegunAgain()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"audit.jsonl"_s);
        JsonLinesRecordSink sink(path);
        sink.write({}).result();
        QVERIFY(QFile::rename(path, path + u".1"_s));
        sink.write({}).result();
        QCOMPARE(linesOf(path).size(), 1);
        QCOMPARE(linesOf(path + u".1"_s).size(), 1);
    }

    void theLoggingCategoryGetsOneLine()
    {
        const QtMessageHandler before = qInstallMessageHandler(keepMessage);
        {
            Engine engine(withSinks({std::make_shared<LoggingRecordSink>("app.audit"_ba)}, FailureMode::Warn));
            engine.create(sinkTarget()).result()->run({u"echo"_s, u"hi"_s}).result();
        }
        qInstallMessageHandler(before);
        QCOMPARE(logged.size(), 1);
        const QJsonObject record = QJsonDocument::fromJson(logged.first().toUtf8()).object();
        QCOMPARE(record.value("argv"_L1).toArray().at(1).toString(), u"hi"_s);
    }

    void withoutSinksThereIsNoWriter()
    {
        Engine engine(withSinks({}, FailureMode::Fail));
        engine.create(sinkTarget()).result()->run({u"true"_s}).result();
        QVERIFY(threadNames().contains(u"sandboxio-io"_s));
        QVERIFY(!threadNames().contains(u"sandboxio-write"_s)); // the kernel keeps 15 characters
    }

    void sinksAndLedgerShareOneThread()
    {
        const QTemporaryDir folder;
        EngineOptions options = withSinks({std::make_shared<RecordQueue>()}, FailureMode::Fail);
        options.stateDirectory = folder.path();
        Engine engine(options);
        engine.create(sinkTarget()).result()->run({u"true"_s}).result();
        QCOMPARE(threadNames().count(u"sandboxio-write"_s), 1);
    }

    void failModeWaitsForTheRecord()
    {
        const auto queue = std::make_shared<RecordQueue>();
        Engine engine(withSinks({queue}, FailureMode::Fail, 5s));
        const SandboxPtr sandbox = engine.create(sinkTarget()).result();
        sandbox->run({u"true"_s}).result();
        QCOMPARE(queue->size(), 1);
        sandbox->files().ls().result();
        QCOMPARE(queue->size(), 2);
        const auto process = sandbox->stream({u"true"_s});
        process->start(Process::ConsumerMode::Discard).result();
        process->wait().result();
        QCOMPARE(queue->size(), 3);
    }

    void warnModeDoesNotWait()
    {
        const auto held = std::make_shared<HeldSink>();
        Engine engine(withSinks({held}, FailureMode::Warn, 60s));
        const SandboxPtr sandbox = engine.create(sinkTarget()).result();
        QVERIFY(sandbox->run({u"true"_s}).waitFor(5s));
        QVERIFY(sandbox->files().ls().waitFor(5s));
        QTRY_COMPARE(held->asked(), 1); // one record at a time
        held->finishLast();
        QTRY_COMPARE(held->asked(), 2);
        held->finishLast();
    }

    void aBrokenSink_data()
    {
        QTest::addColumn<std::shared_ptr<RecordSink>>("sink");
        QTest::addColumn<QString>("reason");
        QTest::newRow("that fails") << brokenSink() << u"disk on fire"_s;
        QTest::newRow("that throws") << sinkThat([](const OperationRecord &) -> Operation<void> {
            makeError(ErrorKind::SandboxError, u"disk on fire"_s).raise();
        }) << u"disk on fire"_s;
        QTest::newRow("that cancels") << sinkThat([](const OperationRecord &) {
            const OperationPromise<void> promise;
            promise.cancelled();
            return promise.operation();
        }) << u"cancelled"_s;
        QTest::newRow("that forgets its promise")
            << sinkThat([](const OperationRecord &) { return OperationPromise<void>().operation(); })
            << u"cancelled"_s;
        QTest::newRow("that never answers")
            << sinkThat([kept = std::make_shared<OperationPromise<void>>()](const OperationRecord &) {
                   return kept->operation();
               })
            << u"200 ms"_s;
        QTest::newRow("that is full") << std::shared_ptr<RecordSink>(std::make_shared<RecordQueue>(0))
                                      << u"full"_s;
    }
    void aBrokenSink()
    {
        QFETCH(const std::shared_ptr<RecordSink>, sink);
        QFETCH(const QString, reason);
        {
            Engine engine(withSinks({sink}, FailureMode::Warn));
            QSignalSpy warnings(&engine, &Engine::warningRaised);
            const SandboxPtr sandbox = engine.create(sinkTarget()).result();
            sandbox->run({u"true"_s}).result();
            sandbox->run({u"true"_s}).result();
            QTRY_VERIFY(!warnings.isEmpty());
            QTest::qWait(20);
            QCOMPARE(warnings.size(), 1); // not one for each record
            const auto warning = warnings.first().first().value<EngineWarning>();
            QCOMPARE(warning.kind, EngineWarning::Kind::AuditSink);
            QVERIFY2(warning.message.contains(reason), qPrintable(warning.message));
        }
        Engine engine(withSinks({sink}, FailureMode::Fail));
        const SandboxPtr sandbox = engine.create(sinkTarget()).result();
        const auto run = sandbox->run({u"true"_s});
        QVERIFY_THROWS_EXCEPTION(AuditSinkError, run.result());
        QCOMPARE(run.error().code(), u"SBX_E1601"_s);
        QVERIFY2(run.error().message.contains(reason), qPrintable(run.error().message));
        const auto listing = sandbox->files().ls();
        QVERIFY_THROWS_EXCEPTION(AuditSinkError, listing.result());
        const auto process = sandbox->stream({u"true"_s});
        process->start(Process::ConsumerMode::Discard).waitFor(5s);
        const auto end = process->wait();
        QVERIFY_THROWS_EXCEPTION(AuditSinkError, end.result());
    }

    void anErrorOrCancelStaysWhatItIs()
    {
        Engine engine(withSinks({brokenSink()}, FailureMode::Fail));
        const SandboxPtr sandbox = engine.create(sinkTarget()).result();
        const auto missing = sandbox->files().read(u"missing"_s);
        QVERIFY_THROWS_EXCEPTION(PathNotFound, missing.result());
        const auto slow = sandbox->run({u"sleep"_s, u"600"_s}, {.timeout = 20ms});
        QVERIFY_THROWS_EXCEPTION(ExecutionTimeout, slow.result());
        const auto run = sandbox->run({u"sleep"_s, u"600"_s});
        run.cancel();
        QVERIFY_THROWS_EXCEPTION(OperationCancelled, run.result());
    }

    void aSinkThatBlocksItsThread()
    {
        QSemaphore gate;
        const auto blocking = sinkThat([&gate](const OperationRecord &) {
            gate.acquire();
            return finishedOperation();
        });
        QElapsedTimer timer;
        {
            Engine engine(withSinks({blocking}, FailureMode::Fail));
            QSignalSpy warnings(&engine, &Engine::warningRaised);
            const SandboxPtr sandbox = engine.create(sinkTarget()).result();
            const auto run = sandbox->run({u"true"_s});
            QVERIFY_THROWS_EXCEPTION(AuditSinkError, run.result());
            QTRY_COMPARE(warnings.size(), 1);
            timer.start();
        }
        // The engine does not hang with it: 200 ms for the record and 1 s for the thread.
        QVERIFY2(timer.elapsed() < 3000, QByteArray::number(timer.elapsed()).constData());
        gate.release();
        QTRY_VERIFY(!threadNames().contains(u"sandboxio-write"_s));
    }

    void oneSinkDoesNotDepriveAnother()
    {
        const auto queue = std::make_shared<RecordQueue>();
        const auto held = std::make_shared<HeldSink>();
        {
            Engine engine(withSinks({held, queue}, FailureMode::Warn));
            engine.create(sinkTarget()).result()->run({u"true"_s}).result();
            QTRY_COMPARE(queue->size(), 1);
            held->release();
        }
        QCOMPARE(queue->size(), 1);
    }

    void theQueueIsBounded_data()
    {
        QTest::addColumn<FailureMode>("mode");
        QTest::newRow("warn") << FailureMode::Warn;
        QTest::newRow("fail") << FailureMode::Fail;
    }
    void theQueueIsBounded()
    {
        QFETCH(const FailureMode, mode);
        const auto held = std::make_shared<HeldSink>();
        EngineOptions options = withSinks({held}, mode, 60s);
        options.records.queueLimit = 2;
        Engine engine(options);
        QSignalSpy warnings(&engine, &Engine::warningRaised);
        const SandboxPtr sandbox = engine.create(sinkTarget()).result();
        const auto first = sandbox->run({u"true"_s});
        const auto second = sandbox->run({u"true"_s});
        const auto third = sandbox->run({u"true"_s});
        QTRY_COMPARE(warnings.size(), 1);
        QVERIFY(warnings.first().first().value<EngineWarning>().message.contains(u"2 records"_s));
        if (mode == FailureMode::Fail) {
            QTRY_COMPARE(std::ranges::count(QList{first.outcome(), second.outcome(), third.outcome()},
                                            OperationOutcome::Error),
                         1);
        }
        QTRY_COMPARE(held->asked(), 1);
        held->finishLast();
        QTRY_COMPARE(held->asked(), 2);
        held->finishLast();
        if (mode == FailureMode::Fail)
            QTRY_COMPARE(std::ranges::count(QList{first.outcome(), second.outcome(), third.outcome()},
                                            OperationOutcome::Value),
                         2);
        // There is room again, and the engine says what was lost.
        QTRY_COMPARE(warnings.size(), 2);
        QVERIFY(warnings.last().first().value<EngineWarning>().message.contains(u"1."_s));
    }

    void theOrderIsKept()
    {
        const auto queue = std::make_shared<RecordQueue>();
        {
            Engine engine(withSinks({queue}, FailureMode::Warn));
            const SandboxPtr sandbox = engine.create(sinkTarget()).result();
            for (int i = 0; i < 100; ++i)
                sandbox->run({u"echo"_s, QString::number(i)}).result();
        }
        const QList<OperationRecord> records = queue->take();
        QCOMPARE(records.size(), 100);
        for (int i = 0; i < 100; ++i)
            QCOMPARE(records.at(i).argv.last(), QString::number(i));
    }

    void theTimeLimitComesFromTheEnvironment()
    {
        qputenv("SBX_AUDIT_TIMEOUT", "0.15");
        const auto held = std::make_shared<HeldSink>();
        EngineOptions options = withSinks({held}, FailureMode::Fail);
        options.records.timeout.reset();
        Engine engine(options);
        qunsetenv("SBX_AUDIT_TIMEOUT");
        const SandboxPtr sandbox = engine.create(sinkTarget()).result();
        QElapsedTimer timer;
        timer.start();
        const auto run = sandbox->run({u"true"_s});
        QVERIFY_THROWS_EXCEPTION(AuditSinkError, run.result());
        QVERIFY(timer.elapsed() >= 149 && timer.elapsed() < 3000);
        QVERIFY(run.error().message.contains(u"150 ms"_s));
    }

    void afterShutdownTheRecordsAreWritten()
    {
        std::atomic_int written = 0;
        const auto slow = sinkThat([&written](const OperationRecord &) {
            const OperationPromise<void> promise;
            QTimer::singleShot(10ms, [promise, &written] {
                ++written;
                promise.finish();
            });
            return promise.operation();
        });
        Engine engine(withSinks({slow}, FailureMode::Warn, 5s));
        const SandboxPtr sandbox = engine.create(sinkTarget()).result();
        for (int i = 0; i < 10; ++i)
            sandbox->run({u"true"_s}).result();
        QVERIFY(written < 10);
        engine.shutdown().result();
        QCOMPARE(written, 10);
    }

    void shutdownDoesNotWaitForASinkForEver()
    {
        const auto held = std::make_shared<HeldSink>();
        EngineOptions options = withSinks({held}, FailureMode::Fail, 700ms);
        options.teardownGrace = 100ms;
        Engine engine(options);
        const SandboxPtr sandbox = engine.create(sinkTarget()).result();
        const auto run = sandbox->run({u"true"_s});
        const auto listing = sandbox->files().ls();
        QTRY_COMPARE(held->asked(), 1);
        engine.shutdown().result();
        QVERIFY_THROWS_EXCEPTION(AuditSinkError, run.result());
        QVERIFY(listing.isEnded());
        held->release();
    }
};

SANDBOXIO_TEST(TestRecordSinks)
#include "tst_recordsinks.moc"
