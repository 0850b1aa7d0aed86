// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

namespace Sandboxio {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

/*! From create to the end: what a sandbox is, connecting, lifetimes, killing. */
class LifecycleContract final : public ContractFamily
{
    Q_OBJECT
public:
    using ContractFamily::ContractFamily;

private Q_SLOTS:
    void aCreatedSandboxIsUsableAtOnce();
    void aCreatedSandboxIsWhatThePlanSaid();
    void twoSandboxesAreApart();
    void aLifetimeIsAsAsked();
    void aLifetimeThatIsNotPositiveIsRefused_data();
    void aLifetimeThatIsNotPositiveIsRefused();
    void planningHasNoSideEffects();
    void connectingAttachesWithoutCreatingAnything();
    void connectingDoesNotChangeTheLifetime();
    void connectingToWhatDoesNotExistFails_data();
    void connectingToWhatDoesNotExistFails();
    void connectingToAKilledSandboxFails();
    void connectingToAnEndedSandboxFails();
    void connectingToAPausedSandboxWorks();
    void aPausedSandboxResumes();
    void aPausedSandboxRefusesRunsAndStaysPaused();
    void killingAPausedSandboxEndsIt();
    void anExtendedLifetimeEndsLater();
    void killingEndsTheSandbox();
    void killingTwiceIsSilent();
    void killingASandboxThatVanishedIsSilent();
    void lookingAtASandboxChangesNothing();
};

void LifecycleContract::aCreatedSandboxIsUsableAtOnce()
{
    const SandboxPtr created = create();
    QVERIFY(!created->id().isEmpty());
    QCOMPARE(created->target().identity(), target().identity());
    QVERIFY2(created->capabilities() != Capabilities(), "a sandbox without any capability is of no use");
    const ManagedSandbox info = value(created->info());
    QCOMPARE(info.state, SandboxState::Running);
    QCOMPARE(info.id, created->id());
    if (created->capabilities().testFlag(Capability::RunCommand)) {
        QCOMPARE(value(created->run(print(u"usable"_s))).standardOutput, "usable\n"_ba);
    }
}

void LifecycleContract::aCreatedSandboxIsWhatThePlanSaid()
{
    const CreatePlan plan = value(engine().plan(target(), options()));
    check(plan.isAccepted(), u"the plan refuses the subject's own options"_s);
    QVERIFY(!plan.name.isEmpty());
    QVERIFY(!plan.lifetimeMechanism.isEmpty());
    const SandboxPtr created = sandbox();
    QCOMPARE(created->isolation(), plan.tier);
    QCOMPARE(created->details().managed.templateId, plan.templateId);
    QCOMPARE(created->details().lifetimeMechanism, plan.lifetimeMechanism);
    QCOMPARE(created->details().resources, plan.options.resources);
    QVERIFY2(value(engine().plan(target(), options())).name != plan.name, "two plans have the same name");
}

void LifecycleContract::twoSandboxesAreApart()
{
    needCapability(Capability::FileSystem);
    const SandboxPtr first = create();
    const SandboxPtr second = create();
    QVERIFY(first->id() != second->id());
    value(first->files().write(u"only-here"_s, "first"_ba));
    failsAs(ErrorKind::PathNotFound, second->files().read(u"only-here"_s));
}

void LifecycleContract::aLifetimeIsAsAsked()
{
    CreateOptions with = options();
    with.timeout = 1234s;
    const ManagedSandbox info = value(create(with)->info());
    QVERIFY(info.createdAt.isValid());
    if (!info.expiresAt.isValid())
        skip(u"the provider does not say when a sandbox ends"_s);
    const qint64 seconds = info.createdAt.secsTo(info.expiresAt);
    check(seconds >= 1233 && seconds <= 1244, u"1234 s were asked for, it ends after %1 s"_s.arg(seconds));
}

void LifecycleContract::aLifetimeThatIsNotPositiveIsRefused_data()
{
    QTest::addColumn<int>("milliseconds");
    QTest::newRow("no time at all") << 0;
    QTest::newRow("a negative time") << -1000;
}

void LifecycleContract::aLifetimeThatIsNotPositiveIsRefused()
{
    QFETCH(int, milliseconds);
    CreateOptions with = options();
    with.timeout = std::chrono::milliseconds(milliseconds);
    const QStringList before = atProvider();
    failsAs(ErrorKind::ConfigurationError, engine().create(target(), with));
    QCOMPARE(atProvider(), before);
}

void LifecycleContract::planningHasNoSideEffects()
{
    const auto &requests = need(subject.probes.createRequests, "probe `createRequests`");
    const QStringList before = atProvider();
    const int requestsBefore = requests();
    value(engine().plan(target(), options()));
    QCOMPARE(requests(), requestsBefore);
    QCOMPARE(atProvider(), before);
}

void LifecycleContract::connectingAttachesWithoutCreatingAnything()
{
    const SandboxPtr created = sandbox();
    const QStringList before = atProvider();
    const auto second = anotherEngine();
    const SandboxPtr same = value(second->connectTo(target(), created->id()));
    QCOMPARE(same->id(), created->id());
    QCOMPARE(same->isolation(), created->isolation());
    QCOMPARE(atProvider(), before);
    if (!same->capabilities().testFlag(Capability::RunCommand))
        return;
    QCOMPARE(value(same->run(print(u"second"_s))).standardOutput, "second\n"_ba);
    QCOMPARE(value(created->run(print(u"first"_s))).standardOutput, "first\n"_ba);
}

void LifecycleContract::connectingDoesNotChangeTheLifetime()
{
    const QDateTime before = value(sandbox()->info()).expiresAt;
    {
        const auto second = anotherEngine();
        value(second->connectTo(target(), sandbox()->id()));
        QCOMPARE(value(sandbox()->info()).expiresAt, before);
    }
    QCOMPARE(value(sandbox()->info()).state, SandboxState::Running);
    QCOMPARE(value(sandbox()->info()).expiresAt, before);
}

void LifecycleContract::connectingToWhatDoesNotExistFails_data()
{
    QTest::addColumn<QString>("id");
    QTest::newRow("an id that nobody has") << u"no-such-sandbox-0"_s;
    QTest::newRow("an empty id") << QString();
    QTest::newRow("an id with a path in it") << u"../../etc/passwd"_s;
    QTest::newRow("an id with a question mark") << u"a?force=1"_s;
}

void LifecycleContract::connectingToWhatDoesNotExistFails()
{
    QFETCH(QString, id);
    const QStringList before = atProvider();
    failsAs(ErrorKind::ConnectError, engine().connectTo(target(), id));
    QCOMPARE(atProvider(), before);
}

void LifecycleContract::connectingToAKilledSandboxFails()
{
    const SandboxPtr killed = create();
    value(killed->kill());
    failsAs(ErrorKind::ConnectError, engine().connectTo(target(), killed->id()));
    QVERIFY(!atProvider().contains(killed->id()));
}

void LifecycleContract::connectingToAnEndedSandboxFails()
{
    failsAs(ErrorKind::ConnectError, engine().connectTo(target(), createEnded()->id()));
}

void LifecycleContract::connectingToAPausedSandboxWorks()
{
    needCapability(Capability::PauseResume);
    const SandboxPtr paused = create();
    value(paused->pause());
    const auto second = anotherEngine();
    const SandboxPtr same = value(second->connectTo(target(), paused->id()));
    QCOMPARE(value(same->info()).state, SandboxState::Paused);
}

void LifecycleContract::aPausedSandboxResumes()
{
    needCapability(Capability::PauseResume);
    const SandboxPtr paused = create();
    value(paused->pause());
    QCOMPARE(value(paused->info()).state, SandboxState::Paused);
    value(paused->resume());
    QCOMPARE(value(paused->info()).state, SandboxState::Running);
    QCOMPARE(value(paused->run(print(u"again"_s))).standardOutput, "again\n"_ba);
}

void LifecycleContract::aPausedSandboxRefusesRunsAndStaysPaused()
{
    needCapability(Capability::PauseResume);
    const SandboxPtr paused = create();
    value(paused->pause());
    value(paused->pause()); // it is
    const ErrorInfo error = failsAs(ErrorKind::ConnectError, paused->run(print(u"late"_s)));
    check(!error.hint.isEmpty(), u"the refusal has no hint"_s);
    if (paused->capabilities().testFlag(Capability::RunCode))
        failsAs(ErrorKind::ConnectError, paused->runCode(need(subject.code.print, "code `print`")(u"late"_s)));
    QCOMPARE(value(paused->info()).state, SandboxState::Paused);
}

void LifecycleContract::killingAPausedSandboxEndsIt()
{
    needCapability(Capability::PauseResume);
    const SandboxPtr killed = create();
    value(killed->pause());
    value(killed->kill());
    QVERIFY2(!atProvider().contains(killed->id()), "it is still there");
    failsAs(ErrorKind::SandboxGone, killed->resume());
}

void LifecycleContract::anExtendedLifetimeEndsLater()
{
    needCapability(Capability::ExtendLifetime);
    CreateOptions with = options();
    with.timeout = subject.shortLifetime;
    const SandboxPtr extended = create(with);
    value(extended->extend(60s));
    letPass(subject.shortLifetime + 500ms);
    QCOMPARE(value(extended->info()).state, SandboxState::Running);
    failsAs(ErrorKind::ConfigurationError, extended->extend(0s));
}

void LifecycleContract::killingEndsTheSandbox()
{
    const SandboxPtr killed = create();
    QVERIFY(atProvider().contains(killed->id()));
    value(killed->kill());
    QVERIFY2(!atProvider().contains(killed->id()), "it is still there");
    failsAs(ErrorKind::SandboxGone, killed->info());
    if (killed->capabilities().testFlag(Capability::RunCommand))
        failsAs(ErrorKind::SandboxGone, killed->run(print(u"late"_s)));
}

void LifecycleContract::killingTwiceIsSilent()
{
    const SandboxPtr killed = create();
    value(killed->kill());
    value(killed->kill());
    const SandboxPtr another = create();
    const Operation<void> first = another->kill();
    const Operation<void> atTheSameTime = another->kill();
    value(first);
    value(atTheSameTime);
    QCOMPARE(warnings(), QList<EngineWarning>());
}

void LifecycleContract::killingASandboxThatVanishedIsSilent()
{
    const auto &lose = need(subject.probes.lose, "probe `lose`");
    const SandboxPtr lost = create();
    lose(lost->id());
    value(lost->kill());
}

void LifecycleContract::lookingAtASandboxChangesNothing()
{
    const ManagedSandbox before = value(sandbox()->info());
    if (sandbox()->capabilities().testFlag(Capability::FileSystem))
        value(sandbox()->files().ls());
    if (canList())
        rowsOf(value(engine().listManaged({{target()}, {{labelName(), label()}}})));
    const ManagedSandbox after = value(sandbox()->info());
    QCOMPARE(after.state, before.state);
    QCOMPARE(after.expiresAt, before.expiresAt);
    QCOMPARE(after.metadata, before.metadata);
}

std::unique_ptr<ContractFamily> makeLifecycleContract(ContractSubject &subject, const QString &label)
{
    return std::make_unique<LifecycleContract>(subject, label);
}

} // namespace Sandboxio

#include "lifecycle.moc"
