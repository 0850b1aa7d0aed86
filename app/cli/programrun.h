// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "session.h"

#include <sandboxio/runtime/process.h>

#include <QCoroTask>

namespace Sandboxio::Cli {

/*! Runs \a process with its output on ours, stream by stream, byte by byte, as it comes; no more is asked for
    than we got rid of. With \a forwardInput our standard input is the program's. The first signal kills the
    run's process tree and ends this with OperationCancelled; an output that nobody reads any more kills it
    quietly. Returns the exit code. */
QCoro::Task<int> runProgram(Session &session, std::unique_ptr<Process> process, bool forwardInput);

/*! The error of an output of ours that failed with the errno \a error. */
ErrorInfo outputNotWritten(int error);

/*! Everything that comes on standard input. */
QCoro::Task<QByteArray> readStandardInput(Session &session);

/*! The payload of a buffered run in \a sandbox. */
QJsonObject runPayload(const ExecResult &result, const Sandbox &sandbox);

} // namespace Sandboxio::Cli
