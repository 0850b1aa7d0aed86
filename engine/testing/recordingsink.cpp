// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "recordingsink.h"

#include <utility>

namespace Sandboxio {

RecordingSink::RecordingSink() = default;
RecordingSink::~RecordingSink() = default;

Operation<void> RecordingSink::write(const OperationRecord &record)
{
    {
        const std::lock_guard lock(m_mutex);
        m_records.append(record);
    }
    m_arrived.notify_all();
    return finishedOperation();
}

QList<OperationRecord> RecordingSink::records() const
{
    const std::lock_guard lock(m_mutex);
    return m_records;
}

QList<OperationRecord> RecordingSink::recordsOf(const QString &sandboxId) const
{
    QList<OperationRecord> found = records();
    found.removeIf([&](const OperationRecord &record) { return record.sandboxId != sandboxId; });
    return found;
}

qsizetype RecordingSink::size() const
{
    const std::lock_guard lock(m_mutex);
    return m_records.size();
}

QList<OperationRecord> RecordingSink::take()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_records, {});
}

void RecordingSink::clear()
{
    std::ignore = take();
}

bool RecordingSink::waitFor(qsizetype count, std::chrono::milliseconds limit) const
{
    std::unique_lock lock(m_mutex);
    return m_arrived.wait_for(lock, limit, [&] { return m_records.size() >= count; });
}

} // namespace Sandboxio
