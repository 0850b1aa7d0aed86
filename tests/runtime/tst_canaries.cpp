// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/fake/fakescript.h>
#include <sandboxio/runtime/engine.h>
#include <sandboxio/runtime/recordsinks.h>

#include "support/haystack.h"

#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

#include <tuple>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

// Values that look different in JSON, URLs and shells.
const auto secretValue = "canary-secret+\"4711\"%"_ba;
const auto environmentValue = "canary-environment+\"4712\"%"_ba;
const auto runValue = "canary-run+\"4713\"%"_ba;
const auto markedValue = "canary-marked+\"4714\"%"_ba;
const auto credentialValue = "canary-credential+\"4715\"%"_ba;

template <typename T>
QString debugText(const T &value)
{
    QString text;
    if constexpr (requires(QDebug debug) { debug << value; })
        QDebug(&text) << value;
    return text;
}

ErrorInfo leaky(ErrorKind kind, const QString &value)
{
    ErrorInfo error = makeError(kind, u"provider said %1"_s.arg(value), u"try %1"_s.arg(value),
                                {500, u"{\"token\": %1}"_s.arg(debugText(value))});
    error.limit = value;
    error.step = value;
    return error;
}

} // namespace

/*! Plants canaries everywhere a caller or provider can put one, lets everything go well and wrong, and looks for
    them in everything that the engine composes. */
class TestCanaries : public QObject
{
    Q_OBJECT
    Haystack m_haystack;
    std::shared_ptr<Fake::Script> m_script;
    std::shared_ptr<RecordQueue> m_queue;
    QTemporaryDir m_folder;
    std::unique_ptr<Engine> m_engine;
    const Target m_target = Target::fromDsn(u"fake://base"_s);

    static QStringList values()
    {
        QStringList texts;
        for (const QByteArray &value : {secretValue, environmentValue, runValue, markedValue, credentialValue})
            texts.append(QString::fromUtf8(value));
        return texts;
    }
    void keepError(const ErrorInfo &error)
    {
        m_haystack.add(u"errors"_s, error.toText() + error.limit + error.step +
                                        (error.cause ? error.cause->text : QString()));
        m_haystack.add(u"debug stream"_s, debugText(error));
        try {
            error.raise();
        } catch (const SandboxError &exception) {
            m_haystack.add(u"exceptions"_s, QByteArray(exception.what()));
        }
    }
    template <typename T>
    void keepEnd(const Operation<T> &operation)
    {
        QVERIFY(operation.waitFor(5s));
        if (operation.outcome() == OperationOutcome::Error)
            keepError(operation.error());
        m_haystack.add(u"progress"_s, operation.progress().step + u'.');
    }
    template <typename T>
    void keepDebug(const T &value)
    {
        m_haystack.add(u"debug stream"_s, debugText(value) + u'.');
    }
    CreateOptions options() const
    {
        return {.env = {{u"API_TOKEN"_s, QString::fromUtf8(environmentValue)}},
                .secrets = {{u"DATABASE"_s, Secret(secretValue)}},
                .metadata = {{u"note"_s, QString::fromUtf8(markedValue)}, {u"tenant"_s, u"t-1"_s}}};
    }
    void makeEngine();
    void runPrograms(const SandboxPtr &sandbox);
    void useFiles(const SandboxPtr &sandbox);
    void letTheProviderFail();
    void letATeardownHang();
    void watch();

private Q_SLOTS:
    void initTestCase();
    void nothingComposedHoldsACanary();
    void theSearchCanFail();
    void aSecretInALabelIsRefused();
};

void TestCanaries::initTestCase()
{
    m_haystack.plant(u"the secret"_s, secretValue);
    m_haystack.plant(u"the sandbox's variable"_s, environmentValue);
    m_haystack.plant(u"the run's variable"_s, runValue);
    m_haystack.plant(u"the marked value"_s, markedValue);
    m_haystack.plant(u"the credential"_s, credentialValue);
}

