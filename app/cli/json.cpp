// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "json.h"

#include <sandboxio/core/errortable.h>
#include <sandboxio/core/path.h>
#include <sandboxio/ports/sandboxport.h>
#include <sandboxio/ports/warning.h>

#include <QJsonArray>

#include <cmath>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

QJsonObject mapJson(const QMap<QString, QString> &map)
{
    QJsonObject object;
    for (const auto &[key, value] : map.asKeyValueRange())
        object.insert(key, value);
    return object;
}

template <typename Number>
QJsonValue numberJson(const std::optional<Number> &number)
{
    return number ? QJsonValue(*number) : QJsonValue();
}

QJsonObject ownerJson(const Owner &owner)
{
    return {{u"user"_s, owner.user},
            {u"pid"_s, numberJson(owner.pid)},
            {u"hostId"_s, owner.hostId},
            {u"session"_s, owner.session},
            {u"foreign"_s, owner.foreign}};
}

QString fileTypeName(FileInfo::Type type)
{
    switch (type) {
    case FileInfo::Type::File:
        return u"file"_s;
    case FileInfo::Type::Directory:
        return u"directory"_s;
    case FileInfo::Type::SymbolicLink:
        return u"symbolicLink"_s;
    case FileInfo::Type::Other:
        break;
    }
    return u"other"_s;
}

QJsonArray resultsJson(const QList<RichOutput> &results)
{
    QJsonArray array;
    for (const RichOutput &result : results) {
        QJsonArray formats;
        for (const auto &[type, data] : result.bundle.asKeyValueRange()) {
            QJsonObject format{{u"mimeType"_s, type}};
            insertBytes(format, u"data"_s, data);
            formats.append(format);
        }
        array.append(formats);
    }
    return array;
}

QJsonObject resourcesJson(const Resources &resources)
{
    QJsonArray waived;
    for (const Resources::Cap cap :
         {Resources::Cap::Cpu, Resources::Cap::Memory, Resources::Cap::Disk, Resources::Cap::Processes}) {
        if (resources.waived.testFlag(cap))
            waived.append(capName(cap));
    }
    return {{u"cpu"_s, numberJson(resources.cpu)},       {u"memoryMb"_s, numberJson(resources.memoryMb)},
            {u"diskMb"_s, numberJson(resources.diskMb)}, {u"processes"_s, numberJson(resources.processes)},
            {u"gpu"_s, numberJson(resources.gpu)},       {u"waived"_s, waived}};
}

} // namespace

QJsonValue timeJson(const QDateTime &time)
{
    return time.isValid() ? QJsonValue(time.toUTC().toString(Qt::ISODateWithMs)) : QJsonValue();
}

double toMilliseconds(std::chrono::nanoseconds duration)
{
    return std::round(double(duration.count()) / 1000.0) / 1000.0;
}

void insertBytes(QJsonObject &object, const QString &name, const QByteArray &bytes)
{
    const bool isText = bytes.isValidUtf8();
    object.insert(name, isText ? QString::fromUtf8(bytes) : QString::fromLatin1(bytes.toBase64()));
    object.insert(name + u"IsBase64"_s, !isText);
}

QJsonObject errorJson(const ErrorInfo &error)
{
    QJsonObject object{
        {u"code"_s, error.code()},     {u"kind"_s, QLatin1StringView(errorTableRow(error.kind).className)},
        {u"message"_s, error.message}, {u"hint"_s, error.hint},
        {u"url"_s, error.url()},       {u"cause"_s, QJsonValue()}};
    if (error.cause)
        object.insert(u"cause"_s, QJsonObject{{u"status"_s, numberJson(error.cause->status)},
                                              {u"text"_s, error.cause->text}});
    if (!error.limit.isEmpty()) {
        object.insert(u"limit"_s, error.limit);
        object.insert(u"limitValue"_s, numberJson(error.limitValue));
    }
    if (error.retryAfter)
        object.insert(u"retryAfterMs"_s, qint64(error.retryAfter->count()));
    if (!error.step.isEmpty())
        object.insert(u"step"_s, error.step);
    return object;
}

