// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "operationrecord.h"

#include <QDebug>
#include <QJsonArray>
#include <QJsonDocument>

#include <array>

namespace Sandboxio {

using namespace Qt::StringLiterals;

namespace {

constexpr std::array eventNames{
    "run"_L1,      "runCode"_L1,    "stream"_L1,        "streamCode"_L1, "readFile"_L1,      "writeFile"_L1,
    "upload"_L1,   "download"_L1,   "listDirectory"_L1, "statFile"_L1,   "makeDirectory"_L1, "removeFile"_L1,
    "moveFile"_L1, "changeMode"_L1, "runBackground"_L1, "attach"_L1,     "watch"_L1};

QJsonObject errorJson(const ErrorInfo &error)
{
    QJsonObject object{{u"code"_s, error.code()}, {u"message"_s, error.message}};
    if (error.cause)
        object.insert(u"cause"_s, error.cause->text);
    return object;
}

QJsonObject mapJson(const QMap<QString, QString> &map)
{
    QJsonObject object;
    for (const auto &[name, value] : map.asKeyValueRange())
        object.insert(name, value);
    return object;
}

void insertWhat(QJsonObject &object, const OperationRecord &record)
{
    if (!record.argv.isEmpty())
        object.insert(u"argv"_s, QJsonArray::fromStringList(record.argv));
    if (!record.codeSha256.isEmpty()) {
        object.insert(u"language"_s, record.language);
        object.insert(u"codeSha256"_s, record.codeSha256);
    }
    if (record.code)
        object.insert(u"code"_s, *record.code);
    if (!record.backgroundRun.isEmpty())
        object.insert(u"backgroundRun"_s, record.backgroundRun);
    if (!record.paths.isEmpty())
        object.insert(u"paths"_s, QJsonArray::fromStringList(record.paths));
}

} // namespace

QJsonObject OperationRecord::toJson() const
{
    constexpr double nanosecondsPerMillisecond = 1e6;
    QJsonObject object{{u"time"_s, time.toUTC().toString(Qt::ISODateWithMs)},
                       {u"event"_s, recordEventName(event)},
                       {u"sandbox"_s, sandboxId},
                       {u"target"_s, target.toDsn()},
                       {u"tier"_s, isolationTierName(tier)},
                       {u"metadata"_s, mapJson(metadata)},
                       {u"outcome"_s, outcomeName(outcome)},
                       {u"durationMs"_s, static_cast<double>(duration.count()) / nanosecondsPerMillisecond},
                       {u"bytesIn"_s, bytesIn},
                       {u"bytesOut"_s, bytesOut},
                       {u"denials"_s, QJsonArray::fromStringList(denials)}};
    insertWhat(object, *this);
    if (end)
        object.insert(u"end"_s, outcomeText(*end));
    if (error)
        object.insert(u"error"_s, errorJson(*error));
    return object;
}

QString recordEventName(RecordEvent event)
{
    return eventNames.at(static_cast<size_t>(event));
}

QString outcomeName(OperationOutcome outcome)
{
    switch (outcome) {
    case OperationOutcome::Value:
        return u"value"_s;
    case OperationOutcome::Error:
        return u"error"_s;
    case OperationOutcome::Cancelled:
        return u"cancelled"_s;
    case OperationOutcome::Pending:
        break;
    }
    return u"pending"_s;
}

QDebug operator<<(QDebug debug, const OperationRecord &record)
{
    const QDebugStateSaver saver(debug);
    debug.nospace().noquote() << QJsonDocument(record.toJson()).toJson(QJsonDocument::Compact);
    return debug;
}

} // namespace Sandboxio
