// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/clock.h>
#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/operation.h>

#include <QObject>

#include <functional>
#include <map>
#include <memory>

namespace Sandboxio::Docker {

/*! Sandboxes can be paused by others, and what is paused does not say so. Looks after a while of silence, and ends what
    waits for an answer. Costs nothing while answers come. Lives in the I/O thread. */
class PauseWatch final : public QObject
{
public:
    /*! \a look asks whether the sandbox is paused: with the error to report when it is. */
    PauseWatch(std::shared_ptr<Clock> clock, std::function<Operation<std::optional<ErrorInfo>>()> look);

    /*! Somebody waits for an answer; \a stop is called with the error when none can come. */
    quint64 begin(std::function<void(const ErrorInfo &)> stop);
    /*! The wait is over. False when it was stopped before: what comes now is too late. */
    bool end(quint64 wait);

private:
    void arm();
    void tick();
    void stopAll(const ErrorInfo &error, quint64 last);

    const std::shared_ptr<Clock> m_clock;
    const std::function<Operation<std::optional<ErrorInfo>>()> m_look;
    std::map<quint64, std::function<void(const ErrorInfo &)>> m_waits;
    std::unique_ptr<ArmedTimer> m_timer;
    quint64 m_lastWait = 0;
    quint64 m_lastAtTick = 0; //!< waits up to this one have lasted for a whole interval
};

} // namespace Sandboxio::Docker
