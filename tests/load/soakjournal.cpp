// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "soakjournal.h"

#include <algorithm>

namespace Sandboxio::Load {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 settlingMs = 3'000; // after an outage, for what notices it late
constexpr qint64 lifetimeSlackMs = 1'500;

} // namespace

SoakJournal::SoakJournal(quint32 seed)
    : m_seed(seed)
{
    m_clock.start();
}

SoakOperationPtr SoakJournal::begin(const QString &kind, const SoakBoxPtr &box)
{
    const auto operation = std::make_shared<SoakOperation>(
        SoakOperation{.kind = kind, .step = ++m_steps, .startedAt = now(), .box = box, .expected = {}});
    m_open.append(operation);
    return operation;
}

void SoakJournal::succeeded(const SoakOperationPtr &operation, bool isRight, const QString &what)
{
    end(operation, u"value"_s);
    const SoakBoxPtr &box = operation->box;
    const bool mayBeCut = box && (!box->isUsable() || now() >= box->expiresAt - lifetimeSlackMs);
    if (!isRight && !mayBeCut && !wasDuringOutage(*operation))
        complain(*operation, u"wrong value: "_s + what);
}

void SoakJournal::failed(const SoakOperationPtr &operation, const ErrorInfo &error)
{
    end(operation, error.code());
    if (!operation->expected.contains(error.kind) && !isExplained(*operation, error.kind))
        complain(*operation, error.toWholeText());
}

void SoakJournal::cancelled(const SoakOperationPtr &operation)
{
    end(operation, u"cancelled"_s);
    if (!operation->cancelled)
        complain(*operation, u"cancelled, and nobody asked for it"_s);
}

void SoakJournal::end(const SoakOperationPtr &operation, const QString &outcome)
{
    ++m_outcomes[outcome];
    m_open.removeOne(operation);
    if (++operation->ends > 1)
        complain(*operation, u"ended again: "_s + outcome);
}

void SoakJournal::complain(const SoakOperation &operation, const QString &what)
{
    const SoakBoxPtr &box = operation.box;
    m_problems.append(
        u"seed %1, step %2, %3 of %4 from %5 to %6 ms, %8: %7"_s.arg(m_seed)
            .arg(operation.step)
            .arg(operation.kind, box && box->sandbox ? box->sandbox->id().first(12) : u"no sandbox"_s)
            .arg(operation.startedAt)
            .arg(now())
            .arg(what.simplified(), box && box->pausedAt != SoakBox::never
                                        ? u"paused at %1"_s.arg(box->pausedAt)
                                        : u"never paused"_s));
    qWarning("%s", qPrintable(m_problems.last()));
}

bool SoakJournal::wasDuringOutage(const SoakOperation &operation) const
{
    return std::ranges::any_of(m_outages, [&operation, this](const auto &outage) {
        const qint64 until = outage.second == SoakBox::never ? outage.second : outage.second + settlingMs;
        return operation.startedAt <= until && now() >= outage.first;
    });
}

bool SoakJournal::isExplained(const SoakOperation &operation, ErrorKind kind) const
{
    using enum ErrorKind;
    if (wasDuringOutage(operation))
        return kind == CreationError || kind == ConnectError || kind == CreateTimeout || kind == SandboxGone ||
               kind == ExecutionError;
    const SoakBoxPtr &box = operation.box;
    if (!box)
        return false;
    const bool isGone = !box->isUsable() || now() >= box->expiresAt - lifetimeSlackMs;
    if (isGone && kind == SandboxGone)
        return true;
    if (isGone && kind == ConnectError && operation.kind == "connect"_L1) // finds nothing to connect to
        return true;
    // An interpreter that stands still does not answer an interrupt, is killed for it, and stays dead.
    if (kind == ExecutionError && operation.kind.startsWith("cell"_L1) && now() >= box->pausedAt)
        return true;
    const bool wasPaused = now() >= box->pausedAt && (box->isPaused() || operation.startedAt <= box->resumedAt);
    return wasPaused && kind == ConnectError;
}

QStringList SoakJournal::openKinds() const
{
    QStringList kinds;
    for (const SoakOperationPtr &operation : m_open)
        kinds.append(u"%1 (step %2)"_s.arg(operation->kind).arg(operation->step));
    return kinds;
}

QString SoakJournal::summary() const
{
    QStringList parts{u"begun %1, open %2"_s.arg(m_steps).arg(m_open.size())};
    for (const auto &[outcome, count] : m_outcomes.asKeyValueRange())
        parts.append(u"%1 %2"_s.arg(outcome).arg(count));
    return parts.join(u", "_s);
}

} // namespace Sandboxio::Load
