// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QJsonObject>
#include <QList>
#include <QString>

#include <functional>

namespace Sandboxio::Bench {

/*! One figure beside its peer's, measured alternately in the same run. */
struct Row
{
    QString name;
    QString unit;
    QList<double> ours;
    QList<double> peer;
    QString how;

    /*! Ratio of the medians, ours to the peer's. */
    double ratio() const;
    QJsonObject toJson() const;
    QString toText() const;
};

double median(QList<double> values);
/*! Runs \a ours and \a peer alternately \a rounds times after one unmeasured round; each returns its figure. */
Row interleaved(const QString &name, const QString &unit, int rounds, const std::function<double()> &ours,
                const std::function<double()> &peer);
/*! Seconds that \a action takes. */
double seconds(const std::function<void()> &action);

} // namespace Sandboxio::Bench
