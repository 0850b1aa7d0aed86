// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fakefixture.h"
#include "support/testprogram.h"

using namespace Sandboxio;
using namespace Sandboxio::Fake;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestFakeBackend : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void refusals_data()
    {
        QTest::addColumn<CreateOptions>("options");
        QTest::addColumn<ErrorKind>("kind");
        const auto row = [](const char *name, ErrorKind kind,
                            const std::function<void(CreateOptions &)> &change) {
            CreateOptions options;
            change(options);
            QTest::newRow(name) << options << kind;
        };
        row("an allow list is refused", ErrorKind::CapabilityNotSupported,
            [](CreateOptions &o) { o.network = NetworkPolicy::allowList({u"pypi.org:443"_s}); });
        row("learning is refused", ErrorKind::CapabilityNotSupported,
            [](CreateOptions &o) { o.network.egress = NetworkPolicy::Egress::Learn; });
        row("a published port is refused", ErrorKind::CapabilityNotSupported,
            [](CreateOptions &o) { o.network.ingressPorts = {80}; });
        row("a GPU is refused", ErrorKind::CapabilityNotSupported,
            [](CreateOptions &o) { o.resources.gpu = u"T4"_s; });
        row("more isolation than there is is refused", ErrorKind::ConfigurationError,
            [](CreateOptions &o) { o.requireIsolation = IsolationTier::MicroVm; });
        row("a lifetime of zero is refused", ErrorKind::ConfigurationError,
            [](CreateOptions &o) { o.timeout = 0ms; });
        row("a memory cap of zero is refused", ErrorKind::ConfigurationError,
            [](CreateOptions &o) { o.resources.memoryMb = 0; });
    }
    void refusals()
    {
        QFETCH(CreateOptions, options);
        QFETCH(ErrorKind, kind);
        Fixture fixture;
        const CreatePlan plan = Fixture::valueOf(fixture.backend->plan(options));
        QVERIFY(!plan.isAccepted());
        QCOMPARE(plan.refusals.first().kind, kind);
        QVERIFY(!plan.refusals.first().hint.isEmpty());
        QCOMPARE(Fixture::errorOf(fixture.backend->create(plan)).kind, kind);
        QVERIFY(fixture.script->sandboxes().isEmpty());
    }
    void aPlanHasNoSideEffects()
    {
        Fixture fixture;
        const CreatePlan first = Fixture::valueOf(fixture.backend->plan({}));
        const CreatePlan second = Fixture::valueOf(fixture.backend->plan({}));
        QVERIFY(first.isAccepted());
        QVERIFY(first.name != second.name);
        QCOMPARE(first.tier, IsolationTier::Container);
        QCOMPARE(first.templateId, u"base"_s);
        QVERIFY(fixture.script->sandboxes().isEmpty());
        QVERIFY(fixture.script->calls().isEmpty());
    }
    void aBrokenDelayIsRefused()
    {
        Fixture fixture(u"fake://?createDelayMs=soon"_s);
        const CreatePlan plan = Fixture::valueOf(fixture.backend->plan({}));
        QCOMPARE(plan.refusals.first().kind, ErrorKind::ConfigurationError);
        QCOMPARE(Fixture::valueOf(fixture.backend->diagnose()).first().status, Diagnosis::Status::Failed);
    }
    void creatingReportsItsStepsAndIsNeverInline()
    {
        Fixture fixture(u"fake://?createDelayMs=400"_s);
        const auto operation = fixture.backend->create(Fixture::valueOf(fixture.backend->plan({})));
        QStringList steps;
        operation.onProgress(&fixture.io, [&](const OperationProgress &p) { steps << p.step; });
        QVERIFY(!operation.isEnded());
        for (int i = 0; i < 3; ++i) {
            Fixture::settle();
            fixture.clock->advance(100ms);
        }
        Fixture::settle();
        QVERIFY(!operation.isEnded());
        fixture.clock->advance(100ms);
        Fixture::settle();
        QVERIFY(operation.isEnded());
        QCOMPARE(steps, QStringList({u"resolve"_s, u"create"_s, u"start"_s, u"verify"_s}));
        QCOMPARE(operation.result()->details().managed.state, SandboxState::Running);
    }
    void theRecordSaysWhatWasAskedFor()
    {
        Fixture fixture(u"fake://python"_s);
        CreateOptions options;
        options.timeout = 90s;
        options.metadata = {{u"tenant"_s, u"t1"_s}};
        options.secrets = {{u"KEY"_s, Secret("canary-value"_ba)}};
        const auto sandbox = fixture.create(options);
        const auto row = Fixture::valueOf(fixture.backend->reapable()->inspectManaged(sandbox->id()));
        QVERIFY(row);
        QCOMPARE(row->state, SandboxState::Running);
        QCOMPARE(row->metadata, options.metadata);
        QCOMPARE(row->createdAt.secsTo(row->expiresAt), 90);
        QCOMPARE(row->tier, IsolationTier::Container);
        QCOMPARE(row->templateId, u"python"_s);
        QCOMPARE(row->egress, NetworkPolicy::Egress::Deny);
        QCOMPARE(row->owner.session, u"test"_s);
        QVERIFY(row->name.startsWith("sandboxio-"_L1));
        QVERIFY(sandbox->details().secretsAvailable);
        const auto again = Fixture::valueOf(fixture.backend->connectTo(sandbox->id(), false));
        QVERIFY(!again->details().secretsAvailable);
    }
    void cancellingACreateLeavesNothing_data()
    {
        QTest::addColumn<int>("afterMs");
        for (int ms = 0; ms < 400; ms += 50)
            QTest::addRow("cancelled after %d ms", ms) << ms;
    }
    void cancellingACreateLeavesNothing()
    {
        QFETCH(int, afterMs);
        Fixture fixture(u"fake://?createDelayMs=400"_s);
        const auto operation = fixture.backend->create(Fixture::valueOf(fixture.backend->plan({})));
        for (int passed = 0; passed < afterMs; passed += 50) {
            Fixture::settle();
            fixture.clock->advance(50ms);
        }
        operation.cancel();
        for (int i = 0; i < 10 && !operation.isEnded(); ++i) {
            Fixture::settle();
            fixture.clock->advance(100ms);
        }
        Fixture::settle();
        QCOMPARE(operation.outcome(), OperationOutcome::Cancelled);
        QVERIFY(fixture.script->sandboxes().isEmpty());
    }
    void aBackendThatDiesLeavesNoHalfSandbox()
    {
        Fixture fixture(u"fake://?createDelayMs=400"_s);
        const auto operation = fixture.backend->create(Fixture::valueOf(fixture.backend->plan({})));
        for (int i = 0; i < 3; ++i) {
            Fixture::settle();
            fixture.clock->advance(100ms);
        }
        Fixture::settle();
        QCOMPARE(fixture.script->sandboxes().size(), 1);
        fixture.backend.reset();
        QCOMPARE(operation.outcome(), OperationOutcome::Cancelled);
        QVERIFY(fixture.script->sandboxes().isEmpty());
    }
    void aSlowStepIsACreateTimeoutThatNamesIt()
    {
        Fixture fixture;
        fixture.script->setFaults({.createStep = 100s});
        CreateOptions options;
        options.createLimit = 60s;
        const auto operation = fixture.backend->create(Fixture::valueOf(fixture.backend->plan(options)));
        Fixture::settle();
        fixture.clock->advance(60s);
        const ErrorInfo error = Fixture::errorOf(operation);
        QCOMPARE(error.kind, ErrorKind::CreateTimeout);
        QCOMPARE(error.step, u"resolve"_s);
        QVERIFY(fixture.script->sandboxes().isEmpty());
    }
    void createFaultsLeaveNothing_data()
    {
        QTest::addColumn<bool>("limited");
        QTest::newRow("the provider answers 429") << true;
        QTest::newRow("the provider fails") << false;
    }
    void createFaultsLeaveNothing()
    {
        QFETCH(bool, limited);
        Fixture fixture;
        Faults faults;
        if (limited)
            faults.rateLimit = 7s;
        else
            faults.create = makeError(ErrorKind::CreationError, u"no room"_s);
        fixture.script->setFaults(faults);
        const ErrorInfo error =
            Fixture::errorOf(fixture.backend->create(Fixture::valueOf(fixture.backend->plan({}))));
        QCOMPARE(error.kind, limited ? ErrorKind::RateLimitError : ErrorKind::CreationError);
        if (limited) {
            QCOMPARE(error.retryAfter, 7s);
            QCOMPARE(error.cause->status, 429);
        }
        QVERIFY(fixture.script->sandboxes().isEmpty());
    }
    void anEndedSandboxIsListedUntilItIsRemoved()
    {
        Fixture fixture;
        CreateOptions options;
        options.timeout = 30s;
        const auto sandbox = fixture.create(options);
        fixture.clock->advance(30s);
        Fixture::settle();
        const auto rows = Fixture::valueOf(fixture.backend->reapable()->listManaged({}, {}));
        QCOMPARE(rows.size(), 1);
        QCOMPARE(rows.first().state, SandboxState::Stopped);
        QCOMPARE(Fixture::valueOf(sandbox->inspect()).state, SandboxState::Stopped);
        QCOMPARE(Fixture::errorOf(fixture.backend->connectTo(sandbox->id(), false)).kind,
                 ErrorKind::ConnectError);
        QVERIFY(Fixture::valueOf(fixture.backend->reapable()->killManaged(sandbox->id())));
        QVERIFY(Fixture::valueOf(fixture.backend->reapable()->listManaged({}, {})).isEmpty());
    }
    void connecting_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<bool>("allowForeign");
        QTest::addColumn<bool>("works");
        QTest::newRow("an unknown id is refused") << u"nope"_s << false << false;
        QTest::newRow("a foreign one is refused") << u"theirs"_s << false << false;
        QTest::newRow("a foreign one is taken when allowed") << u"theirs"_s << true << true;
        QTest::newRow("a running one is taken") << u"running"_s << false << true;
        QTest::newRow("a paused one is taken") << u"paused"_s << false << true;
        QTest::newRow("a stopped one is refused") << u"stopped"_s << false << false;
        QTest::newRow("a failed one is refused") << u"failed"_s << false << false;
    }
    void connecting()
    {
        QFETCH(QString, id);
        QFETCH(bool, allowForeign);
        QFETCH(bool, works);
        Fixture fixture;
        fixture.script->addForeign(u"theirs"_s);
        addRow(fixture, u"running"_s, SandboxState::Running);
        addRow(fixture, u"paused"_s, SandboxState::Paused);
        addRow(fixture, u"stopped"_s, SandboxState::Stopped);
        addRow(fixture, u"failed"_s, SandboxState::Failed);
        const qsizetype before = fixture.script->sandboxes().size();
        const auto operation = fixture.backend->connectTo(id, allowForeign);
        if (works)
            QCOMPARE(Fixture::valueOf(operation)->id(), id);
        else
            QCOMPARE(Fixture::errorOf(operation).kind, ErrorKind::ConnectError);
        QCOMPARE(fixture.script->sandboxes().size(), before);
    }
    void listingMatchesAllPairsExactly_data()
    {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<QStringList>("ids");
        QTest::newRow("no filter shows all managed ones") << QString() << QStringList({u"a"_s, u"b"_s, u"c"_s});
        QTest::newRow("one pair") << u"k=1"_s << QStringList({u"a"_s, u"b"_s});
        QTest::newRow("two pairs must both match") << u"k=1,l=2"_s << QStringList({u"b"_s});
        QTest::newRow("a part of a value is no match") << u"k=11"_s << QStringList();
        QTest::newRow("an empty value is no wildcard") << u"k="_s << QStringList();
    }
    void listingMatchesAllPairsExactly()
    {
        QFETCH(QString, filter);
        QFETCH(QStringList, ids);
        Fixture fixture;
        fixture.script->addForeign(u"theirs"_s);
        addRow(fixture, u"a"_s, SandboxState::Running, {{u"k"_s, u"1"_s}});
        addRow(fixture, u"b"_s, SandboxState::Stopped, {{u"k"_s, u"1"_s}, {u"l"_s, u"2"_s}});
        addRow(fixture, u"c"_s, SandboxState::Failed);
        QMap<QString, QString> metadata;
        for (const QString &pair : filter.split(u',', Qt::SkipEmptyParts))
            metadata.insert(pair.section(u'=', 0, 0), pair.section(u'=', 1));
        QStringList found;
        for (const auto &row : Fixture::valueOf(fixture.backend->reapable()->listManaged(metadata, {})))
            found << row.id;
        QCOMPARE(found, ids);
    }
    void longListsComeInPages()
    {
        Fixture fixture;
        for (int i = 0; i < 250; ++i)
            addRow(fixture, u"s%1"_s.arg(i), SandboxState::Running);
        QList<qsizetype> pages;
        const auto all = Fixture::valueOf(fixture.backend->reapable()->listManaged(
            {}, [&](const QList<ManagedSandbox> &page) { pages << page.size(); }));
        QCOMPARE(all.size(), 250);
        QCOMPARE(pages, QList<qsizetype>({100, 100, 50}));
    }
    void killing()
    {
        Fixture fixture;
        fixture.script->addForeign(u"theirs"_s);
        const auto sandbox = fixture.create();
        ReapablePort &reapable = *fixture.backend->reapable();
        QCOMPARE(Fixture::errorOf(reapable.killManaged(u"theirs"_s)).kind, ErrorKind::ConnectError);
        QCOMPARE(fixture.script->sandboxes().size(), 2);
        QVERIFY(Fixture::valueOf(reapable.killManaged(sandbox->id())));
        QVERIFY(!Fixture::valueOf(reapable.killManaged(sandbox->id())));
        Fixture::valueOf(sandbox->kill());
        Fixture::valueOf(sandbox->kill());
        QVERIFY(!Fixture::valueOf(reapable.inspectManaged(sandbox->id())));
        QCOMPARE(Fixture::errorOf(sandbox->inspect()).kind, ErrorKind::SandboxGone);
    }
    void killsCanHangAndFail()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        fixture.script->setFaults({.killHangs = true});
        const auto hanging = sandbox->kill();
        Fixture::settle();
        QVERIFY(!hanging.isEnded());
        fixture.script->setFaults({.kill = makeError(ErrorKind::ConnectError, u"refused"_s)});
        QCOMPARE(Fixture::errorOf(sandbox->kill()).kind, ErrorKind::ConnectError);
        QCOMPARE(fixture.script->sandboxes().size(), 1);
        fixture.script->setFaults({});
        Fixture::valueOf(sandbox->kill());
        QVERIFY(fixture.script->sandboxes().isEmpty());
    }
    void eventsBeginWithAResyncAndSayWhatChanged()
    {
        Fixture fixture;
        QList<std::pair<BackendEvent::Kind, QString>> events;
        auto subscription = fixture.backend->events()->subscribe(
            [&](const BackendEvent &event) { events.append({event.kind, event.id}); });
        QVERIFY(events.isEmpty());
        Fixture::settle();
        QCOMPARE(events.size(), 1);
        QCOMPARE(events.first().first, BackendEvent::Kind::Resync);
        CreateOptions options;
        options.timeout = 30s;
        const auto sandbox = fixture.create(options);
        Fixture::settle();
        QCOMPARE(events.last(), std::pair(BackendEvent::Kind::Changed, sandbox->id()));
        events.clear();
        fixture.clock->advance(30s);
        Fixture::settle();
        QCOMPARE(events, QList({std::pair(BackendEvent::Kind::Changed, sandbox->id())}));
        Fixture::valueOf(sandbox->kill());
        Fixture::settle();
        QCOMPARE(events.last(), std::pair(BackendEvent::Kind::Removed, sandbox->id()));
        events.clear();
        subscription.reset();
        const auto other = fixture.create();
        Fixture::settle();
        QVERIFY(events.isEmpty());
    }
    void twoEnginesWithOneScriptSeeTheSameSandboxes()
    {
        Fixture fixture;
        EngineContext second = fixture.context;
        const auto other = factory(fixture.script)(second, Target::fromDsn(u"fake://"_s));
        const auto sandbox = fixture.create();
        QCOMPARE(Fixture::valueOf(other->reapable()->listManaged({}, {})).size(), 1);
        Recorder run;
        run.start(*sandbox, commandRequest(Command({u"sleep"_s, u"60"_s})));
        Fixture::settle();
        QVERIFY(Fixture::valueOf(other->reapable()->killManaged(sandbox->id())));
        QVERIFY(run.finish());
        QCOMPARE(run.failure->kind, ErrorKind::SandboxGone);
    }
    void theStoreOfThePlugin_data()
    {
        QTest::addColumn<QString>("first");
        QTest::addColumn<QString>("second");
        QTest::addColumn<bool>("sameEngine");
        QTest::addColumn<bool>("shared");
        QTest::newRow("two places of one engine do not share it")
            << u"fake://"_s << u"fake://?createDelayMs=0"_s << true << false;
        QTest::newRow("two templates of one place share it") << u"fake://a"_s << u"fake://b"_s << true << true;
        QTest::newRow("engines do not share it") << u"fake://"_s << u"fake://"_s << false << false;
        QTest::newRow("engines share a named one")
            << u"fake://?store=x"_s << u"fake://?store=x"_s << false << true;
        QTest::newRow("names are kept apart") << u"fake://?store=x"_s << u"fake://?store=y"_s << true << false;
    }
    void theStoreOfThePlugin()
    {
        QFETCH(QString, first);
        QFETCH(QString, second);
        QFETCH(bool, sameEngine);
        QFETCH(bool, shared);
        Fixture fixture;
        EngineContext otherContext = fixture.context;
        const auto one = createUnscripted(fixture.context, Target::fromDsn(first));
        const auto two = createUnscripted(sameEngine ? fixture.context : otherContext, Target::fromDsn(second));
        const auto sandbox = Fixture::valueOf(one->create(Fixture::valueOf(one->plan({}))));
        QCOMPARE(Fixture::valueOf(two->reapable()->listManaged({}, {})).size(), shared ? 1 : 0);
    }
    void aBrokenProviderBreaksEverything()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        fixture.script->setFaults({.provider = makeError(ErrorKind::AuthError, u"no key"_s)});
        QCOMPARE(Fixture::errorOf(fixture.backend->reapable()->listManaged({}, {})).kind, ErrorKind::AuthError);
        QCOMPARE(Fixture::errorOf(sandbox->inspect()).kind, ErrorKind::AuthError);
        QCOMPARE(Fixture::errorOf(sandbox->files()->list(u"/"_s)).kind, ErrorKind::AuthError);
        QCOMPARE(Fixture::valueOf(fixture.backend->diagnose()).first().status, Diagnosis::Status::Failed);
    }
    void whatIsNotDeclaredIsNotSupported()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        QCOMPARE(sandbox->details().capabilities, fixture.backend->capabilities());
        QVERIFY(!sandbox->details().capabilities.testFlag(Capability::PauseResume));
        QCOMPARE(Fixture::errorOf(sandbox->pause()).kind, ErrorKind::CapabilityNotSupported);
        QCOMPARE(Fixture::errorOf(sandbox->extend(1s)).kind, ErrorKind::CapabilityNotSupported);
        QCOMPARE(Fixture::errorOf(sandbox->createContext(u"python"_s)).kind, ErrorKind::CapabilityNotSupported);
    }
    void probes()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        QCOMPARE(Fixture::valueOf(sandbox->probe({})).kind, NetworkProbeResult::Kind::Unreachable);
        CreateOptions open;
        open.network = NetworkPolicy::open();
        const auto other = fixture.create(open);
        QCOMPARE(Fixture::valueOf(other->probe({})).kind, NetworkProbeResult::Kind::NotTried);
        fixture.script->onProbe([](const NetworkProbe &, NetworkPolicy::Egress) {
            return NetworkProbeResult{NetworkProbeResult::Kind::Reached, {}};
        });
        QCOMPARE(Fixture::valueOf(sandbox->probe({})).kind, NetworkProbeResult::Kind::Reached);
    }

private:
    static void addRow(Fixture &fixture, const QString &id, SandboxState state,
                       const QMap<QString, QString> &metadata = {})
    {
        ManagedSandbox row;
        row.id = id;
        row.state = state;
        row.metadata = metadata;
        row.createdAt = fixture.clock->wallTime();
        fixture.script->addManaged(row);
    }
};

SANDBOXIO_TEST(TestFakeBackend)
#include "tst_fakebackend.moc"
