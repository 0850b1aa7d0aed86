// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "ownership.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QFile>

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
    const QList<QByteArray> fields = line.sliced(line.lastIndexOf(')') + 2).split(' ');
    if (fields.size() < 20 || fields.first() == "Z")
        return std::nullopt;
    return fields.at(19).toLongLong();
}

Ownership classifyOwnership(const ManagedSandbox &sandbox, const Owner &here, const QDateTime &now,
                            const std::function<std::optional<qint64>(qint64)> &startTimeOf)
{
    using Verdict = Ownership::Verdict;
    const Owner &owner = sandbox.owner;
    const bool live = sandbox.state != SandboxState::Stopped && sandbox.state != SandboxState::Failed;
    if (sandbox.expiresAt.isValid() && sandbox.expiresAt <= now) {
        const QString lifetime =
            ownershipText(QT_TRANSLATE_NOOP("Sandboxio::Ownership", "Its lifetime ended at %1."))
                .arg(sandbox.expiresAt.toString(Qt::ISODate));
        return {live ? Verdict::Orphan : Verdict::Ended, {lifetime}};
    }
    if (owner.foreign || !owner.pid || !owner.startTime)
        return {Verdict::Unknown,
                {ownershipText(
                    QT_TRANSLATE_NOOP("Sandboxio::Ownership", "It does not say which process owns it."))}};
    // A boot id is unique: who shares it shares the host, also where there is no machine id.
    const bool sameBoot = !owner.bootId.isEmpty() && owner.bootId == here.bootId;
    const bool sameHost = sameBoot || (!owner.hostId.isEmpty() && owner.hostId == here.hostId);
    if (!sameHost)
        return {Verdict::Unknown,
                {ownershipText(QT_TRANSLATE_NOOP("Sandboxio::Ownership", "Its owner ran on another host."))}};
    if (!sameBoot)
        return {Verdict::Orphan,
                {ownershipText(QT_TRANSLATE_NOOP("Sandboxio::Ownership",
                                                 "Its owner ran on this host before the last boot."))}};
    if (owner.pidNamespace != here.pidNamespace)
        return {Verdict::Unknown,
                {ownershipText(QT_TRANSLATE_NOOP("Sandboxio::Ownership",
                                                 "Its owner ran in another pid namespace of this host."))}};
    const std::optional<qint64> startTime = startTimeOf(*owner.pid);
    if (startTime == owner.startTime)
        return {Verdict::InUse,
                {ownershipText(QT_TRANSLATE_NOOP("Sandboxio::Ownership", "Its owner, process %1, runs."))
                     .arg(*owner.pid)}};
    return {Verdict::Orphan,
            {startTime
                 ? ownershipText(QT_TRANSLATE_NOOP("Sandboxio::Ownership",
                                                   "Its owner is gone; number %1 is another process now."))
                       .arg(*owner.pid)
                 : ownershipText(QT_TRANSLATE_NOOP("Sandboxio::Ownership", "Its owner, process %1, is gone."))
                       .arg(*owner.pid)}};
}

} // namespace Sandboxio
