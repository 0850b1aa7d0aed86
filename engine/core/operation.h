// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/error.h>
#include <sandboxio/core/operationstate.h>

#include <QFuture>
#include <QPromise>

#include <coroutine>
#include <type_traits>
#include <utility>
#include <variant>

namespace Sandboxio {

template <typename T>
class Operation;
template <typename T>
class OperationPromise;

namespace Detail {

template <typename T>
using Stored = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <typename T>
class OperationState final : public OperationStateBase
{
public:
    bool endWithValue(Stored<T> value)
    {
        return end(OperationOutcome::Value, {}, [&] { m_value = std::move(value); });
    }
    std::optional<Stored<T>> take()
    {
        const std::lock_guard lock(m_mutex);
        return takeLocked() ? m_value : std::nullopt;
    }
    void setReclaim(std::function<void(Stored<T>)> reclaim)
    {
        {
            const std::lock_guard lock(m_mutex);
            m_reclaim = std::move(reclaim);
        }
        setLeased();
    }

protected:
    void reclaim() override
    {
        std::optional<Stored<T>> value;
        std::function<void(Stored<T>)> giveBack;
        {
            const std::lock_guard lock(m_mutex);
            value = std::exchange(m_value, std::nullopt);
            giveBack = std::exchange(m_reclaim, nullptr);
        }
        if (value && giveBack)
            giveBack(std::move(*value));
    }

private:
    std::optional<Stored<T>> m_value;
    std::function<void(Stored<T>)> m_reclaim;
};

// Shared by all handles and continuations of one operation: when the last is gone, nobody can take the value.
template <typename T>
struct OperationConsumer
{
    explicit OperationConsumer(std::shared_ptr<OperationState<T>> shared)
        : state(std::move(shared))
    {}
    ~OperationConsumer() { state->abandon(); }
    Q_DISABLE_COPY_MOVE(OperationConsumer)
    std::shared_ptr<OperationState<T>> state;
};

template <typename T>
struct OperationProducer
{
    std::shared_ptr<OperationState<T>> state = std::make_shared<OperationState<T>>();
    OperationProducer() = default;
    ~OperationProducer() { state->end(OperationOutcome::Cancelled, {}, {}); }
    Q_DISABLE_COPY_MOVE(OperationProducer)
};

template <typename T>
class OperationAwaiter;

} // namespace Detail

/*! One asynchronous operation: ends exactly once, as value, error or cancelled. A cheap value; copies are
    handles of the same operation. Use it from any thread.

    Four styles, each for every asynchronous member of the engine:
    \code
    sandbox->run(command).then(this, [](const ExecResult &) { … }).onError(this, [](const ErrorInfo &) { … });
    ExecResult r = co_await sandbox->run(command);          // any coroutine that lives in a thread with an event loop
    ExecResult s = sandbox->run(command).result();          // blocks; for console and worker code only
    OperationWatcher watcher(sandbox->run(command));        // signals
    \endcode

    Dropping all handles does not cancel the operation, except for creating a sandbox: there the value is a
    lease, and cancelling or dropping it before it was taken removes the sandbox again. */
template <typename T>
class [[nodiscard]] Operation
{
public:
    using Value = T;

    /*! Waits and returns the value. \throws SandboxError what failed; OperationCancelled when cancelled. Ends
       the program with qFatal when called in the engine's I/O thread. */
    T result() const
    {
        state().wait();
        return finished();
    }
    /*! Waits at most \a limit. Whether the operation has ended. */
    bool waitFor(std::chrono::milliseconds limit) const { return state().wait(limit); }
    OperationOutcome outcome() const { return state().outcome(); }
    bool isEnded() const { return outcome() != OperationOutcome::Pending; }
    /*! The error; meaningful when outcome() is Error. */
    ErrorInfo error() const { return state().error(); }
    OperationProgress progress() const { return state().progress(); }
    /*! Asks for the end and returns at once. The operation ends as cancelled when the remote side is confirmed
       dead or the teardown grace is over; an operation that has ended stays as it is. */
    void cancel() const { state().requestCancel(); }

