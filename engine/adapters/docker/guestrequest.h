// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "dockersandbox.h"

#include <sandboxio/core/task.h>
#include <sandboxio/guest/client/client.h>

namespace Sandboxio::Docker {

/*! One request to the guest: how to make it and what an errno of its answer means. */
template <typename T>
struct GuestRequest
{
    std::shared_ptr<DockerSandbox> sandbox;
    std::function<void(Guest::Client &, Guest::Reply<T>)> make;
    std::function<ErrorInfo(int errorNumber)> error;
};

/*! Ends \a promise with why the connection to the guest was lost. */
template <typename T>
QCoro::Task<> failAsLost(OperationPromise<T> promise, std::shared_ptr<DockerSandbox> sandbox)
{
    try {
        promise.fail(co_await sandbox->lossReason());
    } catch (const OperationCancelled &) {
        promise.cancelled();
    }
}

namespace Detail {

template <typename T>
void send(const GuestRequest<T> &request, const OperationPromise<T> &promise)
{
    Guest::Client *guest = request.sandbox->guest();
    if (!guest) {
        failAsLost(promise, request.sandbox);
        return;
    }
    const quint64 wait =
        request.sandbox->pauseWatch().begin([promise](const ErrorInfo &error) { promise.fail(error); });
    request.make(*guest, [promise, request, wait](std::expected<T, Guest::FileError> reply) {
        if (!request.sandbox->pauseWatch().end(wait))
            return;
        if (!reply && reply.error().connectionLost) {
            failAsLost(promise, request.sandbox);
        } else if (!reply) {
            promise.fail(request.error(reply.error().errorNumber));
        } else {
            if constexpr (std::is_void_v<T>)
                promise.finish();
            else
                promise.finish(*std::move(reply));
        }
    });
}

template <typename T>
QCoro::Task<> sendWhenUsable(GuestRequest<T> request, OperationPromise<T> promise)
{
    try {
        co_await request.sandbox->whenUsable();
        send(request, promise);
    } catch (const SandboxError &error) {
        promise.fail(error.info());
    } catch (const OperationCancelled &) {
        promise.cancelled();
    }
}

} // namespace Detail

/*! Makes \a request, connecting again first where the connection was lost. */
template <typename T>
Operation<T> sendToGuest(const GuestRequest<T> &request)
{
    const OperationPromise<T> promise;
    const Operation<T> operation = promise.operation();
    if (request.sandbox->guest())
        Detail::send(request, promise);
    else
        Detail::sendWhenUsable(request, promise);
    return operation;
}

} // namespace Sandboxio::Docker
