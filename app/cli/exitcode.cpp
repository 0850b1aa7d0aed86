// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exitcode.h"

#include "translation.h"

#include <cerrno>

namespace Sandboxio::Cli {

int exitCodeOf(const ExecResult &result)
{
    if (result.exitCode)
        return *result.exitCode;
    if (result.signal)
        return exitCodeOfSignal(*result.signal);
    return ExitCode::engineFailure;
}

int exitCodeOf(const ErrorInfo &error)
{
    if (error.kind == ErrorKind::ExecutionTimeout)
        return ExitCode::timedOut;
    if (error.kind == ErrorKind::ConfigurationError && error.cause) {
        if (error.cause->status == ENOENT)
            return ExitCode::notFound;
        if (error.cause->status == EACCES)
            return ExitCode::cannotRun;
    }
    return ExitCode::engineFailure;
}

int exitCodeOfSignal(int signal)
{
    return ExitCode::signalBase + signal;
}

QString exitCodeHelp()
{
    return Text::tr("Exit codes:\n"
                    "  the program's own, or 128 + n when signal n ended it\n"
                    "  124  the run took longer than --timeout\n"
                    "  125  sandboxio itself failed, wrong arguments included\n"
                    "  126  the program cannot be executed\n"
                    "  127  the program was not found\n");
}

} // namespace Sandboxio::Cli
