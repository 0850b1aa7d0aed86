// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMap>
#include <QString>

#include <variant>

namespace Sandboxio::Desktop {

/*! Reads labels, one "name=value" a line; empty lines do not count. The other alternative is what is wrong with
    which line, for people. A pure function apart from translations. */
std::variant<QMap<QString, QString>, QString> parseLabels(const QString &text);

} // namespace Sandboxio::Desktop
