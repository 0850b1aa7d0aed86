// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

namespace Sandboxio {

using namespace Qt::StringLiterals;

/*! Caps and isolation: in force, not removable, not overstated, decided before anything is made. */
class ResourceContract final : public ContractFamily
{
    Q_OBJECT
public:
    using ContractFamily::ContractFamily;

private Q_SLOTS:
    void capsAreInForceOrRefused_data();
    void capsAreInForceOrRefused();
    void capsThatAreNotPositiveAreRefused_data();
    void capsThatAreNotPositiveAreRefused();
    void unsetCapsHaveModestDefaults();
    void capsCannotBeLiftedFromInside();
    void theEndOfMemoryNamesTheLimit();
    void aFullDiskIsAnErrorAndLeavesNothing();
    void aSampleTellsWhatIsUsed();
    void aSampleOfWhatIsGoneFails();
    void aGpuIsRefusedWhereThereIsNone();
    void theTierIsNotOverstated();
    void theSameTierIsSaidEverywhere();
    void aRequirementIsCheckedBeforeAnythingIsMade_data();
    void aRequirementIsCheckedBeforeAnythingIsMade();
    void aRequirementThatIsMetIsAccepted();

private:
    /*! The provider's caps are those that were \a said. */
    void areInForce(const Resources &real, const Resources &said)
    {
        QCOMPARE(real.cpu, said.cpu);
        QCOMPARE(real.memoryMb, said.memoryMb);
        QCOMPARE(real.diskMb, said.diskMb);
        QCOMPARE(real.processes, said.processes);
    }
};

void ResourceContract::capsAreInForceOrRefused_data()
{
    QTest::addColumn<Resources>("resources");
    QTest::newRow("half a core") << Resources{.cpu = 0.5};
    QTest::newRow("128 MiB of memory") << Resources{.memoryMb = 128};
    QTest::newRow("64 MiB of disk") << Resources{.diskMb = 64};
    QTest::newRow("50 processes") << Resources{.processes = 50};
    QTest::newRow("three at the same time") << Resources{.cpu = 0.5, .memoryMb = 128, .processes = 50};
}

void ResourceContract::capsAreInForceOrRefused()
{
    QFETCH(Resources, resources);
    CreateOptions with = options();
    with.resources = resources;
    const CreatePlan plan = value(engine().plan(target(), with));
    if (!plan.isAccepted()) {
        isRefused(with, {plan.refusals.first().kind}); // as it must be where it cannot be enforced
        return;
    }
    const SandboxPtr capped = create(with);
    const Resources said = capped->details().resources;
    QCOMPARE(said.cpu.value_or(0), resources.cpu.value_or(said.cpu.value_or(0)));
    QCOMPARE(said.memoryMb.value_or(0), resources.memoryMb.value_or(said.memoryMb.value_or(0)));
    QCOMPARE(said.diskMb.value_or(0), resources.diskMb.value_or(said.diskMb.value_or(0)));
    QCOMPARE(said.processes.value_or(0), resources.processes.value_or(said.processes.value_or(0)));
    areInForce(need(subject.probes.caps, "probe `caps`")(capped->id()), said);
}

void ResourceContract::capsThatAreNotPositiveAreRefused_data()
{
    QTest::addColumn<Resources>("resources");
    QTest::newRow("no core") << Resources{.cpu = 0};
    QTest::newRow("a negative core") << Resources{.cpu = -1};
    QTest::newRow("no memory") << Resources{.memoryMb = 0};
    QTest::newRow("negative memory") << Resources{.memoryMb = -1};
    QTest::newRow("no disk") << Resources{.diskMb = 0};
    QTest::newRow("no process") << Resources{.processes = 0};
}

void ResourceContract::capsThatAreNotPositiveAreRefused()
{
    QFETCH(Resources, resources);
    CreateOptions with = options();
    with.resources = resources;
    isRefused(with, {ErrorKind::ConfigurationError});
}

void ResourceContract::unsetCapsHaveModestDefaults()
{
    const Resources real = need(subject.probes.caps, "probe `caps`")(sandbox()->id());
    areInForce(real, sandbox()->details().resources);
    QVERIFY2(real.cpu && real.memoryMb && real.processes, "a cap is missing where nobody waived it");
}

void ResourceContract::capsCannotBeLiftedFromInside()
{
    needCapability(Capability::RunCommand);
    const Command lift = need(subject.commands.raiseOwnCaps, "command `raiseOwnCaps`")();
    const auto &caps = need(subject.probes.caps, "probe `caps`");
    const Resources before = caps(sandbox()->id());
    QVERIFY2(run(lift).exitCode != 0, "the caps can be written from inside");
    QCOMPARE(caps(sandbox()->id()), before);
}

void ResourceContract::theEndOfMemoryNamesTheLimit()
{
    needCapability(Capability::RunCommand);
    const Command fill = need(subject.commands.fillMemory, "command `fillMemory`")();
    CreateOptions with = options();
    with.resources.memoryMb = 64;
    const SandboxPtr small = create(with);
    const ErrorInfo error = failsAs(ErrorKind::ResourceLimitExceeded, small->run(fill));
    QCOMPARE(error.limitValue, 64 * 1024 * 1024);
    QVERIFY(error.limit.contains(u"memory"_s));
    QCOMPARE(value(small->run(print(u"alive"_s))).text(), u"alive\n"_s);
}

void ResourceContract::aFullDiskIsAnErrorAndLeavesNothing()
{
    constexpr qsizetype mebibyte = 1024 * 1024;
    needCapability(Capability::FileSystem);
    CreateOptions with = options();
    with.resources.diskMb = 8;
    const CreatePlan plan = value(engine().plan(target(), with));
    if (!plan.isAccepted()) {
        isRefused(with, {plan.refusals.first().kind});
        skip(u"refused, as it must be where it cannot be enforced: "_s + plan.refusals.first().message);
    }
    const FileSystem files = create(with)->files();
    value(files.write(u"/tmp/fits"_s, QByteArray(mebibyte, 'x')));
    const ErrorInfo error = errorOf(files.write(u"/tmp/too-much"_s, QByteArray(9 * mebibyte, 'x')));
    check(error.kind == ErrorKind::ResourceLimitExceeded || error.kind == ErrorKind::FileSystemError,
          u"failed as "_s + kindName(error.kind));
    failsAs(ErrorKind::PathNotFound, files.stat(u"/tmp/too-much"_s));
    QCOMPARE(value(files.read(u"/tmp/fits"_s)).size(), mebibyte);
}

void ResourceContract::aSampleTellsWhatIsUsed()
{
    needCapability(Capability::Stats);
    const SandboxPtr own = create();
    const SandboxStats before = value(own->stats());
    check(before.time.isValid(), u"the sample has no time"_s);
    check(before.cpuTime || before.memoryUsed || before.processes, u"the sample says nothing"_s);
    if (before.memoryUsed)
        check(*before.memoryUsed > 0, u"it runs without memory"_s);
    const std::optional<qint64> cap = own->details().resources.memoryMb;
    if (cap && before.memoryLimit)
        QCOMPARE(*before.memoryLimit, *cap * 1024 * 1024);
    if (own->details().resources.processes && before.processLimit)
        QCOMPARE(*before.processLimit, qint64(*own->details().resources.processes));
    if (own->capabilities().testFlag(Capability::RunCommand))
        value(own->run(print(u"work"_s)));
    const SandboxStats after = value(own->stats());
    check(after.time >= before.time, u"the second sample is the older one"_s);
    if (before.cpuTime)
        check(after.cpuTime && *after.cpuTime >= *before.cpuTime, u"time of the processor was given back"_s);
    QCOMPARE(value(own->info()).state, SandboxState::Running);
    if (!own->capabilities().testFlag(Capability::PauseResume))
        return;
    value(own->pause());
    value(own->stats());
    QCOMPARE(value(own->info()).state, SandboxState::Paused);
}

void ResourceContract::aSampleOfWhatIsGoneFails()
{
    needCapability(Capability::Stats);
    const SandboxPtr killed = create();
    value(killed->kill());
    failsAs(ErrorKind::SandboxGone, killed->stats());
}

void ResourceContract::aGpuIsRefusedWhereThereIsNone()
{
    if (sandbox()->capabilities().testFlag(Capability::Gpu))
        skip(u"Gpu is declared"_s);
    CreateOptions with = options();
    with.resources.gpu = u"T4"_s;
    isRefused(with, {ErrorKind::CapabilityNotSupported});
}

void ResourceContract::theTierIsNotOverstated()
{
    const IsolationTier said = sandbox()->isolation();
    check(said <= subject.tier,
          u"%1 is said, it is %2"_s.arg(isolationTierName(said), isolationTierName(subject.tier)));
    if (said == IsolationTier::Unknown)
        return;
    QVERIFY(!sandbox()->details().tierSource.isEmpty());
}

void ResourceContract::theSameTierIsSaidEverywhere()
{
    const IsolationTier said = sandbox()->isolation();
    QCOMPARE(value(engine().plan(target(), options())).tier, said);
    QCOMPARE(value(sandbox()->info()).tier, said);
}

void ResourceContract::aRequirementIsCheckedBeforeAnythingIsMade_data()
{
    QTest::addColumn<IsolationTier>("tier");
    QTest::newRow("the next tier") << (subject.tier < IsolationTier::Container ? IsolationTier::Container
                                       : subject.tier < IsolationTier::GVisor  ? IsolationTier::GVisor
                                                                               : IsolationTier::MicroVm);
    QTest::newRow("the highest tier") << IsolationTier::MicroVm;
}

void ResourceContract::aRequirementIsCheckedBeforeAnythingIsMade()
{
    QFETCH(IsolationTier, tier);
    if (satisfies(subject.tier, tier))
        skip(u"the backend has the highest tier"_s);
    CreateOptions with = options();
    with.requireIsolation = tier;
    isRefused(with, {ErrorKind::ConfigurationError});
}

void ResourceContract::aRequirementThatIsMetIsAccepted()
{
    if (subject.tier == IsolationTier::Unknown)
        skip(u"the backend's tier is not known"_s);
    CreateOptions with = options();
    with.requireIsolation = subject.tier;
    QVERIFY(satisfies(create(with)->isolation(), subject.tier));
}

std::unique_ptr<ContractFamily> makeResourceContract(ContractSubject &subject, const QString &label)
{
    return std::make_unique<ResourceContract>(subject, label);
}

} // namespace Sandboxio

#include "resources.moc"
