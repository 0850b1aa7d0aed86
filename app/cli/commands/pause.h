// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "../session.h"

namespace Sandboxio::Cli {

/*! The arguments of `sandboxio pause` and `sandboxio resume`. */
struct PauseArguments
{
    QStringList ids;
    QList<Target> targets;
    bool operator==(const PauseArguments &) const = default;
};

Parsed<PauseArguments> parsePause(const QStringList &arguments);
QCoro::Task<int> executePause(Session &session, QStringList arguments);
Parsed<PauseArguments> parseResume(const QStringList &arguments);
QCoro::Task<int> executeResume(Session &session, QStringList arguments);
QString renderPause(const QJsonObject &payload, const Style &style);

} // namespace Sandboxio::Cli
