// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

#include <sandboxio/runtime/scopedsandbox.h>

#include <QElapsedTimer>

#include <algorithm>
#include <stdexcept>

namespace Sandboxio {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

/*! The end of scopes and engines, and kills that hang or fail. */
class TeardownContract final : public ContractFamily
{
    Q_OBJECT
public:
    using ContractFamily::ContractFamily;

private Q_SLOTS:
    void theEndOfAScopeEndsTheSandbox();
    void aScopeLeftByAnExceptionEndsTheSandbox();
    void aScopeLeftWhileARunIsCancelledEndsTheSandbox();
    void aDroppedValueDoesNotEndTheSandbox();
    void aKillThatHangsIsReportedAfterTheGrace();
    void aScopeWhoseKillHangsDoesNotHang();
    void aKillThatFailsNamesTheProvidersWords();
    void aRunWhoseKillHangsEndsAfterTheGrace();
    void theEndOfAnEngineEndsItsOperationsAndNoSandbox();
    void theEndOfAnEngineLeavesWhatItCreated();
    void theEndOfAnEngineThatCreatesLeavesNothing();
    void shutdownEndsTheSandboxesWhenAskedTo();
    void afterShutdownCallsAreRefused();

private:
    bool isAtProvider(const QString &id) { return atProvider().contains(id); }
    void orphanIsReported(const QString &id, Location where = Location::current());
};

void TeardownContract::theEndOfAScopeEndsTheSandbox()
{
    QString id;
    {
        const ScopedSandbox scope(value(engine().create(target(), options())));
        id = scope->id();
        QVERIFY(isAtProvider(id));
    }
    QVERIFY(!isAtProvider(id));
}

void TeardownContract::aScopeLeftByAnExceptionEndsTheSandbox()
{
    QString id;
    try {
        const ScopedSandbox scope(value(engine().create(target(), options())));
        id = scope->id();
        throw std::runtime_error("on purpose");
    } catch (const std::runtime_error &error) {
        QCOMPARE(error.what(), "on purpose");
    }
    QVERIFY(!isAtProvider(id));
}

void TeardownContract::aScopeLeftWhileARunIsCancelledEndsTheSandbox()
{
    needCapability(Capability::RunCommand);
    QString id;
    std::optional<Operation<ExecResult>> run;
    {
        const ScopedSandbox scope(value(engine().create(target(), options())));
        id = scope->id();
        run = scope->run(hang());
        run->cancel();
    }
    QVERIFY(!isAtProvider(id));
    endsAsCancelled(*run);
}

void TeardownContract::aDroppedValueDoesNotEndTheSandbox()
{
    SandboxPtr dropped = value(engine().create(target(), options()));
    const QString id = dropped->id();
    dropped.reset();
    letPass(50ms);
    QVERIFY(isAtProvider(id));
    const SandboxPtr again = value(engine().connectTo(target(), id));
    removeLater(again);
    QCOMPARE(value(again->info()).state, SandboxState::Running);
}

void TeardownContract::orphanIsReported(const QString &id, Location where)
{
    const auto isOrphan = [&](const EngineWarning &warning) {
        return warning.kind == EngineWarning::Kind::OrphanedSandbox && warning.sandboxId == id;
    };
    EngineWarning found;
    const bool reported = happensWithin(subject.operationLimit, [&] {
        const QList<EngineWarning> all = warnings();
        const auto warning = std::ranges::find_if(all, isOrphan);
        if (warning != all.end())
            found = *warning;
        return warning != all.end();
    });
    check(reported, u"no warning names the sandbox that may be left"_s, where);
    check(found.target.identity() == target().identity(), u"the warning does not name the target"_s, where);
    check(found.metadata.value(labelName()) == label(), u"the warning lacks the labels"_s, where);
}

void TeardownContract::aKillThatHangsIsReportedAfterTheGrace()
{
    const auto &hangKill = need(subject.probes.hangKill, "probe `hangKill`");
    const SandboxPtr own = create();
    {
        const Fault fault = hangKill();
        const Operation<void> kill = endedAfter(engine().teardownGrace(), own->kill());
        failsAs(ErrorKind::ConnectError, kill);
        orphanIsReported(own->id());
    }
    value(own->kill());
    QVERIFY(!isAtProvider(own->id()));
}

void TeardownContract::aScopeWhoseKillHangsDoesNotHang()
{
    const auto &hangKill = need(subject.probes.hangKill, "probe `hangKill`");
    const SandboxPtr own = create();
    QElapsedTimer timer;
    {
        const Fault fault = hangKill();
        ScopedSandbox scope(own);
        timer.start();
    }
    check(std::chrono::milliseconds(timer.elapsed()) < engine().teardownGrace() + subject.operationLimit,
          u"the scope took %1 ms"_s.arg(timer.elapsed()));
    pass(engine().teardownGrace(), [&] { return !warnings().isEmpty(); });
    orphanIsReported(own->id());
}

void TeardownContract::aKillThatFailsNamesTheProvidersWords()
{
    const auto &failKill = need(subject.probes.failKill, "probe `failKill`");
    const SandboxPtr own = create();
    {
        const Fault fault = failKill();
        const ErrorInfo error = failsAs(ErrorKind::ConnectError, own->kill());
        check(error.cause && !error.cause->text.isEmpty(), u"the cause is lost"_s);
    }
    QVERIFY(isAtProvider(own->id()));
    value(own->kill());
}

void TeardownContract::aRunWhoseKillHangsEndsAfterTheGrace()
{
    const auto &hangKillTree = need(subject.probes.hangKillTree, "probe `hangKillTree`");
    needCapability(Capability::RunCommand);
    const SandboxPtr own = create();
    const Operation<ExecResult> run = own->run(hang());
    runsInside(own->id(), 1);
    const Fault fault = hangKillTree(own->id());
    run.cancel();
    endsAsCancelled(endedAfter(engine().teardownGrace(), run));
    orphanIsReported(own->id());
}

void TeardownContract::theEndOfAnEngineEndsItsOperationsAndNoSandbox()
{
    needCapability(Capability::RunCommand);
    const SandboxPtr survivor = create();
    auto dying = anotherEngine();
    const SandboxPtr seen = value(dying->connectTo(target(), survivor->id()));
    QList<Operation<ExecResult>> runs;
    for (int i = 0; i < 10; ++i)
        runs.append(seen->run(hang()));
    runsInside(survivor->id(), 10);
    QElapsedTimer timer;
    timer.start();
    const std::chrono::milliseconds grace = dying->teardownGrace();
    dying.reset();
    check(std::chrono::milliseconds(timer.elapsed()) < grace + subject.operationLimit,
          u"the engine took %1 ms to end"_s.arg(timer.elapsed()));
    for (const Operation<ExecResult> &run : std::as_const(runs))
        endsAsCancelled(run);
    runsInside(survivor->id(), 0);
    QCOMPARE(value(survivor->info()).state, SandboxState::Running);
    QCOMPARE(failsAs(ErrorKind::ConfigurationError, seen->info()).code(), u"SBX_E1000"_s);
}

void TeardownContract::theEndOfAnEngineLeavesWhatItCreated()
{
    auto dying = anotherEngine();
    const QString id = value(dying->create(target(), options()))->id();
    dying.reset();
    letPass(50ms);
    QVERIFY(isAtProvider(id));
    const SandboxPtr survivor = value(engine().connectTo(target(), id));
    removeLater(survivor);
    QCOMPARE(value(survivor->info()).state, SandboxState::Running);
}

void TeardownContract::theEndOfAnEngineThatCreatesLeavesNothing()
{
    const QStringList before = atProvider();
    auto dying = anotherEngine();
    QList<Operation<SandboxPtr>> creations;
    for (int i = 0; i < 3; ++i)
        creations.append(dying->create(target(), options()));
    dying.reset();
    QStringList created; // one may have been quicker than the end of the engine, and is the caller's then
    for (const Operation<SandboxPtr> &creation : std::as_const(creations)) {
        if (ended(creation).outcome() == OperationOutcome::Value)
            created.append(creation.result()->id());
        else
            endsAsCancelled(creation);
    }
    nothingIsLeft(before + created);
    for (const QString &id : std::as_const(created))
        value(engine().killManaged(target(), id));
}

void TeardownContract::shutdownEndsTheSandboxesWhenAskedTo()
{
    auto dying = anotherEngine();
    const SandboxPtr first = value(dying->create(target(), options()));
    const SandboxPtr second = value(dying->create(target(), options()));
    value(dying->shutdown(true));
    QVERIFY(!isAtProvider(first->id()));
    QVERIFY(!isAtProvider(second->id()));
}

void TeardownContract::afterShutdownCallsAreRefused()
{
    auto dying = anotherEngine();
    const SandboxPtr own = create();
    const SandboxPtr seen = value(dying->connectTo(target(), own->id()));
    value(dying->shutdown());
    failsAs(ErrorKind::ConfigurationError, dying->create(target(), options()));
    failsAs(ErrorKind::ConfigurationError, seen->info());
    QVERIFY(isAtProvider(own->id()));
}

std::unique_ptr<ContractFamily> makeTeardownContract(ContractSubject &subject, const QString &label)
{
    return std::make_unique<TeardownContract>(subject, label);
}

} // namespace Sandboxio

#include "teardown.moc"
