// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "../session.h"

namespace Sandboxio::Cli {

/*! The arguments of `sandboxio reap`. */
struct ReapArguments
{
    QList<Target> targets;
    QMap<QString, QString> labels;
    bool kill = false;
    bool includeUnknown = false;
    bool operator==(const ReapArguments &) const = default;
};

Parsed<ReapArguments> parseReap(const QStringList &arguments);
QCoro::Task<int> executeReap(Session &session, QStringList arguments);

/*! Whether `reap --kill` acts on a sandbox with this ownership: only on proof, unless \a includeUnknown. One that is in
    use never is; `kill` ends it by name. */
bool isReaped(const Ownership &ownership, bool includeUnknown);
QString renderReap(const QJsonObject &payload, const Style &style);

} // namespace Sandboxio::Cli
