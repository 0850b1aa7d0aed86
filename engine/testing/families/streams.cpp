// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

#include "memoryuse_p.h"

#include <QElapsedTimer>

#include <csignal>
#include <stdexcept>

namespace Sandboxio {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using Mode = Process::ConsumerMode;

/*! Runs that somebody follows. */
class StreamContract final : public ContractFamily
{
    Q_OBJECT
public:
    using ContractFamily::ContractFamily;

private Q_SLOTS:
    void signalsComeInOrderAndEndOnce();
    void chunksArePulledUntilTheEnd();
    void discardedOutputIsCounted();
    void orderIsKeptWithinAStream();
    void bothStreamsAreWhole();
    void lettersOfSeveralBytesSurvive();
    void waitingTwiceGivesTheSame();
    void aResultOfAStreamHasNoOutput();
    void thereIsNoExitCodeBeforeTheEnd();
    void inputIsWrittenAsItComes();
    void writingToWhatHasEndedFails();
    void aSignalReachesTheProgram();
    void aKilledProcessIsDead();
    void aProcessDroppedEarlyIsDead_data();
    void aProcessDroppedEarlyIsDead();
    void aProcessDroppedByAnExceptionIsDead();
    void aProcessStartsOnce();
    void aConsumerThatTakesNothingCostsFlatMemory();
    void aSlowConsumerCostsFlatMemory();

private:
    static constexpr qint64 mebibyte = 1024 * 1024;
    static constexpr qint64 allowedGrowth = (4 + 16) * mebibyte; // the window and 16 MiB

