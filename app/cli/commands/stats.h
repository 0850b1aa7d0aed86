// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "../eachsandbox.h"

namespace Sandboxio::Cli {

Parsed<SandboxNames> parseStats(const QStringList &arguments);
QCoro::Task<int> executeStats(Session &session, QStringList arguments);
QString renderStats(const QJsonObject &payload, const Style &style);

} // namespace Sandboxio::Cli
