// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/operation.h>

namespace Sandboxio::Broken {

/*! \a inner with its value passed through \a change; errors, cancelling and progress as they are. \a context lives in
    the I/O thread. */
template <typename T, typename Change>
Operation<T> forwarded(QObject *context, const Operation<T> &inner, Change change)
{
    const OperationPromise<T> promise;
    promise.onCancelRequested(context, [inner] { inner.cancel(); });
    inner.onProgress(context,
                     [promise](const OperationProgress &progress) { promise.reportProgress(progress); });
    inner.then(context, [promise, change](const T &value) { promise.finish(change(value)); });
    inner.onError(context, [promise](const ErrorInfo &error) { promise.fail(error); });
    inner.onCancelled(context, [promise] { promise.cancelled(); });
    return promise.operation();
}

/*! \a inner with its error passed through \a change. */
template <typename T, typename Change>
Operation<T> withError(QObject *context, const Operation<T> &inner, Change change)
{
    const OperationPromise<T> promise;
    promise.onCancelRequested(context, [inner] { inner.cancel(); });
    if constexpr (std::is_void_v<T>)
        inner.then(context, [promise] { promise.finish(); });
    else
        inner.then(context, [promise](const T &value) { promise.finish(value); });
    inner.onError(context, [promise, change](const ErrorInfo &error) { promise.fail(change(error)); });
    inner.onCancelled(context, [promise] { promise.cancelled(); });
    return promise.operation();
}

} // namespace Sandboxio::Broken
