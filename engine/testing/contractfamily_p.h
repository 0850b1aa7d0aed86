// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/error.h>
#include <sandboxio/testing/contractsubject.h>

#include <QTest>

#include <source_location>

namespace Sandboxio {

using Location = std::source_location;

/*! How a process ended, as its signal said. */
struct RunEnd
{
    int count = 0; //!< of signals
    RunOutcome outcome;
    std::optional<ExecResult> result;
    std::optional<ErrorInfo> error;
};

/*! Base of the families: engines, sandboxes and the ways to wait, all bounded. A failed check throws out of the
    row (QTEST_THROW_ON_FAIL), so helpers may be called at any depth. */
class ContractFamily : public QObject
{
    Q_OBJECT
public:
    ContractFamily(ContractSubject &contractSubject, const QString &label);
    ~ContractFamily() override;

    /*! The metadata pair that everything of this run carries. */
    static QString labelName() { return QStringLiteral("contract_run"); }

protected:
    ContractSubject &subject;

    const QString &label() const { return m_label; }
    Target target() const { return subject.target(); }
    /*! The engine of the family, made at the first use. */
    Engine &engine();
    std::unique_ptr<Engine> anotherEngine() const { return subject.makeEngine(); }
    /*! The subject's options with our label. */
    CreateOptions options() const;
    /*! A sandbox that the rows of the family share; a new one when the last row has damaged it. */
    SandboxPtr sandbox();
    /*! A sandbox of the row's own, removed after it. */
    SandboxPtr create(const CreateOptions &with);
    SandboxPtr create() { return create(options()); }
    /*! A sandbox of the row's own whose lifetime is over. */
    SandboxPtr createEnded();
    /*! Waits until \a created, made with \a lifetime, has ended. */
    void awaitEnd(const SandboxPtr &created, std::chrono::milliseconds lifetime) const;
    /*! Remembers \a created for removal after the row. */
    void removeLater(const SandboxPtr &created) { m_own.append(created); }
    /*! The same for removal after the last row of the family. */
    void removeAtTheEnd(const SandboxPtr &created) { m_kept.append(created); }
    QList<EngineWarning> warnings() const { return m_warnings; }
    /*! Called before each row, with a sandbox() that is usable. */
    virtual void prepare() {}

    /*! The probe, or the end of the row as skipped. */
    template <typename Signature>
    const Probe<Signature> &need(const Probe<Signature> &probe, const char *what) const
    {
        if (!probe)
            skip(probe.reason().isEmpty() ? QStringLiteral("the subject has no %1").arg(QLatin1StringView(what))
                                          : probe.reason());
        return probe;
    }
    void needCapability(Capability capability);
    Command print(const QString &text) const { return need(subject.commands.print, "command `print`")(text); }
    Command hang(int seconds = 600) const { return need(subject.commands.hang, "command `hang`")(seconds); }
    [[noreturn]] static void skip(const QString &reason, Location where = Location::current());
    [[noreturn]] static void fail(const QString &message, Location where = Location::current());
    static void check(bool condition, const QString &message, Location where = Location::current());

    /*! Whether \a waited(time) becomes true within \a limit. The limit is counted in turns of this process: on a
        machine that is busy with others a turn takes longer, and what needs its share of them is no hang. */
    template <typename Waited>
    static bool inTurns(std::chrono::milliseconds limit, Waited waited)
    {
        constexpr std::chrono::milliseconds turn(20);
        for (auto left = limit; left.count() > 0; left -= turn) {
            if (waited(std::min(left, turn)))
                return true;
        }
        return false;
    }
    /*! Runs the event loop until \a happened, for at most \a limit as inTurns() counts it. */
    static bool happensWithin(std::chrono::milliseconds limit, const std::function<bool()> &happened);
    /*! Waits until \a operation has ended; fails the row when it hangs. */
    template <typename T>
    const Operation<T> &ended(const Operation<T> &operation, Location where = Location::current()) const
    {
        bool isEnded = false;
        try {
            isEnded = inTurns(subject.operationLimit, [&](auto time) { return operation.waitFor(time); });
        } catch (const SandboxError &refusal) {
            fail(QStringLiteral("waiting was refused: ") + refusal.info().toText(), where);
        }
        if (!isEnded)
            fail(QStringLiteral("an operation has not ended after %1 ms").arg(subject.operationLimit.count()),
                 where);
        return operation;
    }
    /*! The value of \a operation, which must succeed. */
    template <typename T>
    T value(const Operation<T> &operation, Location where = Location::current()) const
    {
        switch (ended(operation, where).outcome()) {
        case OperationOutcome::Error:
            fail(QStringLiteral("failed: ") + operation.error().toWholeText(), where);
        case OperationOutcome::Cancelled:
            fail(QStringLiteral("ended as cancelled, which nobody asked for"), where);
        default:
            return operation.result();
        }
    }
    /*! The error of \a operation, which must fail. Every error says what to do. */
    template <typename T>
    ErrorInfo errorOf(const Operation<T> &operation, Location where = Location::current()) const
    {
        switch (ended(operation, where).outcome()) {
        case OperationOutcome::Value:
            fail(QStringLiteral("succeeded where it must fail"), where);
        case OperationOutcome::Cancelled:
            fail(QStringLiteral("ended as cancelled where it must fail"), where);
        default:
            break;
        }
        const ErrorInfo error = operation.error();
        check(!error.message.isEmpty() && !error.hint.isEmpty(),
              QStringLiteral("an error lacks its message or its hint: ") + error.toText(), where);
        return error;
    }
    template <typename T>
    ErrorInfo failsAs(ErrorKind kind, const Operation<T> &operation, Location where = Location::current()) const
    {
        const ErrorInfo error = errorOf(operation, where);
        check(error.kind == kind,
              QStringLiteral("failed as %1 instead of %2: %3")
                  .arg(kindName(error.kind), kindName(kind), error.toText()),
              where);
        return error;
    }
    template <typename T>
    void endsAsCancelled(const Operation<T> &operation, Location where = Location::current()) const
    {
        switch (ended(operation, where).outcome()) {
        case OperationOutcome::Error:
            fail(QStringLiteral("a cancelled operation ended as an error: ") + operation.error().toText(),
                 where);
        case OperationOutcome::Value:
            fail(QStringLiteral("a cancelled operation ended with a value"), where);
        default:
            break;
        }
    }
    /*! Lets \a time pass, on the clock of the engine, until \a operation has ended. */
    template <typename T>
    const Operation<T> &endedAfter(std::chrono::milliseconds time, const Operation<T> &operation,
                                   Location where = Location::current()) const
    {
        if (!pass(time, [&] { return operation.isEnded(); }))
            fail(QStringLiteral("an operation that must end after %1 ms hangs").arg(time.count()), where);
        return operation;
    }
    /*! Lets \a time pass, and a little more for the machine, until \a happened; whether it did. */
    bool pass(std::chrono::milliseconds time, const std::function<bool()> &happened) const;
    /*! Lets \a time pass. */
    void letPass(std::chrono::milliseconds time) const;
    /*! Waits for at most the subject's operationLimit, with a running event loop, until \a happened; fails the row when it does not. */
    void eventually(const std::function<bool()> &happened, const QString &what,
                    Location where = Location::current()) const;

