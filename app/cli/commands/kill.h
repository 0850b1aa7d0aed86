// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "../eachsandbox.h"

namespace Sandboxio::Cli {

Parsed<SandboxNames> parseKill(const QStringList &arguments);
QCoro::Task<int> executeKill(Session &session, QStringList arguments);
QString renderKill(const QJsonObject &payload, const Style &style);

/*! Ends the sandbox \a row and says how that went: `id`, `target`, `removed` (false: it was gone already),
 * `error`. */
QCoro::Task<QJsonObject> killRow(Session &session, ManagedSandbox row);

} // namespace Sandboxio::Cli
