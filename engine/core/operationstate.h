// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/export.h>

#include <QMetaType>
#include <QObject>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace Sandboxio {

/*! How an operation ended, or that it has not. */
enum class OperationOutcome { Pending, Value, Error, Cancelled };

/*! How far an operation is. */
struct OperationProgress
{
    qint64 done = 0;             //!< bytes or items
    std::optional<qint64> total; //!< where known
    QString step;                //!< what is being done, for people
    bool operator==(const OperationProgress &) const = default;
};

namespace Detail {

/*! Carries the end of an operation to other threads; Qt takes care of receivers that die. */
class SANDBOXIO_CORE_EXPORT OperationNotifier : public QObject
{
    Q_OBJECT
public:
    ~OperationNotifier() override;
Q_SIGNALS:
    void ended();
    void cancelRequested();
    void progressed(const Sandboxio::OperationProgress &progress);
};

/*! What producer and consumers of an operation share. All members may be called from any thread. */
class SANDBOXIO_CORE_EXPORT OperationStateBase
{
public:
    OperationStateBase();
    virtual ~OperationStateBase();
    Q_DISABLE_COPY_MOVE(OperationStateBase)

    OperationOutcome outcome() const;
    ErrorInfo error() const;
    OperationProgress progress() const;
    bool isCancelRequested() const;

    /*! Calls \a callback in \a context's thread, queued, once the operation has ended; never after \a context
     * died. */
    void whenEnded(QObject *context, std::function<void()> callback);
    /*! Calls \a callback in the thread that ends the operation. For adapters of other future types only. */
    void whenEndedInline(std::function<void()> callback);
    void whenProgressed(QObject *context, std::function<void(const OperationProgress &)> callback);
    void whenCancelRequested(QObject *context, std::function<void()> callback);

    void requestCancel();
    void reportProgress(const OperationProgress &progress);
    /*! \a check is asked before every blocking wait for an unfinished operation: an error it returns is raised
     * instead. */
    void setBlockingCheck(std::function<std::optional<ErrorInfo>()> check);
    /*! Blocks until the operation has ended. Ends the program in a thread that must not block. */
    void wait();
    bool wait(std::chrono::milliseconds limit);

    /*! Ends the operation unless it has ended; \a store runs under the lock. Returns whether this call ended
     * it. */
    bool end(OperationOutcome outcome, const ErrorInfo &error, const std::function<void()> &store);
    /*! The last consumer is gone. */
    void abandon();
    /*! Makes the value a lease: whoever cancels or drops the operation before taking it gives it back. */
    void setLeased();

protected:
    /*! Marks the value as taken. False when there is no value to take (any more). */
    bool takeLocked();
    /*! Gives an untaken value back to the producer. Called without the lock. */
    virtual void reclaim() = 0;

    mutable std::mutex m_mutex;

private:
    bool cancelLeaseLocked();
    void checkBlocking();

    std::condition_variable m_ended;
    OperationOutcome m_outcome = OperationOutcome::Pending;
    ErrorInfo m_error;
    OperationProgress m_progress;
    std::function<std::optional<ErrorInfo>()> m_blockingCheck;
    bool m_cancelRequested = false;
    bool m_leased = false;
    bool m_taken = false;
    std::unique_ptr<OperationNotifier> m_notifier;
};

/*! Marks the current thread as one that must not block on operations; \a reason is printed when it does. */
SANDBOXIO_CORE_EXPORT void forbidBlockingInThisThread(const char *reason);
/*! Ends the program, naming the receiver that threw. Called inside a catch block. */
[[noreturn]] SANDBOXIO_CORE_EXPORT void receiverThrew(QObject *context);

} // namespace Detail
} // namespace Sandboxio

Q_DECLARE_METATYPE(Sandboxio::OperationProgress)
