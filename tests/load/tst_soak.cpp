// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerdaemon.h"
#include "openresources.h"
#include "soak.h"
#include "support/processmemory.h"
#include "support/testprogram.h"

#include <QTest>

#include <algorithm>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr int daemonMebibytes = 1024;
constexpr auto tellEvery = 10s;
constexpr auto endLimit = 120s;
// What memory may grow from the second quarter to the last: the medians differ by less when nothing leaks.
constexpr double mostGrowth = 1.10;
constexpr qint64 mostGrowthBytes = 6'000'000;

template <typename Number>
Number numberFrom(const char *variable, Number otherwise)
{
    bool isGiven = false;
    const qulonglong given = qEnvironmentVariable(variable).toULongLong(&isGiven);
    return isGiven ? static_cast<Number>(given) : otherwise;
}

qint64 median(QList<qint64> values)
{
    std::ranges::sort(values);
    return values.value(values.size() / 2);
}

QStringList lines(const QByteArray &output)
{
    return QString::fromUtf8(output).split(u'\n', Qt::SkipEmptyParts);
}

} // namespace

/*! An engine at work for minutes, on a daemon of its own that is restarted now and then. SANDBOXIO_SOAK_SECONDS is how
    long, SANDBOXIO_SOAK_SEED repeats what was done, as far as times allow. */
class TestSoak : public QObject
{
    Q_OBJECT
public:
    // Qt Test ends a function after five minutes unless it is told otherwise before it begins.
    TestSoak()
    {
        const std::chrono::milliseconds limit = m_duration + 3 * endLimit;
        qputenv("QTEST_FUNCTION_TIMEOUT", QByteArray::number(static_cast<qint64>(limit.count())));
    }

private Q_SLOTS:
    void initTestCase();
    void nothingIsLeftAndNothingGrows();
    void cleanupTestCase() { m_daemon.reset(); }

private:
    void warmUp();
    void tell(const Load::Soak &soak);
    void expectFlatMemory() const;
    void removeOrphans(Engine &engine, const Load::Soak &soak);
    void expectNothingLeft();

    std::unique_ptr<Live::SmallDaemon> m_daemon;
    const std::chrono::seconds m_duration{numberFrom("SANDBOXIO_SOAK_SECONDS", 180)};
    const quint32 m_seed = numberFrom("SANDBOXIO_SOAK_SEED", QRandomGenerator::global()->generate());
    QList<qint64> m_memory; // once per second
    QStringList m_mounts;
    QStringList m_networks;
    QStringList m_descriptors;
    qsizetype m_threads = 0;
};

void TestSoak::initTestCase()
{
    if (const QString why = Live::missingDaemon(); !why.isEmpty())
        QSKIP(qPrintable(why));
    m_daemon = std::make_unique<Live::SmallDaemon>(daemonMebibytes);
    if (const QString problem = m_daemon->problem(); !problem.isEmpty())
        QSKIP(qPrintable(problem));
    m_daemon->loadImage(Live::testImage());
    warmUp();
}

// What the first use opens for good, and the guest's volume, do not count.
void TestSoak::warmUp()
{
    Engine engine({.stateDirectory = QString()});
    Target target = m_daemon->target();
    target.templateId = Live::testImage();
    const SandboxPtr sandbox = engine.create(target, Live::createOptions(u"soak"_s)).result();
    sandbox->runCode(u"1"_s, {.context = sandbox->createContext().result()}).result();
    sandbox->kill().result();
}

