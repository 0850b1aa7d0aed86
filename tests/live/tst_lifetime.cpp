// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerdaemon.h"
#include "lifetimeattacks.h"
#include "lifetimetable.h"
#include "support/testprogram.h"

#include <sandboxio/core/error.h>

#include <QElapsedTimer>
#include <QScopeGuard>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr int endedByLifetime = 124; // the guest's exit code for it

} // namespace

// The lifetime ends a sandbox whatever is tried from inside. SANDBOXIO_LIFETIME_TABLE=FILE collects what was measured,
// here and in the tests of gVisor and of killed programs.
class TestLifetime : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void endsInTime_data();
    void endsInTime();
    void aPausedOneEndsInTime();
    void programsMayStillBeNice();

private:
    QString m_userImage;
};

void TestLifetime::initTestCase()
{
    if (const QString why = Live::missingDaemon(); !why.isEmpty())
        QSKIP(qPrintable(why));
    m_userImage = u"sandboxio-lifetime-"_s + Live::testRun().toLower() + u":1"_s;
    const QString id = QString::fromLatin1(Live::docker({u"create"_s, Live::testImage()})).trimmed();
    Live::docker({u"commit"_s, u"--change"_s, u"USER 1000"_s, id, m_userImage});
    Live::docker({u"rm"_s, id});
}

void TestLifetime::cleanupTestCase()
{
    if (!m_userImage.isEmpty())
        Live::docker({u"image"_s, u"rm"_s, m_userImage});
}

void TestLifetime::endsInTime_data()
{
    QTest::addColumn<Live::LifetimeAttack>("attack");
    QTest::addColumn<bool>("asRoot");
    for (const Live::LifetimeAttack &attack : Live::lifetimeAttacks()) {
        QTest::addRow("as root, %s", qPrintable(attack.name)) << attack << true;
        QTest::addRow("as user, %s", qPrintable(attack.name)) << attack << false;
    }
}

void TestLifetime::endsInTime()
{
    QFETCH(Live::LifetimeAttack, attack);
    QFETCH(bool, asRoot);
    Engine engine({.stateDirectory = QString()});
    CreateOptions options = Live::createOptions(u"lifetime"_s);
    options.timeout = attack.lifetime;
    options.resources = attack.resources;
    Target target = Live::target();
    if (!asRoot)
        target.templateId = m_userImage;
    const SandboxPtr sandbox = engine.create(target, options).result();
    const auto removal = qScopeGuard([&sandbox] { sandbox->kill().result(); });
    const Live::AttackEnd end = Live::attackLifetime(sandbox, attack);
    const Live::LifetimeRow row{.attack = attack.name,
                                .user = asRoot ? u"root"_s : u"1000"_s,
                                .answers = end.answersText(),
                                .lifetimeMs = attack.lifetime.count(),
                                .endedMs = end.endedMs};
    Live::addToLifetimeTable(row);
    QVERIFY2(end.hasRun, "the attack did not run");
    QVERIFY2(row.isInTime(), qPrintable(row.toText()));
    QCOMPARE(end.exitCode.toInt(), endedByLifetime);
    for (const QString &answer : end.answers.keys())
        QVERIFY2(attack.refusals.isEmpty() || attack.refusals.contains(answer), qPrintable(row.toText()));
    const Operation<ExecResult> later = sandbox->run({u"true"_s});
    QVERIFY(later.waitFor(10s));
    QVERIFY_THROWS_EXCEPTION(SandboxGone, later.result());
}

void TestLifetime::aPausedOneEndsInTime()
{
    Engine engine({.stateDirectory = QString()});
    CreateOptions options = Live::createOptions(u"lifetime"_s);
    options.timeout = 3s;
    const SandboxPtr sandbox = engine.create(Live::target(), options).result();
    const auto removal = qScopeGuard([&sandbox] { sandbox->kill().result(); });
    QElapsedTimer timer;
    timer.start();
    sandbox->pause().result();
    Live::docker({u"wait"_s, sandbox->id()});
    const Live::LifetimeRow row{.attack = u"it stands still"_s,
                                .lifetimeMs = options.timeout.count(),
                                .endedMs = timer.elapsed(),
                                .isPaused = true};
    Live::addToLifetimeTable(row);
    QVERIFY2(row.isInTime(), qPrintable(row.toText()));
}

void TestLifetime::programsMayStillBeNice()
{
    Engine engine({.stateDirectory = QString()});
    const SandboxPtr sandbox = engine.create(Live::target(), Live::createOptions(u"lifetime"_s)).result();
    const auto removal = qScopeGuard([&sandbox] { sandbox->kill().result(); });
    const ExecResult result =
        sandbox
            ->run(Command::shell(
                u"nice -n 5 true && renice -n 3 -p $$ && renice -n 4 -g 0 && chrt --idle 0 true && "
                "ionice -c 3 true && taskset -p $$ && prlimit --nofile=64:64 true"_s))
            .result();
    QVERIFY2(result.exitCode == 0, result.standardError.constData());
    QVERIFY(!sandbox->details().lifetimeMechanism.contains("priority"_L1));
}

SANDBOXIO_TEST(TestLifetime)
#include "tst_lifetime.moc"
