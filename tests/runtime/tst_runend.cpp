// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "barebackend.h"
#include "support/testprogram.h"

#include <sandboxio/core/error.h>
#include <sandboxio/fake/fakeclock.h>
#include <sandboxio/runtime/engine.h>

#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

/*! What follows the exit of a program that has printed "one". */
struct Ending
{
    bool treeEmpty = false;
    std::optional<ErrorKind> failure; //!< else "two" and the ends of the streams
    std::chrono::seconds late{5};     //!< after so long
    bool failsWhenKilled = false;     //!< the failure comes in a kill that follows the exit
};

class EndingProcess final : public QObject, public ProcessPort
{
public:
    EndingProcess(EngineContext &context, const Ending &ending, ProcessEvents *events)
        : m_ending(ending)
        , m_events(events)
    {
        m_timers[0] = context.clock->arm(this, 1ms, [ending, events] {
            events->started(1);
            events->output(OutputStream::StandardOutput, "one"_ba);
            events->exited({.code = 0, .signal = {}, .limit = {}, .treeEmpty = ending.treeEmpty});
            if (ending.failure && !ending.failsWhenKilled)
                events->failed(makeError(*ending.failure, u"lost"_s));
        });
        if (ending.failure)
            return;
        m_timers[1] = context.clock->arm(this, ending.late, [events] {
            events->output(OutputStream::StandardOutput, "two"_ba);
            events->streamEnded(OutputStream::StandardOutput);
            events->streamEnded(OutputStream::StandardError);
        });
    }
    void acknowledge(OutputStream, qint64) override {}
    Operation<void> write(const QByteArray &) override { return finishedOperation(); }
    Operation<void> closeWrite() override { return finishedOperation(); }
    Operation<void> resize(TerminalSize) override { return finishedOperation(); }
    Operation<void> signal(int) override { return finishedOperation(); }
    Operation<void> killTree() override
    {
        if (m_ending.failsWhenKilled)
            m_events->failed(makeError(*m_ending.failure, u"lost"_s));
        return finishedOperation();
    }

private:
    const Ending m_ending;
    ProcessEvents *const m_events;
    std::unique_ptr<ArmedTimer> m_timers[2];
};

class EndingSandbox final : public BareSandbox
{
public:
    EndingSandbox(EngineContext &context, const Ending &ending)
        : m_context(context)
        , m_ending(ending)
    {}
    SandboxDetails details() const override
    {
        SandboxDetails details;
        details.capabilities = Capability::RunCommand | Capability::Streaming;
        return details;
    }
    std::unique_ptr<ProcessPort> start(const ProcessRequest &, ProcessEvents *events) override
    {
        return std::make_unique<EndingProcess>(m_context, m_ending, events);
    }

private:
    EngineContext &m_context;
    const Ending m_ending;
};

class EndingBackend final : public BareBackend
{
public:
    EndingBackend(EngineContext &context, const Ending &ending)
        : m_context(context)
        , m_ending(ending)
    {}
    Operation<std::shared_ptr<SandboxPort>> create(const CreatePlan &) override
    {
        return finishedOperation(
            std::shared_ptr<SandboxPort>(std::make_shared<EndingSandbox>(m_context, m_ending)));
    }

private:
    EngineContext &m_context;
    const Ending m_ending;
};

} // namespace

/*! When a run whose program has exited is over, and as what. */
class TestRunEnd : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void afterTheExit_data()
    {
        using Failure = std::optional<ErrorKind>;
        QTest::addColumn<bool>("treeEmpty");
        QTest::addColumn<Failure>("failure");
        QTest::addColumn<int>("late");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("streamsOpen");
        QTest::addColumn<Failure>("error");
        const Failure none;
        const Failure broken = ErrorKind::ConnectError;
        const Failure gone = ErrorKind::SandboxGone;
        QTest::newRow("output of a stalled transport is awaited when nobody is left")
            << true << none << 5 << u"onetwo"_s << false << none;
        QTest::newRow("a transport that stalls for ever is no success")
            << true << none << 3600 << QString() << false << broken;
        QTest::newRow("a process that is left is not awaited")
            << false << none << 5 << u"one"_s << true << none;
        QTest::newRow("a lost connection is no success") << true << broken << 0 << QString() << false << broken;
        QTest::newRow("a lost connection is no success beside a process that is left")
            << false << broken << 0 << QString() << false << broken;
        QTest::newRow("a sandbox that goes takes the process that is left along")
            << false << gone << 0 << u"one"_s << true << none;
        QTest::newRow("a sandbox that goes before its output has come is told")
            << true << gone << 0 << QString() << false << gone;
    }
    void afterTheExit()
    {
        QFETCH(bool, treeEmpty);
        QFETCH(std::optional<ErrorKind>, failure);
        QFETCH(int, late);
        QFETCH(std::optional<ErrorKind>, error);
        const auto clock = std::make_shared<Fake::VirtualClock>();
        Engine engine({.stateDirectory = QString(), .clock = clock});
        engine.registerBackend(u"ending"_s, [&](EngineContext &context, const Target &) {
            return std::make_unique<EndingBackend>(context,
                                                   Ending{treeEmpty, failure, std::chrono::seconds(late)});
        });
        const SandboxPtr sandbox = engine.create(Target::fromDsn(u"ending://"_s)).result();
        const Operation<ExecResult> run = sandbox->run({u"program"_s});
        QVERIFY(clock->advanceUntilEnded(run));
        if (error) {
            QCOMPARE(run.outcome(), OperationOutcome::Error);
            QCOMPARE(run.error().kind, *error);
            return;
        }
        QTEST(run.result().text(), "text");
        QTEST(run.result().streamsOpen, "streamsOpen");
        QCOMPARE(run.result().exitCode, 0);
    }

    void aLossWhileWhatIsLeftIsKilledIsNoSuccess()
    {
        const auto clock = std::make_shared<Fake::VirtualClock>();
        Engine engine({.stateDirectory = QString(), .clock = clock});
        engine.registerBackend(u"ending"_s, [](EngineContext &context, const Target &) {
            return std::make_unique<EndingBackend>(
                context,
                Ending{.treeEmpty = true, .failure = ErrorKind::ConnectError, .failsWhenKilled = true});
        });
        const SandboxPtr sandbox = engine.create(Target::fromDsn(u"ending://"_s)).result();
        const auto process = sandbox->stream({u"program"_s});
        std::optional<RunOutcome> outcome;
        std::optional<ErrorInfo> error;
        connect(process.get(), &Process::ended, this,
                [&](const RunOutcome &how, const auto &, const auto &why) {
                    outcome = how;
                    error = why;
                });
        const Operation<void> start = process->start(Process::ConsumerMode::Discard);
        QVERIFY(clock->advanceUntilEnded(start)); // its program has exited at once
        process->kill().result();
        QTRY_VERIFY(outcome);
        QCOMPARE(*outcome, (RunOutcome{RunOutcome::Kind::Exited, 0}));
        QVERIFY(error);
        QCOMPARE(error->kind, ErrorKind::ConnectError);
    }
};

SANDBOXIO_TEST(TestRunEnd)
#include "tst_runend.moc"
