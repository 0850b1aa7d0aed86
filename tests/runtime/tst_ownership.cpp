// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/runtime/ownership.h>

#include <QProcess>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;

namespace {

const QDateTime now = QDateTime::fromString(u"2026-01-01T12:00:00Z"_s, Qt::ISODate);
const QDateTime hostStartedAt = now.addDays(-1);

Owner ownerHere()
{
    Owner owner;
    owner.hostId = u"host"_s;
    owner.bootId = u"boot"_s;
    owner.pidNamespace = u"pid:[1]"_s;
    owner.pid = 42;
    owner.startTime = 1000;
    return owner;
}

template <typename Change>
Owner changed(Change change)
{
    Owner owner = ownerHere();
    change(owner);
    return owner;
}

/*! What a sandbox can be like besides its owner. */
struct Situation
{
    const char *name;
    SandboxState state = SandboxState::Running;
    bool isOver = false; //!< the lifetime
    bool isAsked = true; //!< it is what was asked for; else the provider says so
};
const QList<Situation> situations{
    {.name = "running"},
    {.name = "running past the lifetime that was asked", .isOver = true},
    {.name = "running past the end that its provider tells", .isOver = true, .isAsked = false},
    {.name = "paused", .state = SandboxState::Paused},
    {.name = "paused past its lifetime", .state = SandboxState::Paused, .isOver = true},
    {.name = "being created", .state = SandboxState::Creating},
    {.name = "of unknown state", .state = SandboxState::Unknown},
    {.name = "stopped", .state = SandboxState::Stopped},
    {.name = "stopped past its lifetime", .state = SandboxState::Stopped, .isOver = true},
    {.name = "failed past its lifetime", .state = SandboxState::Failed, .isOver = true}};

/*! An owner, and what is said of its sandboxes. */
struct Case
{
    const char *name;
    Owner owner;
    std::optional<qint64> startTimeFound; //!< of the process with the owner's number
    bool isYounger = false;               //!< the sandbox was made after this host started
    bool inLedger = false;
    const char *live;      //!< in its lifetime, or stopped before its end
    const char *livesOver; //!< past the lifetime that was asked
};

const char *const inUse = "in use, certain";
const char *const orphan = "orphan, certain";
const char *const likely = "orphan, likely";
const char *const unknown = "unknown, none";
const char *const ended = "ended, certain";

QList<Case> cases()
{
    const Owner here = ownerHere();
    const Owner oldBoot = changed([](Owner &o) { o.bootId = u"old"_s; });
    const Owner ledgered = changed([](Owner &o) { o.fromLedger = true; });
    const Owner ledgeredOldBoot = changed([](Owner &o) {
        o.bootId = u"old"_s;
        o.fromLedger = true;
    });
    const Owner noMachineId = changed([](Owner &o) { o.hostId.clear(); });
    const Owner elsewhere = changed([](Owner &o) { o.hostId = o.bootId = u"other"_s; });
    const Owner otherNamespace = changed([](Owner &o) { o.pidNamespace = u"pid:[2]"_s; });
    const Owner noBoot = changed([](Owner &o) { o.bootId.clear(); });
    const Owner nowhere = changed([](Owner &o) {
        o.hostId.clear();
        o.bootId.clear();
    });
    const Owner noProcess = changed([](Owner &o) { o.pid.reset(); });
    const Owner noStart = changed([](Owner &o) { o.startTime.reset(); });
    const Owner python = changed([](Owner &o) {
        o = Owner();
        o.foreign = true;
        o.session = u"python"_s;
    });
    const Owner liar = changed([](Owner &o) { o.foreign = true; });
    return {
        {"an owner that runs", here, 1000, true, false, inUse, inUse},
        {"an owner that runs, in the ledger", here, 1000, true, true, inUse, inUse},
        {"an owner that is dead", here, {}, true, false, orphan, orphan},
        {"an owner whose number is another process now", here, 2000, true, false, orphan, orphan},
        {"a dead owner of a host without machine id", noMachineId, {}, true, false, orphan, orphan},
        {"an owner before the last boot", oldBoot, 1000, false, false, likely, likely},
        {"an owner before the last boot, in the ledger", oldBoot, 1000, false, true, orphan, orphan},
        {"an owner in another boot, after this host started", oldBoot, {}, true, false, unknown, unknown},
        {"an owner in another boot, after this host started, in a shared ledger",
         oldBoot,
         {},
         true,
         true,
         unknown,
         unknown},
        {"an owner on another host", elsewhere, {}, true, false, unknown, unknown},
        {"an owner on another host, whose number runs here", elsewhere, 1000, true, false, unknown, unknown},
        {"an owner in another pid namespace", otherNamespace, {}, true, false, unknown, unknown},
        {"an owner of no known boot", noBoot, {}, true, false, unknown, unknown},
        {"an owner of no known host and boot", nowhere, {}, true, false, unknown, unknown},
        {"an owner without a process: detached", noProcess, {}, true, false, unknown, likely},
        {"a detached one in the ledger", noProcess, {}, true, true, unknown, likely},
        {"an owner without a start time", noStart, {}, true, false, unknown, likely},
        {"a Python sandbox", python, {}, true, false, unknown, likely},
        {"a foreign sandbox with our numbers", liar, 1000, true, false, unknown, likely},
        {"a dead owner that only the ledger knows", ledgered, {}, true, true, orphan, orphan},
        {"a living owner that only the ledger knows", ledgered, 1000, true, true, inUse, inUse},
        {"an owner before the last boot that only the ledger knows",
         ledgeredOldBoot,
         {},
         false,
         true,
         orphan,
         orphan},
    };
}

const char *expected(const Case &owner, const Situation &situation)
{
    if (!situation.isOver)
        return owner.live;
    if (situation.state == SandboxState::Stopped || situation.state == SandboxState::Failed)
        return ended;
    return situation.isAsked ? owner.livesOver : orphan;
}

ManagedSandbox sandboxOf(const Case &owner, const Situation &situation)
{
    ManagedSandbox sandbox;
    sandbox.owner = owner.owner;
    sandbox.inLedger = owner.inLedger;
    sandbox.state = situation.state;
    sandbox.createdAt = owner.isYounger ? now.addSecs(-3600) : hostStartedAt.addDays(-1);
    sandbox.expiresAt = now.addSecs(situation.isOver ? 0 : 60);
    sandbox.expiryIsAsked = situation.isAsked;
    return sandbox;
}

} // namespace

