// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include <sandboxio/runtime/ownership.h>

#include <QProcess>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using Verdict = Ownership::Verdict;

Q_DECLARE_METATYPE(Sandboxio::Ownership::Verdict)

namespace {
const QDateTime now = QDateTime::fromString(u"2026-01-01T12:00:00Z"_s, Qt::ISODate);

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

ManagedSandbox sandboxOf(const Owner &owner, SandboxState state = SandboxState::Running,
                         qint64 secondsLeft = 60)
{
    ManagedSandbox sandbox;
    sandbox.owner = owner;
    sandbox.state = state;
    sandbox.expiresAt = now.addSecs(secondsLeft);
    return sandbox;
}

template <typename Change>
Owner changed(Change change)
{
    Owner owner = ownerHere();
    change(owner);
    return owner;
}
} // namespace

class TestOwnership : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void verdict_data()
    {
        QTest::addColumn<ManagedSandbox>("sandbox");
        QTest::addColumn<qint64>("startTimeFound");
        QTest::addColumn<Verdict>("verdict");
        const Owner here = ownerHere();
        QTest::newRow("an owner that runs keeps its sandbox")
            << sandboxOf(here) << qint64(1000) << Verdict::InUse;
        QTest::newRow("a dead owner makes an orphan") << sandboxOf(here) << qint64(-1) << Verdict::Orphan;
        QTest::newRow("a recycled pid makes an orphan") << sandboxOf(here) << qint64(2000) << Verdict::Orphan;
        QTest::newRow("a running sandbox past its lifetime is an orphan")
            << sandboxOf(here, SandboxState::Running, -1) << qint64(1000) << Verdict::Orphan;
        QTest::newRow("a stopped sandbox past its lifetime has ended")
            << sandboxOf(here, SandboxState::Stopped, -1) << qint64(1000) << Verdict::Ended;
        QTest::newRow("an owner on another host is not known") << sandboxOf(changed([](Owner &o) {
            o.hostId = u"other"_s;
            o.bootId = u"other"_s;
        })) << qint64(-1) << Verdict::Unknown;
        QTest::newRow("an owner before the last boot is gone")
            << sandboxOf(changed([](Owner &o) { o.bootId = u"old"_s; })) << qint64(1000) << Verdict::Orphan;
        QTest::newRow("an owner in another pid namespace is not known")
            << sandboxOf(changed([](Owner &o) { o.pidNamespace = u"pid:[2]"_s; })) << qint64(-1)
            << Verdict::Unknown;
        QTest::newRow("a foreign sandbox is not known")
            << sandboxOf(changed([](Owner &o) { o.foreign = true; })) << qint64(-1) << Verdict::Unknown;
        QTest::newRow("a sandbox without a process in its label is not known")
            << sandboxOf(changed([](Owner &o) { o.pid.reset(); })) << qint64(-1) << Verdict::Unknown;
        QTest::newRow("a sandbox of no known host and boot is not known") << sandboxOf(changed([](Owner &o) {
            o.hostId.clear();
            o.bootId.clear();
        })) << qint64(-1) << Verdict::Unknown;
        QTest::newRow("without a machine id the boot id still proves a dead owner")
            << sandboxOf(changed([](Owner &o) { o.hostId.clear(); })) << qint64(-1) << Verdict::Orphan;
        QTest::newRow("a foreign sandbox past its lifetime is an orphan")
            << sandboxOf(changed([](Owner &o) { o.foreign = true; }), SandboxState::Running, -1) << qint64(-1)
            << Verdict::Orphan;
    }
    void verdict()
    {
        QFETCH(ManagedSandbox, sandbox);
        QFETCH(qint64, startTimeFound);
        QFETCH(Verdict, verdict);
        const auto lookUp = [&](qint64) {
            return startTimeFound < 0 ? std::optional<qint64>() : startTimeFound;
        };
        const Ownership ownership = classifyOwnership(sandbox, ownerHere(), now, lookUp);
        QCOMPARE(ownership.verdict, verdict);
        QCOMPARE(ownership.evidence.size(), 1);
    }
    void thisProcessIsInUse()
    {
        const Owner here = currentOwner(u"session"_s);
        QVERIFY(here.startTime);
        QCOMPARE(classifyOwnership(sandboxOf(here), here, now, processStartTime).verdict, Verdict::InUse);
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

QTEST_GUILESS_MAIN(TestOwnership)
#include "tst_ownership.moc"
