// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "guestharness.h"
#include "support/testprogram.h"

#include <sandboxio/guest/helper/systemcallfilter.h>

#include <QTest>

#include <cstring>
#include <linux/audit.h>
#include <linux/ioprio.h>
#include <linux/seccomp.h>
#include <sys/resource.h>

using namespace Sandboxio::Guest;
using namespace Sandboxio::Guest::Test;
using namespace Qt::StringLiterals;

namespace {

constexpr pid_t init = 1;
constexpr quint32 refused = SECCOMP_RET_ERRNO | EPERM;
constexpr quint32 noVerdict = 0xdead;
constexpr quint32 x32 = 0x40000000;
constexpr quint64 junk = 0xffffffffull << 32; // of the half of a register that the kernel does not look at

// What the kernel would answer; noVerdict where it would not take the program.
quint32 evaluate(const std::vector<sock_filter> &program, const seccomp_data &call)
{
    quint32 accumulator = 0;
    for (std::size_t i = 0; i < program.size(); ++i) {
        const sock_filter &step = program[i];
        switch (step.code) {
        case BPF_LD | BPF_W | BPF_ABS:
            if (step.k % 4 != 0 || step.k + 4 > sizeof call)
                return noVerdict;
            std::memcpy(&accumulator, reinterpret_cast<const char *>(&call) + step.k, sizeof accumulator);
            break;
        case BPF_ALU | BPF_AND | BPF_K:
            accumulator &= step.k;
            break;
        case BPF_JMP | BPF_JEQ | BPF_K:
            i += accumulator == step.k ? step.jt : step.jf;
            break;
        case BPF_RET | BPF_K:
            return step.k;
        default:
            return noVerdict;
        }
    }
    return noVerdict;
}

struct CallNumbers
{
    const char *name;
    Machine machine;
    quint32 architecture;
    int setpriority, ioprioSet, schedSetparam, schedSetscheduler, schedSetaffinity, schedSetattr, prlimit64;
    int getpriority, write;
};

// As the tables of the kernel have them, once more and independently of the filter's.
constexpr CallNumbers interfaces[]{
    {"amd64", Machine::Amd64, AUDIT_ARCH_X86_64, 141, 251, 142, 144, 203, 314, 302, 140, 1},
    {"x32", Machine::Amd64, AUDIT_ARCH_X86_64, int(x32 | 141), int(x32 | 251), int(x32 | 142), int(x32 | 144),
     int(x32 | 203), int(x32 | 314), int(x32 | 302), int(x32 | 140), int(x32 | 1)},
    {"i386", Machine::Amd64, AUDIT_ARCH_I386, 97, 289, 154, 156, 241, 351, 340, 96, 4},
    {"arm64", Machine::Arm64, AUDIT_ARCH_AARCH64, 140, 30, 118, 119, 122, 274, 261, 141, 64},
    {"arm", Machine::Arm64, AUDIT_ARCH_ARM, 97, 314, 154, 156, 241, 380, 369, 96, 4},
};

} // namespace

/// Who may change the priority and the limits of PID 1: nobody inside.
class TestSystemCallFilter : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void verdict_data();
    void verdict();
    void aGroupThatIsNotHereIsNobody();
    void anUnknownInterfaceIsRefused();
    void runsCannotTouchTheGuest_data();
    void runsCannotTouchTheGuest();
};

void TestSystemCallFilter::verdict_data()
{
    QTest::addColumn<CallNumbers>("numbers");
    QTest::addColumn<int>("number");
    QTest::addColumn<quint64>("first");
    QTest::addColumn<quint64>("second");
    QTest::addColumn<bool>("refusal");
    for (const CallNumbers &n : interfaces) {
        const auto row = [&n](const char *what, int number, quint64 first, quint64 second, bool refusal) {
            QTest::addRow("%s: %s", n.name, what) << n << number << first << second << refusal;
        };
        row("nice of PID 1", n.setpriority, PRIO_PROCESS, 1, true);
        row("nice of PID 1 with junk in the upper halves", n.setpriority, junk | PRIO_PROCESS, junk | 1, true);
        row("nice of oneself", n.setpriority, PRIO_PROCESS, 0, false);
        row("nice of another", n.setpriority, PRIO_PROCESS, 11, false);
        row("nice of PID 1's group", n.setpriority, PRIO_PGRP, 7, true);
        row("nice of one's own group", n.setpriority, PRIO_PGRP, 0, false);
        row("nice of another group", n.setpriority, PRIO_PGRP, 1, false);
        row("nice of a process with the number of PID 1's group", n.setpriority, PRIO_PROCESS, 7, false);
        row("nice of a user", n.setpriority, PRIO_USER, 1000, true);
        row("nice of one's own user", n.setpriority, PRIO_USER, 0, true);
        row("I/O priority of PID 1", n.ioprioSet, IOPRIO_WHO_PROCESS, 1, true);
        row("I/O priority of oneself", n.ioprioSet, IOPRIO_WHO_PROCESS, 0, false);
        row("I/O priority of PID 1's group", n.ioprioSet, IOPRIO_WHO_PGRP, 7, true);
        row("I/O priority of another group", n.ioprioSet, IOPRIO_WHO_PGRP, 8, false);
        row("I/O priority of a user", n.ioprioSet, IOPRIO_WHO_USER, 1000, true);
        const std::pair<const char *, int> byProcess[]{{"scheduling parameter", n.schedSetparam},
                                                       {"scheduler", n.schedSetscheduler},
                                                       {"processors", n.schedSetaffinity},
                                                       {"scheduling attributes", n.schedSetattr},
                                                       {"limit", n.prlimit64}};
        for (const auto &[what, number] : byProcess) {
            row(qPrintable(QLatin1StringView(what) + " of PID 1"_L1), number, 1, 0, true);
            row(qPrintable(QLatin1StringView(what) + " of PID 1 with junk above"_L1), number, junk | 1, 0,
                true);
            row(qPrintable(QLatin1StringView(what) + " of oneself"_L1), number, 0, 1, false);
            row(qPrintable(QLatin1StringView(what) + " of another"_L1), number, 11, 1, false);
        }
        row("looking at the nice of PID 1", n.getpriority, PRIO_PROCESS, 1, false);
        row("any other call with the same arguments", n.write, 1, 1, false);
    }
}