class TestOwnership : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void verdict_data()
    {
        QTest::addColumn<ManagedSandbox>("sandbox");
        QTest::addColumn<std::optional<qint64>>("startTimeFound");
        QTest::addColumn<QString>("expectation");
        const QList<Case> owners = cases();
        for (const Case &owner : owners) {
            for (const Situation &situation : situations) {
                QTest::addRow("%s: %s", owner.name, situation.name)
                    << sandboxOf(owner, situation) << owner.startTimeFound
                    << QString::fromLatin1(expected(owner, situation));
            }
        }
    }
    void verdict()
    {
        QFETCH(ManagedSandbox, sandbox);
        QFETCH(std::optional<qint64>, startTimeFound);
        QFETCH(QString, expectation);
        const Ownership ownership =
            classifyOwnership(sandbox, {.here = ownerHere(),
                                        .now = now,
                                        .hostStartedAt = hostStartedAt,
                                        .startTimeOf = [&](qint64) { return startTimeFound; },
                                        .isHidden =
                                            [](qint64) {
                                                return false;
                                            }});
        QCOMPARE(verdictName(ownership.verdict) + u", "_s + confidenceName(ownership.confidence), expectation);
        QVERIFY(!ownership.evidence.isEmpty());
        for (const QString &sentence : ownership.evidence)
            QVERIFY2(sentence.endsWith(u'.'), qPrintable(sentence));
    }
    void withoutAnEndOrAStartOfTheHostNothingIsInvented()
    {
        Case owner{"", changed([](Owner &o) { o.bootId = u"old"_s; }), {}, true, false, nullptr, nullptr};
        ManagedSandbox sandbox = sandboxOf(owner, situations.first());
        sandbox.expiresAt = {};
        const Observer observer{.here = ownerHere(),
                                .now = now,
                                .hostStartedAt = {},
                                .startTimeOf = [](qint64) { return std::nullopt; },
                                .isHidden =
                                    [](qint64) {
                                        return false;
                                    }};
        QCOMPARE(classifyOwnership(sandbox, observer).confidence, Ownership::Confidence::Likely);
        sandbox.owner = ownerHere();
        QCOMPARE(classifyOwnership(sandbox, observer).verdict, Ownership::Verdict::Orphan);
        sandbox.owner = Owner();
        QCOMPARE(classifyOwnership(sandbox, observer).verdict, Ownership::Verdict::Unknown);
    }
    void aProcessThatMayNotBeLookedAtIsNotDead()
    {
        ManagedSandbox sandbox;
        sandbox.owner = ownerHere();
        for (const bool hidden : {true, false}) {
            const Observer observer{.here = ownerHere(),
                                    .now = now,
                                    .hostStartedAt = hostStartedAt,
                                    .startTimeOf = [](qint64) { return std::nullopt; },
                                    .isHidden =
                                        [hidden](qint64) {
                                            return hidden;
                                        }};
            QCOMPARE(classifyOwnership(sandbox, observer).verdict,
                     hidden ? Ownership::Verdict::Unknown : Ownership::Verdict::Orphan);
        }
        QVERIFY(!isHiddenProcess(QCoreApplication::applicationPid()));
        QVERIFY(!isHiddenProcess(std::numeric_limits<pid_t>::max())); // there is none
    }
    void thisProcessIsInUse()
    {
        const QDateTime real = QDateTime::currentDateTimeUtc();
        ManagedSandbox sandbox;
        sandbox.owner = currentOwner(u"session"_s);
        sandbox.createdAt = real;
        QVERIFY(sandbox.owner.startTime);
        QVERIFY(hostStartTime(real).isValid() && hostStartTime(real) < real);
        const Ownership ownership = classifyOwnership(
            sandbox, {.here = sandbox.owner, .now = real, .hostStartedAt = hostStartTime(real)});
        QCOMPARE(ownership.verdict, Ownership::Verdict::InUse);
    }
    void aProcessThatEndedIsGone()
    {
        QProcess process;
        process.start(u"true"_s, {});
        QVERIFY(process.waitForStarted());
        const qint64 pid = process.processId();
        QVERIFY(process.waitForFinished());
        QVERIFY(!processStartTime(pid));
    }
};

SANDBOXIO_TEST(TestOwnership)
#include "tst_ownership.moc"
