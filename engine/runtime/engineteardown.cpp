// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "enginecore_p.h"

#include "enginetext_p.h"
#include "taskhelpers_p.h"

namespace Sandboxio::Detail {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto labelLimit = 1s;

[[noreturn]] void raiseGraceOver(const QString &id)
{
    makeError(ErrorKind::ConnectError,
              engineText(QT_TRANSLATE_NOOP("Sandboxio::Engine",
                                           "The sandbox '%1' could not be ended within the grace."))
                  .arg(id),
              engineText(QT_TRANSLATE_NOOP("Sandboxio::Engine",
                                           "Run `sandboxio reap` to see and remove what is left.")))
        .raise();
}

// The labels of a sandbox whose end hangs; none when the provider does not tell them soon.
QCoro::Task<QMap<QString, QString>> labelsOf(ReapablePort &reapable, QString id, std::shared_ptr<Clock> clock)
{
    const Operation<std::optional<ManagedSandbox>> look = reapable.inspectManaged(id);
    if (!co_await endsWithin(look, clock, labelLimit) || look.outcome() != OperationOutcome::Value)
        co_return {};
    const std::optional<ManagedSandbox> row = co_await look;
    co_return row ? QMap<QString, QString>(row->metadata) : QMap<QString, QString>();
}

} // namespace

void EngineCore::warnOrphan(const Target &target, const QString &id, const QMap<QString, QString> &labels)
{
    m_context.warn(
        {EngineWarning::Kind::OrphanedSandbox,
         engineText(
             QT_TRANSLATE_NOOP("Sandboxio::Engine",
                               "Ending the sandbox '%1' took longer than the grace; it may still be there."))
             .arg(id),
         target, id, labels});
}

void EngineCore::tearDown(std::shared_ptr<SandboxPort> port)
{
    runTracked(OperationPromise<void>(), unseenKillSteps(std::move(port)));
}

QCoro::Task<void> EngineCore::unseenKillSteps(std::shared_ptr<SandboxPort> port)
{
    const ManagedSandbox managed = port->details().managed;
    m_orphans.remove(managed.id); // a warning of one of its runs does not say that the sandbox is left
    try {
        co_await killSteps(std::move(port));
    } catch (const SandboxError &error) {
        if (!m_orphans.contains(managed.id)) {
            m_context.warn(
                {EngineWarning::Kind::OrphanedSandbox,
                 engineText(QT_TRANSLATE_NOOP("Sandboxio::Engine",
                                              "The sandbox '%1' could not be ended and may still be there: %2"))
                     .arg(managed.id, error.info().message),
                 managed.target, managed.id, managed.metadata});
        }
    }
}

QCoro::Task<void> EngineCore::killSteps(std::shared_ptr<SandboxPort> port)
{
    const ManagedSandbox managed = port->details().managed;
    const Operation<void> kill = port->kill();
    // Also when it ends after the grace.
    kill.then(this, [this, managed] {
        m_ledger->removed(managed.id);
        announce(&EngineCore::sandboxesChanged, managed.target);
    });
    if (!co_await endsWithin(kill, m_context.clock, m_context.teardownGrace)) {
        warnOrphan(managed.target, managed.id, managed.metadata);
        raiseGraceOver(managed.id);
    }
    co_await kill;
}

QCoro::Task<bool> EngineCore::killManagedSteps(Target target, QString id)
{
    ReapablePort &port = reapable(target);
    const Operation<bool> kill = port.killManaged(id);
    kill.then(this, [this, target, id](bool) {
        m_ledger->removed(id);
        announce(&EngineCore::sandboxesChanged, target);
    });
    if (!co_await endsWithin(kill, m_context.clock, m_context.teardownGrace)) {
        warnOrphan(target, id, co_await labelsOf(port, id, m_context.clock));
        raiseGraceOver(id);
    }
    co_return co_await kill;
}

} // namespace Sandboxio::Detail
