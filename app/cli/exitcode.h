// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/execresult.h>

namespace Sandboxio::Cli {

/*! The exit codes that are ours; `run` and `code` otherwise pass on the program's own. */
namespace ExitCode {
constexpr int success = 0;
constexpr int negative = 1;        //!< demo: a step failed; doctor: no target can be used
constexpr int timedOut = 124;      //!< the run limit was over
constexpr int engineFailure = 125; //!< we failed before or besides the program, wrong arguments included
constexpr int cannotRun = 126;     //!< the program exists and cannot be executed
constexpr int notFound = 127;      //!< the program does not exist
constexpr int signalBase = 128;    //!< ended by signal n: 128 + n
} // namespace ExitCode

/*! The exit code of a run that ended: the program's own, or 128 + signal; 125 when neither is known. */
int exitCodeOf(const ExecResult &result);
/*! The exit code of a failure. */
int exitCodeOf(const ErrorInfo &error);
/*! The exit code of a command that ended because of \a signal. */
int exitCodeOfSignal(int signal);
/*! What `--help` says about the exit codes of commands that run programs. */
QString exitCodeHelp();

} // namespace Sandboxio::Cli
