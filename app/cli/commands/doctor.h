// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "../session.h"

namespace Sandboxio::Cli {

Parsed<QList<Target>> parseDoctor(const QStringList &arguments);
QCoro::Task<int> executeDoctor(Session &session, QStringList arguments);

/*! \a payload is DoctorReport::toJson(). */
QString renderDoctor(const QJsonObject &payload, const Style &style);
/*! Whether \a wanted can be used: all of them, by \a report. */
bool areUsable(const DoctorReport &report, const QList<Target> &wanted);

} // namespace Sandboxio::Cli
