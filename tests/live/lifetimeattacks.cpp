// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "lifetimeattacks.h"

#include "dockerdaemon.h"

#include <QElapsedTimer>

namespace Sandboxio::Live {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

// attempt(): what became of one try. The numbers are those of x86-64 and arm64.
constexpr auto pythonPrelude = R"python(
import ctypes, errno, os, platform, signal, struct, subprocess, sys, time
libc = ctypes.CDLL(None, use_errno=True)
x86 = platform.machine() == 'x86_64'
def attempt(name, call):
    try:
        result = call()
        if isinstance(result, int) and result < 0:
            raise OSError(ctypes.get_errno(), '')
        print(name + ': done')
    except OSError as error:
        print(name + ': ' + errno.errorcode.get(error.errno, str(error.errno)))
    sys.stdout.flush()
)python"_L1;

QString python(const QString &code)
{
    return u"python3 -c '%1'"_s.arg((QString(pythonPrelude) + code).replace(u'\'', u"'\\''"_s));
}

// SI_QUEUE, SI_TIMER, SI_MESGQ, SI_ASYNCIO, SI_SIGIO, SI_TKILL, and the kernel's own codes, each with the sender 0.
constexpr auto forgedSignals = R"python(
for code in (-1, -2, -3, -4, -5, -6, 0, 0x80):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGSTOP, signal.SIGALRM, signal.SIGRTMIN):
        info = (ctypes.c_char * 128)(*struct.pack('iiiiII', number, 0, code, 0, 0, 0))
        attempt('signal %d code %d' % (number, code),
                lambda: libc.syscall(129 if x86 else 138, 1, int(number), ctypes.byref(info)))
        attempt('to the thread, signal %d code %d' % (number, code),
                lambda: libc.syscall(297 if x86 else 240, 1, 1, int(number), ctypes.byref(info)))
)python"_L1;

constexpr auto closeEverything = R"python(
if os.fork() == 0:
    os.setsid()
    os.closerange(0, 65536)
    while True:
        time.sleep(600)
for name in sorted(n for n in os.listdir('/proc') if n.isdigit()):
    try:
        fds = os.listdir('/proc/%s/fd' % name)
    except OSError as error:
        print(name + ': ' + errno.errorcode[error.errno])
pid = libc.syscall(434, 1, 0)
attempt('pidfd_open', lambda: pid)
for fd in range(16):
    attempt('pidfd_getfd %d' % fd, lambda: libc.syscall(438, pid, fd, 0))
)python"_L1;

// By the first argument of each call, and by what else means the first process.
constexpr auto priorities = R"python(
parameter = (ctypes.c_int * 1)(0)
attributes = (ctypes.c_char * 48)(*struct.pack('IIQiIQQQ', 48, 5, 0, 19, 0, 0, 0, 0))
mask = (ctypes.c_ulong * 1)(1)
for which, who in ((0, 1), (1, os.getpgid(1)), (2, 0), (2, os.getuid())):
    attempt('setpriority %d %d' % (which, who), lambda: libc.setpriority(which, who, 19))
attempt('SCHED_IDLE', lambda: libc.sched_setscheduler(1, 5, parameter))
attempt('SCHED_BATCH', lambda: libc.sched_setscheduler(1, 3, parameter))
attempt('sched_setparam', lambda: libc.sched_setparam(1, parameter))
attempt('sched_setattr', lambda: libc.syscall(314 if x86 else 274, 1, attributes, 0))
attempt('sched_setaffinity', lambda: libc.syscall(203 if x86 else 122, 1, 8, mask))
for which in (1, 2, 3):
    attempt('ioprio_set %d' % which, lambda: libc.syscall(251 if x86 else 30, which, 1, 3 << 13))
import resource
for limit in range(16):
    attempt('limit %d' % limit, lambda: resource.prlimit(1, limit, (0, 0)))
)python"_L1;

// The kernel asks for the right to trace in each of them.
constexpr auto pages = R"python(
nodes = (ctypes.c_ulong * 1)(1)
vector = (ctypes.c_ulong * 2)(0, 0)
bytes8 = ctypes.create_string_buffer(8)
io = (ctypes.c_ulong * 2)(ctypes.addressof(bytes8), 8)
attempt('migrate_pages', lambda: libc.syscall(256 if x86 else 238, 1, 8, nodes, nodes))
attempt('move_pages', lambda: libc.syscall(279 if x86 else 239, 1, 1, vector, None, vector, 0))
attempt('process_vm_writev', lambda: libc.syscall(311 if x86 else 271, 1, io, 1, io, 1,
                                                  ctypes.c_ulong(0)))
attempt('kcmp', lambda: libc.syscall(312 if x86 else 272, 1, os.getpid(), 0, 0, 0))
attempt('process_madvise', lambda: libc.syscall(440, libc.syscall(434, 1, 0), vector, 1, 21, 0))
)python"_L1;

// Those that a program of the same user could write if they were its own.
constexpr auto processFiles = R"python(
for name, text in (('oom_score_adj', '1000'), ('oom_adj', '15'), ('autogroup', '19'), ('timerslack_ns', '4000000000'),
                   ('clear_refs', '1'), ('coredump_filter', '0'), ('comm', 'x'), ('sched', '0'),
                   ('timens_offsets', 'boottime 1000000 0'), ('task/1/comm', 'x'), ('projid_map', '0 0 1'),
                   ('setgroups', 'deny'), ('attr/current', 'x')):
    def write():
        fd = os.open('/proc/1/' + name, os.O_WRONLY)
        os.write(fd, text.encode())
    attempt(name, write)
)python"_L1;

