// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "pausewatch.h"

namespace Sandboxio::Docker {

namespace {
constexpr std::chrono::seconds silence(2);
} // namespace

PauseWatch::PauseWatch(std::shared_ptr<Clock> clock, std::function<Operation<std::optional<ErrorInfo>>()> look)
    : m_clock(std::move(clock))
    , m_look(std::move(look))
{}

quint64 PauseWatch::begin(std::function<void(const ErrorInfo &)> stop)
{
    m_waits.emplace(++m_lastWait, std::move(stop));
    if (!m_timer)
        arm();
    return m_lastWait;
}

bool PauseWatch::end(quint64 wait)
{
    return m_waits.erase(wait) > 0;
}

void PauseWatch::arm()
{
    m_lastAtTick = m_lastWait;
    m_timer = m_clock->arm(this, silence, [this] { tick(); });
}

void PauseWatch::tick()
{
    if (m_waits.empty()) {
        m_timer.reset();
        return;
    }
    const quint64 last = m_lastAtTick;
    if (m_waits.begin()->first > last) { // none of them has waited long
        arm();
        return;
    }
    const Operation<std::optional<ErrorInfo>> look = m_look();
    look.then(this, [this, last](const std::optional<ErrorInfo> &paused) {
        if (paused)
            stopAll(*paused, last);
        arm();
    });
    look.onError(this, [this](const ErrorInfo &) { arm(); });
    look.onCancelled(this, [this] { arm(); });
}

void PauseWatch::stopAll(const ErrorInfo &error, quint64 last)
{
    while (!m_waits.empty() && m_waits.begin()->first <= last) {
        const auto stop = std::move(m_waits.begin()->second); // it may end other waits
        m_waits.erase(m_waits.begin());
        stop(error);
    }
}

} // namespace Sandboxio::Docker