QJsonObject managedJson(const ManagedSandbox &sandbox, const QDateTime &now)
{
    QJsonObject object{{u"id"_s, sandbox.id},
                       {u"name"_s, sandbox.name},
                       {u"target"_s, sandbox.target.identity()},
                       {u"backend"_s, sandbox.target.backend},
                       {u"state"_s, sandboxStateName(sandbox.state)},
                       {u"tier"_s, isolationTierName(sandbox.tier)},
                       {u"template"_s, sandbox.templateId},
                       {u"createdAt"_s, timeJson(sandbox.createdAt)},
                       {u"expiresAt"_s, timeJson(sandbox.expiresAt)},
                       {u"expiryIsAsked"_s, sandbox.expiryIsAsked},
                       {u"egress"_s, sandbox.egress ? QJsonValue(egressName(*sandbox.egress)) : QJsonValue()},
                       {u"labels"_s, mapJson(sandbox.metadata)},
                       {u"owner"_s, ownerJson(sandbox.owner)},
                       {u"ageMs"_s, QJsonValue()},
                       {u"timeLeftMs"_s, QJsonValue()}};
    if (sandbox.createdAt.isValid())
        object.insert(u"ageMs"_s, sandbox.createdAt.msecsTo(now));
    if (sandbox.expiresAt.isValid())
        object.insert(u"timeLeftMs"_s, qMax(qint64(0), now.msecsTo(sandbox.expiresAt)));
    return object;
}

QJsonObject detailsJson(const SandboxDetails &details, const QDateTime &now)
{
    QJsonObject object = managedJson(details.managed, now);
    object.insert(u"capabilities"_s, QJsonArray::fromStringList(capabilityNames(details.capabilities)));
    object.insert(u"resources"_s, resourcesJson(details.resources));
    object.insert(u"tierSource"_s, details.tierSource);
    object.insert(u"lifetimeMechanism"_s, details.lifetimeMechanism);
    object.insert(u"transport"_s, details.transport);
    object.insert(u"workingDirectory"_s, details.workingDirectory);
    return object;
}

QJsonObject ownershipJson(const Ownership &ownership)
{
    return {{u"verdict"_s, verdictName(ownership.verdict)},
            {u"confidence"_s, confidenceName(ownership.confidence)},
            {u"evidence"_s, QJsonArray::fromStringList(ownership.evidence)}};
}

QJsonObject execResultJson(const ExecResult &result)
{
    QJsonObject object{{u"exitCode"_s, numberJson(result.exitCode)},
                       {u"signal"_s, numberJson(result.signal)},
                       {u"stdoutBytes"_s, result.standardOutputBytes},
                       {u"stderrBytes"_s, result.standardErrorBytes},
                       {u"truncated"_s, result.truncated},
                       {u"streamsOpen"_s, result.streamsOpen},
                       {u"durationMs"_s, toMilliseconds(result.duration)},
                       {u"results"_s, QJsonValue()}};
    insertBytes(object, u"stdout"_s, result.standardOutput);
    insertBytes(object, u"stderr"_s, result.standardError);
    if (result.results)
        object.insert(u"results"_s, resultsJson(*result.results));
    return object;
}

QJsonObject fileJson(const FileInfo &file)
{
    QJsonObject object{{u"type"_s, fileTypeName(file.type)},
                       {u"sizeBytes"_s, file.size},
                       {u"mode"_s, QJsonValue()},
                       {u"owner"_s, file.owner},
                       {u"modifiedAt"_s, timeJson(file.modifiedAt)},
                       {u"linkTarget"_s, QJsonValue()}};
    insertBytes(object, u"path"_s, encodePath(file.path));
    insertBytes(object, u"name"_s, encodePath(file.name));
    if (file.mode)
        object.insert(u"mode"_s, QString::number(*file.mode & 07777u, 8).rightJustified(4, u'0'));
    if (file.linkTarget)
        insertBytes(object, u"linkTarget"_s, encodePath(*file.linkTarget));
    return object;
}

QJsonObject warningJson(const EngineWarning &warning)
{
    return {{u"kind"_s, warningKindName(warning.kind)},
            {u"message"_s, warning.message},
            {u"target"_s, warning.target.identity()},
            {u"sandbox"_s, warning.sandboxId}};
}

} // namespace Sandboxio::Cli
