// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

namespace Sandboxio {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using Mode = Process::ConsumerMode;

/*! Runs that belong to their sandbox: they survive who started them, and are read from any byte. */
class BackgroundContract final : public ContractFamily
{
    Q_OBJECT
public:
    using ContractFamily::ContractFamily;

private Q_SLOTS:
    void aRunGoesOnWithoutTheEngineThatStartedIt();
    void anEndedRunIsReadWithBothStreamsAndItsEnd();
    void readingGoesOnFromAnyByte();
    void whatIsNotKeptIsTold();
    void severalReadTheSame();
    void lettingGoLeavesTheRun_data();
    void lettingGoLeavesTheRun();
    void aKilledRunIsDead();
    void aRemovedRunIsDeadAndForgotten();
    void aRunEndsWithItsSandbox();
    void aCancelledStartLeavesNothing();
    void aProgramThatIsNotThereLeavesNothing();
    void whatIsUnknownIsAnError();
    void whatCannotBeIsRefused();
    void anOrdinaryRunIsNotLetGo();
    void aRunLeavesOneRecordAndEachAttachmentAnother();

private:
    void prepare() override
    {
        needCapability(Capability::Detach);
        needCapability(Capability::RunCommand);
    }
    struct Taken
    {
        QMap<OutputStream, QByteArray> output;
        QMap<OutputStream, qint64> lost;
        ExecResult result;
    };
    /*! Attaches and takes everything; offsets must join, gaps included. */
    Taken takeAll(const SandboxPtr &from, const QString &id, const AttachOptions &with = {},
                  Location where = Location::current())
    {
        const auto process = from->attach(id, with);
        value(process->start(Mode::Pull), where);
        QMap<OutputStream, qint64> place{{OutputStream::StandardOutput, with.standardOutputOffset},
                                         {OutputStream::StandardError, with.standardErrorOffset}};
        Taken taken;
        while (const auto chunk = value(process->nextChunk(), where)) {
            place[chunk->stream] += chunk->lostBefore;
            check(chunk->offset == place[chunk->stream], u"the offsets of a stream do not join"_s, where);
            place[chunk->stream] += chunk->data.size();
            taken.output[chunk->stream] += chunk->data;
            taken.lost[chunk->stream] += chunk->lostBefore;
        }
        taken.result = value(process->wait(), where);
        return taken;
    }
    BackgroundRun listed(const SandboxPtr &in, const QString &id, Location where = Location::current())
    {
        const QList<BackgroundRun> runs = value(in->backgroundRuns(), where);
        const auto found = std::ranges::find(runs, id, &BackgroundRun::id);
        check(found != runs.end(), u"a background run is not listed"_s, where);
        return *found;
    }
    void stillRuns(const SandboxPtr &in, const QString &id, Location where = Location::current())
    {
        letPass(50ms); // what ends it comes a moment later
        check(!listed(in, id, where).end, u"the background run has ended"_s, where);
        check(!need(subject.probes.processes, "probe `processes`")(in->id()).isEmpty(),
              u"no process of the background run is left"_s, where);
    }
    void waitForEnd(const SandboxPtr &in, const QString &id, Location where = Location::current())
    {
        eventually([&] { return listed(in, id, where).end.has_value(); }, u"the background run ends"_s, where);
    }
    /*! Started in the shared sandbox and over. */
    QString finishedRun(const Command &command, Location where = Location::current())
    {
        const QString id = value(sandbox()->startBackground(command), where);
        waitForEnd(sandbox(), id, where);
        return id;
    }
};

void BackgroundContract::aRunGoesOnWithoutTheEngineThatStartedIt()
{
    const SandboxPtr own = create();
    QString id;
    QString second;
    {
        const auto other = anotherEngine();
        const SandboxPtr theirs = value(other->connectTo(target(), own->id()));
        id = value(theirs->startBackground(
            need(subject.commands.printThenHang, "command `printThenHang`")(u"begin"_s, 600)));
        second = value(theirs->startBackground(need(subject.commands.exitWith, "command `exitWith`")(3)));
        value(other->shutdown());
    }
    letPass(50ms);
    const auto process = own->attach(id);
    value(process->start(Mode::Pull));
    const auto chunk = value(process->nextChunk());
    check(chunk.has_value(), u"the run has ended with the engine that started it"_s);
    QCOMPARE(chunk->data, "begin\n"_ba);
    QCOMPARE(chunk->offset, 0);
    QVERIFY(process->isRunning());
    QCOMPARE(takeAll(own, second).result.exitCode, 3);
    QCOMPARE(listed(own, second).end, (RunOutcome{RunOutcome::Kind::Exited, 3}));
    stillRuns(own, id);
}

void BackgroundContract::anEndedRunIsReadWithBothStreamsAndItsEnd()
{
    const QString id =
        finishedRun(need(subject.commands.printToBoth, "command `printToBoth`")(u"out"_s, u"err"_s));
    for (int i = 0; i < 2; ++i) {
        const Taken taken = takeAll(sandbox(), id);
        QCOMPARE(taken.output[OutputStream::StandardOutput], "out\n"_ba);
        QCOMPARE(taken.output[OutputStream::StandardError], "err\n"_ba);
        QCOMPARE(taken.result.exitCode, 0);
        QCOMPARE(taken.result.standardOutputBytes, 4);
        QVERIFY(taken.result.streamed && !taken.result.truncated);
    }
    const BackgroundRun run = listed(sandbox(), id);
    QCOMPARE(run.standardOutput.written, 4);
    QCOMPARE(run.standardError.kept, 4);
    QVERIFY(!run.arguments.isEmpty());
    QVERIFY(run.startedAt.isValid());
    value(sandbox()->removeBackgroundRun(id));
}

void BackgroundContract::readingGoesOnFromAnyByte()
{
    QByteArray text;
    for (int i = 1; i <= 1000; ++i)
        text += QByteArray::number(i) + '\n';
    const QString id = finishedRun(need(subject.commands.printNumbers, "command `printNumbers`")(1000));
    for (const qint64 from : {qint64(1), qint64(1000), qint64(text.size())}) {
        const Taken taken = takeAll(sandbox(), id, {from, 0});
        QCOMPARE(taken.output[OutputStream::StandardOutput], text.sliced(from));
        QCOMPARE(taken.result.standardOutputBytes, text.size());
    }
    value(sandbox()->removeBackgroundRun(id));
}

void BackgroundContract::whatIsNotKeptIsTold()
{
    const qint64 total = subject.streamBytes;
    const QString id = finishedRun(need(subject.commands.printZeros, "command `printZeros`")(total));
    const BackgroundRun run = listed(sandbox(), id);
    QCOMPARE(run.standardOutput.written, total);
    const Taken taken = takeAll(sandbox(), id);
    const qint64 received = taken.output[OutputStream::StandardOutput].size();
    QCOMPARE(received + taken.lost[OutputStream::StandardOutput], total);
    QCOMPARE(received, run.standardOutput.kept);
    QCOMPARE(taken.result.truncated, received < total);
    value(sandbox()->removeBackgroundRun(id));
}

void BackgroundContract::severalReadTheSame()
{
    const SandboxPtr own = create();
    const QString id = value(
        own->startBackground(need(subject.commands.printThenHang, "command `printThenHang`")(u"begin"_s, 600)));
    const auto other = anotherEngine();
    const SandboxPtr theirs = value(other->connectTo(target(), own->id()));
    const auto first = own->attach(id);
    const auto second = theirs->attach(id);
    for (const auto &process : {first.get(), second.get()}) {
        value(process->start(Mode::Pull));
        const auto chunk = value(process->nextChunk());
        QVERIFY(chunk && chunk->data == "begin\n");
    }
    QCOMPARE(listed(own, id).attachments, 2);
}

void BackgroundContract::lettingGoLeavesTheRun_data()
{
    QTest::addColumn<bool>("isDropped");
    QTest::newRow("when it is asked for") << false;
    QTest::newRow("when the handle is dropped") << true;
}

void BackgroundContract::lettingGoLeavesTheRun()
{
    QFETCH(bool, isDropped);
    const SandboxPtr own = create();
    const QString id = value(
        own->startBackground(need(subject.commands.printThenHang, "command `printThenHang`")(u"begin"_s, 600)));
    auto process = own->attach(id);
    const auto end = endOf(*process);
    value(process->start(Mode::Pull));
    QVERIFY(value(process->nextChunk()));
    if (isDropped) {
        process.reset();
    } else {
        value(process->detach());
        eventually([&] { return end->count > 0; }, u"ended()"_s);
        QCOMPARE(end->count, 1);
        QCOMPARE(end->outcome.kind, RunOutcome::Kind::Detached);
        QVERIFY(!end->error && !end->result);
        endsAsCancelled(process->wait());
    }
    eventually([&] { return listed(own, id).attachments == 0; }, u"nothing is left of the attachment"_s);
    stillRuns(own, id);
}

void BackgroundContract::aKilledRunIsDead()
{
    const SandboxPtr own = create();
    const QString id = value(own->startBackground(hang()));
    const auto process = own->attach(id);
    const auto end = endOf(*process);
    value(process->start(Mode::Discard));
    runsInside(own->id(), 1);
    value(process->kill());
    eventually([&] { return end->count > 0; }, u"ended()"_s);
    QCOMPARE(end->outcome.kind, RunOutcome::Kind::Killed);
    runsInside(own->id(), 0);
    QVERIFY(listed(own, id).end);
    value(own->removeBackgroundRun(id));
}

void BackgroundContract::aRemovedRunIsDeadAndForgotten()
{
    const SandboxPtr own = create();
    const QString id = value(own->startBackground(hang()));
    runsInside(own->id(), 1);
    value(own->removeBackgroundRun(id));
    runsInside(own->id(), 0);
    QVERIFY(value(own->backgroundRuns()).isEmpty());
    failsAs(ErrorKind::ConfigurationError, own->attach(id)->start(Mode::Discard));
}

void BackgroundContract::aRunEndsWithItsSandbox()
{
    const SandboxPtr own = create();
    const auto process = own->attach(value(own->startBackground(hang())));
    value(process->start(Mode::Discard));
    value(own->kill());
    failsAs(ErrorKind::SandboxGone, process->wait());
    failsAs(ErrorKind::SandboxGone, own->backgroundRuns());
}

void BackgroundContract::aCancelledStartLeavesNothing()
{
    const SandboxPtr own = create();
    for (int i = 0; i < subject.rounds; ++i) {
        const Operation<QString> start = own->startBackground(hang());
        start.cancel();
        if (ended(start).outcome() == OperationOutcome::Value)
            value(own->removeBackgroundRun(start.result())); // it was faster
        else
            endsAsCancelled(start);
    }
    runsInside(own->id(), 0);
    QVERIFY(value(own->backgroundRuns()).isEmpty());
}

void BackgroundContract::aProgramThatIsNotThereLeavesNothing()
{
    const SandboxPtr own = create();
    failsAs(ErrorKind::ConfigurationError, own->startBackground(Command{u"/no/such/program"_s}));
    QVERIFY(value(own->backgroundRuns()).isEmpty());
}

void BackgroundContract::whatIsUnknownIsAnError()
{
    failsAs(ErrorKind::ConfigurationError, sandbox()->attach(u"no-such-run"_s)->start(Mode::Discard));
    failsAs(ErrorKind::ConfigurationError, sandbox()->removeBackgroundRun(u"no-such-run"_s));
    const QString id = finishedRun(print(u"x"_s));
    failsAs(ErrorKind::ConfigurationError, sandbox()->attach(id, {100, 0})->start(Mode::Discard));
    failsAs(ErrorKind::ConfigurationError, sandbox()->attach(id, {0, 100})->start(Mode::Discard));
    value(sandbox()->removeBackgroundRun(id));
}

void BackgroundContract::whatCannotBeIsRefused()
{
    RunOptions limited;
    limited.timeout = 5s;
    failsAs(ErrorKind::ConfigurationError, sandbox()->startBackground(hang(), limited));
    failsAs(ErrorKind::ConfigurationError, sandbox()->startBackground(Command(QStringList())));
    QVERIFY_THROWS_EXCEPTION(ConfigurationError, sandbox()->attach(u"x"_s, {-1, 0}));
    QVERIFY_THROWS_EXCEPTION(ConfigurationError, sandbox()->attach(u"x"_s, {0, -1}));
}

void BackgroundContract::anOrdinaryRunIsNotLetGo()
{
    needCapability(Capability::Streaming);
    const auto process = sandbox()->stream(hang());
    value(process->start(Mode::Discard));
    failsAs(ErrorKind::ConfigurationError, process->detach());
    QVERIFY(process->isRunning());
    value(process->close());
}

void BackgroundContract::aRunLeavesOneRecordAndEachAttachmentAnother()
{
    const SandboxPtr own = create();
    const QString id = value(own->startBackground(need(subject.commands.exitWith, "command `exitWith`")(3)));
    takeAll(own, id);
    value(own->removeBackgroundRun(id));
    const auto records = [&] {
        return subject.records->recordsOf(own->id());
    };
    eventually([&] { return records().size() == 2; }, u"two records"_s);
    const OperationRecord start = records().at(0);
    QCOMPARE(start.event, RecordEvent::RunBackground);
    QCOMPARE(start.outcome, OperationOutcome::Value);
    QCOMPARE(start.backgroundRun, id);
    QCOMPARE(start.end, (RunOutcome{RunOutcome::Kind::Detached, 0}));
    QVERIFY(!start.argv.isEmpty());
    const OperationRecord attachment = records().at(1);
    QCOMPARE(attachment.event, RecordEvent::Attach);
    QCOMPARE(attachment.backgroundRun, id);
    QCOMPARE(attachment.end, (RunOutcome{RunOutcome::Kind::Exited, 3}));
}

std::unique_ptr<ContractFamily> makeBackgroundContract(ContractSubject &subject, const QString &label)
{
    return std::make_unique<BackgroundContract>(subject, label);
}

} // namespace Sandboxio

#include "background.moc"