    /*! Calls \a callback with the value in \a context's thread: always queued, any number of times, never after
        \a context died. */
    template <typename Callback>
    const Operation &then(QObject *context, Callback callback) const
    {
        state().whenEnded(context, [consumer = m_consumer, context, callback = std::move(callback)]() mutable {
            std::optional<Detail::Stored<T>> value = consumer->state->take();
            if (!value)
                return;
            try {
                if constexpr (std::is_void_v<T>)
                    callback();
                else
                    callback(*std::move(value));
            } catch (...) {
                Detail::receiverThrew(context);
            }
        });
        return *this;
    }
    /*! Calls \a callback with the ErrorInfo when the operation failed; as then(). */
    template <typename Callback>
    const Operation &onError(QObject *context, Callback callback) const
    {
        return onOutcome(OperationOutcome::Error, context,
                         [consumer = m_consumer, callback = std::move(callback)]() mutable {
                             callback(consumer->state->error());
                         });
    }
    /*! Calls \a callback when the operation was cancelled; as then(). */
    template <typename Callback>
    const Operation &onCancelled(QObject *context, Callback callback) const
    {
        return onOutcome(OperationOutcome::Cancelled, context, std::move(callback));
    }
    /*! Calls \a callback with the OperationProgress now and then; as then(). */
    template <typename Callback>
    const Operation &onProgress(QObject *context, Callback callback) const
    {
        state().whenProgressed(context, std::move(callback));
        return *this;
    }
    /*! The same operation for code that speaks QFuture. Cancelling the future does not cancel the operation. */
    QFuture<T> toFuture() const;

    Detail::OperationAwaiter<T> operator co_await() const { return Detail::OperationAwaiter<T>(*this); }

private:
    friend class OperationPromise<T>;
    friend class Detail::OperationAwaiter<T>;
    friend class OperationWatcher;
    explicit Operation(std::shared_ptr<Detail::OperationConsumer<T>> consumer)
        : m_consumer(std::move(consumer))
    {}
    Detail::OperationState<T> &state() const { return *m_consumer->state; }

    template <typename Callback>
    const Operation &onOutcome(OperationOutcome wanted, QObject *context, Callback callback) const
    {
        state().whenEnded(context,
                          [consumer = m_consumer, wanted, context, callback = std::move(callback)]() mutable {
                              if (consumer->state->outcome() != wanted)
                                  return;
                              try {
                                  callback();
                              } catch (...) {
                                  Detail::receiverThrew(context);
                              }
                          });
        return *this;
    }
    T finished() const
    {
        std::optional<Detail::Stored<T>> value = state().take();
        if (!value) {
            if (state().outcome() == OperationOutcome::Error)
                state().error().raise();
            throw OperationCancelled();
        }
        if constexpr (!std::is_void_v<T>)
            return *std::move(value);
    }

    std::shared_ptr<Detail::OperationConsumer<T>> m_consumer;
};

/*! The producer's end. A value; when the last copy goes without having ended the operation, it ends as
    cancelled. Ending it a second time does nothing. Use it from any thread. */
template <typename T>
class OperationPromise
{
public:
    OperationPromise() = default;

