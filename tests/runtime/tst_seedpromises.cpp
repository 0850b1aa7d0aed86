// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/core/error.h>
#include <sandboxio/fake/fakescript.h>
#include <sandboxio/runtime/engine.h>

#include <QDir>
#include <QTest>
#include <QThread>

#include "barebackend.h"

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

EngineOptions options()
{
    return {.stateDirectory = QString()};
}

template <typename T>
concept HasAwaiter = requires(T value) { value.await_ready(); } || requires(T value) {
    value.operator co_await();
} || requires(T value) { operator co_await(value); };
template <typename T>
concept HasGrace = requires(T value) { value.teardownGrace; };

} // namespace

/// Promises of the seed documents that neither the contract suite nor another test holds; see
/// engine/testing/REQUIREMENTS.md.
class TestSeedPromises : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void defaultsAreThoseOfTheSeed()
    {
        const CreateOptions create;
        QCOMPARE(create.timeout, 300s);
        QCOMPARE(create.network.egress, NetworkPolicy::Egress::Deny);
        QVERIFY(create.network.allow.isEmpty() && create.network.ingressPorts.isEmpty());
        QVERIFY(!create.requireIsolation);
        QVERIFY(!RunOptions().timeout);
        QVERIFY(!RunCodeOptions().timeout);
        QCOMPARE(RunCodeOptions().language, u"python"_s);
        QCOMPARE(Engine(options()).teardownGrace(), 5s);
        static_assert(HasGrace<EngineOptions> && !HasGrace<CreateOptions>);
    }

    void streamingThatIsNotDeclaredIsRefusedByStreamItself()
    {
        Engine engine(options());
        engine.registerBackend(u"bare"_s,
                               [](EngineContext &, const Target &) { return std::make_unique<BareBackend>(); });
        const SandboxPtr sandbox = engine.create(Target::fromDsn(u"bare://"_s)).result();
        QVERIFY_THROWS_EXCEPTION(CapabilityNotSupported, std::ignore = sandbox->stream({u"true"_s}));
        QVERIFY_THROWS_EXCEPTION(CapabilityNotSupported, std::ignore = sandbox->streamCode(u"1"_s));
    }

    void aBackendWithoutListingIsUsableAndRefusesToListAndToKillById()
    {
        Engine engine(options());
        engine.registerBackend(u"bare"_s,
                               [](EngineContext &, const Target &) { return std::make_unique<BareBackend>(); });
        const Target target = Target::fromDsn(u"bare://"_s);
        engine.create(target).result()->kill().result();
        QVERIFY_THROWS_EXCEPTION(CapabilityNotSupported, engine.killManaged(target, u"bare"_s).result());
        // No rows would say that nothing is there.
        const ManagedListing listing = engine.listManaged({.targets = {target}}).result();
        QCOMPARE(listing.targets.size(), 1);
        QVERIFY(listing.targets.first().error);
        QCOMPARE(listing.targets.first().error->kind, ErrorKind::CapabilityNotSupported);
    }

    void filesOfWhatHasEndedAreAnOptionOfTheBackend()
    {
        auto engine = std::make_unique<Engine>(options());
        engine->registerBackend(
            u"bare"_s, [](EngineContext &, const Target &) { return std::make_unique<BareBackend>(); });
        const Target target = Target::fromDsn(u"bare://"_s);
        const StoredFiles files = engine->storedFiles(target, u"bare"_s);
        QCOMPARE(files.id(), u"bare"_s);
        QCOMPARE(files.target(), target);
        QVERIFY_THROWS_EXCEPTION(CapabilityNotSupported, files.ls().result());
        const StoredFiles nowhere = engine->storedFiles(Target::fromDsn(u"no-such-backend://"_s), u"x"_s);
        QVERIFY_THROWS_EXCEPTION(BackendNotFound, nowhere.stat(u"/"_s).result());
        engine.reset();
        QVERIFY_THROWS_EXCEPTION(ConfigurationError, files.read(u"x"_s).result());
    }

    void aProcessCannotBeAwaitedAndDoesNothingBeforeItsStart()
    {
        static_assert(HasAwaiter<Operation<ExecResult>>);
        static_assert(!HasAwaiter<std::unique_ptr<Process>> && !HasAwaiter<Process &>);
        Engine engine(options());
        const SandboxPtr sandbox = engine.create(Target::fromDsn(u"fake://"_s)).result();
        {
            const auto process = sandbox->stream({u"true"_s});
            QVERIFY_THROWS_EXCEPTION(ConfigurationError, process->wait().result());
            QVERIFY_THROWS_EXCEPTION(ConfigurationError, process->write("x"_ba).result());
            QVERIFY_THROWS_EXCEPTION(ConfigurationError, process->nextChunk().result());
            QVERIFY(!process->isRunning() && !process->exitCode());
            QTest::ignoreMessage(QtWarningMsg, "A Process was destroyed that was never started.");
        }
        const auto process = sandbox->stream({u"true"_s});
        process->start(Process::ConsumerMode::Discard).result();
        QCOMPARE(process->wait().result().exitCode, 0);
    }

    void nativeIsTheAdaptersLiveObjectInTheThreadItLivesIn()
    {
        Engine engine(options());
        engine.registerBackend(u"bare"_s,
                               [](EngineContext &, const Target &) { return std::make_unique<BareBackend>(); });
        const SandboxPtr sandbox = engine.create(Target::fromDsn(u"bare://"_s)).result();
        QString id;
        const QThread *thread = nullptr;
        sandbox
            ->withNative([&](void *native) {
                id = static_cast<BareSandbox *>(native)->id();
                thread = QThread::currentThread();
            })
            .result();
        QCOMPARE(id, u"bare"_s);
        QVERIFY(thread != QThread::currentThread());
    }

    void sandboxesCostNoThreads()
    {
        Engine engine(options());
        const Target target = Target::fromDsn(u"fake://"_s);
        const auto threads = [] {
            return QDir(u"/proc/self/task"_s).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size();
        };
        QList<SandboxPtr> sandboxes{engine.create(target).result()};
        sandboxes.first()->run({u"true"_s}).result();
        const qsizetype before = threads();
        for (int i = 0; i < 50; ++i)
            sandboxes.append(engine.create(target).result());
        for (const SandboxPtr &sandbox : std::as_const(sandboxes))
            sandbox->run({u"true"_s}).result();
        QCOMPARE(threads(), before);
    }

    void theBlockingFormThrowsTheClassWithItsCause()
    {
        const ErrorInfo scripted = makeError(ErrorKind::AuthError, u"The key was refused."_s, u"Renew it."_s,
                                             {.status = 403, .text = u"forbidden"_s});
        auto script = std::make_shared<Fake::Script>();
        script->setFaults({.provider = scripted});
        Engine engine(options());
        engine.registerBackend(u"fake"_s, Fake::factory(script));
        try {
            std::ignore = engine.create(Target::fromDsn(u"fake://"_s)).result();
            QFAIL("created");
        } catch (const AuthError &error) {
            QVERIFY(error.info().cause);
            QCOMPARE(error.info().cause->status, 403);
            QCOMPARE(error.info().cause->text, u"forbidden"_s);
        }
    }

    void theBackendIsSwappedByOneLine_data()
    {
        QTest::addColumn<Target>("target");
        QTest::newRow("a DSN") << Target::fromDsn(u"fake://base"_s);
        QTest::newRow("a value") << Target{.backend = u"fake"_s, .templateId = u"base"_s, .parameters = {}};
    }
    void theBackendIsSwappedByOneLine()
    {
        QFETCH(Target, target);
        Engine engine(options());
        const SandboxPtr sandbox = engine.create(target).result();
        QCOMPARE(sandbox->target().backend, u"fake"_s);
        QCOMPARE(sandbox->runCode(u"print('hello')"_s).result().text(), u"hello\n"_s);
        QVERIFY(sandbox->capabilities().testFlag(Capability::RunCode));
        QVERIFY(sandbox->isolation() != IsolationTier::MicroVm);
    }
};

SANDBOXIO_TEST(TestSeedPromises)
#include "tst_seedpromises.moc"
