// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "sandboxloss.h"

#include "texts.h"

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

// What the guest exits with as PID 1.
constexpr int shutDown = 0;
constexpr int lifetimeEnded = 124;
constexpr int exitCodeOfKill = 137;
constexpr int terminated = 143;

// The guest's clock and ours start a little apart.
constexpr qint64 expiryToleranceMs = 1000;

bool hasExpired(const ManagedSandbox &managed, const QDateTime &now)
{
    return managed.expiresAt.isValid() && now.msecsTo(managed.expiresAt) <= expiryToleranceMs;
}

ErrorInfo lifetimeError(const ManagedSandbox &managed)
{
    // The clock starts when the container does, a moment after it was created.
    const qint64 seconds = managed.createdAt.msecsTo(managed.expiresAt) / 1000;
    if (!managed.createdAt.isValid() || !managed.expiresAt.isValid() || seconds <= 0)
        return makeError(ErrorKind::SandboxGone, Text::tr("The sandbox's lifetime ended."),
                         Text::tr("Create it with a longer timeout."));
    return makeError(
        ErrorKind::SandboxGone, Text::tr("The sandbox is gone: its lifetime of %1 s ended.").arg(seconds),
        Text::tr("The lifetime of %1 s ended: create the sandbox with a longer timeout.").arg(seconds));
}

ErrorInfo memoryError(const Resources &resources)
{
    const QString cap =
        resources.memoryMb ? Text::tr("%1 MB").arg(*resources.memoryMb) : Text::tr("not capped");
    ErrorInfo error = makeError(ErrorKind::SandboxGone,
                                Text::tr("The sandbox was ended because it ran out of memory (%1).").arg(cap),
                                Text::tr("Create it with more memory, or let the program use less."));
    error.limit = u"memory"_s;
    if (resources.memoryMb)
        error.limitValue = *resources.memoryMb * 1024 * 1024;
    return error;
}

QString endText(int exitCode)
{
    switch (exitCode) {
    case shutDown:
        return Text::tr("The sandbox was shut down.");
    case exitCodeOfKill:
        return Text::tr("The sandbox was killed from outside (signal 9).");
    case terminated:
        return Text::tr("The sandbox was stopped from outside (signal 15).");
    default:
        return Text::tr("The sandbox ended by itself with exit code %1.").arg(exitCode);
    }
}

} // namespace

ContainerState containerState(const QJsonObject &inspection)
{
    const QJsonObject state = inspection["State"_L1].toObject();
    return {.running = state["Running"_L1].toBool(),
            .paused = state["Paused"_L1].toBool(),
            .outOfMemory = state["OOMKilled"_L1].toBool(),
            .exitCode = state["ExitCode"_L1].toInt()};
}

ErrorInfo sandboxGone(const std::optional<ContainerState> &state, const ManagedSandbox &managed,
                      const Resources &resources, const QDateTime &now)
{
    if (state ? state->exitCode == lifetimeEnded : hasExpired(managed, now))
        return lifetimeError(managed);
    if (!state)
        return makeError(ErrorKind::SandboxGone, Text::tr("The sandbox was removed."),
                         Text::tr("Create a new sandbox."));
    // The flag alone also stands after a run of it was killed for memory.
    if (state->outOfMemory && state->exitCode == exitCodeOfKill)
        return memoryError(resources);
    if (hasExpired(managed, now))
        return lifetimeError(managed);
    return makeError(ErrorKind::SandboxGone, endText(state->exitCode), Text::tr("Create a new sandbox."),
                     {.status = state->exitCode, .text = {}});
}

ErrorInfo connectionLost(const QString &id)
{
    return makeError(
        ErrorKind::ConnectError,
        Text::tr(
            "The connection to the sandbox was lost: how the run ended, or the end of its output, is unknown."),
        Text::tr("The sandbox lives: look at what the run left in it, then run again. "
                 "`docker inspect %1` shows its state.")
            .arg(id.left(12)));
}

} // namespace Sandboxio::Docker
