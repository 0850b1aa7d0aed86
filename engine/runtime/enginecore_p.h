// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "ledger_p.h"
#include "recorder_p.h"
#include "redaction_p.h"
#include "rundriver_p.h"
#include "sandboxhandle_p.h"

#include <sandboxio/core/handover.h>
#include <sandboxio/ports/backendport.h>
#include <sandboxio/runtime/doctorreport.h>
#include <sandboxio/runtime/listing.h>

#include <QHash>
#include <QObject>
#include <QSet>

namespace Sandboxio::Detail {

class Registry;
class TargetWatch;
class WatchMailbox;

/*! The engine inside its I/O thread: backends, ports, runs and everything that is going on. */
class EngineCore final : public QObject
{
    Q_OBJECT
public:
    EngineCore(EngineContext context, std::shared_ptr<Registry> registry, const RecordOptions &records,
               std::chrono::milliseconds auditLimit);
    ~EngineCore() override;

    EngineContext &context() { return m_context; }
    Recorder &recorder() { return *m_recorder; }
    void setLink(std::weak_ptr<EngineLink> link) { m_link = std::move(link); }

    /*! The port of \a target, made at the first use. \throws the errors of the registry and ConfigurationError.
     */
    BackendPort &backend(const Target &target);
    /*! What lists and ends the sandboxes of \a target by their ids. \throws what backend() throws, and
        CapabilityNotSupported. */
    ReapablePort &reapable(const Target &target);
    /*! What reads the files of ended sandboxes of \a target. \throws as reapable(). */
    FileStorePort &fileStore(const Target &target);

    /*! Runs the coroutine that \a start makes as one operation: it is cancelled and waited for by shutdown(),
       and refused after it. \a draft becomes its record; null: it leaves none. */
    template <typename T, typename Start>
    void run(OperationPromise<T> promise, Start start, RecordDraftPtr draft = nullptr)
    {
        if (m_shutDown)
            promise.fail(EngineLink::closedError());
        else
            runTracked(promise, start(), std::move(draft));
    }

    QCoro::Task<SandboxPtr> createSteps(OperationPromise<SandboxPtr> promise, Target target,
                                        CreateOptions options);
    QCoro::Task<CreatePlan> planSteps(OperationPromise<CreatePlan> promise, Target target,
                                      CreateOptions options);
    QCoro::Task<Capabilities> capabilitySteps(Target target);
    QCoro::Task<SandboxPtr> connectSteps(OperationPromise<SandboxPtr> promise, Target target, QString id,
                                         bool allowForeign);
    QCoro::Task<ManagedListing> listSteps(OperationPromise<ManagedListing> promise, ListOptions options);
    QCoro::Task<bool> killManagedSteps(Target target, QString id);
    QCoro::Task<DoctorReport> doctorSteps(QList<Target> targets);
    QCoro::Task<void> shutdownSteps(bool killCreated);
    /*! Kills the sandbox of \a port within the grace, with the orphan warning when that does not suffice. */
    QCoro::Task<void> killSteps(std::shared_ptr<SandboxPort> port);
    /*! The same where nobody sees the outcome: a kill that fails is warned of, and no error. */
    QCoro::Task<void> unseenKillSteps(std::shared_ptr<SandboxPort> port);

    std::shared_ptr<SandboxPort> port(quint64 key) const { return m_ports.value(key).port; }
    void releasePort(quint64 key);
    /*! Starts a run in the sandbox \a key and reports to \a observer. \a runKey finds it again; null for none. One
        that \a isCancelled already ends and is recorded as that without being started. */
    RunDriver *startRun(quint64 key, const RunRequest &request, std::shared_ptr<RunObserver> observer,
                        const void *runKey, bool isCancelled = false);
    RunDriver *runOf(const void *runKey) const { return m_runs.value(runKey); }

    void startWatch(std::shared_ptr<WatchMailbox> mailbox, const QList<Target> &targets);
    void refreshWatch(const WatchMailbox *mailbox);
    void stopWatch(const WatchMailbox *mailbox);
    QList<Target> allTargets() const;

Q_SIGNALS:
    void warningRaised(const Sandboxio::EngineWarning &warning);
    void sandboxesChanged(const Sandboxio::Target &target);

private:
    struct Work
    {
        std::function<void()> cancel;
        std::function<void()> forceEnd;
    };
    struct PortEntry
    {
        std::shared_ptr<SandboxPort> port;
        std::function<void()> takeBack; // when its creator did not take it yet; null: it was not created here
    };

