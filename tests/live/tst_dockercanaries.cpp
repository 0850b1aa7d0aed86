// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerdaemon.h"
#include "support/haystack.h"
#include "support/testprogram.h"

#include <sandboxio/runtime/recordsinks.h>
#include <sandboxio/runtime/scopedsandbox.h>

#include <QJsonDocument>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QUuid>

#include <csignal>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

const auto secretValue = "canary-secret+\"5711\"%"_ba;
const auto runValue = "canary-run+\"5712\"%"_ba;
const auto markedValue = "canary-marked+\"5713\"%"_ba;
const auto codeValue = "canary-code-5714"_ba;

/*! The daemon's event stream while it lives: it tells the argv of every exec. */
class EventStream
{
public:
    /*! Of the containers with the metadata \a mark. */
    explicit EventStream(const QString &mark)
    {
        m_process.start(u"docker"_s, {u"events"_s, u"--format"_s, u"{{json .}}"_s, u"--filter"_s,
                                      u"label=io.sandboxio.meta.canaries="_s + mark});
        if (!m_process.waitForStarted())
            qFatal("docker events does not start.");
    }
    ~EventStream()
    {
        m_process.kill();
        m_process.waitForFinished();
    }
    QByteArray read()
    {
        m_text += m_process.readAllStandardOutput();
        return m_text;
    }

private:
    QProcess m_process;
    QByteArray m_text;
};

} // namespace

/*! Canaries on a real daemon: besides what the engine composes, what the daemon keeps and publishes. */
class TestDockerCanaries : public QObject
{
    Q_OBJECT
    Haystack m_haystack;
    QTemporaryDir m_folder;
    const QString m_mark = QUuid::createUuid().toString(QUuid::WithoutBraces);

    template <typename T>
    void keepEnd(const Operation<T> &operation)
    {
        QVERIFY(operation.waitFor(60s));
        QCOMPARE(operation.outcome(), OperationOutcome::Error);
        const ErrorInfo error = operation.error();
        m_haystack.add(u"errors"_s, error.toText() + (error.cause ? error.cause->text : QString()));
    }
    void useSandbox(const SandboxPtr &sandbox)
    {
        const RunOptions run{.env = {{u"RUN_PASSWORD"_s, QString::fromUtf8(runValue)}}};
        const QByteArray seen = sandbox->run({u"env"_s}, run).result().standardOutput;
        QVERIFY(seen.contains("DATABASE=" + secretValue));
        QVERIFY(seen.contains("RUN_PASSWORD=" + runValue));
        const ExecResult code = sandbox->runCode(u"print('%1')"_s.arg(QString::fromUtf8(codeValue))).result();
        QCOMPARE(code.standardOutput.trimmed(), codeValue);
        const auto process = sandbox->stream({u"env"_s}, run);
        process->start(Process::ConsumerMode::Discard).result();
        process->wait().result();
        for (const QByteArray &value : {secretValue, runValue, markedValue}) {
            const QString text = QString::fromUtf8(value);
            keepEnd(sandbox->run({u"no-such-program-"_s + text}, run));
            keepEnd(sandbox->run({u"true"_s}, {.workingDirectory = u"/nowhere/"_s + text}));
            keepEnd(sandbox->runCode(u"1"_s, {.language = text}));
            keepEnd(sandbox->files().read(u"missing-"_s + text));
        }
    }
    void useProgram()
    {
        for (const QStringList &arguments :
             {QStringList{u"list"_s, u"--json"_s}, QStringList{u"doctor"_s, u"--json"_s},
              QStringList{u"run"_s, u"--json"_s, u"--label"_s, u"test_run="_s + Live::testRun(), u"--label"_s,
                          u"canaries="_s + m_mark, u"--image"_s, Live::testImage(), u"--env"_s,
                          u"RUN_PASSWORD="_s + QString::fromUtf8(runValue), u"--"_s,
                          u"no-such-program-"_s + QString::fromUtf8(runValue)}}) {
            QProcess process;
            process.start(QStringLiteral(SANDBOXIO_PROGRAM), arguments);
            QVERIFY(process.waitForFinished(60'000));
            m_haystack.add(u"command line"_s, process.readAllStandardOutput() + process.readAllStandardError());
        }
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (const QString why = Live::missingDaemon(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_haystack.plant(u"the secret"_s, secretValue);
        m_haystack.plant(u"the run's variable"_s, runValue);
        m_haystack.plant(u"the marked value"_s, markedValue);
        m_haystack.plant(u"the code"_s, codeValue);
    }

    void nothingComposedAndNothingAtTheDaemonHoldsACanary()
    {
        auto capture = std::make_unique<LogCapture>(m_haystack);
        EventStream events(m_mark);
        EngineOptions options;
        options.stateDirectory = m_folder.filePath(u"state"_s);
        options.records.sinks = {std::make_shared<JsonLinesRecordSink>(m_folder.filePath(u"records.jsonl"_s)),
                                 std::make_shared<LoggingRecordSink>()};
        {
            Engine engine(options);
            engine.markSecret(Secret(markedValue));
            CreateOptions create = Live::createOptions(u"canaries"_s);
            create.metadata.insert(u"canaries"_s, m_mark);
            create.secrets = {{u"DATABASE"_s, Secret(secretValue)}};
            const SandboxPtr live = engine.create(Live::target(), create).result();
            const ScopedSandbox scope(live);
            useSandbox(live);
            m_haystack.add(u"native"_s, QJsonDocument::fromVariant(live->native()).toJson());
            m_haystack.add(u"container"_s, Live::docker({u"inspect"_s, live->id()}));
            m_haystack.add(u"processes"_s, Live::docker({u"top"_s, live->id(), u"-eo"_s, u"pid,args"_s}));
            m_haystack.addFolder(u"ledger"_s, m_folder.filePath(u"state"_s));
        }
        useProgram();
        capture.reset();
        m_haystack.addFolder(u"files"_s, m_folder.path());
        QTRY_VERIFY(events.read().count("\"destroy\"") >= 2);
        m_haystack.add(u"events"_s, events.read());

        for (const auto &[place, expected] : {std::pair{"errors", "SBX_E1701"},
                                              {"native", "containerId"},
                                              {"container", "io.sandboxio.managed"},
                                              {"processes", "sandboxio"},
                                              {"events", "exec_create"},
                                              {"command line", "no-such-program"},
                                              {"files records.jsonl", "no-such-program"},
                                              {"log sandboxio.records", "codeSha256"},
                                              {"ledger ledger.sqlite-wal", "sandboxio-"}})
            QVERIFY2(m_haystack.text(QString::fromLatin1(place)).contains(expected), place);
        const QByteArray findings = m_haystack.findings();
        QVERIFY2(findings.isEmpty(), findings.constData());
    }
};

SANDBOXIO_TEST(TestDockerCanaries)
#include "tst_dockercanaries.moc"
