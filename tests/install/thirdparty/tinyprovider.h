// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QDateTime>
#include <QMap>
#include <QMutex>
#include <QObject>
#include <QStringList>

#include <chrono>
#include <optional>

namespace Tiny {

struct Box
{
    QString id;
    QString name;
    QMap<QString, QString> labels;
    QString owner;
    QDateTime created;
    std::chrono::milliseconds lifetime{0};
    bool ended = false;
    bool managed = true;
    QStringList running; // command lines
};

/*! A provider of boxes in memory. Thread-safe. */
class Q_DECL_EXPORT Provider : public QObject
{
    Q_OBJECT
public:
    static Provider &instance();

    QString add(Box box);
    std::optional<Box> find(const QString &id) const;
    QList<Box> boxes() const;
    bool remove(const QString &id);
    void end(const QString &id);
    void setRunning(const QString &id, const QString &line, bool runs);
    int requests() const;

Q_SIGNALS:
    void gone(const QString &id); // removed or ended

private:
    mutable QMutex m_mutex;
    QMap<QString, Box> m_boxes;
    int m_requests = 0;
};

} // namespace Tiny
