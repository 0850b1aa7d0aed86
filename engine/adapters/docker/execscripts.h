// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>
#include <sandboxio/guest/protocol/messages.h>

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <expected>
#include <optional>

namespace Sandboxio::Docker {

/*! What all processes of one plain-exec run have in common and nobody else has: their limit of file locks, which
    Linux has not enforced since 2.4, hands down to every child, and shows in /proc/PID/limits. Unlike parents,
    sessions and environments it survives daemonising and `env -i`. */
using RunMark = quint64;
/*! A fresh one. */
RunMark makeRunMark();
/*! What the records of the run with \a mark begin with; see ExecRecords. */
QByteArray recordPrefix(RunMark mark);

/*! The argv of an exec that runs \a spawn under \a mark by the `sh` of the image. It writes records: "failed STAGE
    ERRNO" to standard error; or "started PID" to both streams before anything else, and when the program has ended
    "exited CODE KILLS" (processes killed for want of memory meanwhile) to standard error and "ended" to standard
    output. Error: bytes that JSON cannot carry. Pure, any thread. */
std::expected<QStringList, ErrorInfo> runArguments(const Guest::Spawn &spawn, RunMark mark);
/*! The environment of that exec; ConfigurationError for names that a shell does not hand on. */
std::expected<QStringList, ErrorInfo> runEnvironment(const Guest::Spawn &spawn);

/*! The argv of an exec that kills what carries \a mark until nothing does. Exit code: see KillResult. */
QStringList killArguments(RunMark mark);
enum class KillResult {
    NothingLeft = 0,
    Survivors = 3 //!< not this user's, so they could not be killed
};
/*! The argv of an exec that sends \a signal to the process \a pid if it carries \a mark. */
QStringList signalArguments(RunMark mark, qint64 pid, int signal);

/*! The argv of an exec that looks what plain exec can do in the container, for programs called \a programs. */
QStringList probeArguments(RunMark mark, const QStringList &programs);
/*! What it found. */
struct ExecProbe
{
    bool canMark = false;      //!< runs can be told apart, so that one can be killed
    QString directory = {};    //!< where execs start
    QStringList programs = {}; //!< found in the PATH
    bool operator==(const ExecProbe &) const = default;
};
ExecProbe readExecProbe(const QByteArray &output);

/*! The argv of an exec that writes its standard input to a new file at \a path which only its user may read. */
QStringList writePrivateArguments(const QString &path);

} // namespace Sandboxio::Docker