    void prepare() override
    {
        needCapability(Capability::Streaming);
        needCapability(Capability::RunCommand);
    }
    Command numbers(int lines) { return need(subject.commands.printNumbers, "command `printNumbers`")(lines); }
    static QByteArray numbersText(int lines)
    {
        QByteArray text;
        for (int i = 1; i <= lines; ++i)
            text += QByteArray::number(i) + '\n';
        return text;
    }
    std::unique_ptr<Process> pulled(const Command &command)
    {
        auto process = sandbox()->stream(command);
        value(process->start(Mode::Pull));
        return process;
    }
    /*! Takes everything; each stream's offsets must join. */
    QMap<OutputStream, QByteArray> takeAll(Process &process, Location where = Location::current())
    {
        QMap<OutputStream, QByteArray> output;
        while (const auto chunk = value(process.nextChunk(), where)) {
            check(!chunk->data.isEmpty(), u"an empty chunk came"_s, where);
            check(chunk->offset == output[chunk->stream].size(), u"the offsets of a stream do not join"_s,
                  where);
            output[chunk->stream] += chunk->data;
        }
        return output;
    }
};

void StreamContract::signalsComeInOrderAndEndOnce()
{
    const auto process =
        sandbox()->stream(need(subject.commands.printToBoth, "command `printToBoth`")(u"out"_s, u"err"_s));
    QStringList events;
    QByteArray out;
    QByteArray errors;
    const auto end = endOf(*process);
    connect(process.get(), &Process::started, this, [&] { events.append(u"started"_s); });
    connect(process.get(), &Process::outputReceived, this, [&](const OutputChunk &chunk) {
        events.append(u"output"_s);
        (chunk.stream == OutputStream::StandardOutput ? out : errors) += chunk.data;
    });
    connect(process.get(), &Process::ended, this, [&] { events.append(u"ended"_s); });
    std::ignore = process->start(Mode::Signals);
    eventually([&] { return events.contains(u"ended"_s); }, u"ended()"_s);
    QTest::qWait(20ms); // nothing may come after it
    QCOMPARE(events.first(), u"started"_s);
    QCOMPARE(events.last(), u"ended"_s);
    QCOMPARE(events.count(u"ended"_s), 1);
    QCOMPARE(out, "out\n"_ba);
    QCOMPARE(errors, "err\n"_ba);
    QCOMPARE(end->outcome, (RunOutcome{RunOutcome::Kind::Exited, 0}));
}

void StreamContract::chunksArePulledUntilTheEnd()
{
    const auto process = pulled(numbers(10));
    QCOMPARE(takeAll(*process)[OutputStream::StandardOutput], numbersText(10));
    QVERIFY2(!value(process->nextChunk()), "there is a chunk after the end");
    QCOMPARE(value(process->wait()).exitCode, 0);
}

void StreamContract::discardedOutputIsCounted()
{
    const auto process = sandbox()->stream(numbers(1000));
    value(process->start(Mode::Discard));
    const ExecResult result = value(process->wait());
    QCOMPARE(result.standardOutputBytes, numbersText(1000).size());
    QCOMPARE(result.standardOutput, ""_ba);
}

void StreamContract::orderIsKeptWithinAStream()
{
    const auto process = pulled(numbers(200'000));
    QCOMPARE(takeAll(*process)[OutputStream::StandardOutput], numbersText(200'000));
}

void StreamContract::bothStreamsAreWhole()
{
    const QString out(30'000, u'o');
    const QString errors(30'000, u'e');
    const auto process = pulled(need(subject.commands.printToBoth, "command `printToBoth`")(out, errors));
    const auto output = takeAll(*process);
    QCOMPARE(output[OutputStream::StandardOutput], out.toLatin1() + '\n');
    QCOMPARE(output[OutputStream::StandardError], errors.toLatin1() + '\n');
}

void StreamContract::lettersOfSeveralBytesSurvive()
{
    const QString text = u"é€😀漢"_s.repeated(4'000);
    const auto process = pulled(print(text));
    QCOMPARE(takeAll(*process)[OutputStream::StandardOutput], text.toUtf8() + '\n');
}

void StreamContract::waitingTwiceGivesTheSame()
{
    const auto process = pulled(need(subject.commands.exitWith, "command `exitWith`")(5));
    takeAll(*process);
    const ExecResult first = value(process->wait());
    QCOMPARE(value(process->wait()), first);
    QCOMPARE(first.exitCode, 5);
    QCOMPARE(process->exitCode(), 5);
}

void StreamContract::aResultOfAStreamHasNoOutput()
{
    const auto process = pulled(numbers(10));
    takeAll(*process);
    const ExecResult result = value(process->wait());
    QVERIFY(result.streamed);
    QCOMPARE(result.standardOutput, ""_ba);
    QCOMPARE(result.standardError, ""_ba);
    QCOMPARE(result.standardOutputBytes, numbersText(10).size());
}

void StreamContract::thereIsNoExitCodeBeforeTheEnd()
{
    const auto process = pulled(hang());
    QVERIFY(process->isRunning());
    QVERIFY(!process->exitCode());
    value(process->close());
    QVERIFY2(!process->exitCode(), "a killed process has an exit code");
}

void StreamContract::inputIsWrittenAsItComes()
{
    const auto process = pulled(need(subject.commands.copyInput, "command `copyInput`")());
    for (const QByteArray &line : {"first\n"_ba, "second\n"_ba}) {
        value(process->write(line));
        QByteArray back;
        while (back.size() < line.size()) {
            const auto chunk = value(process->nextChunk());
            check(chunk.has_value(), u"the program ended before its input did"_s);
            back += chunk->data;
        }
        QCOMPARE(back, line);
    }
    value(process->closeWrite());
    QVERIFY(!value(process->nextChunk()));
    QCOMPARE(value(process->wait()).exitCode, 0);
}

void StreamContract::writingToWhatHasEndedFails()
{
    const auto process = pulled(numbers(1));
    takeAll(*process);
    value(process->wait());
    errorOf(process->write("late"_ba));
}

void StreamContract::aSignalReachesTheProgram()
{
    const auto process = pulled(hang());
    value(process->signal(SIGTERM));
    takeAll(*process);
    const ExecResult result = value(process->wait());
    QVERIFY(!result.exitCode);
    QCOMPARE(result.signal, SIGTERM);
}

void StreamContract::aKilledProcessIsDead()
{
    const SandboxPtr own = create();
    const auto process = own->stream(hang());
    const auto end = endOf(*process);
    value(process->start(Mode::Discard));
    runsInside(own->id(), 1);
    value(process->kill());
    eventually([&] { return end->count > 0; }, u"ended()"_s);
    QCOMPARE(end->outcome.kind, RunOutcome::Kind::Killed);
    runsInside(own->id(), 0);
    value(process->kill());
    QCOMPARE(end->count, 1);
}

void StreamContract::aProcessDroppedEarlyIsDead_data()
{
    QTest::addColumn<int>("mode");
    QTest::newRow("with signals") << static_cast<int>(Mode::Signals);
    QTest::newRow("while chunks are pulled") << static_cast<int>(Mode::Pull);
    QTest::newRow("with its output discarded") << static_cast<int>(Mode::Discard);
}

void StreamContract::aProcessDroppedEarlyIsDead()
{
    QFETCH(int, mode);
    const SandboxPtr own = create();
    {
        const auto process =
            own->stream(need(subject.commands.printThenHang, "command `printThenHang`")(u"first"_s, 600));
        value(process->start(static_cast<Mode>(mode)));
        if (mode == static_cast<int>(Mode::Pull))
            QVERIFY(value(process->nextChunk()));
        const auto &processes = need(subject.probes.processes, "probe `processes`");
        eventually([&] { return !processes(own->id()).isEmpty(); }, u"the run is seen in the sandbox"_s);
    }
    runsInside(own->id(), 0);
}

void StreamContract::aProcessDroppedByAnExceptionIsDead()
{
    const SandboxPtr own = create();
    try {
        const auto process = own->stream(hang());
        value(process->start(Mode::Pull));
        runsInside(own->id(), 1);
        throw std::runtime_error("on purpose");
    } catch (const std::runtime_error &error) {
        QCOMPARE(error.what(), "on purpose");
    }
    runsInside(own->id(), 0);
}

void StreamContract::aProcessStartsOnce()
{
    const auto process = pulled(numbers(1));
    QVERIFY_THROWS_EXCEPTION(ConfigurationError, std::ignore = process->start(Mode::Pull));
    QCOMPARE(takeAll(*process)[OutputStream::StandardOutput], "1\n"_ba);
}

void StreamContract::aConsumerThatTakesNothingCostsFlatMemory()
{
    if (!memoryTells)
        skip(u"a sanitizer keeps freed memory for a while"_s);
    const SandboxPtr own = create();
    const auto process =
        own->stream(need(subject.commands.printZeros, "command `printZeros`")(subject.streamBytes));
    const qint64 before = residentBytes();
    value(process->start(Mode::Pull));
    qint64 growth = 0;
    const bool grows = happensWithin(500ms, [&] {
        growth = std::max(growth, residentBytes() - before);
        return growth > allowedGrowth;
    });
    check(!grows, u"%1 MiB pile up"_s.arg(growth / mebibyte));
    QVERIFY(process->isRunning());
}

void StreamContract::aSlowConsumerCostsFlatMemory()
{
    if (!memoryTells)
        skip(u"a sanitizer keeps freed memory for a while"_s);
    const qint64 total = subject.streamBytes;
    constexpr qint64 bytesPerMillisecond = 50'000;
    const auto process = pulled(need(subject.commands.printZeros, "command `printZeros`")(total));
    const qint64 before = residentBytes();
    qint64 growth = 0;
    qint64 received = 0;
    QElapsedTimer timer;
    timer.start();
    while (const auto chunk = value(process->nextChunk())) {
        received += chunk->data.size();
        growth = std::max(growth, residentBytes() - before);
        const qint64 early = received / bytesPerMillisecond - timer.elapsed();
        if (early > 1)
            QTest::qSleep(static_cast<int>(early)); // this is what makes the consumer slow
    }
    QCOMPARE(received, total);
    check(growth <= allowedGrowth, u"%1 MiB pile up"_s.arg(growth / mebibyte));
}

std::unique_ptr<ContractFamily> makeStreamContract(ContractSubject &subject, const QString &label)
{
    return std::make_unique<StreamContract>(subject, label);
}

} // namespace Sandboxio

#include "streams.moc"
