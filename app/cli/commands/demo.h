// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "../session.h"

namespace Sandboxio::Cli {

Parsed<CreateArguments> parseDemo(const QStringList &arguments);
QCoro::Task<int> executeDemo(Session &session, QStringList arguments);

/*! One step: `title`, `ok`, `durationMs`, `detail`, `error`. */
QString renderDemoStep(const QJsonObject &step, const Style &style);
/*! What follows the steps: `ok`, `verdict`, `durationMs`. */
QString renderDemoSummary(const QJsonObject &payload, const Style &style);
/*! Why \a report does not show that the policy is enforced; absent when it does. */
std::optional<ErrorInfo> policyFailure(const PolicyReport &report);

} // namespace Sandboxio::Cli
