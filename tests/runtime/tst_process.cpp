// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/core/task.h>
#include <sandboxio/runtime/engine.h>

#include <QSignalSpy>
#include <QTest>

#include <thread>
#include <tuple>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using Mode = Process::ConsumerMode;

class TestProcess : public QObject
{
    Q_OBJECT
    std::unique_ptr<Engine> m_engine;
    SandboxPtr m_sandbox;

private Q_SLOTS:
    void init()
    {
        m_engine = std::make_unique<Engine>(EngineOptions{.stateDirectory = QString()});
        m_sandbox = m_engine->create(Target::fromDsn(u"fake://base"_s)).result();
    }
    void cleanup()
    {
        m_sandbox.reset();
        m_engine.reset();
    }

    void signalsArriveInOrderAndEndOnce()
    {
        const auto process = m_sandbox->stream(Command::shell(u"echo one; echo two >&2; exit 3"_s));
        QByteArray out;
        QByteArray err;
        int ends = 0;
        RunOutcome outcome;
        connect(process.get(), &Process::outputReceived, this, [&](const OutputChunk &chunk) {
            QCOMPARE(ends, 0);
            (chunk.stream == OutputStream::StandardOutput ? out : err) += chunk.data;
        });
        connect(process.get(), &Process::ended, this,
                [&](const RunOutcome &how, const auto &result, const auto &error) {
                    ++ends;
                    outcome = how;
                    QVERIFY(result && result->streamed && result->standardOutput.isEmpty());
                    QVERIFY(!error);
                });
        QSignalSpy started(process.get(), &Process::started);
        std::ignore = process->start(Mode::Signals);
        QTRY_COMPARE(ends, 1);
        QCOMPARE(started.count(), 1);
        QCOMPARE(out, "one\n"_ba);
        QCOMPARE(err, "two\n"_ba);
        QCOMPARE(outcome, (RunOutcome{RunOutcome::Kind::Exited, 3}));
        QCOMPARE(process->exitCode(), 3);
        QCOMPARE(process->wait().result().exitCode, 3);
        QCOMPARE(process->wait().result().exitCode, 3);
    }

    void pullTakesEverythingThenEnds()
    {
        const auto process = m_sandbox->stream({u"echo"_s, u"hello"_s});
        process->start(Mode::Pull).result();
        QByteArray all;
        while (const std::optional<OutputChunk> chunk = process->nextChunk().result()) {
            QCOMPARE(chunk->offset, all.size());
            all += chunk->data;
        }
        QCOMPARE(all, "hello\n"_ba);
        QCOMPARE(process->wait().result().exitCode, 0);
        QVERIFY(!process->nextChunk().result());
    }

    void discardCountsBytes()
    {
        const auto process = m_sandbox->stream({u"head"_s, u"-c"_s, u"9000000"_s, u"/dev/zero"_s});
        std::ignore = process->start(Mode::Discard);
        const ExecResult result = process->wait().result();
        QCOMPARE(result.standardOutputBytes, 9'000'000);
        QVERIFY(result.standardOutput.isEmpty());
    }

    void aConsumerThatStopsStopsTheProducer()
    {
        const auto process = m_sandbox->stream({u"head"_s, u"-c"_s, u"64000000"_s, u"/dev/zero"_s});
        process->start(Mode::Pull).result();
        const auto first = process->nextChunk().result();
        QVERIFY(first);
        qint64 taken = first->data.size();
        QVERIFY(process->isRunning());
        while (const auto chunk = process->nextChunk().result())
            taken += chunk->data.size();
        QCOMPARE(taken, 64'000'000);
    }

    void blockingWaitWhereOutputIsConsumedIsRefused()
    {
        const auto process = m_sandbox->stream({u"sleep"_s, u"60"_s});
        process->start(Mode::Signals).result();
        QVERIFY_THROWS_EXCEPTION(ConfigurationError, process->wait().result());
    }

    void timeoutEndsAsTimedOut()
    {
        const auto process = m_sandbox->stream({u"sleep"_s, u"60"_s}, {.timeout = 50ms});
        std::ignore = process->start(Mode::Discard);
        QVERIFY_THROWS_EXCEPTION(ExecutionTimeout, process->wait().result());
    }

    void killEndsAsKilledAndCloseWaits()
    {
        const auto process = m_sandbox->stream({u"sleep"_s, u"60"_s});
        std::optional<RunOutcome> outcome;
        connect(process.get(), &Process::ended, this, [&](const RunOutcome &how) { outcome = how; });
        process->start(Mode::Signals).result();
        process->close().result();
        QTRY_VERIFY(outcome);
        QCOMPARE(outcome->kind, RunOutcome::Kind::Killed);
        QVERIFY(!process->exitCode());
    }

    void inputReachesTheProgram()
    {
        const auto process = m_sandbox->stream({u"cat"_s});
        process->start(Mode::Pull).result();
        process->write("typed"_ba).result();
        process->closeWrite().result();
        QByteArray all;
        while (const auto chunk = process->nextChunk().result())
            all += chunk->data;
        QCOMPARE(all, "typed"_ba);
    }

    void startingTwiceIsRefused()
    {
        const auto process = m_sandbox->stream({u"true"_s});
        process->start(Mode::Discard).result();
        QVERIFY_THROWS_EXCEPTION(ConfigurationError, std::ignore = process->start(Mode::Discard));
    }

    void anUnstartedProcessWarns()
    {
        QTest::ignoreMessage(QtWarningMsg, "A Process was destroyed that was never started.");
        m_sandbox->stream({u"true"_s});
    }

    void signalsNeedAnEventLoop()
    {
        bool refused = false;
        std::thread thread([&] {
            const auto process = m_sandbox->stream({u"true"_s});
            try {
                std::ignore = process->start(Mode::Signals);
            } catch (const ConfigurationError &) {
                refused = true;
            }
            process->start(Mode::Discard).result();
        });
        thread.join();
        QVERIFY(refused);
    }

    void aProgramThatIsNotThereFailsTheStart()
    {
        const auto process = m_sandbox->stream({u"no-such-program"_s});
        QVERIFY_THROWS_EXCEPTION(ConfigurationError, process->start(Mode::Discard).result());
        QVERIFY_THROWS_EXCEPTION(ConfigurationError, process->wait().result());
    }

    void aHandleDestroyedInItsOwnSlotIsSafe()
    {
        auto process = m_sandbox->stream(Command::shell(u"echo one; sleep 60"_s));
        connect(process.get(), &Process::outputReceived, this, [&] { process.reset(); });
        std::ignore = process->start(Mode::Signals);
        QTRY_VERIFY(!process);
    }
};

SANDBOXIO_TEST(TestProcess)
#include "tst_process.moc"
