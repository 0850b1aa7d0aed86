// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "../session.h"

#include <sandboxio/core/backgroundrun.h>

namespace Sandboxio::Cli {

/*! The arguments of `sandboxio logs`. */
struct LogsArguments
{
    enum class Action { Show, Follow, Kill, Remove };
    QString sandbox;
    QString run; //!< empty: list them
    Action action = Action::Show;
    AttachOptions from;
    QList<Target> targets;
    bool operator==(const LogsArguments &) const = default;
};

Parsed<LogsArguments> parseLogs(const QStringList &arguments);
QCoro::Task<int> executeLogs(Session &session, QStringList arguments);

/*! The one of \a runs that \a id names: the whole id, or the start of it when only one has it. */
std::expected<BackgroundRun, ErrorInfo> matchBackgroundRun(const QList<BackgroundRun> &runs, const QString &id);
/*! `id`, `arguments`, `startedAt`, `running`, `exitCode`, `signal`, `terminal`, `attachments`, and of each stream the
    bytes that were written and are kept. */
QJsonObject backgroundRunJson(const BackgroundRun &run);
/*! \a payload: `runs`, each as backgroundRunJson(). */
QString renderBackgroundRuns(const QJsonObject &payload, const Style &style);

} // namespace Sandboxio::Cli
