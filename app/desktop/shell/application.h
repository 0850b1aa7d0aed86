// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eventtimes.h"

#include <QApplication>

namespace Sandboxio::Desktop {

/*! The application object. Measures on demand how long the thread of the window is held by one event: always in
    the self-test, else where the environment variable SANDBOXIO_EVENT_TIMES is set. */
class Application : public QApplication
{
    Q_OBJECT
public:
    Application(int &argc, char **argv);

    /*! Starts measuring. */
    void measureEvents() { m_measuring = true; }
    bool isMeasuring() const { return m_measuring; }
    /*! What was measured since measureEvents(). */
    EventTimes &eventTimes() { return m_times; }

    bool notify(QObject *receiver, QEvent *event) override;

private:
    bool m_measuring = false;
    int m_depth = 0;
    EventTimes m_times;
};

} // namespace Sandboxio::Desktop