void TestSystemCallFilter::verdict()
{
    QFETCH(CallNumbers, numbers);
    QFETCH(int, number);
    QFETCH(quint64, first);
    QFETCH(quint64, second);
    QFETCH(bool, refusal);
    const seccomp_data call{number, numbers.architecture, 0, {first, second, 1, 1, 1, 1}};
    QCOMPARE(evaluate(initProtection(numbers.machine, init, 7), call), refusal ? refused : SECCOMP_RET_ALLOW);
}

// As in a pid namespace whose first process came with the group of its parent.
void TestSystemCallFilter::aGroupThatIsNotHereIsNobody()
{
    for (const CallNumbers &numbers : interfaces) {
        const auto program = initProtection(numbers.machine, init, 0);
        const seccomp_data own{numbers.setpriority, numbers.architecture, 0, {PRIO_PGRP, 0}};
        QCOMPARE(evaluate(program, own), quint32(SECCOMP_RET_ALLOW));
        const seccomp_data process{numbers.setpriority, numbers.architecture, 0, {PRIO_PROCESS, 1}};
        QCOMPARE(evaluate(program, process), refused);
    }
}

void TestSystemCallFilter::anUnknownInterfaceIsRefused()
{
    for (const Machine machine : {Machine::Amd64, Machine::Arm64})
        QCOMPARE(evaluate(initProtection(machine, init, 7), {1, AUDIT_ARCH_S390X, 0, {}}), refused);
}

void TestSystemCallFilter::runsCannotTouchTheGuest_data()
{
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<bool>("refusal");
    const auto row = [](const char *name, const char *script, bool refusal) {
        QTest::newRow(name) << QByteArray(script) << refusal;
    };
    row("nice of PID 1", "renice -n 19 -p 1", true);
    row("nice of the user", "renice -n 19 -u $(id -u)", true);
    row("SCHED_IDLE for PID 1", "chrt --idle -p 0 1", true);
    row("SCHED_BATCH for PID 1", "chrt --batch -p 0 1", true);
    row("one processor for PID 1", "taskset -p 1 1", true);
    row("idle I/O for PID 1", "ionice -c 3 -p 1", true);
    row("no descriptors for PID 1", "prlimit --pid 1 --nofile=0:0", true);
    row("no processor time for PID 1", "prlimit --pid 1 --cpu=1:1", true);
    row("a nice program", "nice -n 5 true", false);
    row("nice of oneself", "renice -n 19 -p $$", false);
    row("nice of one's own group", "renice -n 19 -g 0", false);
    row("nice of a child", "sleep 5 & renice -n 19 -p $! && kill $!", false);
    row("SCHED_IDLE for a program", "chrt --idle 0 true", false);
    row("SCHED_IDLE for a child", "sleep 5 & chrt --idle -p 0 $! && kill $!", false);
    row("one processor for a program", "taskset 1 true", false);
    row("idle I/O for a program", "ionice -c 3 true", false);
    row("limits of a program", "prlimit --nofile=64:64 true && ulimit -n 32", false);
}

void TestSystemCallFilter::runsCannotTouchTheGuest()
{
    if (!canUnshare())
        QSKIP("making a pid namespace needs root");
    if (isEmulated())
        QSKIP("an emulator has no filters of system calls");
    QFETCH(QByteArray, script);
    QFETCH(bool, refusal);
    Harness guest(Harness::Place::PidNamespace);
    QVERIFY(guest.waitReady());
    QVERIFY(guest.client()->guest()->protectedInit);
    const auto run = guest.finish(shell(script.toStdString()));
    QVERIFY(run->exit);
    QVERIFY2((run->exit->value != 0) == refusal, (run->out + run->err).constData());
    if (refusal)
        QVERIFY2(run->err.contains("not permitted"), run->err.constData());
    QVERIFY(guest.shutDown());
}

SANDBOXIO_TEST(TestSystemCallFilter)
#include "tst_systemcallfilter.moc"
