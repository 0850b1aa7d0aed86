// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QList>
#include <QString>

#include <optional>
#include <utility>

namespace Sandboxio::Cli {

/*! Something of ours beside the same of a peer, measured alternately in one run. */
struct Measurement
{
    QString name;
    QString unit;       //!< of the figures: "ms" or "s"
    QString peerName;   //!< for example "docker exec"
    double goal = 1;    //!< the ratio that is to be reached
    QString how;        //!< what was measured, and what else was seen
    QString skipped;    //!< why there are no figures; empty: there are
    QList<double> ours; //!< one figure for each round
    QList<double> peer;

    /*! Median of ours to the peer's; absent when skipped. */
    std::optional<double> ratio() const;
    /*! The 95 % bootstrap interval of ratio(). */
    std::optional<std::pair<double, double>> interval() const;
    /*! `name`, `unit`, `ours` and `peer` (medians), `peerName`, `ratio`, `ratioLow`, `ratioHigh`, `goal`,
        `goalReached`, `rounds`, `how`, `skipped`; what is absent is null. */
    QJsonObject toJson() const;
};

/*! The median of \a values, of which there is at least one. */
double median(QList<double> values);

} // namespace Sandboxio::Cli
