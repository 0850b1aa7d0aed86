// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "contractfamily_p.h"

#include <sandboxio/core/errortable.h>

#include <algorithm>

namespace Sandboxio {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

ContractFamily::ContractFamily(ContractSubject &contractSubject, const QString &label)
    : subject(contractSubject)
    , m_label(label)
{}

ContractFamily::~ContractFamily() = default;

Engine &ContractFamily::engine()
{
    if (!m_engine) {
        m_engine = subject.makeEngine();
        connect(m_engine.get(), &Engine::warningRaised, this,
                [this](const EngineWarning &warning) { m_warnings.append(warning); });
    }
    return *m_engine;
}

CreateOptions ContractFamily::options() const
{
    CreateOptions result = subject.createOptions();
    result.metadata.insert(labelName(), m_label);
    return result;
}

SandboxPtr ContractFamily::sandbox()
{
    if (!m_shared)
        m_shared = value(engine().create(target(), options()));
    return m_shared;
}

SandboxPtr ContractFamily::create(const CreateOptions &with)
{
    const SandboxPtr created = value(engine().create(target(), with));
    m_own.append(created);
    return created;
}

SandboxPtr ContractFamily::createEnded()
{
    CreateOptions with = options();
    with.timeout = subject.shortLifetime;
    const SandboxPtr created = create(with);
    awaitEnd(created, subject.shortLifetime);
    return created;
}

void ContractFamily::awaitEnd(const SandboxPtr &created, std::chrono::milliseconds lifetime) const
{
    const auto isOver = [&] {
        const Operation<ManagedSandbox> info = created->info();
        return inTurns(subject.operationLimit, [&](auto time) { return info.waitFor(time); }) &&
               (info.outcome() == OperationOutcome::Error || info.result().state != SandboxState::Running);
    };
    check(pass(lifetime, isOver), u"the sandbox outlived its lifetime"_s);
}

void ContractFamily::needCapability(Capability capability)
{
    if (!sandbox()->capabilities().testFlag(capability))
        skip(u"%1 is not declared"_s.arg(capabilityName(capability)));
}

void ContractFamily::skip(const QString &reason, Location where)
{
    QTest::qSkip(qPrintable(reason), where.file_name(), static_cast<int>(where.line()));
    QTest::Internal::throwOnSkip();
}

void ContractFamily::fail(const QString &message, Location where)
{
    QTest::qFail(qPrintable(message), where.file_name(), static_cast<int>(where.line()));
    QTest::Internal::throwOnFail();
}

void ContractFamily::check(bool condition, const QString &message, Location where)
{
    if (!condition)
        fail(message, where);
}

bool ContractFamily::happensWithin(std::chrono::milliseconds limit, const std::function<bool()> &happened)
{
    return inTurns(limit, [&](std::chrono::milliseconds time) { return QTest::qWaitFor(happened, time); });
}

bool ContractFamily::pass(std::chrono::milliseconds time, const std::function<bool()> &happened) const
{
    if (!subject.probes.advance)
        return happensWithin(time + subject.operationLimit, happened);
    // In small steps: what the time is for may be armed only after the first of them.
    constexpr int steps = 100;
    for (int i = 0; i < 2 * steps; ++i) {
        if (QTest::qWaitFor(happened, 1ms))
            return true;
        subject.probes.advance(time / steps + 1ms);
    }
    return happensWithin(subject.operationLimit, happened);
}

void ContractFamily::letPass(std::chrono::milliseconds time) const
{
    if (!subject.probes.advance) {
        QTest::qWait(time);
        return;
    }
    subject.probes.advance(time);
    QTest::qWait(5ms); // what became due is queued in the engine's thread
}

void ContractFamily::eventually(const std::function<bool()> &happened, const QString &what,
                                Location where) const
{
    if (!happensWithin(subject.operationLimit, happened))
        fail(u"never happened: "_s + what, where);
}

ExecResult ContractFamily::run(const Command &command, const RunOptions &with, Location where)
{
    return value(sandbox()->run(command, with), where);
}

std::shared_ptr<RunEnd> ContractFamily::endOf(const Process &process) const
{
    // Stores and checks nothing: what throws in a slot ends the program.
    auto end = std::make_shared<RunEnd>();
    connect(&process, &Process::ended, this,
            [end](const RunOutcome &outcome, const std::optional<ExecResult> &result,
                  const std::optional<ErrorInfo> &error) {
                ++end->count;
                end->outcome = outcome;
                end->result = result;
                end->error = error;
            });
    return end;
}

bool ContractFamily::canList()
{
    const Operation<bool> kill = engine().killManaged(target(), u"no-such-sandbox-0"_s);
    return ended(kill).outcome() != OperationOutcome::Error ||
           kill.error().kind != ErrorKind::CapabilityNotSupported;
}

QList<ManagedSandbox> ContractFamily::rowsOf(const ManagedListing &listing, Location where) const
{
    for (const TargetListing &part : listing.targets) {
        if (part.error)
            fail(u"the listing failed: "_s + part.error->toText(), where);
    }
    return listing.rows();
}

void ContractFamily::isRefused(const CreateOptions &with, std::initializer_list<ErrorKind> kinds,
                               Location where)
{
    const auto &requests = need(subject.probes.createRequests, "probe `createRequests`");
    const int requestsBefore = requests();
    const QStringList before = atProvider();
    const ErrorInfo error = errorOf(engine().create(target(), with), where);
    check(std::ranges::contains(kinds, error.kind), u"refused as "_s + error.toText(), where);
    check(requests() == requestsBefore, u"the provider was asked to create it"_s, where);
    check(atProvider() == before, u"something was made"_s, where);
}

QStringList ContractFamily::atProvider() const
{
    QStringList ids = need(subject.probes.sandboxes, "probe `sandboxes`")(labelName(), m_label);
    ids.sort();
    return ids;
}

void ContractFamily::nothingIsLeft(const QStringList &except, Location where) const
{
    QStringList left;
    const bool clean = happensWithin(subject.operationLimit, [&] {
        left = atProvider();
        left.removeIf([&](const QString &id) { return except.contains(id); });
        return left.isEmpty();
    });
    if (!clean)
        fail(u"left at the provider: "_s + left.join(u", "_s), where);
}

void ContractFamily::runsInside(const QString &id, qsizetype count, Location where) const
{
    const auto &processes = need(subject.probes.processes, "probe `processes`");
    QStringList lines;
    const bool reached = happensWithin(subject.operationLimit, [&] {
        lines = processes(id);
        return lines.size() == count;
    });
    if (!reached)
        fail(u"%1 processes run in the sandbox instead of %2: %3"_s.arg(lines.size())
                 .arg(count)
                 .arg(lines.join(u" | "_s)),
             where);
}

QString ContractFamily::kindName(ErrorKind kind)
{
    return QString::fromLatin1(errorTableRow(kind).className);
}

void ContractFamily::init()
{
    m_warnings.clear();
    if (m_shared && !isUsable())
        removeQuietly(std::exchange(m_shared, nullptr));
    prepare();
}

bool ContractFamily::isUsable() const
{
    const Operation<ManagedSandbox> info = m_shared->info();
    return inTurns(subject.operationLimit, [&](auto time) { return info.waitFor(time); }) &&
           info.outcome() == OperationOutcome::Value && info.result().state == SandboxState::Running;
}

void ContractFamily::cleanup()
{
    for (const SandboxPtr &own : std::exchange(m_own, {}))
        removeQuietly(own);
    // What made a row fail must not make the next one fail too.
    if (QTest::currentTestFailed() && m_shared)
        removeQuietly(std::exchange(m_shared, nullptr));
}

void ContractFamily::cleanupTestCase()
{
    if (m_shared)
        removeQuietly(std::exchange(m_shared, nullptr));
    for (const SandboxPtr &kept : std::exchange(m_kept, {}))
        removeQuietly(kept);
    m_engine.reset();
}

void ContractFamily::removeQuietly(const SandboxPtr &sandbox)
{
    // Rows that are about ending have said what there is to say; the lifetime ends the rest.
    const Operation<void> kill = sandbox->kill();
    if (!kill.waitFor(100ms))
        pass(engine().teardownGrace(), [&kill] { return kill.isEnded(); });
}

} // namespace Sandboxio