void TestCanaries::makeEngine()
{
    m_script = std::make_shared<Fake::Script>();
    m_queue = std::make_shared<RecordQueue>();
    qputenv("FAKE_API_KEY", credentialValue);
    EngineOptions options;
    options.stateDirectory = m_folder.filePath(u"state"_s);
    options.teardownGrace = 100ms;
    options.records = {.sinks = {m_queue,
                                 std::make_shared<JsonLinesRecordSink>(m_folder.filePath(u"records.jsonl"_s)),
                                 std::make_shared<LoggingRecordSink>()},
                       .failureMode = RecordOptions::FailureMode::Fail,
                       .timeout = {},
                       .includeCode = true};
    m_engine = std::make_unique<Engine>(options);
    m_engine->markSecret(Secret(markedValue));
    m_engine->registerBackend(u"fake"_s, [script = m_script](EngineContext &context, const Target &target) {
        std::ignore = context.credentials->credential(u"FAKE_API_KEY"_s);
        return Fake::factory(script)(context, target);
    });
    connect(m_engine.get(), &Engine::warningRaised, this, [this](const EngineWarning &warning) {
        m_haystack.add(u"warnings"_s, warning.message + QStringList(warning.metadata.values()).join(u' ') +
                                          warning.target.toDsn());
        keepDebug(warning);
    });
}

void TestCanaries::runPrograms(const SandboxPtr &sandbox)
{
    const RunOptions run{.env = {{u"RUN_PASSWORD"_s, QString::fromUtf8(runValue)}}};
    for (const QString &value : values()) {
        // What a program prints is never altered.
        QCOMPARE(sandbox->run({u"echo"_s, value}, run).result().text(), value + u'\n');
        keepEnd(sandbox->run({u"no-such-program-"_s + value}, run));
        keepEnd(sandbox->run(Command::shell(u"no-such-program '%1'"_s.arg(value)), run));
        keepEnd(sandbox->run({u"true"_s}, {.workingDirectory = u"/nowhere/"_s + value}));
        keepEnd(sandbox->runCode(u"print('%1')"_s.arg(value)));
        keepEnd(sandbox->runCode(u"1"_s, {.language = value}));
        m_script->onRun(u"leak"_s, {.error = leaky(ErrorKind::ResourceLimitExceeded, value)});
        keepEnd(sandbox->run({u"leak"_s}));
        const auto process = sandbox->stream({u"leak"_s});
        keepEnd(process->start(Process::ConsumerMode::Discard));
        keepEnd(process->wait());
    }
    QVERIFY(sandbox->run({u"env"_s}, run).result().standardOutput.contains(secretValue));
}

void TestCanaries::useFiles(const SandboxPtr &sandbox)
{
    for (const QString &value : values()) {
        sandbox->files().write(u"kept-"_s + value, value.toUtf8()).result();
        QCOMPARE(sandbox->files().read(u"kept-"_s + value).result(), value.toUtf8());
        keepEnd(sandbox->files().read(u"missing-"_s + value));
        keepEnd(sandbox->files().move(u"missing-"_s + value, value));
        keepEnd(sandbox->files().upload(u"/nowhere/"_s + value, value));
        keepEnd(sandbox->files().download(u"kept-"_s + value, u"/nowhere/"_s + value));
    }
}

void TestCanaries::letTheProviderFail()
{
    for (const QString &value : values()) {
        m_script->setFaults({.provider = leaky(ErrorKind::CreationError, value)});
        keepEnd(m_engine->create(m_target, options()));
        keepEnd(m_engine->connectTo(m_target, value));
        keepEnd(m_engine->killManaged(m_target, value));
        const DoctorReport report = m_engine->doctor({m_target}).result();
        m_haystack.add(u"doctor"_s, QJsonDocument(report.toJson()).toJson());
        keepDebug(report);
        const ManagedListing listing = m_engine->listManaged({.targets = {m_target}, .metadata = {}}).result();
        for (const TargetListing &part : listing.targets) {
            QVERIFY(part.error);
            keepError(*part.error);
        }
        m_script->setFaults({});
    }
}

void TestCanaries::letATeardownHang()
{
    const SandboxPtr sandbox = m_engine->create(m_target, options()).result();
    m_script->setFaults({.killHangs = true});
    keepEnd(sandbox->kill());
    m_script->setFaults({});
    QTRY_VERIFY(m_haystack.text(u"warnings"_s).contains("t-1"));
}

