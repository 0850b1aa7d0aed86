// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

#include <sandboxio/runtime/sandboxwatcher.h>

#include <algorithm>

namespace Sandboxio {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

/*! Finding and removing what carries our labels, whoever made it. */
class ReapingContract final : public ContractFamily
{
    Q_OBJECT
public:
    using ContractFamily::ContractFamily;

private Q_SLOTS:
    void aListingShowsWhatThereIs();
    void aListingHasTheFacts();
    void labelsComeBackAsTheyWere();
    void labelsMatchExactlyAndAllOfThem();
    void anotherEngineSeesTheSame();
    void whatIsNotManagedIsNotListed();
    void killingByIdRemovesIt();
    void killingByIdIsIdempotent();
    void killingByIdRefusesWhatIsNotManaged();
    void connectingToWhatIsNotManagedNeedsToBeAskedFor();
    void anEndedSandboxIsListedAndRemoved();
    void changesAreSeenAsTheyHappen();
    void aPauseIsSeenAsItHappens();

private:
    void prepare() override
    {
        if (!canList())
            skip(u"the backend cannot list what it has made"_s);
    }
    QList<ManagedSandbox> listed(QMap<QString, QString> metadata = {})
    {
        metadata.insert(labelName(), label());
        return rowsOf(value(engine().listManaged({{target()}, metadata})));
    }
    std::optional<ManagedSandbox> row(const QString &id)
    {
        const QList<ManagedSandbox> rows = listed();
        const auto found = std::ranges::find(rows, id, &ManagedSandbox::id);
        return found == rows.end() ? std::nullopt : std::optional(*found);
    }
};

void ReapingContract::aListingShowsWhatThereIs()
{
    const SandboxPtr first = create();
    const SandboxPtr second = create();
    QVERIFY(row(first->id()));
    QVERIFY(row(second->id()));
    QStringList ids;
    for (const ManagedSandbox &sandbox : listed())
        ids.append(sandbox.id);
    ids.sort();
    QCOMPARE(ids, atProvider());
    value(first->kill());
    QVERIFY(!row(first->id()));
    QVERIFY(row(second->id()));
}

void ReapingContract::aListingHasTheFacts()
{
    const SandboxPtr own = create();
    const auto found = row(own->id());
    QVERIFY(found);
    QCOMPARE(found->state, SandboxState::Running);
    QCOMPARE(found->target.identity(), target().identity());
    QVERIFY(found->createdAt.isValid());
    QVERIFY(found->expiresAt > found->createdAt);
    QCOMPARE(found->tier, own->isolation());
    QCOMPARE(found->egress, NetworkPolicy::Egress::Deny);
    QCOMPARE(found->templateId, own->details().managed.templateId);
    QCOMPARE(found->owner.session, engine().owner().session);
    QVERIFY(!found->owner.foreign);
    QCOMPARE(engine().ownershipOf(*found).verdict, Ownership::Verdict::InUse);
}

void ReapingContract::labelsComeBackAsTheyWere()
{
    CreateOptions with = options();
    const QMap<QString, QString> odd{
        {u"tenant_id"_s, u"t-1"_s},       {u"with.dots-and_more"_s, u"x"_s},
        {u"spaces"_s, u" a  b "_s},       {u"signs"_s, u"a=b,c&d \"e\" 'f' \\ % {}"_s},
        {u"letters"_s, u"äöü 漢字 😀"_s}, {u"empty"_s, QString()}};
    with.metadata.insert(odd);
    const SandboxPtr own = create(with);
    QCOMPARE(own->details().managed.metadata, with.metadata);
    QCOMPARE(value(own->info()).metadata, with.metadata);
    const auto found = row(own->id());
    QVERIFY(found);
    QCOMPARE(found->metadata, with.metadata);
    const auto second = anotherEngine();
    const SandboxPtr same = value(second->connectTo(target(), own->id()));
    QCOMPARE(same->details().managed.metadata, with.metadata);
}

void ReapingContract::labelsMatchExactlyAndAllOfThem()
{
    CreateOptions with = options();
    with.metadata.insert({{u"tenant"_s, u"one"_s}, {u"session"_s, u"s-1"_s}});
    const SandboxPtr own = create(with);
    QCOMPARE(listed({{u"tenant"_s, u"one"_s}}).size(), 1);
    QCOMPARE(listed({{u"tenant"_s, u"one"_s}, {u"session"_s, u"s-1"_s}}).size(), 1);
    QCOMPARE(listed({{u"tenant"_s, u"on"_s}}).size(), 0);
    QCOMPARE(listed({{u"tenant"_s, u"ONE"_s}}).size(), 0);
    QCOMPARE(listed({{u"tenant"_s, QString()}}).size(), 0);
    QCOMPARE(listed({{u"tenant"_s, u"one"_s}, {u"session"_s, u"s-2"_s}}).size(), 0);
    QCOMPARE(listed({{u"tenan"_s, u"one"_s}}).size(), 0);
}

void ReapingContract::anotherEngineSeesTheSame()
{
    const SandboxPtr own = create();
    const auto second = anotherEngine();
    const QList<ManagedSandbox> rows =
        rowsOf(value(second->listManaged({{target()}, {{labelName(), label()}}})));
    const auto found = std::ranges::find(rows, own->id(), &ManagedSandbox::id);
    QVERIFY(found != rows.end());
    QCOMPARE(found->owner.session, engine().owner().session);
    QCOMPARE(value(second->killManaged(target(), own->id())), true);
    QVERIFY(!atProvider().contains(own->id()));
}

void ReapingContract::whatIsNotManagedIsNotListed()
{
    const ForeignSandbox foreign = need(subject.probes.addForeign, "probe `addForeign`")();
    const SandboxPtr own = create();
    const QList<ManagedSandbox> rows = rowsOf(value(engine().listManaged({{target()}, {}})));
    QVERIFY2(std::ranges::contains(rows, own->id(), &ManagedSandbox::id), "what is managed is not listed");
    QVERIFY2(!std::ranges::contains(rows, foreign.id, &ManagedSandbox::id), "it is listed");
}

void ReapingContract::killingByIdRemovesIt()
{
    const SandboxPtr own = create();
    QCOMPARE(value(engine().killManaged(target(), own->id())), true);
    QVERIFY(!atProvider().contains(own->id()));
    failsAs(ErrorKind::SandboxGone, own->info());
}

void ReapingContract::killingByIdIsIdempotent()
{
    const SandboxPtr own = create();
    QCOMPARE(value(engine().killManaged(target(), own->id())), true);
    QCOMPARE(value(engine().killManaged(target(), own->id())), false);
    QCOMPARE(value(engine().killManaged(target(), u"no-such-sandbox-0"_s)), false);
    value(own->kill());
}

void ReapingContract::killingByIdRefusesWhatIsNotManaged()
{
    const ForeignSandbox foreign = need(subject.probes.addForeign, "probe `addForeign`")();
    failsAs(ErrorKind::ConnectError, engine().killManaged(target(), foreign.id));
    // Still there: the second kill is refused for the same reason, not because it is gone.
    failsAs(ErrorKind::ConnectError, engine().killManaged(target(), foreign.id));
}

void ReapingContract::connectingToWhatIsNotManagedNeedsToBeAskedFor()
{
    const ForeignSandbox foreign = need(subject.probes.addForeign, "probe `addForeign`")();
    failsAs(ErrorKind::ConnectError, engine().connectTo(target(), foreign.id));
    const SandboxPtr asked = value(engine().connectTo(target(), foreign.id, true));
    QCOMPARE(asked->id(), foreign.id);
}

void ReapingContract::anEndedSandboxIsListedAndRemoved()
{
    CreateOptions with = options();
    with.timeout = subject.shortLifetime;
    const SandboxPtr ending = create(with);
    const bool isOver = pass(subject.shortLifetime, [&] {
        const auto found = row(ending->id());
        return !found || found->state != SandboxState::Running;
    });
    check(isOver, u"the sandbox outlived its lifetime"_s);
    const auto found = row(ending->id());
    if (!found) {
        check(!atProvider().contains(ending->id()), u"the provider knows it and the listing hides it"_s);
        skip(u"the provider forgets ended sandboxes at once"_s);
    }
    QCOMPARE(found->state, SandboxState::Stopped);
    QVERIFY(engine().ownershipOf(*found).verdict != Ownership::Verdict::InUse);
    QCOMPARE(value(engine().killManaged(target(), ending->id())), true);
    QVERIFY(!atProvider().contains(ending->id()));
}

void ReapingContract::changesAreSeenAsTheyHappen()
{
    const std::unique_ptr<SandboxWatcher> watcher(engine().watch({target()}, nullptr));
    bool isReset = false;
    QStringList running;
    connect(watcher.get(), &SandboxWatcher::reset, this,
            [&](const Target &, const QList<ManagedSandbox> &rows) {
                isReset = true;
                running.clear();
                for (const ManagedSandbox &row : rows)
                    running.append(row.id);
            });
    connect(watcher.get(), &SandboxWatcher::changed, this, [&](const ManagedSandbox &changed) {
        if (changed.state == SandboxState::Running)
            running.append(changed.id);
    });
    connect(watcher.get(), &SandboxWatcher::removed, this,
            [&](const Target &, const QString &id) { running.removeAll(id); });
    eventually([&] { return isReset; }, u"the first list"_s);
    const auto look = [&] {
        if (!subject.hasEvents)
            watcher->refresh();
    };
    const SandboxPtr own = create();
    look();
    check(pass(10s, [&] { return running.contains(own->id()); }), u"a new sandbox was not seen"_s);
    value(own->kill());
    look();
    check(pass(10s, [&] { return !running.contains(own->id()); }), u"its end was not seen"_s);
}

void ReapingContract::aPauseIsSeenAsItHappens()
{
    needCapability(Capability::PauseResume);
    const SandboxPtr own = create();
    const std::unique_ptr<SandboxWatcher> watcher(engine().watch({target()}, nullptr));
    SandboxState state = SandboxState::Unknown;
    const auto note = [&](const ManagedSandbox &row) {
        if (row.id == own->id())
            state = row.state;
    };
    connect(watcher.get(), &SandboxWatcher::reset, this,
            [&](const Target &, const QList<ManagedSandbox> &rows) { std::ranges::for_each(rows, note); });
    connect(watcher.get(), &SandboxWatcher::changed, this, note);
    eventually([&] { return state == SandboxState::Running; }, u"the first list"_s);
    value(own->pause());
    if (!subject.hasEvents)
        watcher->refresh();
    check(pass(10s, [&] { return state == SandboxState::Paused; }), u"the pause was not seen"_s);
    value(own->resume());
    if (!subject.hasEvents)
        watcher->refresh();
    check(pass(10s, [&] { return state == SandboxState::Running; }), u"that it goes on was not seen"_s);
}

std::unique_ptr<ContractFamily> makeReapingContract(ContractSubject &subject, const QString &label)
{
    return std::make_unique<ReapingContract>(subject, label);
}

} // namespace Sandboxio

#include "reaping.moc"