void TestSoak::nothingIsLeftAndNothingGrows()
{
    QTRY_VERIFY(m_daemon->helpers().isEmpty());
    m_mounts = m_daemon->mounts();
    m_networks = lines(m_daemon->docker({u"network"_s, u"ls"_s, u"--format"_s, u"{{.Name}}"_s}));
    m_descriptors = Load::openDescriptors();
    m_threads = Load::threadCount();
    qInfo("SANDBOXIO_SOAK_SEED=%u SANDBOXIO_SOAK_SECONDS=%lld", m_seed,
          static_cast<long long>(m_duration.count()));

    auto engine = std::make_unique<Engine>(EngineOptions{.stateDirectory = QString(), .teardownGrace = 30s});
    Load::Soak soak(*engine, *m_daemon, m_seed);
    QTimer everySecond;
    connect(&everySecond, &QTimer::timeout, this, [this, &soak] { tell(soak); });
    everySecond.start(1s);
    soak.start(m_duration);
    const bool isOver = QTest::qWaitFor([&soak] { return soak.isOver(); }, m_duration + endLimit);
    everySecond.stop();
    QVERIFY2(isOver, qPrintable(u"still open: "_s + soak.journal().openKinds().join(u", "_s)));
    soak.killAll();
    QVERIFY2(QTest::qWaitFor([&soak] { return soak.isOver(); }, endLimit),
             qPrintable(u"still open: "_s + soak.journal().openKinds().join(u", "_s)));
    removeOrphans(*engine, soak);
    QVERIFY(engine->shutdown().waitFor(endLimit));
    engine.reset();
    qInfo("%s, %lld restarts of the daemon", qPrintable(soak.journal().summary()),
          static_cast<long long>(soak.journal().outages()));

    QVERIFY2(soak.journal().problems().isEmpty(), qPrintable(soak.journal().problems().join(u'\n')));
    expectNothingLeft();
    expectFlatMemory();
}

void TestSoak::tell(const Load::Soak &soak)
{
    m_memory.append(residentMemory());
    if (m_memory.size() % tellEvery.count() == 0)
        qInfo("%lld s: sandboxes %lld, %s, memory %.1f MB, descriptors %lld, threads %lld",
              static_cast<long long>(soak.journal().now() / 1000), static_cast<long long>(soak.sandboxes()),
              qPrintable(soak.journal().summary()), static_cast<double>(m_memory.last()) / 1e6,
              static_cast<long long>(Load::openDescriptors().size()),
              static_cast<long long>(Load::threadCount()));
}

// What could not be removed while the daemon was away: the engine warned of it, or the failed kill told it.
void TestSoak::removeOrphans(Engine &engine, const Load::Soak &soak)
{
    const Target target = m_daemon->target();
    const ManagedListing listing = engine.listManaged({.targets = {target}}).result();
    for (const ManagedSandbox &row : listing.rows()) {
        QVERIFY2(soak.orphans().contains(row.id) || soak.orphans().contains(row.name),
                 qPrintable(u"left without a word: %1 %2 %3, told of: %4"_s.arg(
                     row.id, row.name, sandboxStateName(row.state), soak.orphans().join(u", "_s))));
        engine.killManaged(target, row.id).result();
    }
    qInfo("%lld orphans of outages, each told by a warning or a failed kill",
          static_cast<long long>(listing.rows().size()));
}

void TestSoak::expectNothingLeft()
{
    QCOMPARE(lines(m_daemon->docker({u"ps"_s, u"--all"_s, u"--quiet"_s})), QStringList());
    const QByteArray volumes = m_daemon->docker({u"volume"_s, u"ls"_s, u"--format"_s, u"{{.Name}}"_s});
    QVERIFY2(lines(volumes).size() <= 1, volumes.constData()); // the guest's
    QCOMPARE(lines(m_daemon->docker({u"network"_s, u"ls"_s, u"--format"_s, u"{{.Name}}"_s})), m_networks);
    QTRY_COMPARE_WITH_TIMEOUT(m_daemon->helpers(), QStringList(), 10s);
    QTRY_COMPARE_WITH_TIMEOUT(m_daemon->mounts(), m_mounts, 10s);
    QTRY_COMPARE_WITH_TIMEOUT(Load::openDescriptors(), m_descriptors, 10s);
    QTRY_VERIFY2_WITH_TIMEOUT(Load::threadCount() <= m_threads,
                              QByteArray::number(Load::threadCount()).constData(), 10s);
}

void TestSoak::expectFlatMemory() const
{
    const qsizetype quarter = m_memory.size() / 4;
    const qint64 early = median(m_memory.sliced(quarter, quarter));
    const qint64 late = median(m_memory.last(quarter));
    qInfo("memory: %.1f MB in the second quarter, %.1f MB in the last", static_cast<double>(early) / 1e6,
          static_cast<double>(late) / 1e6);
    if (memoryTells)
        QVERIFY(static_cast<double>(late) <= static_cast<double>(early) * mostGrowth + mostGrowthBytes);
}

SANDBOXIO_TEST(TestSoak)
#include "tst_soak.moc"