void TestCanaries::watch()
{
    m_script->setFaults({.provider = leaky(ErrorKind::ConnectError, values().first())});
    const std::unique_ptr<SandboxWatcher> watcher(m_engine->watch({m_target}, nullptr));
    connect(watcher.get(), &SandboxWatcher::lost, this, [this](const Target &, const ErrorInfo &error) {
        m_haystack.add(u"events"_s, error.toText());
        keepError(error);
    });
    QTRY_VERIFY(!m_haystack.text(u"events"_s).isEmpty());
    m_script->setFaults({});
}

void TestCanaries::nothingComposedHoldsACanary()
{
    auto capture = std::make_unique<LogCapture>(m_haystack);
    makeEngine();
    {
        const SandboxPtr sandbox = m_engine->create(m_target, options()).result();
        runPrograms(sandbox);
        useFiles(sandbox);
        m_haystack.add(u"native"_s, QJsonDocument::fromVariant(sandbox->native()).toJson());
        const CreateOptions planted = options();
        keepDebug(planted);
        keepDebug(planted.secrets);
        keepDebug(sandbox->details());
        keepDebug(m_engine->plan(m_target, planted).result());
        letTheProviderFail();
        letATeardownHang();
        watch();
        // While it is open, so that the write-ahead log is there.
        m_haystack.addFolder(u"ledger"_s, m_folder.filePath(u"state"_s));
    }
    m_engine.reset();
    m_haystack.addFolder(u"files"_s, m_folder.path());
    const QList<OperationRecord> records = m_queue->take();
    for (const OperationRecord &record : records) {
        m_haystack.add(u"records"_s, QJsonDocument(record.toJson()).toJson());
        keepDebug(record);
        if (record.error)
            keepError(*record.error);
    }
    capture.reset();

    // Every place was looked at and holds what it should hold.
    for (const auto &[place, expected] : {std::pair{"errors", "no-such-program"},
                                          {"exceptions", "SBX_E1402"},
                                          {"records", "no-such-program"},
                                          {"files records.jsonl", "no-such-program"},
                                          {"log sandboxio.records", "no-such-program"},
                                          {"warnings", "t-1"},
                                          {"doctor", "provider said"},
                                          {"events", "provider said"},
                                          {"debug stream", "no-such-program"},
                                          {"debug stream", "<secret>"},
                                          {"ledger ledger.sqlite-wal", "fake"},
                                          {"native", "programs"}})
        QVERIFY2(m_haystack.text(QString::fromLatin1(place)).contains(expected), place);
    const QByteArray findings = m_haystack.findings();
    QVERIFY2(findings.isEmpty(), findings.constData());
    QVERIFY(m_haystack.text(u"records"_s).contains("\u2022\u2022\u2022"));
}

void TestCanaries::theSearchCanFail()
{
    Haystack haystack;
    haystack.plant(u"it"_s, secretValue);
    QVERIFY(haystack.findings().isEmpty());
    haystack.add(u"here"_s, "nothing"_ba);
    QVERIFY(haystack.findings().isEmpty());
    for (const QByteArray &form : {secretValue, secretValue.toBase64(), secretValue.toPercentEncoding(),
                                   "\"canary-secret+\\\"4711\\\"%\""_ba, secretValue.toHex()}) {
        Haystack found;
        found.plant(u"it"_s, secretValue);
        found.add(u"here"_s, "x" + form + "y");
        QVERIFY2(found.findings().contains("here"), form.constData());
    }
}

void TestCanaries::aSecretInALabelIsRefused()
{
    Engine engine({.stateDirectory = QString()});
    const auto creation =
        engine.create(m_target, {.secrets = {{u"DATABASE"_s, Secret(secretValue)}},
                                 .metadata = {{u"note"_s, u"it is "_s + QString::fromUtf8(secretValue)}}});
    QVERIFY_THROWS_EXCEPTION(ConfigurationError, creation.result());
    QVERIFY(creation.error().message.contains(u"note"_s));
    QVERIFY(!creation.error().toText().contains(u"canary"_s));
}

SANDBOXIO_TEST(TestCanaries)
#include "tst_canaries.moc"
