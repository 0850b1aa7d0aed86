// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/operation.h>

namespace Sandboxio::Broken {

/*! Reports to \a promise what becomes of \a inner: progress and being cancelled as they are, the value by \a onValue and
    the error by \a onError, which end the promise. Does not pass on a cancel. \a context lives in the I/O thread. */
template <typename T, typename Result, typename OnValue, typename OnError>
void report(QObject *context, const Operation<T> &inner, const OperationPromise<Result> &promise,
            OnValue onValue, OnError onError)
{
    inner.onProgress(context,
                     [promise](const OperationProgress &progress) { promise.reportProgress(progress); });
    inner.then(context, std::move(onValue));
    inner.onError(context, std::move(onError));
    inner.onCancelled(context, [promise] { promise.cancelled(); });
}

/*! report(), and a cancel is passed on. */
template <typename T, typename Result, typename OnValue, typename OnError>
void wire(QObject *context, const Operation<T> &inner, const OperationPromise<Result> &promise, OnValue onValue,
          OnError onError)
{
    promise.onCancelRequested(context, [inner] { inner.cancel(); });
    report(context, inner, promise, std::move(onValue), std::move(onError));
}

/*! Ends \a promise with the value that it is called with. */
template <typename T>
auto finishing(const OperationPromise<T> &promise)
{
    return [promise](const auto &...value) {
        promise.finish(value...);
    };
}

/*! Ends \a promise with the error that it is called with. */
template <typename T>
auto failing(const OperationPromise<T> &promise)
{
    return [promise](const ErrorInfo &error) {
        promise.fail(error);
    };
}

/*! \a inner with its value passed through \a change; the rest as it is. */
template <typename T, typename Change, typename Result = std::invoke_result_t<Change &, const T &>>
Operation<Result> forwarded(QObject *context, const Operation<T> &inner, Change change)
{
    const OperationPromise<Result> promise;
    const auto finish = [promise, change = std::move(change)](const T &value) mutable {
        if constexpr (std::is_void_v<Result>) {
            change(value);
            promise.finish();
        } else {
            promise.finish(change(value));
        }
    };
    wire(context, inner, promise, finish, failing(promise));
    return promise.operation();
}

/*! \a inner with its error passed through \a change; the rest as it is. */
template <typename T, typename Change>
Operation<T> withError(QObject *context, const Operation<T> &inner, Change change)
{
    const OperationPromise<T> promise;
    wire(context, inner, promise, finishing(promise),
         [promise, change = std::move(change)](const ErrorInfo &error) { promise.fail(change(error)); });
    return promise.operation();
}

} // namespace Sandboxio::Broken
