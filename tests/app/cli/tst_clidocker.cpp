// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "invocation.h"
#include "support/testprogram.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <QUuid>

#include <csignal>

using namespace Qt::StringLiterals;

namespace {

const QString image = u"sandboxio-test:1"_s;

// One line per process inside, of which those of the observer are taken away.
const QString processScript = u"for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $f; echo; done 2>/dev/null"_s;

} // namespace

/*! The real binary against the daemon that DOCKER_HOST or the usual socket names. */
class TestCliDocker : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup();
    void streamsAreApartAndTheExitCodeIsPassedOn();
    void programsThatDoNotStart_data();
    void programsThatDoNotStart();
    void aTimeoutEndsOneRunAndNotItsNeighbour();
    void theFirstSignalEndsOneRunAndNotItsNeighbour();
    void nothingIsLeftOfARun_data();
    void nothingIsLeftOfARun();
    void nothingIsLeftAfterASignal_data();
    void nothingIsLeftAfterASignal();
    void theSecondSignalLeavesAtOnceAndSaysWhatStays();
    void aBackgroundChildDoesNotHoldTheRun();
    void inputAndOutputAreExact();
    void filesGoThereAndBack();
    void foldersGoThereAndBack();
    void pausedUntilResumed();
    void aPausedSandboxOfAKilledProgramEndsWithItsLifetime();
    void jsonOfEveryCommand();
    void reapFindsWhatAKilledProgramLeft();
    void createdSandboxesAreNoOrphans();
    void theDemoPasses();

private:
    QStringList labels() const { return testLabel() + QStringList{u"--label"_s, m_case}; }
    QString createSandbox();
    std::unique_ptr<Invocation> runIn(const QString &id, const QStringList &options, const QString &script);
    QStringList processesIn(const QString &id);
    QJsonArray listed();

    QTemporaryDir m_folder;
    QString m_case;
};

void TestCliDocker::initTestCase()
{
    if (!qEnvironmentVariableIsSet("DOCKER_HOST") && !QFileInfo::exists(u"/var/run/docker.sock"_s))
        QSKIP("DOCKER_HOST names no daemon and there is no /var/run/docker.sock");
    QVERIFY(m_folder.isValid());
    qputenv("XDG_STATE_HOME", m_folder.filePath(u"state"_s).toLocal8Bit());
}

void TestCliDocker::init()
{
    m_case = u"case="_s + QUuid::createUuid().toString(QUuid::WithoutBraces);
}

void TestCliDocker::cleanup()
{
    if (m_case.isEmpty())
        return;
    const QJsonArray left = listed();
    for (const QJsonValue row : left)
        invoke({u"kill"_s, row.toObject().value("id"_L1).toString()});
}

QJsonArray TestCliDocker::listed()
{
    return invoke({u"list"_s, u"--json"_s, u"--label"_s, m_case})->json().value("sandboxes"_L1).toArray();
}

QString TestCliDocker::createSandbox()
{
    const auto create = invoke(QStringList{u"create"_s, u"--image"_s, image} + labels());
    if (create->exitCode() != 0)
        qWarning("%s", create->report());
    return QString::fromLatin1(create->output().trimmed());
}

std::unique_ptr<Invocation> TestCliDocker::runIn(const QString &id, const QStringList &options,
                                                 const QString &script)
{
    return invoke(QStringList{u"run"_s, u"--sandbox"_s, id} + options +
                  QStringList{u"--"_s, u"sh"_s, u"-c"_s, script});
}

// What runs inside, apart from the observer and the helpers that serve the clients.
QStringList TestCliDocker::processesIn(const QString &id)
{
    QStringList lines =
        QString::fromUtf8(runIn(id, {}, processScript)->output()).split(u'\n', Qt::SkipEmptyParts);
    lines.removeIf([](const QString &line) {
        return line.contains("cmdline"_L1) || line.startsWith("tr "_L1) || line.startsWith("/.sandboxio/"_L1);
    });
    lines.sort();
    return lines;
}

void TestCliDocker::streamsAreApartAndTheExitCodeIsPassedOn()
{
    const auto run = invoke(QStringList{u"run"_s, u"--image"_s, image} + labels() +
                            QStringList{u"--"_s, u"sh"_s, u"-c"_s, u"echo out; echo err >&2; exit 3"_s});
    QVERIFY2(run->exitCode() == 3, run->report());
    QCOMPARE(run->output(), "out\n"_ba);
    QCOMPARE(run->error(), "err\n"_ba);
}

