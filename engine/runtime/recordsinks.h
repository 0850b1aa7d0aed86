// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/runtime/recordsink.h>

#include <QLoggingCategory>

#include <mutex>

namespace Sandboxio {

/*! Appends each record as one line of JSON to a file. The file is opened for every record, so it can be moved
    away at any time; programs that append to the same file do not mix their lines. A new file is readable by its
    owner alone; its folder must exist.

    \code
    Engine engine({.records = {.sinks = {std::make_shared<JsonLinesRecordSink>(u"audit.jsonl"_s)}}});
    \endcode */
class SANDBOXIO_RUNTIME_EXPORT JsonLinesRecordSink final : public RecordSink
{
public:
    explicit JsonLinesRecordSink(const QString &path);
    ~JsonLinesRecordSink() override;
    QString name() const override { return m_path; }
    Operation<void> write(const OperationRecord &record) override;

private:
    const QString m_path;
    std::mutex m_mutex;
    bool m_torn = false;
};

/*! Writes each record as one line of JSON at level info to a logging category. */
class SANDBOXIO_RUNTIME_EXPORT LoggingRecordSink final : public RecordSink
{
public:
    explicit LoggingRecordSink(const QByteArray &category = QByteArrayLiteral("sandboxio.records"));
    ~LoggingRecordSink() override;
    QString name() const override { return QString::fromUtf8(m_name); }
    Operation<void> write(const OperationRecord &record) override;

private:
    const QByteArray m_name;
    const QLoggingCategory m_category;
};

/*! Keeps records in memory until somebody takes them; for programs that embed the engine and for tests. A record
    that finds it full is lost, which is a failure of the sink. Use it from any thread.

    \code
    auto queue = std::make_shared<RecordQueue>();
    Engine engine({.records = {.sinks = {queue}}});
    // …
    for (const OperationRecord &record : queue->take())
        qInfo() << record.sandboxId << record.duration;
    \endcode */
class SANDBOXIO_RUNTIME_EXPORT RecordQueue final : public RecordSink
{
public:
    static constexpr qsizetype defaultCapacity = 10'000;
    explicit RecordQueue(qsizetype capacity = defaultCapacity);
    ~RecordQueue() override;
    QString name() const override { return QStringLiteral("queue"); }
    Operation<void> write(const OperationRecord &record) override;

    /*! The records so far, oldest first; the queue is empty after it. */
    QList<OperationRecord> take();
    qsizetype size() const;

private:
    const qsizetype m_capacity;
    mutable std::mutex m_mutex;
    QList<OperationRecord> m_records;
};

} // namespace Sandboxio
