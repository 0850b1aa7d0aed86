// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "eventline.h"

#include "labels.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <array>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr std::array changing{"create"_L1, "start"_L1,   "restart"_L1, "die"_L1,  "died"_L1,   "oom"_L1,
                              "pause"_L1,  "unpause"_L1, "stop"_L1,    "kill"_L1, "rename"_L1, "update"_L1};
constexpr std::array removing{"destroy"_L1, "remove"_L1};

} // namespace

QUrlQuery eventQuery()
{
    QJsonArray actions;
    for (const QLatin1StringView action : changing)
        actions.append(QString(action));
    for (const QLatin1StringView action : removing)
        actions.append(QString(action));
    const QJsonObject filters{{"type"_L1, QJsonArray{u"container"_s}},
                              {"label"_L1, QJsonArray{QLatin1StringView(managedLabel) + "=true"_L1}},
                              {"event"_L1, actions}};
    return {{u"filters"_s, QString::fromUtf8(QJsonDocument(filters).toJson(QJsonDocument::Compact))}};
}

std::optional<BackendEvent> backendEvent(const QByteArray &line)
{
    const QJsonObject object = QJsonDocument::fromJson(line).object();
    const QString id = object["Actor"_L1]["ID"_L1].toString();
    const QString action = object.value("Action"_L1).toString();
    if (object.value("Type"_L1).toString() != "container"_L1 || id.isEmpty())
        return std::nullopt;
    if (std::ranges::find(removing, action) != removing.end())
        return BackendEvent{.kind = BackendEvent::Kind::Removed, .id = id, .error = {}};
    if (std::ranges::find(changing, action) != changing.end())
        return BackendEvent{.kind = BackendEvent::Kind::Changed, .id = id, .error = {}};
    return std::nullopt;
}

} // namespace Sandboxio::Docker
