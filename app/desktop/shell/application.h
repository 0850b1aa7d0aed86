// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>

#include <chrono>

namespace Sandboxio::Desktop {

/*! The application object. Measures on demand how long the thread of the window is held by one event. */
class Application : public QApplication
{
    Q_OBJECT
public:
    Application(int &argc, char **argv);

    /*! Starts measuring. */
    void measureEvents() { m_measuring = true; }
    /*! The most CPU time that one event took since measureEvents(). */
    std::chrono::nanoseconds longestEvent() const { return m_longest; }
    /*! What that event was, for a report. */
    QString longestEventName() const { return m_longestName; }

    bool notify(QObject *receiver, QEvent *event) override;

private:
    bool m_measuring = false;
    int m_depth = 0;
    std::chrono::nanoseconds m_longest{0};
    QString m_longestName;
};

} // namespace Sandboxio::Desktop
