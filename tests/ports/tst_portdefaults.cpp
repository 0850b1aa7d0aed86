// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/ports/backendport.h>
#include <sandboxio/ports/warning.h>

#include <QSet>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

// The least that an adapter must write.
class PlainSandbox final : public SandboxPort
{
public:
    QString id() const override { return u"plain"_s; }
    SandboxDetails details() const override { return {}; }
    Operation<ManagedSandbox> inspect() override { return finishedOperation(ManagedSandbox()); }
    std::unique_ptr<ProcessPort> start(const ProcessRequest &, ProcessEvents *) override { return nullptr; }
    QStringList languages() const override { return {}; }
    FileSystemPort *files() override { return nullptr; }
    Operation<void> kill() override { return finishedOperation(); }
};

class PlainFiles final : public FileSystemPort
{
public:
    using Reader = std::shared_ptr<FileReaderPort>;
    using Writer = std::shared_ptr<FileWriterPort>;
    Operation<FileInfo> stat(const QString &) override { return finishedOperation(FileInfo()); }
    Operation<QList<FileInfo>> list(const QString &) override { return finishedOperation(QList<FileInfo>()); }
    Operation<Reader> openRead(const QString &) override { return finishedOperation(Reader()); }
    Operation<Writer> openWrite(const QString &, std::optional<quint32>) override
    {
        return finishedOperation(Writer());
    }
    Operation<void> makeDirectory(const QString &, bool) override { return finishedOperation(); }
    Operation<void> remove(const QString &, bool) override { return finishedOperation(); }
    Operation<void> move(const QString &, const QString &) override { return finishedOperation(); }
    Operation<void> changeMode(const QString &, quint32) override { return finishedOperation(); }
};

class PlainBackend final : public BackendPort
{
public:
    Capabilities capabilities() const override { return {}; }
    Operation<CreatePlan> plan(const CreateOptions &) override { return finishedOperation(CreatePlan()); }
    Operation<std::shared_ptr<SandboxPort>> create(const CreatePlan &) override
    {
        return finishedOperation<std::shared_ptr<SandboxPort>>(std::make_shared<PlainSandbox>());
    }
    Operation<std::shared_ptr<SandboxPort>> connectTo(const QString &, bool) override { return create({}); }
    Operation<QList<Diagnosis>> diagnose() override { return finishedOperation(QList<Diagnosis>()); }
};

template <typename T>
std::optional<ErrorInfo> errorOf(const Operation<T> &operation)
{
    return operation.outcome() == OperationOutcome::Error ? std::optional(operation.error()) : std::nullopt;
}

} // namespace

class TestPortDefaults : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void optionalPortsAreNotThere()
    {
        PlainBackend backend;
        QVERIFY(!backend.reapable());
        QVERIFY(!backend.events());
        QVERIFY(!backend.fileStore());
    }

    void anUndeclaredMemberNamesItsCapability_data()
    {
        QTest::addColumn<std::optional<ErrorInfo>>("error");
        QTest::addColumn<QString>("capability");
        PlainSandbox sandbox;
        QTest::newRow("pause") << errorOf(sandbox.pause()) << u"PauseResume"_s;
        QTest::newRow("resume") << errorOf(sandbox.resume()) << u"PauseResume"_s;
        QTest::newRow("stats") << errorOf(sandbox.stats()) << u"Stats"_s;
        QTest::newRow("extend") << errorOf(sandbox.extend(1s)) << u"ExtendLifetime"_s;
        QTest::newRow("probe") << errorOf(sandbox.probe({})) << u"NetworkPolicy"_s;
        QTest::newRow("startBackground") << errorOf(sandbox.startBackground({})) << u"Detach"_s;
        QTest::newRow("backgroundRuns") << errorOf(sandbox.backgroundRuns()) << u"Detach"_s;
        QTest::newRow("removeBackgroundRun") << errorOf(sandbox.removeBackgroundRun(u"r"_s)) << u"Detach"_s;
        QTest::newRow("watch") << errorOf(PlainFiles().watch(u"/"_s, true)) << u"Watch"_s;
        QTest::newRow("createContext") << errorOf(sandbox.createContext(u"python"_s)) << u"StatefulCode"_s;
        QTest::newRow("listContexts") << errorOf(sandbox.listContexts()) << u"StatefulCode"_s;
        QTest::newRow("interruptContext") << errorOf(sandbox.interruptContext(u"c"_s)) << u"StatefulCode"_s;
        QTest::newRow("restartContext") << errorOf(sandbox.restartContext(u"c"_s)) << u"StatefulCode"_s;
        QTest::newRow("removeContext") << errorOf(sandbox.removeContext(u"c"_s)) << u"StatefulCode"_s;
    }
    void anUndeclaredMemberNamesItsCapability()
    {
        QFETCH(std::optional<ErrorInfo>, error);
        QFETCH(QString, capability);
        QVERIFY(error);
        QCOMPARE(error->kind, ErrorKind::CapabilityNotSupported);
        QVERIFY(error->message.contains(capability));
        QVERIFY(error->hint.contains("sandboxio doctor"_L1));
    }
    void aBackendIsNeitherReapableNorHasEventsUnlessItSaysSo()
    {
        PlainBackend backend;
        QVERIFY(!backend.reapable());
        QVERIFY(!backend.events());
        QVERIFY(!PlainSandbox().nativeHandle());
    }
    void aPlanWithARefusalIsNotAccepted()
    {
        CreatePlan plan;
        QVERIFY(plan.isAccepted());
        plan.refusals.append(makeError(ErrorKind::ConfigurationError, u"no"_s));
        QVERIFY(!plan.isAccepted());
    }
    void warningsHaveStableNames()
    {
        QCOMPARE(warningKindName(EngineWarning::Kind::OrphanedSandbox), u"OrphanedSandbox"_s);
        QCOMPARE(warningKindName(EngineWarning::Kind::UnknownIsolation), u"UnknownIsolation"_s);
        QCOMPARE(warningKindName(EngineWarning::Kind::Reconnected), u"Reconnected"_s);
        QCOMPARE(warningKindName(EngineWarning::Kind::Provider), u"Provider"_s);
    }
    void nothingIsKnownUntilItIsSaid()
    {
        QVERIFY(!ExitStatus().code);
        QVERIFY(!ExitStatus().signal);
        QCOMPARE(NetworkProbeResult().kind, NetworkProbeResult::Kind::NotTried);
        QVERIFY(!ProcessRequest().command);
        QVERIFY(!ProcessRequest().code);
        QCOMPARE(ProcessRequest().window, 4 * 1024 * 1024);
    }
};

SANDBOXIO_TEST(TestPortDefaults)
#include "tst_portdefaults.moc"
