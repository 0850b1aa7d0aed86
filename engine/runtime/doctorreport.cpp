// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "doctorreport.h"

#include <QJsonArray>

#include <algorithm>

namespace Sandboxio {

using namespace Qt::StringLiterals;

namespace {

QString statusName(Diagnosis::Status status)
{
    switch (status) {
    case Diagnosis::Status::Good:
        return u"good"_s;
    case Diagnosis::Status::Warning:
        return u"warning"_s;
    case Diagnosis::Status::Failed:
        break;
    }
    return u"failed"_s;
}

QJsonArray linesToJson(const QList<Diagnosis> &lines)
{
    QJsonArray array;
    for (const Diagnosis &line : lines) {
        QJsonObject object{
            {u"status"_s, statusName(line.status)}, {u"subject"_s, line.subject}, {u"finding"_s, line.finding}};
        if (!line.fix.isEmpty())
            object.insert(u"fix"_s, line.fix);
        array.append(object);
    }
    return array;
}

} // namespace

bool TargetReport::isUsable() const
{
    return !lines.isEmpty() && std::ranges::none_of(lines, [](const Diagnosis &line) {
        return line.status == Diagnosis::Status::Failed;
    });
}

bool DoctorReport::isUsable() const
{
    return std::ranges::any_of(targets, &TargetReport::isUsable);
}

QJsonObject DoctorReport::toJson() const
{
    QJsonArray targetArray;
    for (const TargetReport &report : targets) {
        targetArray.append(QJsonObject{
            {u"target"_s, report.target.toDsn()},
            {u"title"_s, report.backend.title},
            {u"version"_s, report.backend.version},
            {u"usable"_s, report.isUsable()},
            {u"capabilities"_s, QJsonArray::fromStringList(capabilityNames(report.capabilities))},
            {u"credentialVariables"_s, QJsonArray::fromStringList(report.backend.credentialVariables)},
            {u"lines"_s, linesToJson(report.lines)},
        });
    }
    return {{u"usable"_s, isUsable()}, {u"engine"_s, linesToJson(engine)}, {u"targets"_s, targetArray}};
}

} // namespace Sandboxio
