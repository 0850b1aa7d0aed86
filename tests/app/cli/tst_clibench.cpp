// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "bench/measurement.h"
#include "bench/memorygrowth.h"
#include "bench/peers.h"
#include "bench/timed.h"
#include "commands/bench.h"
#include "support/testprogram.h"

#include <sandboxio/core/error.h>

#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QPointer>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <cmath>
#include <numbers>

using namespace Sandboxio;
using namespace Sandboxio::Cli;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestCliBench : public QObject
{
    Q_OBJECT

    static Measurement measured(const QList<double> &ours, const QList<double> &peer)
    {
        return {.name = u"a row"_s,
                .unit = u"ms"_s,
                .peerName = u"a peer"_s,
                .goal = 0.5,
                .how = u"somehow"_s,
                .skipped = {},
                .ours = ours,
                .peer = peer};
    }
    template <typename T>
    static bool ends(const Operation<T> &operation)
    {
        return QTest::qWaitFor([&] { return operation.isEnded(); }, 10s);
    }

    // The Python of the test finds a module docker that says \a connect when asked for a client, and whose runs
    // take longer than the test.
    void useDockerModule(const QString &connect)
    {
        QFile module(m_modules.filePath(u"docker.py"_s));
        QVERIFY(module.open(QIODevice::WriteOnly));
        module.write(u"import time\n"
                     "class Container:\n def exec_run(self, command): time.sleep(600)\n"
                     "class Containers:\n def get(self, id): return Container()\n"
                     "class Client:\n containers = Containers()\n"
                     "def from_env(): %1\n"_s.arg(connect)
                         .toUtf8());
        qputenv("PYTHONPATH", m_modules.path().toLocal8Bit());
        qputenv("PYTHONDONTWRITEBYTECODE", "1");
    }

    QTemporaryDir m_modules;

private Q_SLOTS:
    void cleanup()
    {
        qunsetenv("PYTHONPATH");
        qunsetenv("PYTHONDONTWRITEBYTECODE");
        QTRY_VERIFY(qApp->findChildren<QProcess *>().isEmpty()); // no process is left
    }

    void theMedianIsOfTheMiddle()
    {
        QCOMPARE(median({3, 1, 2}), 2.0);
        QCOMPARE(median({4, 1, 2, 3}), 2.5);
        QCOMPARE(median({7}), 7.0);
    }

    void theRatioIsOfTheMediansAndTheIntervalHoldsIt()
    {
        const Measurement row = measured({1, 2, 3, 4, 100}, {10, 20, 30, 40, 50});
        QCOMPARE(row.ratio(), 0.1);
        const auto interval = row.interval();
        QVERIFY(interval->first < 0.1 && interval->second > 0.1);
        QVERIFY(interval->first > 1.0 / 50 && interval->second < 100.0 / 10); // narrower than the extremes
        QList<double> irregular;
        for (int i = 1; i <= 40; ++i)
            irregular.append(1 + std::fmod(i * std::numbers::phi, 1));
        const Measurement many = measured(irregular, irregular);
        QCOMPARE(many.interval(), many.interval()); // the same figures say the same
        const Measurement few = measured(irregular.first(5), irregular.first(5));
        QVERIFY(many.interval()->second - many.interval()->first <
                few.interval()->second - few.interval()->first);
        const auto steady = measured({1, 1, 1}, {2, 2, 2}).interval();
        QCOMPARE(*steady, std::pair(0.5, 0.5));
    }

    void theJsonSaysWhetherTheGoalIsReached_data()
    {
        QTest::addColumn<double>("ours");
        QTest::addColumn<bool>("isReached");
        QTest::newRow("below") << 4.0 << true;
        QTest::newRow("exactly") << 5.0 << true;
        QTest::newRow("above") << 5.1 << false;
    }
    void theJsonSaysWhetherTheGoalIsReached()
    {
        QFETCH(const double, ours);
        const QJsonObject json = measured({ours}, {10}).toJson();
        QTEST(json.value("goalReached"_L1).toBool(), "isReached");
        QCOMPARE(json.value("ours"_L1).toDouble(), ours);
        QCOMPARE(json.value("peer"_L1).toDouble(), 10.0);
        QVERIFY(json.value("skipped"_L1).isNull());
    }

    void aSkippedRowHasNoFigures()
    {
        Measurement row = measured({}, {});
        row.skipped = u"there is no peer"_s;
        const QJsonObject json = row.toJson();
        for (const QString &key :
             {u"ours"_s, u"peer"_s, u"ratio"_s, u"ratioLow"_s, u"ratioHigh"_s, u"goalReached"_s})
            QVERIFY2(json.value(key).isNull(), qPrintable(key));
        const QString text = renderBench({{u"rows"_s, QJsonArray{json}}}, {});
        QVERIFY2(text.contains(u"skipped: there is no peer"_s), qPrintable(text));
    }

    void theTableShowsTheFigures()
    {
        const QString text = renderBench({{u"rows"_s, QJsonArray{measured({1}, {4}).toJson()}}}, {});
        for (const QString &part : {u"a row"_s, u"1 ms"_s, u"4 ms"_s, u"0.25 [0.25, 0.25]"_s, u"a peer"_s})
            QVERIFY2(text.contains(part), qPrintable(text));
    }

    void rowsAreChosenByAPartOfTheirName()
    {
        const auto all = parseBench({});
        QCOMPARE(all->rows.size(), 7);
        QVERIFY(!all->rounds);
        QCOMPARE(all->create.options.timeout, 30min);
        const auto some =
            parseBench({u"--only"_s, u"UPLOAD"_s, u"--only"_s, u"create"_s, u"--rounds"_s, u"2"_s});
        QCOMPARE(some->rows, (QStringList{u"create to first byte"_s, u"upload 1 GiB"_s}));
        QCOMPARE(some->rounds, 2);
    }

    void whatCannotBeMeasuredIsRefused_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("a row that there is not") << QStringList{u"--only"_s, u"nothing"_s};
        QTest::newRow("no rounds") << QStringList{u"--rounds"_s, u"0"_s};
        QTest::newRow("an argument") << QStringList{u"x"_s};
    }
    void whatCannotBeMeasuredIsRefused()
    {
        QFETCH(const QStringList, arguments);
        const auto parsed = parseBench(arguments);
        QVERIFY(!parsed && parsed.error().error);
        QCOMPARE(parsed.error().error->code(), u"SBX_E1000"_s);
    }

    void programsEndAsTheyExit()
    {
        const Operation<void> good = runPeer(u"true"_s, {});
        const Operation<void> bad = runPeer(u"sh"_s, {u"-c"_s, u"echo why >&2; exit 3"_s});
        const Operation<void> missing = runPeer(u"no-such-program-0"_s, {});
        QVERIFY(ends(good) && ends(bad) && ends(missing));
        QCOMPARE(good.outcome(), OperationOutcome::Value);
        QVERIFY2(bad.error().message.contains(u"why"_s), qPrintable(bad.error().message));
        QVERIFY2(missing.error().message.contains(u"no-such-program-0"_s), qPrintable(missing.error().message));
        QCOMPARE(missing.error().hint, u"Install the no-such-program-0 command line or put it into PATH."_s);
    }

    void whatStartingTakesIsMeasuredToo()
    {
        const auto start = [] {
            QThread::sleep(50ms);
            return finishedOperation();
        };
        QVERIFY(QCoro::waitFor(timed(start)) >= 0.05);
    }

    void aCancelEndsTheDockerPyProcess()
    {
        if (QStandardPaths::findExecutable(u"python3"_s).isEmpty())
            QSKIP("there is no python3");
        useDockerModule(u"return Client()"_s);
        DockerPy peer;
        const Operation<QString> started = peer.start({}, {});
        QVERIFY(ends(started));
        const Operation<void> run = peer.runTrue();
        run.cancel();
        QVERIFY(ends(run));
        QCOMPARE(run.outcome(), OperationOutcome::Cancelled);
        const Operation<void> later = peer.runTrue();
        QVERIFY(ends(later));
        QVERIFY2(later.error().message.contains(u"docker-py"_s), qPrintable(later.error().message));
    }

    void aCancelEndsTheStartOfDockerPy()
    {
        if (QStandardPaths::findExecutable(u"python3"_s).isEmpty())
            QSKIP("there is no python3");
        useDockerModule(u"time.sleep(600)"_s);
        DockerPy peer;
        const Operation<QString> started = peer.start({}, {});
        started.cancel();
        QVERIFY(ends(started));
        QCOMPARE(started.outcome(), OperationOutcome::Cancelled);
    }

    void anUnfinishedDockerPyIsEnded()
    {
        if (QStandardPaths::findExecutable(u"python3"_s).isEmpty())
            QSKIP("there is no python3");
        useDockerModule(u"return Client()"_s);
        auto peer = std::make_unique<DockerPy>();
        const Operation<QString> started = peer->start({}, {});
        QVERIFY(ends(started));
        const QPointer<QProcess> process = qApp->findChild<QProcess *>();
        QVERIFY(process && process->state() == QProcess::Running);
        peer.reset();
        QTRY_VERIFY(!process);
    }

    void aCancelledProgramIsKilled()
    {
        const Operation<void> slow = runPeer(u"sleep"_s, {u"600"_s});
        slow.cancel();
        QVERIFY(ends(slow));
        QCOMPARE(slow.outcome(), OperationOutcome::Cancelled);
    }

    void growthIsSeen()
    {
        const MemoryGrowth growth;
        const QByteArray block(64 * 1024 * 1024, 'x');
        QVERIFY(growth.bytes() > block.size() / 2);
    }

    void growthIsNotToldWhereThePeakStays()
    {
        const QTemporaryDir folder;
        QFile status(folder.filePath(u"status"_s));
        QVERIFY(status.open(QIODevice::WriteOnly));
        status.write("VmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n");
        status.close();
        QCOMPARE(MemoryGrowth(folder.path()).bytes(), std::nullopt);
        QFile forget(folder.filePath(u"clear_refs"_s));
        QVERIFY(forget.open(QIODevice::WriteOnly));
        QCOMPARE(MemoryGrowth(folder.path()).bytes(), std::optional<qint64>(1024 * 1024));
    }
};

SANDBOXIO_TEST(TestCliBench)
#include "tst_clibench.moc"
