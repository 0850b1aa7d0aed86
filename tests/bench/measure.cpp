// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "measure.h"

#include <QElapsedTimer>
#include <QRandomGenerator>

#include <algorithm>

namespace Sandboxio::Bench {

using namespace Qt::StringLiterals;

namespace {

constexpr int resamplings = 2000;

QList<double> resampled(const QList<double> &values, QRandomGenerator &random)
{
    QList<double> result;
    for (qsizetype i = 0; i < values.size(); ++i)
        result.append(values.at(random.bounded(values.size())));
    return result;
}

// 95 % bootstrap interval of the ratio of medians.
std::pair<double, double> interval(const Row &row)
{
    QRandomGenerator random(1);
    QList<double> ratios;
    for (int i = 0; i < resamplings; ++i)
        ratios.append(median(resampled(row.ours, random)) / median(resampled(row.peer, random)));
    std::ranges::sort(ratios);
    return {ratios.at(resamplings / 40), ratios.at(resamplings - resamplings / 40 - 1)};
}

} // namespace

double median(QList<double> values)
{
    std::ranges::sort(values);
    const qsizetype middle = values.size() / 2;
    return values.size() % 2 ? values.at(middle) : (values.at(middle - 1) + values.at(middle)) / 2;
}

double Row::ratio() const
{
    return median(ours) / median(peer);
}

QJsonObject Row::toJson() const
{
    const auto [low, high] = interval(*this);
    return {{u"name"_s, name},         {u"unit"_s, unit},          {u"ours"_s, median(ours)},
            {u"peer"_s, median(peer)}, {u"ratio"_s, ratio()},      {u"ratioLow"_s, low},
            {u"ratioHigh"_s, high},    {u"rounds"_s, ours.size()}, {u"how"_s, how}};
}

QString Row::toText() const
{
    const auto [low, high] = interval(*this);
    return u"%1  ours %2 %3  peer %4 %3  ratio %5 [%6, %7]  n=%8  %9"_s.arg(name, -26)
        .arg(median(ours), 0, 'g', 4)
        .arg(unit)
        .arg(median(peer), 0, 'g', 4)
        .arg(ratio(), 0, 'g', 3)
        .arg(low, 0, 'g', 3)
        .arg(high, 0, 'g', 3)
        .arg(ours.size())
        .arg(how);
}

Row interleaved(const QString &name, const QString &unit, int rounds, const std::function<double()> &ours,
                const std::function<double()> &peer)
{
    Row row{name, unit, {}, {}, {}};
    ours();
    peer();
    for (int i = 0; i < rounds; ++i) {
        row.ours.append(ours());
        row.peer.append(peer());
    }
    return row;
}

double seconds(const std::function<void()> &action)
{
    QElapsedTimer timer;
    timer.start();
    action();
    return static_cast<double>(timer.nsecsElapsed()) / 1e9;
}

} // namespace Sandboxio::Bench
