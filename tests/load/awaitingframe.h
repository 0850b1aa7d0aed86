// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include <coroutine>
#include <exception>

namespace Sandboxio::Load {

/*! A coroutine whose frame its owner destroys, whenever it likes. Runs from the call on. */
class AwaitingFrame
{
public:
    struct promise_type
    {
        AwaitingFrame get_return_object()
        {
            return AwaitingFrame(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };

    AwaitingFrame(AwaitingFrame &&other) noexcept
        : m_handle(std::exchange(other.m_handle, nullptr))
    {}
    ~AwaitingFrame()
    {
        if (m_handle)
            m_handle.destroy();
    }
    AwaitingFrame(const AwaitingFrame &) = delete;
    AwaitingFrame &operator=(const AwaitingFrame &) = delete;
    AwaitingFrame &operator=(AwaitingFrame &&) = delete;

private:
    explicit AwaitingFrame(std::coroutine_handle<promise_type> handle)
        : m_handle(handle)
    {}
    std::coroutine_handle<promise_type> m_handle;
};

} // namespace Sandboxio::Load
