// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "../sandboxchoice.h"

namespace Sandboxio::Cli {

Parsed<CreateArguments> parseCreate(const QStringList &arguments);
QCoro::Task<int> executeCreate(Session &session, QStringList arguments);

} // namespace Sandboxio::Cli
