// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "tinyprovider.h"

namespace Tiny {

Provider &Provider::instance()
{
    static Provider provider;
    return provider;
}

QString Provider::add(Box box)
{
    const QMutexLocker locker(&m_mutex);
    box.id = QStringLiteral("tiny-%1").arg(++m_requests);
    m_boxes.insert(box.id, box);
    return box.id;
}

std::optional<Box> Provider::find(const QString &id) const
{
    const QMutexLocker locker(&m_mutex);
    const auto box = m_boxes.constFind(id);
    return box == m_boxes.constEnd() ? std::nullopt : std::optional(*box);
}

QList<Box> Provider::boxes() const
{
    const QMutexLocker locker(&m_mutex);
    return m_boxes.values();
}

bool Provider::remove(const QString &id)
{
    {
        const QMutexLocker locker(&m_mutex);
        if (m_boxes.remove(id) == 0)
            return false;
    }
    Q_EMIT gone(id);
    return true;
}

void Provider::end(const QString &id)
{
    {
        const QMutexLocker locker(&m_mutex);
        if (!m_boxes.contains(id))
            return;
        m_boxes[id].ended = true;
        m_boxes[id].running.clear();
    }
    Q_EMIT gone(id);
}

void Provider::setRunning(const QString &id, const QString &line, bool runs)
{
    const QMutexLocker locker(&m_mutex);
    if (!m_boxes.contains(id))
        return;
    if (runs)
        m_boxes[id].running.append(line);
    else
        m_boxes[id].running.removeOne(line);
}

int Provider::requests() const
{
    const QMutexLocker locker(&m_mutex);
    return m_requests;
}

} // namespace Tiny
