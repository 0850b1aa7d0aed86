// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "rundriver_p.h"

#include <sandboxio/runtime/process.h>

#include <deque>
#include <mutex>

namespace Sandboxio::Detail {

/*! Carries the events of a streamed run from the I/O thread to its Process: a counted queue and one wake-up at
    a time. The Process may die at any moment; the run then goes on without it. */
class ProcessMailbox final : public RunObserver
{
public:
    using Acknowledge = std::function<void(OutputStream, qint64)>;

    struct End
    {
        RunOutcome outcome;
        std::optional<ExecResult> result;
        std::optional<ErrorInfo> error;
    };
    struct Contents
    {
        bool started = false; //!< for the first time
        std::deque<OutputChunk> chunks;
        std::optional<End> end; //!< set once, after the last chunk was handed out
    };

    explicit ProcessMailbox(Process *handle);
    ~ProcessMailbox() override;

    // Handle side
    void open(Process::ConsumerMode mode, Acknowledge acknowledge, std::function<void(Process *)> wake);
    void detachHandle();
    Contents take();
    void acknowledge(OutputStream stream, qint64 bytes);
    Operation<std::optional<OutputChunk>> pull();
    Operation<void> startedOperation() const { return m_started; }
    Operation<ExecResult> endOperation() const { return m_finished; }
    std::optional<End> end() const;
    bool isRunning() const;

    // I/O side
    void runStarted() override;
    void runOutput(const OutputChunk &chunk) override;
    void runEnded(const RunOutcome &outcome, const std::optional<ExecResult> &result,
                  const std::optional<ErrorInfo> &error) override;

private:
    using PullPromise = OperationPromise<std::optional<OutputChunk>>;
    void wakeLocked();
    void answerPull(std::unique_lock<std::mutex> lock);
    std::optional<ErrorInfo> blockingCheck() const;

    mutable std::mutex m_mutex;
    Process *m_handle;
    Process::ConsumerMode m_mode = Process::ConsumerMode::Discard;
    Acknowledge m_acknowledge;
    std::function<void(Process *)> m_wake;
    std::deque<OutputChunk> m_chunks;
    std::optional<PullPromise> m_pull;
    bool m_wakePosted = false;
    bool m_opened = false;
    bool m_startedPending = false;
    bool m_endHandedOut = false;
    std::optional<End> m_end;
    OperationPromise<void> m_startedPromise;
    OperationPromise<ExecResult> m_finishedPromise;
    Operation<void> m_started = m_startedPromise.operation();
    Operation<ExecResult> m_finished = m_finishedPromise.operation();
};

} // namespace Sandboxio::Detail
