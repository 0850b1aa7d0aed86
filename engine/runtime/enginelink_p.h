// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/operation.h>

#include <QThread>

#include <functional>
#include <memory>
#include <mutex>

namespace Sandboxio::Detail {

class EngineCore;

/*! The way from any thread into an engine's I/O thread. Values that outlive the engine keep it and find it
 * closed. */
class EngineLink
{
public:
    explicit EngineLink(std::function<EngineCore *()> makeCore);
    ~EngineLink();

    /*! Runs \a function in the I/O thread, which is started by the first call. False once closed. */
    bool post(std::function<void(EngineCore &)> function);
    /*! post(), or fails \a promise because the engine is gone. */
    template <typename T>
    void post(const OperationPromise<T> &promise, std::function<void(EngineCore &)> function)
    {
        if (!post(std::move(function)))
            promise.fail(closedError());
    }
    /*! Refuses further posts, ends the thread after it handled those made so far. Blocks until it is gone. */
    void close();
    bool isStarted() const;
    static ErrorInfo closedError();

private:
    mutable std::mutex m_mutex;
    std::function<EngineCore *()> m_makeCore;
    std::unique_ptr<QThread> m_thread;
    EngineCore *m_core = nullptr;
    bool m_closed = false;
};

} // namespace Sandboxio::Detail
