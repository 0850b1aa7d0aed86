// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/clock.h>
#include <sandboxio/core/task.h>

namespace Sandboxio::Detail {

/*! Awaits \a inner; a cancel request for \a promise is passed on to it. */
template <typename P, typename T>
QCoro::Task<T> cancellable(OperationPromise<P> promise, Operation<T> inner)
{
    QObject scope;
    promise.onCancelRequested(&scope, [inner] { inner.cancel(); });
    co_return co_await inner;
}

/*! Whether \a operation ended, in whatever way, within \a limit. */
template <typename T>
QCoro::Task<bool> endsWithin(Operation<T> operation, std::shared_ptr<Clock> clock,
                             std::chrono::milliseconds limit)
{
    QObject scope;
    const OperationPromise<bool> decided;
    const Operation<bool> decision = decided.operation();
    const std::unique_ptr<ArmedTimer> timer = clock->arm(&scope, limit, [decided] { decided.finish(false); });
    const auto ended = [decided] {
        decided.finish(true);
    };
    if constexpr (std::is_void_v<T>)
        operation.then(&scope, ended);
    else
        operation.then(&scope, [decided](const T &) { decided.finish(true); });
    operation.onCancelled(&scope, ended);
    operation.onError(&scope, [decided](const ErrorInfo &) { decided.finish(true); });
    co_return co_await decision;
}

} // namespace Sandboxio::Detail
