// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>

#include <chrono>

namespace Sandboxio::Desktop {

/*! CPU time that the calling thread has used so far. */
std::chrono::nanoseconds threadCpuTime();

/*! The events that held one thread longest, by CPU time, so that a busy machine does not count. */
class EventTimes
{
public:
    struct Entry
    {
        std::chrono::nanoseconds time{0};
        QString receiver; //!< class, with the object's name where it has one
        QString event;    //!< type
        QString during;   //!< what the program was doing, see setActivity()
    };

    /*! Names what happens from now on, for the report. */
    void setActivity(const QString &activity) { m_activity = activity; }
    void add(std::chrono::nanoseconds time, const QString &receiver, const QString &event);
    qint64 count() const { return m_count; }
    /*! Whether an event of \a time would be among the longest; building its name can be spared otherwise. */
    bool isNotable(std::chrono::nanoseconds time) const;
    void countOne() { ++m_count; }
    /*! A line for every one of the longest. */
    QString report() const;

private:
    QList<Entry> m_longest; // longest first
    QString m_activity;
    qint64 m_count = 0;
};

} // namespace Sandboxio::Desktop