    /*! The consumer's end. Call it once and hand copies of the result around. */
    Operation<T> operation() const
    {
        return Operation<T>(std::make_shared<Detail::OperationConsumer<T>>(m_producer->state));
    }
    /*! Ends with \a value. False when the operation had ended before. */
    template <typename Type = T>
        requires(!std::is_void_v<Type>)
    bool finish(Type value) const
    {
        return m_producer->state->endWithValue(std::move(value));
    }
    template <typename Type = T>
        requires(std::is_void_v<Type>)
    bool finish() const
    {
        return m_producer->state->endWithValue({});
    }
    bool fail(const ErrorInfo &error) const
    {
        return m_producer->state->end(OperationOutcome::Error, error, {});
    }
    bool cancelled() const { return m_producer->state->end(OperationOutcome::Cancelled, {}, {}); }
    bool isEnded() const { return m_producer->state->outcome() != OperationOutcome::Pending; }
    bool isCancelRequested() const { return m_producer->state->isCancelRequested(); }
    /*! Calls \a callback in \a context's thread when somebody asks for the end; at once (queued) if that
       happened. The callback first checks isEnded(). */
    void onCancelRequested(QObject *context, std::function<void()> callback) const
    {
        m_producer->state->whenCancelRequested(context, std::move(callback));
    }
    /*! Asks for the end from the producer's side, as Operation::cancel() does. */
    void requestCancel() const { m_producer->state->requestCancel(); }
    /*! Does requestCancel() as long as somebody has a handle of the operation; does not keep its value alive. */
    std::function<void()> weakCancel() const
    {
        return [state = std::weak_ptr(m_producer->state)] {
            if (const auto live = state.lock())
                live->requestCancel();
        };
    }
    /*! See OperationStateBase::setBlockingCheck(). */
    void setBlockingCheck(std::function<std::optional<ErrorInfo>()> check) const
    {
        m_producer->state->setBlockingCheck(std::move(check));
    }
    void reportProgress(const OperationProgress &progress) const
    {
        m_producer->state->reportProgress(progress);
    }
    /*! Makes the value a lease: \a reclaim gets it back, in any thread, when it is cancelled or dropped
     * untaken. */
    void setReclaim(std::function<void(Detail::Stored<T>)> reclaim) const
    {
        m_producer->state->setReclaim(std::move(reclaim));
    }

private:
    std::shared_ptr<Detail::OperationProducer<T>> m_producer = std::make_shared<Detail::OperationProducer<T>>();
};

/*! An operation that has failed already. */
template <typename T>
Operation<T> failedOperation(const ErrorInfo &error)
{
    const OperationPromise<T> promise;
    promise.fail(error);
    return promise.operation();
}

/*! An operation that has a value already. */
template <typename T>
Operation<T> finishedOperation(T value)
{
    const OperationPromise<T> promise;
    promise.finish(std::move(value));
    return promise.operation();
}
inline Operation<void> finishedOperation()
{
    const OperationPromise<void> promise;
    promise.finish();
    return promise.operation();
}

namespace Detail {

template <typename T>
class OperationAwaiter
{
public:
    explicit OperationAwaiter(Operation<T> operation)
        : m_operation(std::move(operation))
    {}
    bool await_ready() const { return m_operation.isEnded(); }
    void await_suspend(std::coroutine_handle<> handle)
    {
        // Lives in the awaiting thread and dies with the frame, which is how a destroyed frame is never
        // resumed.
        m_context = std::make_unique<QObject>();
        m_operation.state().whenEnded(m_context.get(), [handle] { handle.resume(); });
    }
    T await_resume()
    {
        m_context.reset();
        return m_operation.finished();
    }

private:
    Operation<T> m_operation;
    std::unique_ptr<QObject> m_context;
};

} // namespace Detail

template <typename T>
QFuture<T> Operation<T>::toFuture() const
{
    auto promise = std::make_shared<QPromise<T>>();
    promise->start();
    QFuture<T> future = promise->future();
    state().whenEndedInline([promise, consumer = m_consumer] {
        if (std::optional<Detail::Stored<T>> value = consumer->state->take()) {
            if constexpr (!std::is_void_v<T>)
                promise->addResult(*std::move(value));
        } else if (consumer->state->outcome() == OperationOutcome::Error) {
            try {
                consumer->state->error().raise();
            } catch (...) {
                promise->setException(std::current_exception());
            }
        } else {
            promise->future().cancel();
        }
        promise->finish();
    });
    return future;
}

} // namespace Sandboxio