    template <typename T>
    void runTracked(OperationPromise<T> promise, QCoro::Task<T> body, RecordDraftPtr draft = nullptr)
    {
        const quint64 key = ++m_lastKey;
        m_work.insert(key, {[promise] { promise.requestCancel(); },
                            [this, promise, draft] {
                                std::ignore = m_recorder->end(draft, OperationOutcome::Cancelled, std::nullopt);
                                promise.cancelled();
                            }});
        track(key, promise, std::move(body), std::move(draft));
    }
    // The one way out of the engine for the ends of operations: redacted, and recorded before.
    template <typename T>
    QCoro::Task<> track(quint64 key, OperationPromise<T> promise, QCoro::Task<T> body, RecordDraftPtr draft)
    {
        OperationOutcome outcome = OperationOutcome::Value;
        std::optional<Stored<T>> value;
        std::optional<ErrorInfo> error;
        try {
            if constexpr (std::is_void_v<T>) {
                co_await body;
                value.emplace();
            } else {
                value.emplace(co_await body);
            }
        } catch (const OperationCancelled &) {
            outcome = OperationOutcome::Cancelled;
        } catch (const SandboxError &failure) {
            outcome = OperationOutcome::Error;
            error = redacted(*m_context.redactor, failure.info());
        }
        if (const auto problem = co_await recordEnd(draft, outcome, error); problem && value) {
            outcome = OperationOutcome::Error;
            error = problem;
        }
        if (outcome == OperationOutcome::Error)
            promise.fail(*error);
        else if (outcome == OperationOutcome::Cancelled)
            promise.cancelled();
        else if constexpr (std::is_void_v<T>)
            promise.finish();
        else
            promise.finish(redacted(*m_context.redactor, *std::move(value)));
        m_work.remove(key);
        Q_EMIT workChanged();
    }
    /*! Emits \a signal to whoever lives in another thread. */
    template <typename Value>
    void announce(void (EngineCore::*signal)(const Value &), const Value &value)
    {
        const HandOver handOver(this);
        Q_EMIT(this->*signal)(value);
    }
    QCoro::Task<std::optional<ErrorInfo>> recordEnd(RecordDraftPtr draft, OperationOutcome outcome,
                                                    std::optional<ErrorInfo> error);
    Q_SIGNAL void workChanged();

    SandboxPtr adopt(const std::shared_ptr<SandboxPort> &port, std::function<void()> takeBack);
    QCoro::Task<void> takeBackLeases();
    QCoro::Task<std::shared_ptr<SandboxPort>> awaitCreation(OperationPromise<SandboxPtr> promise,
                                                            Operation<std::shared_ptr<SandboxPort>> creation,
                                                            CreatePlan plan);
    void tearDown(std::shared_ptr<SandboxPort> port);
    void warnOrphan(const Target &target, const QString &id, const QMap<QString, QString> &labels);
    CreateOptions hideSecrets(CreateOptions options) const;
    void warnUnknownTier(const Target &target);
    bool isIdle() const { return m_work.isEmpty() && m_activeRuns.isEmpty(); }
    QCoro::Task<bool> waitIdle(std::chrono::milliseconds limit);

    EngineContext m_context;
    std::weak_ptr<EngineLink> m_link;
    std::shared_ptr<Registry> m_registry;
    std::shared_ptr<WriterThread> m_writer;
    std::shared_ptr<Ledger> m_ledger;
    std::unique_ptr<Recorder> m_recorder;
    std::map<QString, std::unique_ptr<BackendPort>> m_backends; // by the DSN of their place
    QHash<quint64, PortEntry> m_ports;
    QHash<quint64, Work> m_work;
    QHash<const void *, RunDriver *> m_runs;
    QList<RunDriver *> m_activeRuns;
    std::map<const WatchMailbox *, std::vector<std::unique_ptr<TargetWatch>>> m_watches;
    QStringList m_warnedBackends;
    QSet<QString> m_orphans; // ids and planned names that were reported
    quint64 m_lastKey = 0;
    bool m_shutDown = false;
};

template <typename T>
Operation<T> SandboxHandle::submit(Body<T> body) const
{
    const OperationPromise<T> promise;
    Operation<T> operation = promise.operation();
    link->post(promise, [key = key, promise, body = std::move(body)](EngineCore &core) {
        if (const std::shared_ptr<SandboxPort> port = core.port(key))
            core.run(promise, [&] { return body(core, port, promise); });
        else
            promise.fail(EngineLink::closedError());
    });
    return operation;
}

template <typename T>
Operation<T> SandboxHandle::submitRecorded(Capability capability, const OperationRecord &record,
                                           RecordedBody<T> body) const
{
    const OperationPromise<T> promise;
    Operation<T> operation = promise.operation();
    if (!details.capabilities.testFlag(capability)) {
        promise.fail(refused(record, capabilityNotSupported(capability)));
        return operation;
    }
    link->post(promise, [key = key, record, promise, body = std::move(body)](EngineCore &core) {
        if (const std::shared_ptr<SandboxPort> port = core.port(key)) {
            const RecordDraftPtr draft = core.recorder().begin(port->details().managed, record);
            core.run(promise, [&] { return body(port, promise, draft); }, draft);
        } else {
            promise.fail(EngineLink::closedError());
        }
    });
    return operation;
}

} // namespace Sandboxio::Detail