void TestCliDocker::programsThatDoNotStart_data()
{
    QTest::addColumn<QStringList>("program");
    QTest::addColumn<int>("code");
    QTest::newRow("a missing program is 127") << QStringList{u"no-such-program"_s} << 127;
    QTest::newRow("a missing path is 127") << QStringList{u"/no/such/program"_s} << 127;
    QTest::newRow("a file without permission is 126") << QStringList{u"/etc/passwd"_s} << 126;
    QTest::newRow("ended by a signal is 128 and its number")
        << QStringList{u"sh"_s, u"-c"_s, u"kill -TERM $$"_s} << 143;
}

void TestCliDocker::programsThatDoNotStart()
{
    QFETCH(const QStringList, program);
    QFETCH(const int, code);
    const auto run =
        invoke(QStringList{u"run"_s, u"--image"_s, image} + labels() + QStringList{u"--"_s} + program);
    QVERIFY2(run->exitCode() == code, run->report());
}

void TestCliDocker::aTimeoutEndsOneRunAndNotItsNeighbour()
{
    const QString id = createSandbox();
    QVERIFY(!id.isEmpty());
    Invocation neighbour({u"run"_s, u"--sandbox"_s, id, u"-i"_s, u"--"_s, u"sh"_s, u"-c"_s,
                          u"echo up; read line; echo $line"_s});
    neighbour.start();
    QVERIFY2(neighbour.waitForOutput("up"), neighbour.report());
    const auto run = runIn(id, {u"--timeout"_s, u"5"_s}, u"echo first; sleep 600"_s);
    QVERIFY2(run->exitCode() == 124, run->report());
    QCOMPARE(run->output(), "first\n"_ba);
    QVERIFY2(run->error().contains("[SBX_E1302]"), run->report());
    QCOMPARE(processesIn(id), QStringList{u"sh -c echo up; read line; echo $line "_s});
    neighbour.process().write("done\n");
    QVERIFY2(neighbour.finish(), neighbour.report());
    QVERIFY2(neighbour.exitCode() == 0 && neighbour.output() == "up\ndone\n", neighbour.report());
}

void TestCliDocker::theFirstSignalEndsOneRunAndNotItsNeighbour()
{
    const QString id = createSandbox();
    QVERIFY(!id.isEmpty());
    Invocation neighbour(
        {u"run"_s, u"--sandbox"_s, id, u"--"_s, u"sh"_s, u"-c"_s, u"echo up; exec sleep 601"_s});
    neighbour.start();
    QVERIFY2(neighbour.waitForOutput("up"), neighbour.report());
    const QStringList before = processesIn(id);
    QCOMPARE(before, QStringList{u"sleep 601 "_s});

    Invocation run({u"run"_s, u"--sandbox"_s, id, u"--"_s, u"sh"_s, u"-c"_s,
                    u"sleep 600 & setsid sleep 602 & echo up; sleep 603"_s});
    run.start();
    QVERIFY2(run.waitForOutput("up"), run.report());
    QVERIFY(processesIn(id).join(u'\n').contains(u"sleep 603"_s));
    run.signal(SIGINT);
    QVERIFY2(run.finish(15000), run.report());
    QVERIFY2(run.exitCode() == 130, run.report());
    QCOMPARE(processesIn(id), before);
    QVERIFY(neighbour.process().state() == QProcess::Running);
    neighbour.signal(SIGINT);
    QVERIFY2(neighbour.finish(15000), neighbour.report());
}

void TestCliDocker::nothingIsLeftOfARun_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("that succeeds") << QStringList{u"--"_s, u"true"_s};
    QTest::newRow("that fails") << QStringList{u"--"_s, u"false"_s};
    QTest::newRow("that does not start") << QStringList{u"--"_s, u"no-such-program"_s};
    QTest::newRow("that takes too long") << QStringList{u"--timeout"_s, u"1"_s, u"--"_s, u"sleep"_s, u"600"_s};
}

void TestCliDocker::nothingIsLeftOfARun()
{
    QFETCH(const QStringList, arguments);
    const auto run = invoke(QStringList{u"run"_s, u"--image"_s, image} + labels() + arguments);
    QVERIFY2(run->exitCode() >= 0, run->report());
    QCOMPARE(listed(), QJsonArray());
}