    ExecResult run(const Command &command, const RunOptions &with = {}, Location where = Location::current());
    /*! Where the end of \a process will stand; to be asked for before its start. */
    std::shared_ptr<RunEnd> endOf(const Process &process) const;
    /*! Whether the backend can list what it has made, which is optional. */
    bool canList();
    /*! All rows of \a listing, in which no target may have failed. */
    QList<ManagedSandbox> rowsOf(const ManagedListing &listing, Location where = Location::current()) const;
    /*! A create \a with these options is refused as one of \a kinds before the provider heard of it. */
    void isRefused(const CreateOptions &with, std::initializer_list<ErrorKind> kinds,
                   Location where = Location::current());
    /*! Ids at the provider that carry the label of this run. */
    QStringList atProvider() const;
    void nothingIsLeft(const QStringList &except = {}, Location where = Location::current()) const;
    /*! Waits until exactly \a count processes run in the sandbox. */
    void runsInside(const QString &id, qsizetype count, Location where = Location::current()) const;
    static QString kindName(ErrorKind kind);

private Q_SLOTS:
    void init();
    void cleanup();
    void cleanupTestCase();

private:
    bool isUsable() const;
    void removeQuietly(const SandboxPtr &sandbox);

    QString m_label;
    std::unique_ptr<Engine> m_engine;
    SandboxPtr m_shared;
    QList<SandboxPtr> m_own;
    QList<SandboxPtr> m_kept;
    QList<EngineWarning> m_warnings;
};

/*! One family of the suite. */
struct ContractFamilyEntry
{
    const char *name;
    std::unique_ptr<ContractFamily> (*make)(ContractSubject &subject, const QString &label);
};

std::unique_ptr<ContractFamily> makeBackgroundContract(ContractSubject &subject, const QString &label);
std::unique_ptr<ContractFamily> makeCancellationContract(ContractSubject &subject, const QString &label);
std::unique_ptr<ContractFamily> makeCapabilityContract(ContractSubject &subject, const QString &label);
std::unique_ptr<ContractFamily> makeCodeContract(ContractSubject &subject, const QString &label);
std::unique_ptr<ContractFamily> makeContextContract(ContractSubject &subject, const QString &label);
std::unique_ptr<ContractFamily> makeErrorContract(ContractSubject &subject, const QString &label);
std::unique_ptr<ContractFamily> makeFileContract(ContractSubject &subject, const QString &label);
std::unique_ptr<ContractFamily> makeLifecycleContract(ContractSubject &subject, const QString &label);
std::unique_ptr<ContractFamily> makePolicyContract(ContractSubject &subject, const QString &label);
std::unique_ptr<ContractFamily> makeReapingContract(ContractSubject &subject, const QString &label);
std::unique_ptr<ContractFamily> makeRecordContract(ContractSubject &subject, const QString &label);
std::unique_ptr<ContractFamily> makeResourceContract(ContractSubject &subject, const QString &label);
std::unique_ptr<ContractFamily> makeRunContract(ContractSubject &subject, const QString &label);
std::unique_ptr<ContractFamily> makeSecretContract(ContractSubject &subject, const QString &label);
std::unique_ptr<ContractFamily> makeStoredFilesContract(ContractSubject &subject, const QString &label);
std::unique_ptr<ContractFamily> makeStreamContract(ContractSubject &subject, const QString &label);
std::unique_ptr<ContractFamily> makeTeardownContract(ContractSubject &subject, const QString &label);
std::unique_ptr<ContractFamily> makeTimeoutContract(ContractSubject &subject, const QString &label);
std::unique_ptr<ContractFamily> makeTransferContract(ContractSubject &subject, const QString &label);
std::unique_ptr<ContractFamily> makeWatchContract(ContractSubject &subject, const QString &label);

} // namespace Sandboxio
