// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "recordsinks.h"

#include <QCoreApplication>
#include <QFile>
#include <QJsonDocument>

#include <utility>

namespace Sandboxio {

namespace {

Operation<void> failure(const QString &message)
{
    return failedOperation<void>(makeError(ErrorKind::AuditSinkError, message));
}

QByteArray jsonOf(const OperationRecord &record)
{
    return QJsonDocument(record.toJson()).toJson(QJsonDocument::Compact);
}

} // namespace

RecordSink::RecordSink() = default;
RecordSink::~RecordSink() = default;

JsonLinesRecordSink::JsonLinesRecordSink(const QString &path)
    : m_path(path)
{}
JsonLinesRecordSink::~JsonLinesRecordSink() = default;

Operation<void> JsonLinesRecordSink::write(const OperationRecord &record)
{
    const std::lock_guard lock(m_mutex);
    QFile file(m_path);
    if (!file.open(QIODevice::WriteOnly | QIODevice::Append | QIODevice::Unbuffered,
                   QFile::ReadOwner | QFile::WriteOwner))
        return failure(file.errorString());
    // After a line that was cut off by a full disk the next one begins anew.
    const QByteArray line = (m_torn ? "\n" : "") + jsonOf(record) + '\n';
    const qint64 written = file.write(line);
    m_torn = written != line.size() && (written > 0 || m_torn);
    return written == line.size() ? finishedOperation() : failure(file.errorString());
}

LoggingRecordSink::LoggingRecordSink(const QByteArray &category)
    : m_name(category)
    , m_category(m_name.constData())
{}
LoggingRecordSink::~LoggingRecordSink() = default;

Operation<void> LoggingRecordSink::write(const OperationRecord &record)
{
    qCInfo(m_category).noquote() << jsonOf(record);
    return finishedOperation();
}

RecordQueue::RecordQueue(qsizetype capacity)
    : m_capacity(capacity)
{}
RecordQueue::~RecordQueue() = default;

Operation<void> RecordQueue::write(const OperationRecord &record)
{
    const std::lock_guard lock(m_mutex);
    if (m_records.size() >= m_capacity)
        return failure(QCoreApplication::translate("Sandboxio::Records", "It holds %1 records and is full.")
                           .arg(m_capacity));
    m_records.append(record);
    return finishedOperation();
}

QList<OperationRecord> RecordQueue::take()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_records, {});
}

qsizetype RecordQueue::size() const
{
    const std::lock_guard lock(m_mutex);
    return m_records.size();
}

} // namespace Sandboxio
