// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/core/operationwatcher.h>
#include <sandboxio/core/task.h>
#include <sandboxio/runtime/engine.h>

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

// Every asynchronous member of the public classes in all four styles: continuation, co_await, blocking,
// signals.
class TestFourStyles : public QObject
{
    Q_OBJECT

    template <typename T>
    using Start = std::function<Operation<T>()>;

    template <typename T>
    static QCoro::Task<> awaitIt(Start<T> start, OperationOutcome &outcome)
    {
        try {
            co_await start();
            outcome = OperationOutcome::Value;
        } catch (const SandboxError &) {
            outcome = OperationOutcome::Error;
        } catch (const OperationCancelled &) {
            outcome = OperationOutcome::Cancelled;
        }
    }

    template <typename T>
    static OperationOutcome blocking(const Start<T> &start)
    {
        try {
            start().result();
            return OperationOutcome::Value;
        } catch (const SandboxError &) {
            return OperationOutcome::Error;
        } catch (const OperationCancelled &) {
            return OperationOutcome::Cancelled;
        }
    }

    template <typename T>
    static OperationOutcome continued(const Start<T> &start)
    {
        QObject context;
        OperationOutcome outcome = OperationOutcome::Pending;
        const Operation<T> operation = start();
        if constexpr (std::is_void_v<T>)
            operation.then(&context, [&] { outcome = OperationOutcome::Value; });
        else
            operation.then(&context, [&](const T &) { outcome = OperationOutcome::Value; });
        operation.onError(&context, [&](const ErrorInfo &) { outcome = OperationOutcome::Error; });
        operation.onCancelled(&context, [&] { outcome = OperationOutcome::Cancelled; });
        [&] {
            QTRY_VERIFY(outcome != OperationOutcome::Pending);
        }();
        return outcome;
    }

    template <typename T>
    static OperationOutcome watched(const Start<T> &start)
    {
        OperationWatcher watcher(start());
        QSignalSpy ended(&watcher, &OperationWatcher::ended);
        QSignalSpy succeeded(&watcher, &OperationWatcher::succeeded);
        QSignalSpy failed(&watcher, &OperationWatcher::failed);
        [&] {
            QTRY_COMPARE(ended.count(), 1);
        }();
        return succeeded.count() == 1 ? OperationOutcome::Value
               : failed.count() == 1  ? OperationOutcome::Error
                                      : OperationOutcome::Cancelled;
    }

    template <typename T>
    void check(const char *name, Start<T> start, OperationOutcome expected = OperationOutcome::Value)
    {
        QVERIFY2(blocking(start) == expected, name);
        QVERIFY2(continued(start) == expected, name);
        QVERIFY2(watched(start) == expected, name);
        OperationOutcome outcome = OperationOutcome::Pending;
        auto task = awaitIt(start, outcome);
        QTRY_VERIFY2(outcome != OperationOutcome::Pending, name);
        QVERIFY2(outcome == expected, name);
    }

private Q_SLOTS:
    void engineMembers()
    {
        Engine engine({.stateDirectory = QString()});
        const Target target = Target::fromDsn(u"fake://base"_s);
        check<SandboxPtr>("create", [&] { return engine.create(target); });
        check<CreatePlan>("plan", [&] { return engine.plan(target); });
        check<ManagedListing>("listManaged",
                              [&] { return engine.listManaged({.targets = {target}, .metadata = {}}); });
        check<DoctorReport>("doctor", [&] { return engine.doctor({target}); });
        check<Capabilities>("capabilities", [&] { return engine.capabilities(target); });
        check<bool>("killManaged", [&] { return engine.killManaged(target, u"none"_s); });
        check<SandboxPtr>(
            "connectTo", [&] { return engine.connectTo(target, u"none"_s); }, OperationOutcome::Error);
    }

    void sandboxMembers()
    {
        Engine engine({.stateDirectory = QString()});
        const SandboxPtr sandbox = engine.create(Target::fromDsn(u"fake://base"_s)).result();
        check<ExecResult>("run", [&] { return sandbox->run({u"true"_s}); });
        check<ExecResult>("runCode", [&] { return sandbox->runCode(u"print('hello')"_s); });
        check<ManagedSandbox>("info", [&] { return sandbox->info(); });
        check<PolicyReport>("verifyPolicy", [&] { return sandbox->verifyPolicy(); });
        check<QString>("createContext", [&] { return sandbox->createContext(); }, OperationOutcome::Error);
        check<QStringList>("listContexts", [&] { return sandbox->listContexts(); }, OperationOutcome::Error);
        check<void>(
            "interruptContext", [&] { return sandbox->interruptContext(u"c"_s); }, OperationOutcome::Error);
        check<void>("restartContext", [&] { return sandbox->restartContext(u"c"_s); }, OperationOutcome::Error);
        check<void>("removeContext", [&] { return sandbox->removeContext(u"c"_s); }, OperationOutcome::Error);
        check<void>(
            "pause", [&] { return sandbox->pause(); },
            sandbox->capabilities().testFlag(Capability::PauseResume) ? OperationOutcome::Value
                                                                      : OperationOutcome::Error);
        check<void>(
            "resume", [&] { return sandbox->resume(); },
            sandbox->capabilities().testFlag(Capability::PauseResume) ? OperationOutcome::Value
                                                                      : OperationOutcome::Error);
        check<QString>("startBackground", [&] { return sandbox->startBackground({u"true"_s}); });
        check<QList<BackgroundRun>>("backgroundRuns", [&] { return sandbox->backgroundRuns(); });
        check<void>("removeBackgroundRun", [&] {
            return sandbox->removeBackgroundRun(sandbox->startBackground({u"true"_s}).result());
        });
        check<SandboxStats>(
            "stats", [&] { return sandbox->stats(); },
            sandbox->capabilities().testFlag(Capability::Stats) ? OperationOutcome::Value
                                                                : OperationOutcome::Error);
        check<void>(
            "extend", [&] { return sandbox->extend(1min); },
            sandbox->capabilities().testFlag(Capability::ExtendLifetime) ? OperationOutcome::Value
                                                                         : OperationOutcome::Error);
        check<void>("withNative", [&] { return sandbox->withNative([](void *) {}); });
        check<void>("kill", [&] { return sandbox->kill(); });
        check<void>("shutdown", [&] { return engine.shutdown(); });
    }

