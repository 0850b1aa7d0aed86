// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "../session.h"

namespace Sandboxio::Cli {

/*! What is to be measured, with which sandboxes. */
struct BenchArguments
{
    CreateArguments create;
    QStringList rows;          //!< their names
    std::optional<int> rounds; //!< absent: as many as a row needs
    bool operator==(const BenchArguments &) const = default;
};

Parsed<BenchArguments> parseBench(const QStringList &arguments);
QCoro::Task<int> executeBench(Session &session, QStringList arguments);

/*! \a payload: `rows`, each as Measurement::toJson(). */
QString renderBench(const QJsonObject &payload, const Style &style);

} // namespace Sandboxio::Cli
