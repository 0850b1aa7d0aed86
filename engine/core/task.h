// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/operation.h>

#include <QCoroTask>

namespace Sandboxio {

namespace Detail {

template <typename T>
QCoro::Task<> completeFrom(OperationPromise<T> promise, QCoro::Task<T> body)
{
    try {
        if constexpr (std::is_void_v<T>) {
            co_await body;
            promise.finish();
        } else {
            promise.finish(co_await body);
        }
    } catch (const OperationCancelled &) {
        promise.cancelled();
    } catch (const SandboxError &error) {
        promise.fail(error.info());
    }
}

} // namespace Detail

/*! A trap of QCoro to know: `co_return member;` and `co_return *pointer;` move from what they name, so return a
    copy.

    Ends \a promise with what the coroutine \a body returns or throws: a SandboxError becomes an error,
    OperationCancelled becomes cancelled, anything else ends the program. This is how adapters and the runtime
    write sequences of steps.

    \code
    struct Example : std::enable_shared_from_this<Example>
    {
        static QCoro::Task<void> killSteps(std::shared_ptr<Example> self);

        Operation<void> kill()
        {
            const OperationPromise<void> promise;
            completeFrom(promise, killSteps(shared_from_this()));
            return promise.operation();
        }
    };
    \endcode */
template <typename T>
void completeFrom(OperationPromise<T> promise, QCoro::Task<T> body)
{
    Detail::completeFrom(std::move(promise), std::move(body));
}

/*! The operation of a coroutine that needs no cancel handling of its own. */
template <typename T>
Operation<T> operationOf(QCoro::Task<T> body)
{
    const OperationPromise<T> promise;
    Operation<T> operation = promise.operation();
    completeFrom(promise, std::move(body));
    return operation;
}

} // namespace Sandboxio
