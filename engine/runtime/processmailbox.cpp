// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "processmailbox_p.h"

#include <QCoreApplication>
#include <QThread>

namespace Sandboxio::Detail {

namespace {
// Small pieces of one stream are joined up to this size: a crossing of threads per piece would cost more.
constexpr qsizetype joinLimit = 256 * 1024;
} // namespace

ProcessMailbox::ProcessMailbox(Process *handle)
    : m_handle(handle)
{
    m_finishedPromise.setBlockingCheck([this] { return blockingCheck(); });
}

ProcessMailbox::~ProcessMailbox() = default;

std::optional<ErrorInfo> ProcessMailbox::blockingCheck() const
{
    const std::lock_guard lock(m_mutex);
    const bool consumes = m_mode != Process::ConsumerMode::Discard && m_opened && m_handle;
    if (!consumes || m_end || QThread::currentThread() != m_handle->thread())
        return std::nullopt;
    return makeError(
        ErrorKind::ConfigurationError,
        QCoreApplication::translate("Sandboxio::Process", "Blocking on wait() in the thread that consumes "
                                                          "the output would never end."),
        QCoreApplication::translate("Sandboxio::Process", "Use then() or co_await, take all chunks first, "
                                                          "or start with ConsumerMode::Discard."));
}

void ProcessMailbox::open(Process::ConsumerMode mode, Acknowledge acknowledge,
                          std::function<void(Process *)> wake)
{
    const std::lock_guard lock(m_mutex);
    m_mode = mode;
    m_opened = true;
    m_acknowledge = std::move(acknowledge);
    m_wake = std::move(wake);
}

void ProcessMailbox::detachHandle()
{
    const std::lock_guard lock(m_mutex);
    m_handle = nullptr;
    m_mode = Process::ConsumerMode::Discard;
    m_chunks.clear();
}

void ProcessMailbox::wakeLocked()
{
    if (!m_handle || m_wakePosted)
        return;
    m_wakePosted = true;
    m_wake(m_handle);
}

ProcessMailbox::Contents ProcessMailbox::take()
{
    const std::lock_guard lock(m_mutex);
    m_wakePosted = false;
    Contents contents;
    contents.started = std::exchange(m_startedPending, false);
    if (m_mode == Process::ConsumerMode::Signals)
        contents.chunks = std::exchange(m_chunks, {});
    if (m_end && m_chunks.empty() && !std::exchange(m_endHandedOut, true))
        contents.end = m_end;
    return contents;
}

void ProcessMailbox::acknowledge(OutputStream stream, qint64 bytes)
{
    Acknowledge acknowledge;
    {
        const std::lock_guard lock(m_mutex);
        acknowledge = m_acknowledge;
    }
    if (acknowledge)
        acknowledge(stream, bytes);
}

Operation<std::optional<OutputChunk>> ProcessMailbox::pull()
{
    std::unique_lock lock(m_mutex);
    if (m_mode != Process::ConsumerMode::Pull || m_pull) {
        lock.unlock();
        return failedOperation<std::optional<OutputChunk>>(makeError(
            ErrorKind::ConfigurationError,
            QCoreApplication::translate("Sandboxio::Process", "nextChunk() cannot be called now."),
            QCoreApplication::translate("Sandboxio::Process",
                                        "Start with ConsumerMode::Pull and ask for one chunk at a time.")));
    }
    m_pull.emplace();
    const Operation<std::optional<OutputChunk>> operation = m_pull->operation();
    answerPull(std::move(lock));
    return operation;
}

// Gives the next chunk, or the end, to the one who asked for it.
void ProcessMailbox::answerPull(std::unique_lock<std::mutex> lock)
{
    if (!m_pull || (m_chunks.empty() && !m_end))
        return;
    const PullPromise promise = *std::exchange(m_pull, std::nullopt);
    if (m_chunks.empty()) {
        wakeLocked();
        lock.unlock();
        promise.finish(std::nullopt);
        return;
    }
    const OutputChunk chunk = m_chunks.front();
    m_chunks.pop_front();
    const Acknowledge acknowledge = m_acknowledge;
    lock.unlock();
    acknowledge(chunk.stream, chunk.data.size());
    promise.finish(chunk);
}

std::optional<ProcessMailbox::End> ProcessMailbox::end() const
{
    const std::lock_guard lock(m_mutex);
    return m_end;
}

bool ProcessMailbox::isRunning() const
{
    const std::lock_guard lock(m_mutex);
    return m_opened && !m_end;
}

void ProcessMailbox::runStarted()
{
    {
        const std::lock_guard lock(m_mutex);
        m_startedPending = true;
        wakeLocked();
    }
    m_startedPromise.finish();
}

void ProcessMailbox::runOutput(const OutputChunk &chunk)
{
    std::unique_lock lock(m_mutex);
    if (m_mode == Process::ConsumerMode::Discard) {
        const Acknowledge acknowledge = m_acknowledge;
        lock.unlock();
        acknowledge(chunk.stream, chunk.data.size());
        return;
    }
    if (!m_chunks.empty() && m_chunks.back().stream == chunk.stream && chunk.lostBefore == 0 &&
        m_chunks.back().data.size() + chunk.data.size() <= joinLimit)
        m_chunks.back().data += chunk.data;
    else
        m_chunks.push_back(chunk);
    if (m_mode == Process::ConsumerMode::Pull)
        answerPull(std::move(lock));
    else
        wakeLocked();
}

void ProcessMailbox::runEnded(const RunOutcome &outcome, const std::optional<ExecResult> &result,
                              const std::optional<ErrorInfo> &error)
{
    std::unique_lock lock(m_mutex);
    m_end = End{outcome, result, error};
    wakeLocked();
    answerPull(std::move(lock));
    if (error) {
        m_startedPromise.fail(*error);
        m_finishedPromise.fail(*error);
    } else if (result) {
        m_startedPromise.finish();
        m_finishedPromise.finish(*result);
    } else {
        m_startedPromise.cancelled();
        m_finishedPromise.cancelled();
    }
}

} // namespace Sandboxio::Detail
