// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "../session.h"

namespace Sandboxio::Cli {

/*! The arguments of `sandboxio ls`. */
struct LsArguments
{
    RemotePath path; //!< the path is never empty
    QList<Target> targets;
    bool operator==(const LsArguments &) const = default;
};

Parsed<LsArguments> parseLs(const QStringList &arguments);
QCoro::Task<int> executeLs(Session &session, QStringList arguments);
QString renderLs(const QJsonObject &payload, const Style &style);

} // namespace Sandboxio::Cli