void TestCliDocker::nothingIsLeftAfterASignal_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGHUP") << SIGHUP;
}

void TestCliDocker::nothingIsLeftAfterASignal()
{
    QFETCH(const int, signal);
    Invocation run(QStringList{u"run"_s, u"--image"_s, image} + labels() +
                   QStringList{u"--"_s, u"sh"_s, u"-c"_s, u"echo up; sleep 600"_s});
    run.start();
    QVERIFY2(run.waitForOutput("up"), run.report());
    QCOMPARE(listed().size(), 1);
    run.signal(signal);
    QVERIFY2(run.finish(20000), run.report());
    QVERIFY2(run.exitCode() == 128 + signal, run.report());
    QCOMPARE(listed(), QJsonArray());
}

void TestCliDocker::theSecondSignalLeavesAtOnceAndSaysWhatStays()
{
    Invocation run(QStringList{u"run"_s, u"--image"_s, image} + labels() +
                   QStringList{u"--"_s, u"sh"_s, u"-c"_s, u"echo up; sleep 600"_s});
    run.start();
    QVERIFY2(run.waitForOutput("up"), run.report());
    const QString id = listed().at(0).toObject().value("id"_L1).toString();
    QVERIFY(!id.isEmpty());
    QElapsedTimer timer;
    timer.start();
    run.signal(SIGINT);
    run.signal(SIGTERM);
    QVERIFY2(run.finish(20000), run.report());
    // Which of two pending signals is delivered first is the kernel's choice.
    QVERIFY2(run.exitCode() == 128 + SIGINT || run.exitCode() == 128 + SIGTERM, run.report());
    QVERIFY(timer.elapsed() < 2000);
    QVERIFY2(run.error().contains("sandboxio kill " + id.toLatin1()), run.report());
}

void TestCliDocker::aBackgroundChildDoesNotHoldTheRun()
{
    const QString id = createSandbox();
    QVERIFY(!id.isEmpty());
    QElapsedTimer timer;
    timer.start();
    const auto run = runIn(id, {}, u"sleep 60 & echo hi"_s);
    QVERIFY2(run->exitCode() == 0 && run->output() == "hi\n", run->report());
    QVERIFY2(timer.elapsed() < 10000, qPrintable(QString::number(timer.elapsed())));
}

void TestCliDocker::inputAndOutputAreExact()
{
    const QString id = createSandbox();
    QVERIFY(!id.isEmpty());
    QByteArray input;
    for (int i = 0; i < 3000000; ++i)
        input.append(char((i * 31 + i / 251) & 0xff));
    const auto run = invoke({u"run"_s, u"--sandbox"_s, id, u"-i"_s, u"--"_s, u"cat"_s}, input);
    QVERIFY2(run->exitCode() == 0, run->report());
    QVERIFY(run->output() == input);
}

void TestCliDocker::filesGoThereAndBack()
{
    const QString id = createSandbox();
    QVERIFY(!id.isEmpty());
    const QString local = m_folder.filePath(u"local.bin"_s);
    const QString back = m_folder.filePath(u"back.bin"_s);
    QFile file(local);
    QVERIFY(file.open(QIODevice::WriteOnly));
    const QByteArray content = QByteArray(1000000, '\xfe') + QByteArray(1, '\0');
    file.write(content);
    file.close();
    const auto up = invoke({u"cp"_s, local, id + u":there.bin"_s});
    QVERIFY2(up->exitCode() == 0, up->report());
    const auto into = invoke({u"cp"_s, local, id + u":/tmp"_s});
    QVERIFY2(into->exitCode() == 0, into->report());
    const auto list = invoke({u"ls"_s, u"--json"_s, id.left(12) + u":/tmp/"_s});
    QVERIFY2(list->output().contains("\"local.bin\""), list->report());
    const auto down = invoke({u"cp"_s, id + u":there.bin"_s, back});
    QVERIFY2(down->exitCode() == 0, down->report());
    QFile received(back);
    QVERIFY(received.open(QIODevice::ReadOnly));
    QVERIFY(received.readAll() == content);
    const auto missing = invoke({u"cp"_s, id + u":nothing"_s, m_folder.filePath(u"nothing"_s)});
    QVERIFY2(missing->exitCode() == 125 && missing->error().contains("[SBX_E1701]"), missing->report());
    QVERIFY(!QFileInfo::exists(m_folder.filePath(u"nothing"_s)));
}

