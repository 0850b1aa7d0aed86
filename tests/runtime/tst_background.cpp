// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/core/error.h>
#include <sandboxio/runtime/engine.h>

#include <QTest>

#include <tuple>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using Mode = Process::ConsumerMode;

/*! Background runs as programs use them, over the backend in memory. */
class TestBackground : public QObject
{
    Q_OBJECT
    std::unique_ptr<Engine> m_engine;
    SandboxPtr m_sandbox;

    const Target m_target = Target::fromDsn(u"fake://?store=background"_s);

private Q_SLOTS:
    void init()
    {
        m_engine = std::make_unique<Engine>(EngineOptions{.stateDirectory = QString()});
        m_sandbox = m_engine->create(m_target).result();
    }
    void cleanup()
    {
        m_sandbox->kill().result();
        m_sandbox.reset();
        m_engine.reset();
    }

    void anEngineThatEndsLetsGo()
    {
        const QString id = m_sandbox->startBackground(Command::shell(u"echo up; sleep 600"_s)).result();
        {
            Engine other({.stateDirectory = QString()});
            const auto process = other.connectTo(m_target, m_sandbox->id()).result()->attach(id);
            process->start(Mode::Discard).result();
            other.shutdown().result();
            QVERIFY_THROWS_EXCEPTION(OperationCancelled, process->wait().result());
        }
        const QList<BackgroundRun> runs = m_sandbox->backgroundRuns().result();
        QCOMPARE(runs.size(), 1);
        QVERIFY(!runs.first().end);
        QCOMPARE(runs.first().attachments, 0);
    }

    void signalsTellOfAGapBeforeWhatFollowsIt()
    {
        const QString id = m_sandbox->startBackground(Command::shell(u"seq 500000"_s)).result();
        QTRY_VERIFY(m_sandbox->backgroundRuns().result().first().end);
        const BackgroundRun run = m_sandbox->backgroundRuns().result().first();
        QVERIFY(run.standardOutput.kept < run.standardOutput.written);
        const auto process = m_sandbox->attach(id, {10, 0});
        qint64 place = 10;
        qint64 lost = 0;
        std::optional<RunOutcome> outcome;
        connect(process.get(), &Process::outputReceived, this, [&](const OutputChunk &chunk) {
            place += chunk.lostBefore;
            lost += chunk.lostBefore;
            QCOMPARE(chunk.offset, place);
            place += chunk.data.size();
        });
        connect(process.get(), &Process::ended, this,
                [&](const RunOutcome &how, const auto &result, const auto &) {
                    outcome = how;
                    QVERIFY(result && result->truncated);
                    QCOMPARE(result->standardOutputBytes, run.standardOutput.written);
                });
        std::ignore = process->start(Mode::Signals);
        QTRY_VERIFY(outcome);
        QCOMPARE(*outcome, (RunOutcome{RunOutcome::Kind::Exited, 0}));
        QCOMPARE(place, run.standardOutput.written);
        QCOMPARE(lost, run.standardOutput.written - run.standardOutput.kept - 10);
    }

    void detachingBeforeTheStartIsHarmless()
    {
        const QString id = m_sandbox->startBackground(Command::shell(u"sleep 600"_s)).result();
        const auto process = m_sandbox->attach(id);
        process->detach().result();
        process->start(Mode::Discard).result();
        process->detach().result();
        process->detach().result();
        QVERIFY(!process->isRunning());
        QVERIFY(!process->exitCode());
    }

    void secretsOfThisProgramAreNotListed()
    {
        m_engine->markSecret(Secret("swordfish"_ba));
        std::ignore = m_sandbox->startBackground(Command{u"echo"_s, u"swordfish"_s}).result();
        const QStringList arguments = m_sandbox->backgroundRuns().result().first().arguments;
        QVERIFY(!arguments.join(u' ').contains(u"swordfish"_s));
    }
};

SANDBOXIO_TEST(TestBackground)
#include "tst_background.moc"
