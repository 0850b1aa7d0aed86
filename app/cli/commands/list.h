// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "../session.h"

namespace Sandboxio::Cli {

/*! The arguments of `sandboxio list`. */
struct ListArguments
{
    QList<Target> targets;
    QMap<QString, QString> labels;
    bool operator==(const ListArguments &) const = default;
};

Parsed<ListArguments> parseList(const QStringList &arguments);
QCoro::Task<int> executeList(Session &session, QStringList arguments);

/*! `{"sandboxes": […], "targets": [{"target", "answered", "error"}]}`. */
QJsonObject listPayload(const ManagedListing &listing, const QDateTime &now);
QString renderList(const QJsonObject &payload, const Style &style);
/*! Shows on standard error why targets did not answer. The exit code: 0 when at least one answered, or none was
 * asked. */
int reportTargets(Session &session, const ManagedListing &listing);

} // namespace Sandboxio::Cli
