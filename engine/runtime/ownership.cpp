// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "ownership.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <unistd.h>

namespace Sandboxio {

using namespace Qt::StringLiterals;

namespace {

QString firstLine(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromLatin1(file.readLine(256)).trimmed() : QString();
}

QString ownershipText(const char *text)
{
    return QCoreApplication::translate("Sandboxio::Ownership", text);
}

/*! What became of the owner. */
struct Fate
{
    enum class Kind { Runs, Dead, Elsewhere, NotSaid };
    Kind kind = Kind::NotSaid;
    Ownership::Confidence confidence = Ownership::Confidence::None;
    QString evidence;
};

// Clocks of hosts and daemons differ a little.
constexpr qint64 clockToleranceSecs = 60;

/*! Of an owner on this host, before this boot or on another host that looks the same. */
Fate fateBeforeBoot(const ManagedSandbox &sandbox, const Observer &observer)
{
    using Confidence = Ownership::Confidence;
    const bool isYounger = observer.hostStartedAt.isValid() && sandbox.createdAt.isValid() &&
                           sandbox.createdAt > observer.hostStartedAt.addSecs(clockToleranceSecs);
    if (isYounger)
        return {Fate::Kind::Elsewhere, Confidence::None,
                ownershipText(
                    QT_TRANSLATE_NOOP("Sandboxio::Ownership",
                                      "Its owner ran on another host with the machine id of this one: it was "
                                      "made after this host started, in another boot."))};
    if (sandbox.inLedger || sandbox.owner.fromLedger)
        return {Fate::Kind::Dead, Confidence::Certain,
                ownershipText(QT_TRANSLATE_NOOP("Sandboxio::Ownership",
                                                "Its owner ran on this host before the last boot."))};
    return {Fate::Kind::Dead, Confidence::Likely,
            ownershipText(
                QT_TRANSLATE_NOOP("Sandboxio::Ownership",
                                  "Its owner ran on this host before the last boot, unless another host has "
                                  "the same machine id."))};
}

Fate fateOfProcess(const Owner &owner, const Observer &observer)
{
    using Confidence = Ownership::Confidence;
    const std::optional<qint64> startTime = observer.startTimeOf(*owner.pid);
    if (startTime == owner.startTime)
        return {Fate::Kind::Runs, Confidence::Certain,
                ownershipText(QT_TRANSLATE_NOOP("Sandboxio::Ownership", "Its owner, process %1, runs."))
                    .arg(*owner.pid)};
    if (!startTime && observer.isHidden(*owner.pid))
        return {Fate::Kind::Elsewhere, Confidence::None,
                ownershipText(QT_TRANSLATE_NOOP(
                                  "Sandboxio::Ownership",
                                  "There is a process %1, as its owner was, that this one may not look at."))
                    .arg(*owner.pid)};
    return {Fate::Kind::Dead, Confidence::Certain,
            (startTime
                 ? ownershipText(QT_TRANSLATE_NOOP("Sandboxio::Ownership",
                                                   "Its owner is gone; number %1 is another process now."))
                 : ownershipText(QT_TRANSLATE_NOOP("Sandboxio::Ownership", "Its owner, process %1, is gone.")))
                .arg(*owner.pid)};
}

Fate fateOf(const ManagedSandbox &sandbox, const Observer &observer)
{
    using Confidence = Ownership::Confidence;
    const Owner &owner = sandbox.owner;
    const Owner &here = observer.here;
    if (owner.foreign || !owner.pid || !owner.startTime)
        return {
            Fate::Kind::NotSaid, Confidence::None,
            ownershipText(QT_TRANSLATE_NOOP("Sandboxio::Ownership", "It does not say which process owns it."))};
    // A boot id is unique: who shares it shares the host, also where there is no machine id.
    const bool sameBoot = !owner.bootId.isEmpty() && owner.bootId == here.bootId;
    const bool sameHost = sameBoot || (!owner.hostId.isEmpty() && owner.hostId == here.hostId);
    if (!sameHost)
        return {Fate::Kind::Elsewhere, Confidence::None,
                ownershipText(QT_TRANSLATE_NOOP("Sandboxio::Ownership", "Its owner ran on another host."))};
    if (!sameBoot && (owner.bootId.isEmpty() || here.bootId.isEmpty()))
        return {Fate::Kind::Elsewhere, Confidence::None,
                ownershipText(QT_TRANSLATE_NOOP("Sandboxio::Ownership",
                                                "Nobody can tell in which boot of this host its owner ran."))};
    if (!sameBoot)
        return fateBeforeBoot(sandbox, observer);
    if (owner.pidNamespace != here.pidNamespace)
        return {Fate::Kind::Elsewhere, Confidence::None,
                ownershipText(QT_TRANSLATE_NOOP("Sandboxio::Ownership",
                                                "Its owner ran in another pid namespace of this host."))};
    return fateOfProcess(owner, observer);
}

Ownership::Verdict verdictOf(const Fate &fate)
{
    switch (fate.kind) {
    case Fate::Kind::Runs:
        return Ownership::Verdict::InUse;
    case Fate::Kind::Dead:
        return Ownership::Verdict::Orphan;
    case Fate::Kind::Elsewhere:
    case Fate::Kind::NotSaid:
        break;
    }
    return Ownership::Verdict::Unknown;
}

Ownership ofExpired(const ManagedSandbox &sandbox, const Fate &fate)
{
    using Verdict = Ownership::Verdict;
    using Confidence = Ownership::Confidence;
    const QString lifetime =
        ownershipText(QT_TRANSLATE_NOOP("Sandboxio::Ownership", "Its lifetime ended at %1."))
            .arg(sandbox.expiresAt.toString(Qt::ISODate));
    if (sandbox.state == SandboxState::Stopped || sandbox.state == SandboxState::Failed)
        return {Verdict::Ended, {lifetime}, Confidence::Certain};
    if (!sandbox.expiryIsAsked)
        return {Verdict::Orphan, {lifetime}, Confidence::Certain};
    const QString extended = ownershipText(
        QT_TRANSLATE_NOOP("Sandboxio::Ownership", "It lives on: the lifetime may have been extended."));
    switch (fate.kind) {
    case Fate::Kind::Runs:
        return {Verdict::InUse, {lifetime, fate.evidence, extended}, Confidence::Certain};
    case Fate::Kind::Dead:
        return {Verdict::Orphan, {lifetime, fate.evidence}, fate.confidence};
    case Fate::Kind::NotSaid:
        return {Verdict::Orphan, {lifetime, fate.evidence, extended}, Confidence::Likely};
    case Fate::Kind::Elsewhere:
        break;
    }
    return {Verdict::Unknown, {lifetime, fate.evidence, extended}, Confidence::None};
}

} // namespace

Owner currentOwner(const QString &session)
{
    Owner owner;
    // The machine id is confidential by systemd's rules; a keyed hash identifies the host as well.
    const QString machineId = firstLine(u"/etc/machine-id"_s);
    if (!machineId.isEmpty())
        owner.hostId = QString::fromLatin1(
            QCryptographicHash::hash("sandboxio:"_ba + machineId.toLatin1(), QCryptographicHash::Sha256)
                .toHex()
                .left(16));
    owner.bootId = firstLine(u"/proc/sys/kernel/random/boot_id"_s);
    owner.pidNamespace = QFile::symLinkTarget(u"/proc/self/ns/pid"_s).section(u'/', -1);
    owner.pid = QCoreApplication::applicationPid();
    owner.startTime = processStartTime(*owner.pid);
    owner.user = qEnvironmentVariable("USER", u"uid %1"_s.arg(getuid()));
    owner.session = session;
    return owner;
}

std::optional<qint64> processStartTime(qint64 pid)
{
    QFile file(u"/proc/%1/stat"_s.arg(pid));
    if (!file.open(QIODevice::ReadOnly))
        return std::nullopt;
    // The name in parentheses may contain anything; the start time is the 20th field after it.
    const QByteArray line = file.readAll();
    const QList<QByteArray> fields = line.mid(line.lastIndexOf(')') + 2).split(' ');
    if (fields.size() < 20 || fields.first() == "Z")
        return std::nullopt;
    return fields.at(19).toLongLong();
}

bool isHiddenProcess(qint64 pid)
{
    const QFile file(u"/proc/%1/stat"_s.arg(pid));
    return !QFileInfo(file).isReadable() && (::kill(pid_t(pid), 0) == 0 || errno == EPERM);
}

QDateTime hostStartTime(const QDateTime &now)
{
    timespec up{};
    if (clock_gettime(CLOCK_BOOTTIME, &up) != 0)
        return {};
    return now.addSecs(-up.tv_sec);
}

Ownership classifyOwnership(const ManagedSandbox &sandbox, const Observer &observer)
{
    const Fate fate = fateOf(sandbox, observer);
    const bool isOver = sandbox.expiresAt.isValid() && sandbox.expiresAt <= observer.now;
    if (isOver)
        return ofExpired(sandbox, fate);
    return {verdictOf(fate), {fate.evidence}, fate.confidence};
}

} // namespace Sandboxio