constexpr auto controlGroups = R"python(
for folder, _, files in os.walk('/sys/fs/cgroup'):
    for file in files:
        if file in ('cpu.shares', 'cpu.weight', 'cpu.max', 'cpu.cfs_quota_us', 'freezer.state', 'cgroup.freeze',
                    'cgroup.procs', 'tasks', 'memory.max', 'memory.high', 'memory.limit_in_bytes', 'cpuset.cpus'):
            attempt(file, lambda: os.open(os.path.join(folder, file), os.O_WRONLY))
)python"_L1;

// Memory that is taken again and again, by processes that the kernel ends for it.
constexpr auto memoryPressure =
    "while :; do for n in 1 2 3 4; do "
    "python3 -c \"x = bytearray(200 << 20); import time; time.sleep(1)\" & done; wait; done"_L1;

constexpr auto busyLoops =
    "; for n in 1 2 3 4 5 6 7 8; do sh -c 'while :; do :; done' >/dev/null 2>&1 & done"_L1;

QList<LifetimeAttack> signalAttacks()
{
    return {
        {u"nothing is tried"_s, u"true"_s},
        {u"PID 1 is stopped"_s, u"kill -STOP 1"_s},
        {u"PID 1 is killed"_s, u"kill -KILL 1"_s},
        {u"PID 1 is asked to end"_s, u"kill -TERM 1; kill -INT 1; kill -HUP 1"_s},
        {u"PID 1 gets every signal there is"_s, u"for n in $(seq 1 64); do kill -$n 1 2>/dev/null; done"_s},
        {u"everybody is stopped"_s, u"kill -STOP -1"_s},
        {u"a child that ignores everything and has a session of its own"_s,
         u"setsid sh -c 'trap \"\" TERM INT HUP; sleep 600' & true"_s},
        {u"signals that claim to come from outside (rt_sigqueueinfo)"_s, python(forgedSignals)},
    };
}

QList<LifetimeAttack> accessAttacks()
{
    return {
        {u"PID 1 is traced"_s,
         python(uR"(attempt("attach", lambda: libc.ptrace(16, 1, 0, 0))
attempt("seize", lambda: libc.ptrace(0x4206, 1, 0, 0)))"_s),
         {u"EPERM"_s}},
        {u"the memory of PID 1 is written"_s,
         python(uR"(attempt("open", lambda: os.open("/proc/1/mem", os.O_RDWR)))"_s),
         {u"EACCES"_s}},
        {u"the memory of PID 1 is moved, written, compared"_s, python(pages), {u"EPERM"_s}},
        {u"the descriptors of PID 1 are opened"_s,
         python(uR"(for fd in range(8):
    attempt("open %d" % fd, lambda: os.open("/proc/1/fd/%d" % fd, os.O_RDWR)))"_s),
         {u"EACCES"_s}},
        {u"every descriptor is closed"_s, python(closeEverything)},
        {u"the files of PID 1 in /proc are written"_s, python(processFiles)},
        {u"the control group is changed"_s, python(controlGroups), {u"EROFS"_s, u"EACCES"_s}},
        {u"a private time namespace"_s,
         python(uR"(attempt("alone", lambda: libc.unshare(0x80))
attempt("with a user namespace", lambda: libc.unshare(0x10000080)))"_s),
         {u"EPERM"_s}},
        {u"the clock is set"_s,
         python(uR"(attempt("set", lambda: time.clock_settime(time.CLOCK_REALTIME, 0)))"_s),
         {u"EPERM"_s}},
    };
}

QList<LifetimeAttack> exhaustingAttacks()
{
    LifetimeAttack busy{u"lowest priority and no limits for PID 1, with eight busy loops on its processor"_s,
                        python(priorities) + busyLoops,
                        {u"EPERM"_s}};
    busy.lifetime = 4s;
    busy.onOneProcessor = true;
    LifetimeAttack memory{u"memory is used up"_s, memoryPressure};
    memory.resources.memoryMb = 128;
    return {
        {u"lowest priority and no limits for PID 1"_s, python(priorities), {u"EPERM"_s}},
        busy,
        {u"the processes are used up"_s, u"f() { f | f & }; f; sleep 1"_s},
        memory,
    };
}

} // namespace

QList<LifetimeAttack> lifetimeAttacks()
{
    return signalAttacks() + accessAttacks() + exhaustingAttacks();
}

AttackEnd attackLifetime(const SandboxPtr &sandbox, const LifetimeAttack &attack)
{
    QElapsedTimer timer;
    timer.start();
    if (attack.onOneProcessor)
        docker({u"update"_s, u"--cpuset-cpus"_s, u"0"_s, sandbox->id()});
    const Operation<ExecResult> tried = sandbox->run(Command::shell(attack.script));
    AttackEnd end;
    end.exitCode = docker({u"wait"_s, sandbox->id()}).trimmed();
    end.endedMs = timer.elapsed();
    QStringList printed;
    if (tried.waitFor(10s) && tried.outcome() == OperationOutcome::Value)
        printed = tried.result().text().split(u'\n', Qt::SkipEmptyParts);
    for (const QString &line : std::as_const(printed))
        ++end.answers[line.section(u": "_s, -1)];
    end.hasRun = !attack.script.contains("attempt("_L1) || !printed.isEmpty();
    return end;
}

QString AttackEnd::answersText() const
{
    QStringList said;
    for (const auto &[answer, count] : answers.asKeyValueRange())
        said.append(u"%1 x %2"_s.arg(count).arg(answer));
    return said.join(u", "_s);
}

} // namespace Sandboxio::Live
