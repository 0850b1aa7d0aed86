// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "pullprogress.h"

#include <QtNumeric>

#include <limits>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {
// The numbers are the daemon's: any that it likes.
qint64 added(qint64 a, qint64 b)
{
    return qAddOverflow(a, b, &a) ? std::numeric_limits<qint64>::max() : a;
}
} // namespace

std::expected<OperationProgress, ErrorInfo> PullProgress::feed(const QByteArray &line, const Purpose &purpose)
{
    const auto object = parseObject(line, purpose);
    if (!object)
        return std::unexpected(object.error());
    const QString detail = object->value("errorDetail"_L1).toObject().value("message"_L1).toString();
    const QString error = object->value("error"_L1).toString();
    if (!detail.isEmpty() || !error.isEmpty())
        return std::unexpected(errorOfText(std::nullopt, detail.isEmpty() ? error : detail, purpose));
    const QString status = object->value("status"_L1).toString();
    const QString id = object->value("id"_L1).toString();
    const QJsonObject numbers = object->value("progressDetail"_L1).toObject();
    Layer *layer = id.isEmpty() ? nullptr : &m_layers[id];
    if (layer && status == "Downloading"_L1) {
        layer->total = qMax(numbers.value("total"_L1).toInteger(0), layer->total);
        layer->done = qMax(numbers.value("current"_L1).toInteger(0), layer->done);
    } else if (layer && (status == "Download complete"_L1 || status == "Pull complete"_L1)) {
        layer->done = layer->total;
    }
    return progress(id.isEmpty() ? status : u"%1: %2"_s.arg(id, status));
}

OperationProgress PullProgress::progress(const QString &step) const
{
    OperationProgress sum{.done = 0, .total = {}, .step = step};
    qint64 total = 0;
    for (const Layer &layer : m_layers) {
        sum.done = added(sum.done, layer.done);
        total = added(total, layer.total);
    }
    if (total > 0)
        sum.total = total;
    return sum;
}

} // namespace Sandboxio::Docker
