// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "store_p.h"

#include "fakebackground_p.h"

#include <sandboxio/core/handover.h>

namespace Sandboxio::Fake {

using namespace Qt::StringLiterals;

Store::Store()
{
    // Used from several threads and without events of its own, so it belongs to none.
    moveToThread(nullptr);
}

Store::~Store() = default;

Machine &Store::machine()
{
    const std::lock_guard locker(m_machineMutex);
    if (!m_machine)
        m_machine = std::make_unique<Machine>();
    return *m_machine;
}

void Store::stopMachine()
{
    const std::lock_guard locker(m_machineMutex);
    m_machine.reset();
}

void Store::setClock(const std::shared_ptr<Clock> &clock)
{
    const std::lock_guard locker(m_mutex);
    if (!m_clock)
        m_clock = clock;
}

void Store::announce(void (Store::*signal)(const QString &), const QString &id)
{
    const HandOver handOver(this); // those who use the store live in several threads
    Q_EMIT(this->*signal)(id);
}

QString Store::insert(Record record)
{
    QString id;
    {
        const std::lock_guard locker(m_mutex);
        do {
            id = u"fake-%1"_s.arg(++m_serial, 4, 10, '0'_L1);
        } while (m_records.contains(id));
        record.managed.id = id;
        m_records.insert(id, record);
    }
    announce(&Store::changed, id);
    return id;
}

void Store::insertAs(const Record &record)
{
    {
        const std::lock_guard locker(m_mutex);
        m_records.insert(record.managed.id, record);
    }
    announce(&Store::changed, record.managed.id);
}

bool Store::with(const QString &id, const std::function<void(Record &)> &function)
{
    expire();
    const std::lock_guard locker(m_mutex);
    const auto record = m_records.find(id);
    if (record == m_records.end())
        return false;
    function(*record);
    return true;
}

std::optional<Record> Store::find(const QString &id)
{
    std::optional<Record> found;
    with(id, [&](const Record &record) { found = record; });
    return found;
}

QList<Record> Store::all()
{
    expire();
    const std::lock_guard locker(m_mutex);
    return m_records.values();
}

bool Store::remove(const QString &id)
{
    {
        const std::lock_guard locker(m_mutex);
        if (m_records.remove(id) == 0)
            return false;
    }
    announce(&Store::removed, id);
    return true;
}

void Store::setState(const QString &id, SandboxState state)
{
    const bool found = with(id, [state](Record &record) { record.managed.state = state; });
    if (found)
        announce(&Store::changed, id);
}

void Store::expire()
{
    QStringList ended;
    {
        const std::lock_guard locker(m_mutex);
        for (Record &record : m_records) {
            const bool lives =
                record.managed.state == SandboxState::Running || record.managed.state == SandboxState::Paused;
            if (!lives || !record.end || !m_clock || m_clock->now() < *record.end)
                continue;
            record.managed.state = SandboxState::Stopped;
            record.processes.clear();
            ended.append(record.managed.id);
        }
    }
    for (const QString &id : ended)
        announce(&Store::changed, id);
}

} // namespace Sandboxio::Fake
