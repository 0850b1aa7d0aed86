// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "session.h"

#include <sandboxio/runtime/sandbox.h>

#include <QCoroTask>

#include <functional>

namespace Sandboxio::Cli {

/*! Which sandbox a command works in: one that exists, or a new one for this command alone. */
struct SandboxChoice
{
    QString id;             //!< an id or the start of one; empty: a new sandbox
    CreateArguments create; //!< of a new one; its target is where to look for an old one
    bool keep = false;      //!< a new one stays
    bool operator==(const SandboxChoice &) const = default;
};

/*! Adds --sandbox, --keep and the options of a new sandbox. */
void addSandboxChoice(ArgumentParser &parser);
/*! Reads them; options that only a new sandbox has are refused together with --sandbox. */
SandboxChoice readSandboxChoice(ArgumentParser &parser);

/*! The row of \a listing that \a id names: the whole id, the name, or the start of the id when only one has it.
    A pure function; the error is ConnectError, or what the only target that was asked said. */
std::expected<ManagedSandbox, ErrorInfo> matchSandbox(const ManagedListing &listing, const QString &id);
/*! The same, asking \a targets (empty: those of every installed backend). */
QCoro::Task<ManagedSandbox> findSandbox(Session &session, QString id, QList<Target> targets);
/*! All of \a ids, looked up before anything is done: a mistyped one must not leave half a job. */
QCoro::Task<QList<ManagedSandbox>> findSandboxes(Session &session, QStringList ids, QList<Target> targets);
/*! A handle of the sandbox that \a id names. */
QCoro::Task<SandboxPtr> connectSandbox(Session &session, QString id, QList<Target> targets);
/*! A handle of the sandbox that \a row shows. */
QCoro::Task<SandboxPtr> connectSandbox(Session &session, ManagedSandbox row);
/*! Creates a sandbox, with its progress on a terminal. */
QCoro::Task<SandboxPtr> createSandbox(Session &session, CreateArguments arguments);

/*! Runs \a body with the chosen sandbox and returns its exit code. A new sandbox is removed afterwards whatever
    happened, unless it is to be kept; then its id is shown on standard error. */
QCoro::Task<int> withSandbox(Session &session, SandboxChoice choice,
                             std::function<QCoro::Task<int>(SandboxPtr)> body);

} // namespace Sandboxio::Cli
