// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "../session.h"

namespace Sandboxio::Cli {

/*! The argument of `sandboxio explain`: a code, or nothing for all of them. */
Parsed<QString> parseExplain(const QStringList &arguments);
QCoro::Task<int> executeExplain(Session &session, QStringList arguments);

/*! `{"errors": […]}` with the row of \a code, or all rows that have one when it is empty; no entry when it is
 * unknown. */
QJsonObject explainPayload(const QString &code);
QString renderExplain(const QJsonObject &payload, const Style &style);

} // namespace Sandboxio::Cli
