// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/export.h>

#include <QDateTime>

#include <chrono>
#include <functional>
#include <memory>

class QObject;

namespace Sandboxio {

/*! A timer that has been armed; destroying it disarms it. Belongs to the thread that armed it. */
class SANDBOXIO_CORE_EXPORT ArmedTimer
{
public:
    virtual ~ArmedTimer();
};

/*! Time as the engine sees it: every limit, lifetime and grace goes through here, so that tests can run hours
    in milliseconds. now() may be called from any thread, arm() in the I/O thread. */
class SANDBOXIO_CORE_EXPORT Clock
{
public:
    virtual ~Clock();
    /*! Monotonic time since an arbitrary start. */
    virtual std::chrono::nanoseconds now() const = 0;
    /*! The time of day, UTC. */
    virtual QDateTime wallTime() const = 0;
    /*! Calls \a callback once, in \a context's thread, after \a delay, unless the result is destroyed before.
     */
    virtual std::unique_ptr<ArmedTimer> arm(QObject *context, std::chrono::milliseconds delay,
                                            std::function<void()> callback) = 0;

    /*! The real clock. now() counts suspend as time, armed timers do not. */
    static std::shared_ptr<Clock> system();
};

} // namespace Sandboxio
