// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/task.h>
#include <sandboxio/ports/enginecontext.h>

#include <QObject>

#include <functional>
#include <optional>

namespace Sandboxio::Docker {

/*! Ends when \a operation has ended, however it did. */
template <typename T>
Operation<void> settled(const Operation<T> &operation, QObject *context)
{
    const OperationPromise<void> promise;
    operation.then(context, [promise](const auto &...) { promise.finish(); });
    operation.onError(context, [promise](const ErrorInfo &) { promise.finish(); });
    operation.onCancelled(context, [promise] { promise.finish(); });
    return promise.operation();
}

/*! Waits for the first of: \a operation has ended; \a limit is over on the engine's clock; \a interrupt has
    ended. Returns whether the operation has ended. Never throws what the operation failed with. */
template <typename T>
QCoro::Task<bool> endsWithin(EngineContext *engine, Operation<T> operation,
                             std::optional<std::chrono::milliseconds> limit,
                             std::optional<Operation<void>> interrupt)
{
    QObject receiver;
    const OperationPromise<void> gate;
    const auto open = [gate](const auto &...) {
        gate.finish();
    };
    const Operation<void> end = settled(operation, &receiver);
    end.then(&receiver, open);
    if (interrupt)
        interrupt->then(&receiver, open);
    const auto timer = limit ? engine->clock->arm(&receiver, *limit, open) : nullptr;
    co_await gate.operation();
    co_return operation.isEnded();
}

/*! Where an operation is told that somebody cancels it. */
using CancelSource = std::function<void(QObject *context, std::function<void()> callback)>;
template <typename T>
CancelSource cancelSource(const OperationPromise<T> &promise)
{
    return [promise](QObject *context, std::function<void()> callback) {
        promise.onCancelRequested(context, std::move(callback));
    };
}

/*! Awaits \a inner; a cancel at \a source is passed on to it. */
template <typename T>
QCoro::Task<T> cancellable(CancelSource source, Operation<T> inner)
{
    QObject scope;
    source(&scope, [inner] { inner.cancel(); });
    co_return co_await inner;
}

/*! Waits on the engine's clock. */
inline QCoro::Task<> pauseFor(EngineContext *engine, std::chrono::milliseconds time)
{
    const OperationPromise<void> promise;
    const auto timer = engine->clock->arm(engine->ioObject, time, [promise] { promise.finish(); });
    co_await promise.operation();
}

} // namespace Sandboxio::Docker
