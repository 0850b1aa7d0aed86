// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "measurement.h"

#include <QJsonValue>
#include <QRandomGenerator>

#include <algorithm>

namespace Sandboxio::Cli {

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

QJsonValue orNull(const std::optional<double> &value)
{
    return value ? QJsonValue(*value) : QJsonValue();
}

} // namespace

double median(QList<double> values)
{
    std::ranges::sort(values);
    const qsizetype middle = values.size() / 2;
    return values.size() % 2 ? values.at(middle) : (values.at(middle - 1) + values.at(middle)) / 2;
}

std::optional<double> Measurement::ratio() const
{
    if (ours.isEmpty() || peer.isEmpty())
        return std::nullopt;
    return median(ours) / median(peer);
}

std::optional<std::pair<double, double>> Measurement::interval() const
{
    if (!ratio())
        return std::nullopt;
    QRandomGenerator random(1); // the same figures give the same interval
    QList<double> ratios;
    for (int i = 0; i < resamplings; ++i)
        ratios.append(median(resampled(ours, random)) / median(resampled(peer, random)));
    std::ranges::sort(ratios);
    return std::pair{ratios.at(resamplings / 40), ratios.at(resamplings - resamplings / 40 - 1)};
}

QJsonObject Measurement::toJson() const
{
    const std::optional<double> ratio = this->ratio();
    const auto interval = this->interval();
    return {{u"name"_s, name},
            {u"unit"_s, unit},
            {u"ours"_s, ratio ? QJsonValue(median(ours)) : QJsonValue()},
            {u"peer"_s, ratio ? QJsonValue(median(peer)) : QJsonValue()},
            {u"peerName"_s, peerName},
            {u"ratio"_s, orNull(ratio)},
            {u"ratioLow"_s, interval ? QJsonValue(interval->first) : QJsonValue()},
            {u"ratioHigh"_s, interval ? QJsonValue(interval->second) : QJsonValue()},
            {u"goal"_s, goal},
            {u"goalReached"_s, ratio ? QJsonValue(*ratio <= goal) : QJsonValue()},
            {u"rounds"_s, ours.size()},
            {u"how"_s, how},
            {u"skipped"_s, skipped.isEmpty() ? QJsonValue() : QJsonValue(skipped)}};
}

} // namespace Sandboxio::Cli
