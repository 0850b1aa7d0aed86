// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerdaemon.h"
#include "support/testprogram.h"

#include <sandboxio/core/error.h>

#include <QElapsedTimer>
#include <QScopeGuard>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto lifetime = 3s;
constexpr auto lateness = 2s;
constexpr int endedByLifetime = 124; // the guest's exit code for it

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

} // namespace

// The lifetime ends a sandbox whatever is tried from inside.
class TestLifetime : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (const QString why = Live::missingDaemon(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_userImage = u"sandboxio-lifetime-"_s + Live::testRun().toLower() + u":1"_s;
        const QString id = QString::fromLatin1(Live::docker({u"create"_s, Live::testImage()})).trimmed();
        Live::docker({u"commit"_s, u"--change"_s, u"USER 1000"_s, id, m_userImage});
        Live::docker({u"rm"_s, id});
    }
    void cleanupTestCase()
    {
        if (!m_userImage.isEmpty())
            Live::docker({u"image"_s, u"rm"_s, m_userImage});
        for (const QString &line : std::as_const(m_table))
            qInfo("%s", qPrintable(line));
    }

    void endsInTime_data();
    void endsInTime();

private:
    QString m_userImage;
    QStringList m_table;
};

void TestLifetime::endsInTime_data()
{
    QTest::addColumn<QString>("attack");
    QTest::addColumn<QString>("refusal"); // what each try must be answered with; empty: anything
    QTest::addColumn<bool>("asRoot");
    const auto row = [](const char *name, const QString &attack, const QString &refusal = {}) {
        QTest::addRow("as root, %s", name) << attack << refusal << true;
        QTest::addRow("as user, %s", name) << attack << refusal << false;
    };
    row("nothing is tried", u"true"_s);
    row("PID 1 is stopped", u"kill -STOP 1"_s);
    row("PID 1 is killed", u"kill -KILL 1"_s);
    row("PID 1 is asked to end", u"kill -TERM 1; kill -INT 1; kill -HUP 1"_s);
    row("everybody is stopped", u"kill -STOP -1"_s);
    row("a child that ignores everything and has a session of its own",
        u"setsid sh -c 'trap \"\" TERM INT HUP; sleep 600' & true"_s);
    row("PID 1 gets signals that claim to come from outside", python(forgedSignals));
    row("PID 1 is traced", python(uR"(attempt("attach", lambda: libc.ptrace(16, 1, 0, 0))
attempt("seize", lambda: libc.ptrace(0x4206, 1, 0, 0)))"_s),
        u"EPERM"_s);
    row("the memory of PID 1 is written",
        python(uR"(attempt("open", lambda: os.open("/proc/1/mem", os.O_RDWR)))"_s), u"EACCES"_s);
    row("the descriptors of PID 1 are opened", python(uR"(for fd in range(8):
    attempt("open %d" % fd, lambda: os.open("/proc/1/fd/%d" % fd, os.O_RDWR)))"_s),
        u"EACCES"_s);
    row("every descriptor is closed", python(closeEverything));
    row("a private time namespace", python(uR"(attempt("alone", lambda: libc.unshare(0x80))
attempt("with a user namespace", lambda: libc.unshare(0x10000080)))"_s),
        u"EPERM"_s);
    row("the clock is set", python(uR"(attempt("set", lambda: time.clock_settime(time.CLOCK_REALTIME, 0)))"_s),
        u"EPERM"_s);
    row("PID 1 may open nothing any more", python(uR"(import resource
for limit in (resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC, resource.RLIMIT_SIGPENDING):
    attempt("limit %d" % limit, lambda: resource.prlimit(1, limit, (0, 0))))"_s));
    row("PID 1 may have no memory any more", python(uR"(import resource
for limit in (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_STACK):
    attempt("limit %d" % limit, lambda: resource.prlimit(1, limit, (0, 0))))"_s));
    row("the processes are used up", u"f() { f | f & }; f; sleep 1"_s);
}

void TestLifetime::endsInTime()
{
    QFETCH(QString, attack);
    QFETCH(QString, refusal);
    QFETCH(bool, asRoot);
    Engine engine({.stateDirectory = QString()});
    CreateOptions options = Live::createOptions(u"lifetime"_s);
    options.timeout = lifetime;
    options.resources.processes = 64;
    Target target = Live::target();
    if (!asRoot)
        target.templateId = m_userImage;
    const SandboxPtr sandbox = engine.create(target, options).result();
    const auto removal = qScopeGuard([&sandbox] { sandbox->kill().result(); });
    QElapsedTimer timer;
    timer.start();
    const Operation<ExecResult> tried = sandbox->run(Command::shell(attack));
    const QByteArray code = Live::docker({u"wait"_s, sandbox->id()}).trimmed();
    const qint64 ended = timer.elapsed();
    QVERIFY(tried.waitFor(10s));
    const QStringList tries = tried.outcome() == OperationOutcome::Value
                                  ? tried.result().text().split(u'\n', Qt::SkipEmptyParts)
                                  : QStringList();
    QVERIFY2(!attack.contains("python3"_L1) || !tries.isEmpty(), "the attack did not run");
    QMap<QString, int> answers;
    for (const QString &line : tries)
        ++answers[line.section(u": "_s, -1)];
    QStringList said;
    for (const auto &[answer, count] : answers.asKeyValueRange())
        said.append(u"%1 x %2"_s.arg(count).arg(answer));
    m_table.append(u"%1 | %2 | exit code %3 after %4 ms"_s
                       .arg(QString::fromUtf8(QTest::currentDataTag()),
                            said.isEmpty() ? u"-"_s : said.join(u", "_s), QString::fromLatin1(code))
                       .arg(ended));
    QVERIFY2(ended <= std::chrono::milliseconds(lifetime + lateness).count(), qPrintable(m_table.last()));
    QCOMPARE(code.toInt(), endedByLifetime);
    if (!refusal.isEmpty())
        QCOMPARE(answers.keys(), QStringList{refusal});
    const Operation<ExecResult> later = sandbox->run({u"true"_s});
    QVERIFY(later.waitFor(10s));
    QVERIFY_THROWS_EXCEPTION(SandboxGone, later.result());
}

SANDBOXIO_TEST(TestLifetime)
#include "tst_lifetime.moc"