void TestCliDocker::foldersGoThereAndBack()
{
    const QString id = createSandbox();
    QVERIFY(!id.isEmpty());
    const QString folder = m_folder.filePath(u"project"_s);
    QVERIFY(QDir().mkpath(folder + u"/below"_s));
    QFile file(folder + u"/below/file"_s);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("content") == 7);
    file.close();
    const auto up = invoke({u"cp"_s, u"--verify"_s, u"--json"_s, folder + u'/', id + u':'});
    QVERIFY2(up->exitCode() == 0, up->report());
    QCOMPARE(up->json().value("sizeBytes"_L1).toInt(), 7);
    QVERIFY(up->json().value("verified"_L1).toBool());
    const auto again = invoke({u"cp"_s, folder, id + u':'});
    QVERIFY2(again->exitCode() == 125 && again->error().contains("exists already"), again->report());
    const auto into = invoke({u"cp"_s, folder, id + u":project"_s});
    QVERIFY2(into->exitCode() == 0, into->report());
    const QString here = m_folder.filePath(u"here"_s);
    const auto down = invoke({u"cp"_s, u"--verify"_s, id + u":project/"_s, here});
    QVERIFY2(down->exitCode() == 0, down->report());
    for (const QString &name : {u"/below/file"_s, u"/project/below/file"_s}) {
        QFile back(here + name);
        QVERIFY2(back.open(QIODevice::ReadOnly), qPrintable(back.fileName()));
        QCOMPARE(back.readAll(), "content"_ba);
    }
}

void TestCliDocker::pausedUntilResumed()
{
    const QString id = createSandbox();
    const auto pause = invoke({u"pause"_s, u"--json"_s, id.first(12)});
    QVERIFY2(pause->exitCode() == 0, pause->report());
    QCOMPARE(pause->json().value("sandboxes"_L1).toArray().at(0).toObject().value("state"_L1).toString(),
             u"paused"_s);
    QCOMPARE(listed().at(0).toObject().value("state"_L1).toString(), u"paused"_s);
    const auto run = runIn(id, {}, u"echo no"_s);
    QVERIFY2(run->exitCode() == 125 && run->error().contains("sandboxio resume "), run->report());
    const auto resume = invoke({u"resume"_s, id});
    QVERIFY2(resume->exitCode() == 0 && resume->output().contains("running"), resume->report());
    QCOMPARE(runIn(id, {}, u"echo yes"_s)->output(), "yes\n"_ba);
}

// Whoever made it and whoever paused it are gone: only the keeper is left.
void TestCliDocker::aPausedSandboxOfAKilledProgramEndsWithItsLifetime()
{
    Invocation run(QStringList{u"run"_s, u"--image"_s, image, u"--lifetime"_s, u"8"_s} + labels() +
                   QStringList{u"--"_s, u"sh"_s, u"-c"_s, u"echo up; sleep 600"_s});
    run.start();
    QVERIFY2(run.waitForOutput("up"), run.report());
    const QString id = listed().at(0).toObject().value("id"_L1).toString();
    const auto pause = invoke({u"pause"_s, id});
    QVERIFY2(pause->exitCode() == 0, pause->report());
    run.signal(SIGKILL);
    QVERIFY(run.finish());
    QCOMPARE(listed().at(0).toObject().value("state"_L1).toString(), u"paused"_s);
    QTRY_COMPARE_WITH_TIMEOUT(listed().at(0).toObject().value("state"_L1).toString(), u"stopped"_s, 20000);
}

