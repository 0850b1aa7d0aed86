// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "../eachsandbox.h"

namespace Sandboxio::Cli {

Parsed<SandboxNames> parsePause(const QStringList &arguments);
QCoro::Task<int> executePause(Session &session, QStringList arguments);
Parsed<SandboxNames> parseResume(const QStringList &arguments);
QCoro::Task<int> executeResume(Session &session, QStringList arguments);
QString renderPause(const QJsonObject &payload, const Style &style);

} // namespace Sandboxio::Cli
