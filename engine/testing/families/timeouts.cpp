// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

namespace Sandboxio {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

/*! Run limits and lifetimes: what ends, how it is called, and what goes on. */
class TimeoutContract final : public ContractFamily
{
    Q_OBJECT
public:
    using ContractFamily::ContractFamily;

private Q_SLOTS:
    void aRunPastItsLimitFailsAndIsDead();
    void outputBeforeTheLimitIsNoSuccess();
    void detachedChildrenDieWithTheRun();
    void aNeighbourOfATimedOutRunGoesOn();
    void theSandboxIsTheSameAfterwards();
    void codePastItsLimitFails();
    void aStreamPastItsLimitFails();
    void aRunThatEndsInTimeIsNotTouched();
    void aLimitThatIsNotPositiveIsRefused_data();
    void aLimitThatIsNotPositiveIsRefused();
    void withoutALimitTheLifetimeEndsTheRun();

private:
    void prepare() override { needCapability(Capability::RunCommand); }
    /*! Runs \a command past its limit. */
    void timesOut(const SandboxPtr &sandbox, const Command &command, Location where = Location::current())
    {
        RunOptions with;
        with.timeout = subject.shortLimit;
        const Operation<ExecResult> run = endedAfter(subject.shortLimit, sandbox->run(command, with), where);
        failsAs(ErrorKind::ExecutionTimeout, run, where);
        QVERIFY_THROWS_EXCEPTION(ExecutionTimeout, run.result());
    }
};

void TimeoutContract::aRunPastItsLimitFailsAndIsDead()
{
    const SandboxPtr own = create();
    timesOut(own, hang());
    runsInside(own->id(), 0);
    QCOMPARE(warnings(), QList<EngineWarning>());
}

void TimeoutContract::outputBeforeTheLimitIsNoSuccess()
{
    timesOut(sandbox(), need(subject.commands.printThenHang, "command `printThenHang`")(u"partial"_s, 600));
}

void TimeoutContract::detachedChildrenDieWithTheRun()
{
    const SandboxPtr own = create();
    timesOut(own, need(subject.commands.hangDetached, "command `hangDetached`")(600));
    runsInside(own->id(), 0);
}

void TimeoutContract::aNeighbourOfATimedOutRunGoesOn()
{
    const SandboxPtr own = create();
    const Operation<ExecResult> neighbour = own->run(hang(601));
    runsInside(own->id(), 1);
    timesOut(own, hang());
    runsInside(own->id(), 1);
    QVERIFY2(!neighbour.isEnded(), "the neighbour ended with it");
    neighbour.cancel();
    endsAsCancelled(neighbour);
}

void TimeoutContract::theSandboxIsTheSameAfterwards()
{
    const SandboxPtr own = create();
    const ManagedSandbox before = value(own->info());
    timesOut(own, hang());
    const ManagedSandbox after = value(own->info());
    QCOMPARE(after.id, before.id);
    QCOMPARE(after.state, SandboxState::Running);
    QCOMPARE(after.expiresAt, before.expiresAt);
    QCOMPARE(value(own->run(print(u"usable"_s))).text(), u"usable\n"_s);
}

void TimeoutContract::codePastItsLimitFails()
{
    needCapability(Capability::RunCode);
    const SandboxPtr own = create();
    RunCodeOptions with;
    with.language = subject.code.language;
    with.timeout = subject.shortLimit;
    const QString hanging = need(subject.code.hang, "code `hang`")(600);
    failsAs(ErrorKind::ExecutionTimeout, endedAfter(subject.shortLimit, own->runCode(hanging, with)));
    runsInside(own->id(), 0);
}

void TimeoutContract::aStreamPastItsLimitFails()
{
    needCapability(Capability::Streaming);
    const SandboxPtr own = create();
    RunOptions with;
    with.timeout = subject.shortLimit;
    const auto process = own->stream(hang(), with);
    const auto end = endOf(*process);
    value(process->start(Process::ConsumerMode::Discard));
    check(pass(subject.shortLimit, [&] { return end->count > 0; }), u"the stream hangs"_s);
    QCOMPARE(end->outcome.kind, RunOutcome::Kind::TimedOut);
    QVERIFY(!end->result);
    QVERIFY(end->error && end->error->kind == ErrorKind::ExecutionTimeout);
    failsAs(ErrorKind::ExecutionTimeout, process->wait());
    runsInside(own->id(), 0);
    QCOMPARE(end->count, 1);
}

void TimeoutContract::aRunThatEndsInTimeIsNotTouched()
{
    RunOptions with;
    with.timeout = 60s;
    QCOMPARE(run(print(u"in time"_s), with).text(), u"in time\n"_s);
}

void TimeoutContract::aLimitThatIsNotPositiveIsRefused_data()
{
    QTest::addColumn<int>("milliseconds");
    QTest::newRow("no time at all") << 0;
    QTest::newRow("a negative time") << -1;
}

void TimeoutContract::aLimitThatIsNotPositiveIsRefused()
{
    QFETCH(int, milliseconds);
    RunOptions with;
    with.timeout = std::chrono::milliseconds(milliseconds);
    failsAs(ErrorKind::ConfigurationError, sandbox()->run(hang(), with));
    const Capabilities declared = sandbox()->capabilities();
    if (declared.testFlag(Capability::RunCode)) {
        RunCodeOptions code;
        code.timeout = with.timeout;
        failsAs(ErrorKind::ConfigurationError, sandbox()->runCode(u"1"_s, code));
    }
    if (declared.testFlag(Capability::Streaming))
        QVERIFY_THROWS_EXCEPTION(ConfigurationError, std::ignore = sandbox()->stream(hang(), with));
}

void TimeoutContract::withoutALimitTheLifetimeEndsTheRun()
{
    CreateOptions with = options();
    with.timeout = subject.shortLifetime;
    const SandboxPtr own = create(with);
    const Operation<ExecResult> run = endedAfter(subject.shortLifetime, own->run(hang()));
    const ErrorInfo error = failsAs(ErrorKind::SandboxGone, run);
    check(error.hint.contains(u"lifetime"_s),
          u"the hint does not say that the lifetime ended it: "_s + error.hint);
}

std::unique_ptr<ContractFamily> makeTimeoutContract(ContractSubject &subject, const QString &label)
{
    return std::make_unique<TimeoutContract>(subject, label);
}

} // namespace Sandboxio

#include "timeouts.moc"
