// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "containerfixture.h"
#include "support/testprogram.h"

#include <csignal>

using namespace Sandboxio;
using namespace Sandboxio::Docker;
using namespace Qt::StringLiterals;

namespace {

/*! An attachment with its events. */
struct Attached
{
    std::unique_ptr<RecordingEvents> events = std::make_unique<RecordingEvents>();
    std::unique_ptr<ProcessPort> process;

    Attached(DockerSandbox &sandbox, const AttachRequest &request)
        : process(sandbox.attach(request, events.get()))
    {
        events->process = process.get();
    }
    RecordingEvents &wait()
    {
        if (!spinUntil([this] { return events->ended(); }, std::chrono::seconds(30)))
            qFatal("An attachment did not end.");
        return *events;
    }
};

QByteArray numberLines(int last)
{
    QByteArray text;
    for (int i = 1; i <= last; ++i)
        text += QByteArray::number(i) + '\n';
    return text;
}

} // namespace

/// Background runs in real containers: kept by the guest, read over any connection.
class TestDockerBackground : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QString why;
        fixture = ContainerFixture::make(&why);
        if (!fixture)
            QSKIP(qPrintable(why));
        sandbox = fixture->create();
    }
    void cleanupTestCase()
    {
        sandbox.reset();
        fixture.reset();
    }
    void cleanup()
    {
        for (const BackgroundRun &run : await(sandbox->backgroundRuns()))
            await(sandbox->removeBackgroundRun(run.id));
    }

    void aRunOfAClientThatLeftIsReadByAnother()
    {
        const QString id = await(
            fixture->connectTo(sandbox->id())
                ->startBackground(shellRequest(u"seq 1000; sleep 0.3; echo err >&2; seq 1001 2000; exit 3"_s)));
        const auto other = fixture->connectTo(sandbox->id());
        Attached attached(*other, {.id = id});
        const RecordingEvents &events = attached.wait();
        QCOMPARE(events.standardOutput, numberLines(2000));
        QCOMPARE(events.standardError, "err\n");
        QCOMPARE(events.status->code, 3);
        QCOMPARE(events.startedCalls, 1);
        QVERIFY(events.pid);
        QCOMPARE(events.breaches, QStringList());
        const BackgroundRun run = await(sandbox->backgroundRuns()).value(0);
        QCOMPARE(run.id, id);
        QCOMPARE(run.end, (RunOutcome{RunOutcome::Kind::Exited, 3}));
        QCOMPARE(run.standardOutput.written, numberLines(2000).size());
        QCOMPARE(run.arguments.value(0), u"sh"_s);
        QVERIFY(run.startedAt.isValid());
    }

    void readingGoesOnFromAnyByte()
    {
        const QString id = await(sandbox->startBackground(shellRequest(u"seq 1000; seq 100 >&2"_s)));
        QVERIFY(spinUntil([&] { return await(sandbox->backgroundRuns()).value(0).end.has_value(); },
                          std::chrono::seconds(10)));
        Attached attached(*sandbox, {.id = id, .from = {1000, 50}});
        const RecordingEvents &events = attached.wait();
        QCOMPARE(events.standardOutput, numberLines(1000).sliced(1000));
        QCOMPARE(events.standardError, numberLines(100).sliced(50));
    }

    // The guest, not this program, is who keeps it.
    void anAttachmentSurvivesTheLossOfItsConnection()
    {
        const auto other = fixture->connectTo(sandbox->id());
        const QString id = await(other->startBackground(
            shellRequest(u"i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo $i; sleep 0.05; done; exit 7"_s)));
        Attached attached(*other, {.id = id});
        QVERIFY(spinUntil([&] { return attached.events->received > 10; }, std::chrono::seconds(10)));
        Running killer(*sandbox,
                       shellRequest(u"for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline | "
                                    "grep -q 'sandboxio-guest [r]elay' && kill -9 ${p#/proc/}; done; true"_s));
        QCOMPARE(killer.wait().status->code, 0);
        const RecordingEvents &events = attached.wait();
        QVERIFY(!events.error);
        QCOMPARE(events.standardOutput, numberLines(40));
        QCOMPARE(events.status->code, 7);
        QCOMPARE(events.startedCalls, 1);
        QCOMPARE(events.breaches, QStringList());
    }

    void muchOutputLeavesAGapAndLittleMemory()
    {
        const QString id =
            await(sandbox->startBackground(shellRequest(u"head -c 100000000 /dev/zero; echo end"_s)));
        const auto ended = [&] {
            return await(sandbox->backgroundRuns()).value(0).end.has_value();
        };
        QVERIFY(spinUntil(ended, std::chrono::seconds(60)));
        Running memory(*sandbox, shellRequest(u"grep VmHWM /proc/1/status"_s));
        const QByteArray peak = memory.wait().standardOutput.simplified();
        const qint64 kibibytes = peak.split(' ').value(1).toLongLong();
        qInfo() << "peak of PID 1:" << peak;
        QVERIFY2(kibibytes > 0 && kibibytes < 20000, peak.constData());
        Attached attached(*sandbox, {.id = id});
        const RecordingEvents &events = attached.wait();
        QCOMPARE(events.lost + events.received, 100000004);
        QVERIFY(events.lost > 90000000);
        QVERIFY(events.standardOutput.endsWith("end\n"));
    }

    void cancelledStartsLeaveNothing()
    {
        for (int i = 0; i < 5; ++i) {
            const Operation<QString> start = sandbox->startBackground(shellRequest(u"sleep 600"_s));
            start.cancel();
            QVERIFY(spinUntil([&] { return start.isEnded(); }, std::chrono::seconds(10)));
            QVERIFY_THROWS_EXCEPTION(OperationCancelled, start.result());
        }
        QVERIFY(await(sandbox->backgroundRuns()).isEmpty());
        Running look(*sandbox,
                     shellRequest(u"cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c 'sleep 60[0]'"_s));
        QCOMPARE(look.wait().standardOutput, "0\n");
    }

    void lettingGoLeavesTheRunAndNothingElse()
    {
        const QString id = await(sandbox->startBackground(shellRequest(u"echo begin; sleep 600"_s)));
        for (int i = 0; i < 5; ++i) {
            Attached attached(*sandbox, {.id = id});
            if (i > 0)
                QVERIFY(spinUntil([&] { return attached.events->received == 6; }, std::chrono::seconds(10)));
        }
        const auto isAlone = [&] {
            const BackgroundRun run = await(sandbox->backgroundRuns()).value(0);
            return run.attachments == 0 && !run.end;
        };
        QVERIFY(spinUntil(isAlone, std::chrono::seconds(10)));
    }

    void aKillEndsItForAll()
    {
        const auto other = fixture->connectTo(sandbox->id());
        const QString id = await(sandbox->startBackground(shellRequest(u"(setsid sleep 600 &); sleep 600"_s)));
        Attached mine(*sandbox, {.id = id});
        Attached theirs(*other, {.id = id});
        QVERIFY(spinUntil([&] { return theirs.events->startedCalls == 1; }, std::chrono::seconds(10)));
        await(mine.process->killTree());
        QCOMPARE(mine.wait().status->signal, SIGKILL);
        QCOMPARE(theirs.wait().status->signal, SIGKILL);
        Running look(*sandbox,
                     shellRequest(u"cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c 'sleep 60[0]'"_s));
        QCOMPARE(look.wait().standardOutput, "0\n");
    }

    void aKillBeforeTheAttachCounts()
    {
        const QString id = await(sandbox->startBackground(shellRequest(u"sleep 600"_s)));
        Attached attached(*sandbox, {.id = id});
        await(attached.process->killTree());
        QVERIFY(await(sandbox->backgroundRuns()).value(0).end);
    }

    void aTerminalIsWrittenAndResizedAfterTheAttach()
    {
        RunOptions options;
        options.pty = TerminalSize{24, 80};
        const QString id = await(sandbox->startBackground(
            shellRequest(u"stty -echo; echo ready; while read line; do stty size; done; exit 4"_s, options)));
        Attached attached(*sandbox, {.id = id});
        QVERIFY(spinUntil([&] { return attached.events->standardOutput == "ready\r\n"; },
                          std::chrono::seconds(10)));
        await(attached.process->resize({50, 100}));
        await(attached.process->write("\n"));
        QVERIFY(spinUntil([&] { return attached.events->standardOutput.endsWith("50 100\r\n"); },
                          std::chrono::seconds(10)));
        await(attached.process->closeWrite());
        QCOMPARE(attached.wait().status->code, 4);
        QVERIFY(await(sandbox->backgroundRuns()).value(0).isTerminal);
    }

    void inputGoesAlong()
    {
        RunOptions options;
        options.standardInput = QByteArray(200000, 'x');
        const QString id = await(sandbox->startBackground(shellRequest(u"wc -c"_s, options)));
        Attached attached(*sandbox, {.id = id});
        QCOMPARE(attached.wait().standardOutput.trimmed(), "200000");
        QCOMPARE(awaitError(attached.process->write("more")).kind, ErrorKind::FileSystemError);
        QCOMPARE(awaitError(attached.process->resize({1, 1})).kind, ErrorKind::ConfigurationError);
    }

    void errorsSayWhatToDo_data()
    {
        QTest::addColumn<int>("which");
        QTest::newRow("an unknown run is attached to") << 0;
        QTest::newRow("an unknown run is removed") << 1;
        QTest::newRow("an offset is beyond what was written") << 2;
        QTest::newRow("a program is not there") << 3;
        QTest::newRow("too much input goes along") << 4;
        QTest::newRow("input goes along to a terminal") << 5;
    }
    void errorsSayWhatToDo()
    {
        QFETCH(int, which);
        ErrorInfo error;
        RunOptions options;
        if (which == 0 || which == 2) {
            const QString id = await(sandbox->startBackground(shellRequest(u"sleep 600"_s)));
            Attached attached(*sandbox, {.id = which == 0 ? u"none"_s : id, .from = {1, 0}});
            QVERIFY(spinUntil([&] { return attached.events->error.has_value(); }, std::chrono::seconds(10)));
            error = *attached.events->error;
        } else if (which == 1) {
            error = awaitError(sandbox->removeBackgroundRun(u"none"_s));
        } else if (which == 3) {
            error = awaitError(sandbox->startBackground(commandRequest(Command{u"no-such-program"_s})));
        } else {
            options.standardInput = QByteArray(which == 4 ? 262145 : 1, 'x');
            if (which == 5)
                options.pty = TerminalSize{};
            error = awaitError(sandbox->startBackground(shellRequest(u"cat"_s, options)));
        }
        QCOMPARE(error.kind, ErrorKind::ConfigurationError);
        QVERIFY(!error.hint.isEmpty());
        QCOMPARE(await(sandbox->backgroundRuns()).size(), which == 0 || which == 2 ? 1 : 0);
    }

    void secretsAreNotInTheListing()
    {
        const auto redactor = sandbox->engine().redactor;
        redactor->add(Secret("swordfish"_ba));
        await(sandbox->startBackground(shellRequest(u"echo swordfish"_s)));
        const QStringList arguments = await(sandbox->backgroundRuns()).value(0).arguments;
        QVERIFY2(!arguments.join(u' ').contains(u"swordfish"_s), qPrintable(arguments.join(u' ')));
    }

private:
    std::unique_ptr<ContainerFixture> fixture;
    std::shared_ptr<DockerSandbox> sandbox;
};

SANDBOXIO_TEST(TestDockerBackground)
#include "tst_dockerbackground.moc"
