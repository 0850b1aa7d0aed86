// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "execresult.h"

#include "error.h"

#include <QCoreApplication>

namespace Sandboxio {

using namespace Qt::StringLiterals;

QString ExecResult::text() const
{
    return QString::fromUtf8(standardOutput);
}

bool ExecResult::succeeded() const
{
    return exitCode == 0;
}

void ExecResult::throwIfFailed() const
{
    if (succeeded())
        return;
    const QString what =
        exitCode ? QCoreApplication::translate("Sandboxio::Error", "The program exited with %1.").arg(*exitCode)
        : signal ? QCoreApplication::translate("Sandboxio::Error", "The program was ended by signal %1.")
                       .arg(*signal)
                 : QCoreApplication::translate("Sandboxio::Error", "How the program ended is not known.");
    throw ExecutionError(makeError(ErrorKind::ExecutionError, what), *this);
}

QString outcomeText(const RunOutcome &outcome)
{
    switch (outcome.kind) {
    case RunOutcome::Kind::Exited:
        return u"exited %1"_s.arg(outcome.value);
    case RunOutcome::Kind::Signalled:
        return u"signal %1"_s.arg(outcome.value);
    case RunOutcome::Kind::TimedOut:
        return u"timed out"_s;
    case RunOutcome::Kind::Cancelled:
        return u"cancelled"_s;
    case RunOutcome::Kind::Killed:
        return u"killed"_s;
    case RunOutcome::Kind::SandboxGone:
        return u"sandbox gone"_s;
    case RunOutcome::Kind::Detached:
        return u"detached"_s;
    case RunOutcome::Kind::Unknown:
        break;
    }
    return u"unknown"_s;
}

QString lastLines(const QByteArray &output, qsizetype maximum)
{
    const QByteArray tail = output.last(std::min(maximum, output.size()));
    const qsizetype lineStart = tail.size() < output.size() ? tail.indexOf('\n') + 1 : 0;
    return QString::fromUtf8(tail.sliced(lineStart)).trimmed();
}

} // namespace Sandboxio
