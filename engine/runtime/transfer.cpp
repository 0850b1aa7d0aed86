// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "transfer.h"

namespace Sandboxio {

Transfer::Transfer(Direction direction, const QString &name, const Operation<void> &operation, QObject *parent)
    : QObject(parent)
    , m_direction(direction)
    , m_name(name)
    , m_operation(operation)
{
    m_elapsed.start();
    m_operation.onProgress(this, [this](const OperationProgress &progress) {
        m_progress = progress;
        Q_EMIT progressed();
    });
    m_operation.then(this, [this] { end(State::Finished); });
    m_operation.onCancelled(this, [this] { end(State::Cancelled); });
    m_operation.onError(this, [this](const ErrorInfo &error) {
        m_error = error;
        end(State::Failed);
    });
}

Transfer::~Transfer() = default;

double Transfer::rate() const
{
    const double seconds = static_cast<double>(m_elapsed.elapsed()) / 1000;
    return seconds > 0 ? static_cast<double>(m_progress.done) / seconds : 0;
}

std::optional<std::chrono::seconds> Transfer::timeLeft() const
{
    const double bytesPerSecond = rate();
    if (!m_progress.total || bytesPerSecond <= 0)
        return std::nullopt;
    return std::chrono::seconds(
        qRound64(static_cast<double>(*m_progress.total - m_progress.done) / bytesPerSecond));
}

void Transfer::cancel()
{
    m_operation.cancel();
}

void Transfer::end(State state)
{
    m_state = state;
    Q_EMIT ended();
}

} // namespace Sandboxio