void TestCliDocker::jsonOfEveryCommand()
{
    const auto create = invoke(QStringList{u"create"_s, u"--json"_s, u"--image"_s, image} + labels());
    const QString id = create->json().value("id"_L1).toString();
    QVERIFY2(!id.isEmpty(), create->report());
    QCOMPARE(create->json().value("egress"_L1).toString(), u"deny"_s);
    const QJsonObject row = listed().at(0).toObject();
    QCOMPARE(row.value("id"_L1).toString(), id);
    QCOMPARE(row.value("state"_L1).toString(), u"running"_s);
    const auto run = invoke({u"run"_s, u"--json"_s, u"--sandbox"_s, id, u"--"_s, u"printf"_s, u"\\377"_s});
    QVERIFY2(run->json().value("stdoutIsBase64"_L1).toBool(), run->report());
    const auto code = invoke({u"code"_s, u"--json"_s, u"--sandbox"_s, id, u"-c"_s, u"print(6 * 7)"_s});
    QVERIFY2(code->json().value("stdout"_L1).toString() == "42\n"_L1, code->report());
    const auto list = invoke({u"ls"_s, u"--json"_s, id + u":/"_s});
    QVERIFY2(list->json().value("entries"_L1).toArray().size() > 5, list->report());
    const auto stats = invoke({u"stats"_s, u"--json"_s, id});
    const QJsonObject sample = stats->json().value("sandboxes"_L1).toArray().at(0).toObject();
    QVERIFY2(sample.value("memoryUsed"_L1).toInteger() > 0 && sample.value("processorsBusy"_L1).isDouble() &&
                 sample.value("processes"_L1).toInteger() >= 1,
             stats->report());
    const auto doctor = invoke({u"doctor"_s, u"--json"_s});
    QVERIFY2(doctor->exitCode() == 0 && doctor->json().value("usable"_L1).toBool(), doctor->report());
    const auto kill = invoke({u"kill"_s, u"--json"_s, id});
    QVERIFY2(kill->json().value("sandboxes"_L1).toArray().at(0).toObject().value("removed"_L1).toBool(),
             kill->report());
    QCOMPARE(listed(), QJsonArray());
}

void TestCliDocker::reapFindsWhatAKilledProgramLeft()
{
    Invocation run(QStringList{u"run"_s, u"--image"_s, image} + labels() +
                   QStringList{u"--"_s, u"sh"_s, u"-c"_s, u"echo up; sleep 600"_s});
    run.start();
    QVERIFY2(run.waitForOutput("up"), run.report());
    const auto inUse = invoke({u"reap"_s, u"--json"_s, u"--label"_s, m_case});
    QVERIFY2(inUse->json().value("sandboxes"_L1).toArray().isEmpty(), inUse->report());
    QCOMPARE(inUse->json().value("skipped"_L1).toInt(), 1);
    run.signal(SIGKILL);
    QVERIFY(run.finish());
    const auto list = invoke({u"reap"_s, u"--json"_s, u"--label"_s, m_case});
    const QJsonArray orphans = list->json().value("sandboxes"_L1).toArray();
    QVERIFY2(orphans.size() == 1, list->report());
    const QJsonObject ownership = orphans.at(0).toObject().value("ownership"_L1).toObject();
    QCOMPARE(ownership.value("verdict"_L1).toString(), u"orphan"_s);
    QVERIFY(!ownership.value("evidence"_L1).toArray().isEmpty());
    QCOMPARE(listed().size(), 1);
    const auto reap = invoke({u"reap"_s, u"--kill"_s, u"--label"_s, m_case});
    QVERIFY2(reap->exitCode() == 0 && reap->output().contains("removed"), reap->report());
    QCOMPARE(listed(), QJsonArray());
}

void TestCliDocker::createdSandboxesAreNoOrphans()
{
    const QString id = createSandbox();
    QVERIFY(!id.isEmpty());
    const auto reap = invoke({u"reap"_s, u"--json"_s, u"--kill"_s, u"--label"_s, m_case});
    QVERIFY2(reap->json().value("sandboxes"_L1).toArray().isEmpty(), reap->report());
    QCOMPARE(listed().size(), 1);
    const auto unknown = invoke({u"reap"_s, u"--kill"_s, u"--include-unknown"_s, u"--label"_s, m_case});
    QVERIFY2(unknown->exitCode() == 0, unknown->report());
    QCOMPARE(listed(), QJsonArray());
}

void TestCliDocker::theDemoPasses()
{
    const auto demo = invoke(QStringList{u"demo"_s, u"--json"_s, u"--image"_s, image} + labels());
    QVERIFY2(demo->exitCode() == 0, demo->report());
    QCOMPARE(demo->json().value("verdict"_L1).toString(), u"enforced"_s);
    QVERIFY2(demo->json().value("durationMs"_L1).toDouble() < 10000, demo->report());
    QCOMPARE(listed(), QJsonArray());
}

SANDBOXIO_TEST(TestCliDocker)
#include "tst_clidocker.moc"
