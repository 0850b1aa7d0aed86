// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "sandboxtexts.h"

#include <QCoreApplication>
#include <QLocale>
#include <QUuid>

#include <csignal>
#include <cstring>

namespace Sandboxio {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype shortIdLength = 12;
constexpr qsizetype shortUuidLength = 8;

QString text(const char *source)
{
    return QCoreApplication::translate("Sandboxio::Texts", source);
}

} // namespace

QString durationText(std::chrono::seconds duration)
{
    const qint64 seconds = std::max<qint64>(duration.count(), 0);
    if (seconds < 60)
        return QCoreApplication::translate("Sandboxio::Texts", "%1 s").arg(seconds);
    if (seconds < 600)
        return QCoreApplication::translate("Sandboxio::Texts", "%1 min %2 s")
            .arg(seconds / 60)
            .arg(seconds % 60);
    if (seconds < 3600)
        return QCoreApplication::translate("Sandboxio::Texts", "%1 min").arg(seconds / 60);
    if (seconds < 86400)
        return QCoreApplication::translate("Sandboxio::Texts", "%1 h %2 min")
            .arg(seconds / 3600)
            .arg(seconds / 60 % 60);
    return QCoreApplication::translate("Sandboxio::Texts", "%1 d %2 h")
        .arg(seconds / 86400)
        .arg(seconds / 3600 % 24);
}

QString runDurationText(std::chrono::nanoseconds duration)
{
    using namespace std::chrono;
    if (duration < 1s)
        return QCoreApplication::translate("Sandboxio::Texts", "%1 ms")
            .arg(std::max<qint64>(duration_cast<milliseconds>(duration).count(), 0));
    if (duration < 60s)
        return QCoreApplication::translate("Sandboxio::Texts", "%1 s")
            .arg(QLocale().toString(std::chrono::duration<double>(duration).count(), 'f', 2));
    return durationText(duration_cast<seconds>(duration));
}

QString outcomeLabel(const RunOutcome &outcome)
{
    switch (outcome.kind) {
    case RunOutcome::Kind::Exited:
        return QCoreApplication::translate("Sandboxio::Texts", "exited %1").arg(outcome.value);
    case RunOutcome::Kind::Signalled:
        return QCoreApplication::translate("Sandboxio::Texts", "ended by signal %1 (SIG%2)")
            .arg(outcome.value)
            .arg(QLatin1StringView(sigabbrev_np(outcome.value) ? sigabbrev_np(outcome.value) : "?"));
    case RunOutcome::Kind::TimedOut:
        return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "timed out"));
    case RunOutcome::Kind::Cancelled:
        return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "cancelled"));
    case RunOutcome::Kind::Killed:
        return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "interrupted"));
    case RunOutcome::Kind::SandboxGone:
        return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "sandbox gone"));
    case RunOutcome::Kind::Detached:
        return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "detached, goes on"));
    case RunOutcome::Kind::Unknown:
        break;
    }
    return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "exit status unknown"));
}

QString stateLabel(SandboxState state)
{
    switch (state) {
    case SandboxState::Creating:
        return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "Creating"));
    case SandboxState::Running:
        return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "Running"));
    case SandboxState::Paused:
        return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "Paused"));
    case SandboxState::Stopped:
        return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "Stopped"));
    case SandboxState::Failed:
        return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "Failed"));
    case SandboxState::Unknown:
        break;
    }
    return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "Unknown"));
}

QString egressLabel(NetworkPolicy::Egress egress)
{
    switch (egress) {
    case NetworkPolicy::Egress::Deny:
        return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "Deny"));
    case NetworkPolicy::Egress::AllowList:
        return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "Allow list"));
    case NetworkPolicy::Egress::Learn:
        return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "Learn"));
    case NetworkPolicy::Egress::Open:
        break;
    }
    return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "Open"));
}

QString verdictLabel(Ownership::Verdict verdict)
{
    switch (verdict) {
    case Ownership::Verdict::InUse:
        return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "In use"));
    case Ownership::Verdict::Ended:
        return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "Ended"));
    case Ownership::Verdict::Orphan:
        return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "Orphan"));
    case Ownership::Verdict::Unknown:
        break;
    }
    return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "Not certain"));
}

QString ownershipLabel(const Ownership &ownership)
{
    QString label = verdictLabel(ownership.verdict);
    if (ownership.confidence != Ownership::Confidence::Likely)
        return label;
    return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "%1 (likely)")).arg(label);
}

QString labelsText(const QMap<QString, QString> &labels)
{
    QStringList parts;
    for (const auto &[name, value] : labels.asKeyValueRange())
        parts += value.isEmpty() ? name : name + u'=' + value;
    return parts.join(u", "_s);
}

QString ownerText(const Owner &owner, const Owner &observer)
{
    if (owner.foreign)
        return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "Another program"));
    if (!owner.session.isEmpty() && owner.session == observer.session)
        return text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "This application"));
    if (!owner.hostId.isEmpty() && owner.hostId != observer.hostId)
        return owner.user.isEmpty()
                   ? text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "Another host"))
                   : QCoreApplication::translate("Sandboxio::Texts", "%1 on another host").arg(owner.user);
    if (owner.pid && !owner.user.isEmpty())
        return QCoreApplication::translate("Sandboxio::Texts", "%1, process %2")
            .arg(owner.user)
            .arg(*owner.pid);
    if (owner.pid)
        return QCoreApplication::translate("Sandboxio::Texts", "Process %1").arg(*owner.pid);
    return owner.user.isEmpty() ? text(QT_TRANSLATE_NOOP("Sandboxio::Texts", "Unknown")) : owner.user;
}

QString sandboxTitle(const ManagedSandbox &sandbox)
{
    if (sandbox.name.isEmpty())
        return sandbox.id.left(shortIdLength);
    // A name that ends in a UUID says as much with the start of it.
    constexpr qsizetype uuidLength = 36;
    const bool endsInUuid =
        !QUuid::fromString(QStringView(sandbox.name).last(std::min(uuidLength, sandbox.name.size()))).isNull();
    return endsInUuid ? sandbox.name.chopped(uuidLength - shortUuidLength) : sandbox.name;
}

} // namespace Sandboxio
