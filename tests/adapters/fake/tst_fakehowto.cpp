// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
// Test your agent's tools without Docker: the example of engine/adapters/fake/README.md. The first part is a tool as
// an agent would have one, the second its tests.
#include "support/testprogram.h"

#include <sandboxio/fake/fakeclock.h>
#include <sandboxio/fake/fakescript.h>
#include <sandboxio/runtime/engine.h>
#include <sandboxio/runtime/scopedsandbox.h>

#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

/*! The tool: runs the tests of a project in a sandbox and says in one line what came of it. */
class TestTool
{
public:
    TestTool(Engine &engine, const Target &target)
        : m_engine(engine)
        , m_target(target)
    {}
    QString run(const QByteArray &source)
    {
        try {
            ScopedSandbox sandbox(
                m_engine.create(m_target, {.timeout = 1h, .metadata = {{u"tool"_s, u"tests"_s}}}).result());
            sandbox->files().write(u"test_it.py"_s, source).result();
            const ExecResult result = sandbox->run({u"pytest"_s, u"-q"_s}, {.timeout = 300s}).result();
            return result.succeeded() ? u"passed"_s : u"failed: "_s + result.text().trimmed();
        } catch (const ExecutionTimeout &) {
            return u"too slow"_s;
        } catch (const RateLimitError &error) {
            return u"busy, again in %1 s"_s.arg(error.info().retryAfter.value_or(0s).count() / 1000);
        } catch (const SandboxError &error) {
            return u"no answer: "_s + error.info().code();
        }
    }

private:
    Engine &m_engine;
    Target m_target;
};

} // namespace

class TestFakeHowTo : public QObject
{
    Q_OBJECT

    std::shared_ptr<Fake::Script> script;
    std::shared_ptr<Fake::VirtualClock> clock;
    std::unique_ptr<Engine> engine;

    QString runTool() { return TestTool(*engine, Target::fromDsn(u"fake://"_s)).run("def test(): pass"_ba); }

private Q_SLOTS:
    void init()
    {
        script = std::make_shared<Fake::Script>();
        clock = std::make_shared<Fake::VirtualClock>();
        // No ledger on disk, and time passes only when the test says so.
        engine = std::make_unique<Engine>(EngineOptions{.stateDirectory = QString(), .clock = clock});
        engine->registerBackend(u"fake"_s, Fake::factory(script));
    }
    void cleanup()
    {
        engine.reset();
        QCOMPARE(script->sandboxes(), QStringList()); // whatever happened, the tool left nothing
    }

    void itRunsTheTestsAndReadsTheirOutput()
    {
        script->onRun(u"pytest -q"_s, {.standardOutput = "1 failed\n"_ba, .exitCode = 1});
        QCOMPARE(runTool(), u"failed: 1 failed"_s);
        const Fake::Call call = script->calls(Fake::Call::Kind::Run).first();
        QCOMPARE(call.timeout, 300s);
        QCOMPARE(script->calls(Fake::Call::Kind::WriteFile).first().text, u"test_it.py"_s);
    }
    void itAsksEachTime()
    {
        script->onRun(Fake::contains(u"pytest"_s), Fake::inTurn({{.exitCode = 1}, {.exitCode = 0}}));
        QCOMPARE(runTool(), u"failed: "_s);
        QCOMPARE(runTool(), u"passed"_s);
    }
    void itEndsTestsThatHangAfterFiveMinutes()
    {
        script->onRun(u"pytest -q"_s, {.hangs = true});
        // The tool blocks its thread, so another one lets the five minutes pass.
        const std::unique_ptr<QThread> time(QThread::create([this] {
            clock->waitForTimer(300s); // the run has begun
            clock->advance(300s);
        }));
        time->start();
        QCOMPARE(runTool(), u"too slow"_s);
        time->wait();
        QCOMPARE(script->calls(Fake::Call::Kind::KillTree).size(), 1);
    }
    void itSaysWhenToComeBack()
    {
        script->setFaults({.rateLimit = 20s, .rateLimitedCreates = 1});
        script->onRun(u"pytest -q"_s, {.exitCode = 0});
        QCOMPARE(runTool(), u"busy, again in 20 s"_s);
        QCOMPARE(runTool(), u"passed"_s);
    }
    void itCopesWithALostConnection()
    {
        script->onRun(u"pytest -q"_s, {.standardOutput = "collected 12 items"_ba});
        script->setFaults({.disconnectAtByte = 5});
        QCOMPARE(runTool(), u"no answer: SBX_E1202"_s);
        script->setFaults({.goneAtByte = 5});
        QCOMPARE(runTool(), u"no answer: SBX_E1204"_s);
    }
};

SANDBOXIO_TEST(TestFakeHowTo)
#include "tst_fakehowto.moc"
