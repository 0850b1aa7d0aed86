// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

#include <QDir>
#include <QTemporaryDir>

namespace Sandboxio {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

/*! Cancelling, at every moment: it stays cancellation, and nothing is left. */
class CancellationContract final : public ContractFamily
{
    Q_OBJECT
public:
    using ContractFamily::ContractFamily;

private Q_SLOTS:
    void aCancelledRunIsDead();
    void aCancelledRunTakesDetachedChildrenWithIt();
    void aCancelledRunLeavesItsNeighbour();
    void aCancelledCodeRunIsDead();
    void aClosedStreamIsDead();
    void aRunCancelledAtOnceIsDead();
    void cancellingWhatHasEndedChangesNothing();
    void aCreateCancelledAtOnceLeavesNothing();
    void aCreateCancelledOnItsWayLeavesNothing();
    void aCreateCancelledInTheMomentOfSuccessLeavesNothing();
    void aDroppedCreateLeavesNothing();
    void aCreateWhoseReceiverDiedLeavesNothing();
    void aSandboxThatWasTakenStays();
    void aCancelledUploadLeavesNothing();
    void aCancelledDownloadLeavesNothing();

private:
    void cancelSometime(const Operation<void> &transfer, int round);
    QString largeFile(const QTemporaryDir &folder);
};

void CancellationContract::aCancelledRunIsDead()
{
    needCapability(Capability::RunCommand);
    const SandboxPtr own = create();
    const Operation<ExecResult> run = own->run(hang());
    runsInside(own->id(), 1);
    run.cancel();
    endsAsCancelled(run);
    runsInside(own->id(), 0);
    QCOMPARE(warnings(), QList<EngineWarning>());
}

void CancellationContract::aCancelledRunTakesDetachedChildrenWithIt()
{
    needCapability(Capability::RunCommand);
    const SandboxPtr own = create();
    const Operation<ExecResult> run =
        own->run(need(subject.commands.hangDetached, "command `hangDetached`")(600));
    const auto &processes = need(subject.probes.processes, "probe `processes`");
    eventually([&] { return !processes(own->id()).isEmpty(); }, u"the run is seen in the sandbox"_s);
    run.cancel();
    endsAsCancelled(run);
    runsInside(own->id(), 0);
}

void CancellationContract::aCancelledRunLeavesItsNeighbour()
{
    needCapability(Capability::RunCommand);
    const SandboxPtr own = create();
    const Operation<ExecResult> neighbour = own->run(hang(601));
    const Operation<ExecResult> run = own->run(hang());
    runsInside(own->id(), 2);
    run.cancel();
    endsAsCancelled(run);
    runsInside(own->id(), 1);
    QVERIFY(!neighbour.isEnded());
    neighbour.cancel();
    endsAsCancelled(neighbour);
    runsInside(own->id(), 0);
}

void CancellationContract::aCancelledCodeRunIsDead()
{
    needCapability(Capability::RunCode);
    const SandboxPtr own = create();
    RunCodeOptions with;
    with.language = subject.code.language;
    const Operation<ExecResult> run = own->runCode(need(subject.code.hang, "code `hang`")(600), with);
    runsInside(own->id(), 1);
    run.cancel();
    endsAsCancelled(run);
    runsInside(own->id(), 0);
}

void CancellationContract::aClosedStreamIsDead()
{
    needCapability(Capability::Streaming);
    const SandboxPtr own = create();
    const auto process = own->stream(hang());
    value(process->start(Process::ConsumerMode::Pull));
    runsInside(own->id(), 1);
    value(process->close());
    QVERIFY(!process->isRunning());
    runsInside(own->id(), 0);
}

void CancellationContract::aRunCancelledAtOnceIsDead()
{
    needCapability(Capability::RunCommand);
    const SandboxPtr own = create();
    for (int i = 0; i < subject.rounds; ++i) {
        const Operation<ExecResult> run = own->run(hang(600 + i));
        run.cancel();
        endsAsCancelled(run);
    }
    runsInside(own->id(), 0);
}

void CancellationContract::cancellingWhatHasEndedChangesNothing()
{
    needCapability(Capability::RunCommand);
    const Operation<ExecResult> run = sandbox()->run(print(u"kept"_s));
    ended(run);
    run.cancel();
    QCOMPARE(value(run).text(), u"kept\n"_s);
    QCOMPARE(value(sandbox()->info()).state, SandboxState::Running);
}

void CancellationContract::aCreateCancelledAtOnceLeavesNothing()
{
    const QStringList before = atProvider();
    for (int i = 0; i < subject.rounds; ++i) {
        const Operation<SandboxPtr> creation = engine().create(target(), options());
        creation.cancel();
        endsAsCancelled(creation);
    }
    nothingIsLeft(before);
}

void CancellationContract::aCreateCancelledOnItsWayLeavesNothing()
{
    const auto &slow = need(subject.probes.slowCreate, "probe `slowCreate`");
    const auto &requests = need(subject.probes.createRequests, "probe `createRequests`");
    const QStringList before = atProvider();
    const int requestsBefore = requests();
    Operation<SandboxPtr> creation = [&] {
        const Fault fault = slow(1s);
        const Operation<SandboxPtr> started = engine().create(target(), options());
        check(pass(2s, [&] { return requests() > requestsBefore; }),
              u"the create never reached the provider"_s);
        QVERIFY2(!started.isEnded(), "the create was not slow");
        started.cancel();
        return endedAfter(10s, started);
    }();
    endsAsCancelled(creation);
    for (int i = 0; i < 4; ++i)
        letPass(500ms); // what is still on its way at the provider arrives
    nothingIsLeft(before);
    QCOMPARE(warnings(), QList<EngineWarning>());
}

void CancellationContract::aCreateCancelledInTheMomentOfSuccessLeavesNothing()
{
    const QStringList before = atProvider();
    for (int i = 0; i < subject.rounds; ++i) {
        const Operation<SandboxPtr> creation = engine().create(target(), options());
        ended(creation);
        creation.cancel();
        endsAsCancelled(creation);
    }
    nothingIsLeft(before);
}

void CancellationContract::aDroppedCreateLeavesNothing()
{
    const QStringList before = atProvider();
    std::ignore = engine().create(target(), options());
    { // dropped after its end
        const Operation<SandboxPtr> creation = engine().create(target(), options());
        ended(creation);
    }
    nothingIsLeft(before);
}

void CancellationContract::aCreateWhoseReceiverDiedLeavesNothing()
{
    const QStringList before = atProvider();
    auto receiver = std::make_unique<QObject>();
    int calls = 0;
    engine().create(target(), options()).then(receiver.get(), [&calls](const SandboxPtr &) { ++calls; });
    receiver.reset();
    nothingIsLeft(before);
    QCOMPARE(calls, 0);
}

void CancellationContract::aSandboxThatWasTakenStays()
{
    const Operation<SandboxPtr> creation = engine().create(target(), options());
    const SandboxPtr taken = value(creation);
    removeLater(taken);
    creation.cancel();
    letPass(50ms);
    QCOMPARE(value(taken->info()).state, SandboxState::Running);
}

QString CancellationContract::largeFile(const QTemporaryDir &folder)
{
    QFile file(folder.filePath(u"large"_s));
    check(file.open(QIODevice::WriteOnly), file.errorString());
    file.write(QByteArray(subject.transferBytes, 'x'));
    return file.fileName();
}

void CancellationContract::cancelSometime(const Operation<void> &transfer, int round)
{
    // At once in even rounds, in the middle in odd ones, unless it is faster.
    if (round % 2 == 1)
        eventually([&] { return transfer.isEnded() || transfer.progress().done > 0; }, u"progress"_s);
    transfer.cancel();
}

void CancellationContract::aCancelledUploadLeavesNothing()
{
    needCapability(Capability::UploadDownload);
    const QTemporaryDir folder;
    const QString local = largeFile(folder);
    const FileSystem files = sandbox()->files();
    value(files.mkdir(u"/tmp/cancelled-upload"_s, true));
    int cancelled = 0;
    for (int i = 0; i < subject.rounds; ++i) {
        const Operation<void> upload = files.upload(local, u"/tmp/cancelled-upload/file"_s);
        cancelSometime(upload, i);
        if (ended(upload).outcome() == OperationOutcome::Value) {
            value(files.remove(u"/tmp/cancelled-upload/file"_s)); // it was faster
            continue;
        }
        endsAsCancelled(upload);
        ++cancelled;
        QCOMPARE(value(files.ls(u"/tmp/cancelled-upload"_s)), QList<FileInfo>());
    }
    if (cancelled == 0)
        skip(u"every upload was finished before it could be cancelled"_s);
}

void CancellationContract::aCancelledDownloadLeavesNothing()
{
    needCapability(Capability::UploadDownload);
    const QTemporaryDir folder;
    const FileSystem files = sandbox()->files();
    value(files.upload(largeFile(folder), u"/tmp/to-download"_s));
    const QTemporaryDir here;
    int cancelled = 0;
    for (int i = 0; i < subject.rounds; ++i) {
        const QString local = here.filePath(u"file"_s);
        const Operation<void> download = files.download(u"/tmp/to-download"_s, local);
        cancelSometime(download, i);
        if (ended(download).outcome() == OperationOutcome::Value) {
            QVERIFY(QFile::remove(local)); // it was faster
            continue;
        }
        endsAsCancelled(download);
        ++cancelled;
        QCOMPARE(QDir(here.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 QStringList());
    }
    value(files.remove(u"/tmp/to-download"_s));
    if (cancelled == 0)
        skip(u"every download was finished before it could be cancelled"_s);
}

std::unique_ptr<ContractFamily> makeCancellationContract(ContractSubject &subject, const QString &label)
{
    return std::make_unique<CancellationContract>(subject, label);
}

} // namespace Sandboxio

#include "cancellation.moc"