    void fileMembers()
    {
        QTemporaryDir folder;
        const QString local = folder.filePath(u"local"_s);
        Engine engine({.stateDirectory = QString()});
        const SandboxPtr sandbox = engine.create(Target::fromDsn(u"fake://base"_s)).result();
        const FileSystem files = sandbox->files();
        check<void>("write", [&] { return files.write(u"a"_s, "text"_ba); });
        check<QByteArray>("read", [&] { return files.read(u"a"_s); });
        check<void>("download", [&] { return files.download(u"a"_s, local); });
        check<void>("upload", [&] { return files.upload(local, u"b"_s); });
        check<QList<FileInfo>>("ls", [&] { return files.ls(); });
        check<FileInfo>("stat", [&] { return files.stat(u"a"_s); });
        check<void>("mkdir", [&] { return files.mkdir(u"d/e"_s, true); });
        check<void>("chmod", [&] { return files.chmod(u"a"_s, 0600); });
        int moves = 0;
        check<void>("move", [&] {
            files.write(u"from"_s, "x"_ba).result();
            return files.move(u"from"_s, u"to-%1"_s.arg(++moves)); // it overwrites nothing
        });
        check<void>("remove", [&] {
            files.write(u"gone"_s, "x"_ba).result();
            return files.remove(u"gone"_s);
        });
    }

    void storedFilesMembers()
    {
        QTemporaryDir folder;
        const QString local = folder.filePath(u"local"_s);
        Engine engine({.stateDirectory = QString()});
        const Target target = Target::fromDsn(u"fake://base"_s);
        const SandboxPtr sandbox = engine.create(target, {.timeout = 200ms}).result();
        sandbox->files().write(u"a"_s, "text"_ba).result();
        QTRY_COMPARE(sandbox->info().result().state, SandboxState::Stopped);
        const StoredFiles files = engine.storedFiles(target, sandbox->id());
        check<QByteArray>("read", [&] { return files.read(u"a"_s); });
        check<void>("download", [&] { return files.download(u"a"_s, local); });
        check<QList<FileInfo>>("ls", [&] { return files.ls(); });
        check<FileInfo>("stat", [&] { return files.stat(u"a"_s); });
    }

    void processMembers()
    {
        Engine engine({.stateDirectory = QString()});
        const SandboxPtr sandbox = engine.create(Target::fromDsn(u"fake://base"_s)).result();
        std::vector<std::unique_ptr<Process>> processes;
        const auto make = [&](const Command &command) {
            processes.push_back(sandbox->stream(command));
            return processes.back().get();
        };
        check<void>("start",
                    [&] { return make({u"sleep"_s, u"60"_s})->start(Process::ConsumerMode::Discard); });
        check<ExecResult>("wait", [&] {
            Process *process = make({u"true"_s});
            process->start(Process::ConsumerMode::Discard).result();
            return process->wait();
        });
        check<std::optional<OutputChunk>>("nextChunk", [&] {
            Process *process = make({u"echo"_s, u"hi"_s});
            process->start(Process::ConsumerMode::Pull).result();
            return process->nextChunk();
        });
        const auto reader = [&] {
            Process *process = make({u"cat"_s});
            process->start(Process::ConsumerMode::Discard).result();
            return process;
        };
        check<void>("write", [&] { return reader()->write("x"_ba); });
        check<void>("closeWrite", [&] { return reader()->closeWrite(); });
        check<void>("signal", [&] { return reader()->signal(15); });
        check<void>("kill", [&] { return reader()->kill(); });
        check<void>("close", [&] { return reader()->close(); });
        check<void>("detach", [&] {
            processes.push_back(sandbox->attach(sandbox->startBackground({u"sleep"_s, u"60"_s}).result()));
            processes.back()->start(Process::ConsumerMode::Discard).result();
            return processes.back()->detach();
        });
        check<void>(
            "resize", [&] { return reader()->resize({}); },
            sandbox->capabilities().testFlag(Capability::Pty) ? OperationOutcome::Value
                                                              : OperationOutcome::Error);
    }
};

SANDBOXIO_TEST(TestFourStyles)
#include "tst_fourstyles.moc"
