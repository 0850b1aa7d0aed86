// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "../session.h"

namespace Sandboxio::Cli {

/*! The arguments of `sandboxio stats`. */
struct StatsArguments
{
    QStringList ids;
    QList<Target> targets;
    bool operator==(const StatsArguments &) const = default;
};

Parsed<StatsArguments> parseStats(const QStringList &arguments);
QCoro::Task<int> executeStats(Session &session, QStringList arguments);
QString renderStats(const QJsonObject &payload, const Style &style);

} // namespace Sandboxio::Cli
