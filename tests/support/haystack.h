// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QByteArray>
#include <QMap>
#include <QString>
#include <QtLogging>

#include <mutex>

/*! Everything that was composed somewhere, by place, and the canary values that must not be in it. Thread-safe. */
class Haystack
{
public:
    /*! From now on \a value must not appear; \a name stands for it in reports. */
    void plant(const QString &name, const QByteArray &value);
    void add(const QString &place, const QByteArray &text);
    void add(const QString &place, const QString &text) { add(place, text.toUtf8()); }
    /*! Adds the bytes of every file below \a folder. */
    void addFolder(const QString &place, const QString &folder);

    QByteArray text(const QString &place) const;
    /*! One line for each canary found in whatever form, with its place; empty when there is none. */
    QByteArray findings() const;

private:
    mutable std::mutex m_mutex;
    QMap<QString, QByteArray> m_canaries;
    QMap<QString, QByteArray> m_texts;
};

/*! While it lives, every message of the program goes into a haystack, in the place "log CATEGORY". One at a time. */
class LogCapture
{
public:
    explicit LogCapture(Haystack &haystack);
    ~LogCapture();
    Q_DISABLE_COPY_MOVE(LogCapture)

private:
    QtMessageHandler m_before;
};
