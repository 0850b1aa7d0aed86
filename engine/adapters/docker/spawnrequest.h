// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/resources.h>
#include <sandboxio/core/secret.h>
#include <sandboxio/guest/protocol/messages.h>
#include <sandboxio/ports/processport.h>

#include <expected>

namespace Sandboxio::Docker {

/*! What a sandbox adds to every run. */
struct RunDefaults
{
    QMap<QString, QString> env;
    QMap<QString, Secret> secrets;
    std::optional<quint32> uid; //!< whose runs they are; absent when not known yet
};

/*! The guest's message for \a request, or why the sandbox cannot do it. For code the argv is still empty.
    Variables of the request win over secrets, and those over the sandbox's own. Any thread. */
std::expected<Guest::Spawn, ErrorInfo> spawnRequest(const ProcessRequest &request, const RunDefaults &defaults);

/*! The error of a run that did not start because of \a errorNumber at \a stage. A program that is not there or
    cannot be executed is a ConfigurationError with the errno (2, 13) as status of the cause. */
ErrorInfo spawnError(int errorNumber, Guest::SpawnStage stage, const Guest::Spawn &spawn,
                     const Resources &resources);

/*! The error of a run that was killed while it was being prepared. */
ErrorInfo endedBeforeStart();
/*! Why \a signal cannot be sent; absent: it is one. */
std::optional<ErrorInfo> checkSignal(int signal);

/*! How the main process ended; a run killed for want of memory names the cap. */
ExitStatus exitStatus(const Guest::ExitStatus &status, const Resources &resources);

/*! The guest's number of \a stream, and back. */
Guest::StreamId guestStream(OutputStream stream);
OutputStream outputStream(Guest::StreamId stream);
/*! \a size as the guest takes it: at least one by one. */
Guest::WindowSize windowSize(TerminalSize size);
/*! The error of resizing a run that has no terminal. */
ErrorInfo noTerminal();

/*! The input that the request carries along; absent: none. */
std::optional<QByteArray> standardInput(const ProcessRequest &request);

} // namespace Sandboxio::Docker
