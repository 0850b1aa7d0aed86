// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoroTask>

#include <QElapsedTimer>

namespace Sandboxio::Cli {

/*! The seconds since \a timer was started. */
inline double secondsOf(const QElapsedTimer &timer)
{
    return double(timer.nsecsElapsed()) / 1e9;
}

/*! The seconds from before \a start is called until what it returns, which can be awaited, has ended. Throws what that
    throws. */
template <typename Start>
QCoro::Task<double> timed(Start start)
{
    QElapsedTimer timer;
    timer.start();
    co_await start();
    co_return secondsOf(timer);
}

} // namespace Sandboxio::Cli
