// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fakefixture.h"
#include "support/testprogram.h"

#include <csignal>

using namespace Sandboxio;
using namespace Sandboxio::Fake;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestFakeProcess : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void nothingIsReportedInline()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        Recorder run;
        run.start(*sandbox, commandRequest(Command({u"echo"_s, u"x"_s})));
        QVERIFY(run.order.isEmpty());
        QVERIFY(run.finish());
        QCOMPARE(run.out, "x\n"_ba);
    }
    void inputIsGivenThenClosed()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        RunOptions options;
        options.standardInput = QByteArray(200'000, 'i');
        Recorder run;
        run.start(*sandbox, commandRequest(Command({u"cat"_s}), options));
        QVERIFY(run.finish());
        QCOMPARE(run.out, *options.standardInput);
    }
    void withoutInputAReaderSeesItsEnd()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        Recorder run;
        run.start(*sandbox, commandRequest(Command({u"cat"_s})));
        QVERIFY(run.finish());
        QCOMPARE(run.status->code, 0);
        QVERIFY(run.out.isEmpty());
    }
    void interactiveInputComesPieceByPiece()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        ProcessRequest request = commandRequest(Command({u"cat"_s}));
        request.interactiveInput = true;
        Recorder run;
        run.start(*sandbox, request);
        Fixture::settle();
        QVERIFY(!run.status);
        Fixture::valueOf(run.process->write("one "));
        Fixture::settle();
        QCOMPARE(run.out, "one "_ba);
        Fixture::valueOf(run.process->write("two"));
        Fixture::valueOf(run.process->closeWrite());
        QVERIFY(run.finish());
        QCOMPARE(run.out, "one two"_ba);
        QCOMPARE(Fixture::errorOf(run.process->write("late")).kind, ErrorKind::FileSystemError);
    }
    void aSlowConsumerHoldsTheProgramBack()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        ProcessRequest request = commandRequest(Command({u"head"_s, u"-c"_s, u"1000000"_s, u"/dev/zero"_s}));
        request.window = 100'000;
        Recorder run;
        run.acknowledges = false;
        run.start(*sandbox, request);
        Fixture::settle();
        QCOMPARE(run.out.size(), 100'000);
        run.process->acknowledge(OutputStream::StandardOutput, 30'000);
        Fixture::settle();
        QCOMPARE(run.out.size(), 130'000);
        QVERIFY(!run.status);
        run.acknowledges = true;
        run.process->acknowledge(OutputStream::StandardOutput, 100'000);
        QVERIFY(run.finish());
        QCOMPARE(run.out.size(), 1'000'000);
    }
    void anEndlessProgramLeavesRoomForOthers()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        Recorder endless;
        endless.start(*sandbox, commandRequest(Command::shell(u"yes > /dev/null"_s)));
        Recorder other;
        other.start(*sandbox, commandRequest(Command({u"echo"_s, u"here"_s})));
        QVERIFY(other.finish());
        QVERIFY(!endless.status);
        Fixture::valueOf(endless.process->killTree());
        QCOMPARE(endless.status->signal, SIGKILL);
    }
    void signals_data()
    {
        QTest::addColumn<int>("number");
        QTest::addColumn<bool>("ends");
        QTest::newRow("SIGTERM ends it") << SIGTERM << true;
        QTest::newRow("SIGINT ends it") << SIGINT << true;
        QTest::newRow("SIGKILL ends it") << SIGKILL << true;
        QTest::newRow("SIGWINCH does nothing") << SIGWINCH << false;
        QTest::newRow("signal 0 does nothing") << 0 << false;
    }
    void signals()
    {
        QFETCH(int, number);
        QFETCH(bool, ends);
        Fixture fixture;
        const auto sandbox = fixture.create();
        Recorder run;
        run.start(*sandbox, commandRequest(Command({u"sleep"_s, u"600"_s})));
        Fixture::settle();
        Fixture::valueOf(run.process->signal(number));
        Fixture::settle();
        QCOMPARE(run.status.has_value(), ends);
        if (ends) {
            QCOMPARE(run.status->signal, number);
            QVERIFY(!run.status->code);
        }
    }
    void stoppingIsNotSupported()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        Recorder run;
        run.start(*sandbox, commandRequest(Command({u"sleep"_s, u"600"_s})));
        QCOMPARE(Fixture::errorOf(run.process->signal(SIGSTOP)).kind, ErrorKind::CapabilityNotSupported);
        QCOMPARE(Fixture::errorOf(run.process->resize({})).kind, ErrorKind::CapabilityNotSupported);
    }
    void aTerminalIsNotSupported()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        RunOptions options;
        options.pty = TerminalSize{};
        Recorder run;
        run.start(*sandbox, commandRequest(Command({u"true"_s}), options));
        QVERIFY(run.finish());
        QCOMPARE(run.failure->kind, ErrorKind::CapabilityNotSupported);
    }
    void killTreeEndsTheRunAndNotItsNeighbours()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        Recorder run;
        run.start(*sandbox, commandRequest(Command::shell(u"sleep 500 & sleep 600"_s)));
        Recorder neighbour;
        neighbour.start(*sandbox, commandRequest(Command({u"sleep"_s, u"60"_s})));
        Fixture::settle();
        QCOMPARE(fixture.script->runningProcesses().size(), 2);
        Fixture::valueOf(run.process->killTree());
        QVERIFY(run.isOver());
        QCOMPARE(run.status->signal, SIGKILL);
        QCOMPARE(fixture.script->runningProcesses(), QStringList{u"sleep 60"_s});
        Fixture::valueOf(run.process->killTree());
        QCOMPARE(run.order.count(u"exited"_s), 1);
        fixture.clock->advance(60s);
        QVERIFY(neighbour.finish());
        QCOMPARE(neighbour.status->code, 0);
    }
    void aChildKeepsTheStreamsOpenAfterTheExit()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        Recorder run;
        run.start(*sandbox, commandRequest(Command::shell(u"sleep 60 & echo hi"_s)));
        Fixture::settle();
        QCOMPARE(run.out, "hi\n"_ba);
        QCOMPARE(run.status->code, 0);
        QVERIFY(run.ended.isEmpty());
        fixture.clock->advance(60s);
        QVERIFY(run.finish());
        QCOMPARE(run.order.count(u"exited"_s), 1);
    }
    void killTreeAfterTheExitEndsTheChildren()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        Recorder run;
        run.start(*sandbox, commandRequest(Command::shell(u"sleep 60 & echo hi"_s)));
        Fixture::settle();
        QCOMPARE(fixture.script->runningProcesses().size(), 1);
        Fixture::valueOf(run.process->killTree());
        QVERIFY(run.isOver());
        QVERIFY(fixture.script->runningProcesses().isEmpty());
        QCOMPARE(run.status->code, 0);
    }
    void theBackstopComesOneGraceAfterTheLimit()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        RunOptions options;
        options.timeout = 100s;
        Recorder run;
        run.start(*sandbox, commandRequest(Command({u"sleep"_s, u"600"_s}), options));
        Fixture::settle();
        fixture.clock->advance(100s);
        Fixture::settle();
        QVERIFY(!run.status);
        fixture.clock->advance(5s);
        QVERIFY(run.finish());
        QCOMPARE(run.status->signal, SIGKILL);
    }
    void theEndOfTheLifetimeEndsTheRuns()
    {
        Fixture fixture;
        CreateOptions options;
        options.timeout = 120s;
        const auto sandbox = fixture.create(options);
        Recorder run;
        run.start(*sandbox, commandRequest(Command({u"sleep"_s, u"600"_s})));
        Fixture::settle();
        fixture.clock->advance(120s);
        QVERIFY(run.finish());
        QCOMPARE(run.failure->kind, ErrorKind::SandboxGone);
        QVERIFY2(run.failure->hint.contains("120"_L1), qPrintable(run.failure->hint));
        Recorder late;
        late.start(*sandbox, commandRequest(Command({u"true"_s})));
        QVERIFY(late.finish());
        QCOMPARE(late.failure->kind, ErrorKind::SandboxGone);
    }
    void anAnswerReplacesTheProgram()
    {
        Fixture fixture;
        RichOutput rich;
        rich.bundle.insert(u"text/html"_s, "<b>1</b>");
        fixture.script->onRun(contains(u"make"_s), {.standardOutput = "first", .exitCode = 1});
        fixture.script->onRun(u"make -j4"_s, {.standardOutput = "out", .standardError = "err", .exitCode = 2});
        fixture.script->onRunCode(anything(), {.duration = 10s, .results = {rich}});
        const auto sandbox = fixture.create();
        Recorder run;
        run.start(*sandbox, commandRequest(Command({u"make"_s, u"-j4"_s})));
        QVERIFY(run.finish());
        QCOMPARE(run.out, "out"_ba);
        QCOMPARE(run.err, "err"_ba);
        QCOMPARE(run.status->code, 2);
        Recorder code;
        code.start(*sandbox, codeRequest("anything = 1"));
        Fixture::settle();
        QCOMPARE(code.rich, QList{rich});
        QVERIFY(!code.status);
        fixture.clock->advance(10s);
        QVERIFY(code.finish());
        QCOMPARE(code.status->code, 0);
    }
    void answersCanFailHangAndEndBySignal()
    {
        Fixture fixture;
        fixture.script->onRun(u"fail"_s, {.error = makeError(ErrorKind::AuthError, u"no"_s)});
        fixture.script->onRun(u"hang"_s, {.standardOutput = "begun", .hangs = true});
        fixture.script->onRun(u"crash"_s, {.signal = SIGSEGV});
        const auto sandbox = fixture.create();
        Recorder fail;
        fail.start(*sandbox, commandRequest(Command({u"fail"_s})));
        QVERIFY(fail.finish());
        QCOMPARE(fail.failure->kind, ErrorKind::AuthError);
        Recorder hang;
        hang.start(*sandbox, commandRequest(Command({u"hang"_s})));
        Fixture::settle();
        fixture.clock->advance(200s);
        Fixture::settle();
        QCOMPARE(hang.out, "begun"_ba);
        QVERIFY(!hang.status);
        Recorder crash;
        crash.start(*sandbox, commandRequest(Command({u"crash"_s})));
        QVERIFY(crash.finish());
        QCOMPARE(crash.status->signal, SIGSEGV);
    }
    void callsAreRecorded()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        fixture.script->clearCalls();
        RunOptions options;
        options.env = {{u"A"_s, u"1"_s}};
        options.workingDirectory = u"/tmp"_s;
        options.timeout = 5s;
        Recorder run;
        run.start(*sandbox, commandRequest(Command({u"echo"_s, u"a b"_s}), options));
        QVERIFY(run.finish());
        QCOMPARE(fixture.script->calls().size(), 1);
        const Call call = fixture.script->calls().first();
        QCOMPARE(call.kind, Call::Kind::Run);
        QCOMPARE(call.sandboxId, sandbox->id());
        QCOMPARE(call.text, u"echo 'a b'"_s);
        QCOMPARE(call.environment, options.env);
        QCOMPARE(call.workingDirectory, u"/tmp"_s);
        QCOMPARE(call.timeout, 5s);
    }
    void theConnectionBreaksAtTheGivenByte()
    {
        Fixture fixture;
        fixture.script->setFaults({.disconnectAtByte = 70'000});
        const auto sandbox = fixture.create();
        Recorder run;
        run.start(*sandbox, commandRequest(Command({u"head"_s, u"-c"_s, u"200000"_s, u"/dev/zero"_s})));
        QVERIFY(run.finish());
        QCOMPARE(run.out.size(), 70'000);
        QVERIFY(run.failure);
        QVERIFY(run.failure->kind != ErrorKind::SandboxGone);
        QVERIFY(!run.status);
        QCOMPARE(run.order.last(), u"failed"_s);
        QVERIFY2(!fixture.script->runningProcesses().isEmpty(), "a lost connection ends nothing");
        Fixture::valueOf(run.process->killTree());
        QVERIFY(fixture.script->runningProcesses().isEmpty());
    }
    void theSandboxVanishesAtTheGivenByte()
    {
        Fixture fixture;
        fixture.script->setFaults({.goneAtByte = 5});
        const auto sandbox = fixture.create();
        Recorder run;
        run.start(*sandbox, commandRequest(Command({u"echo"_s, u"0123456789"_s})));
        QVERIFY(run.finish());
        QCOMPARE(run.out, "01234"_ba);
        QCOMPARE(run.failure->kind, ErrorKind::SandboxGone);
        QVERIFY(fixture.script->sandboxes().isEmpty());
    }
    void aLostSandboxEndsItsRuns()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        Recorder run;
        run.start(*sandbox, commandRequest(Command({u"sleep"_s, u"60"_s})));
        Fixture::settle();
        fixture.script->lose(sandbox->id());
        QVERIFY(run.finish());
        QCOMPARE(run.failure->kind, ErrorKind::SandboxGone);
        QCOMPARE(run.order.count(u"failed"_s), 1);
    }
    void aHangingKillNeitherEndsNorKills()
    {
        Fixture fixture;
        const auto sandbox = fixture.create();
        Recorder run;
        run.start(*sandbox, commandRequest(Command({u"sleep"_s, u"60"_s})));
        Fixture::settle();
        fixture.script->setFaults({.killTreeHangs = true});
        const Operation<void> kill = run.process->killTree();
        Fixture::settle();
        QVERIFY(!kill.isEnded());
        QVERIFY(!run.status);
    }
};

SANDBOXIO_TEST(TestFakeProcess)
#include "tst_fakeprocess.moc"
