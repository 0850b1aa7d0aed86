// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "operationstate.h"

#include "handover.h"

#include <QThread>

#include <exception>

namespace Sandboxio::Detail {

namespace {
thread_local const char *blockingForbidden = nullptr;
} // namespace

OperationNotifier::~OperationNotifier() = default;

OperationStateBase::OperationStateBase()
    : m_notifier(std::make_unique<OperationNotifier>())
{
    // The notifier is used from many threads and receives no events, so it belongs to none.
    m_notifier->moveToThread(nullptr);
}

OperationStateBase::~OperationStateBase() = default;

OperationOutcome OperationStateBase::outcome() const
{
    const std::lock_guard lock(m_mutex);
    return m_outcome;
}

ErrorInfo OperationStateBase::error() const
{
    const std::lock_guard lock(m_mutex);
    return m_error;
}

OperationProgress OperationStateBase::progress() const
{
    const std::lock_guard lock(m_mutex);
    return m_progress;
}

bool OperationStateBase::isCancelRequested() const
{
    const std::lock_guard lock(m_mutex);
    return m_cancelRequested;
}

void OperationStateBase::whenEnded(QObject *context, std::function<void()> callback)
{
    const std::lock_guard lock(m_mutex);
    auto call = takingOver(this, std::move(callback));
    const HandOver handOver(this);
    if (m_outcome == OperationOutcome::Pending)
        QObject::connect(m_notifier.get(), &OperationNotifier::ended, context, std::move(call),
                         Qt::QueuedConnection);
    else
        QMetaObject::invokeMethod(context, std::move(call), Qt::QueuedConnection);
}

void OperationStateBase::whenEndedInline(std::function<void()> callback)
{
    {
        const std::lock_guard lock(m_mutex);
        if (m_outcome == OperationOutcome::Pending) {
            QObject::connect(m_notifier.get(), &OperationNotifier::ended, m_notifier.get(), std::move(callback),
                             Qt::DirectConnection);
            return;
        }
    }
    callback();
}

void OperationStateBase::whenProgressed(QObject *context,
                                        std::function<void(const OperationProgress &)> callback)
{
    const std::lock_guard lock(m_mutex);
    const auto call = [this, callback = std::move(callback)](const OperationProgress &progress) {
        takeOver(this);
        callback(progress);
    };
    const HandOver handOver(this);
    if (m_outcome == OperationOutcome::Pending)
        QObject::connect(m_notifier.get(), &OperationNotifier::progressed, context, call, Qt::QueuedConnection);
}

void OperationStateBase::whenCancelRequested(QObject *context, std::function<void()> callback)
{
    const std::lock_guard lock(m_mutex);
    if (m_outcome != OperationOutcome::Pending)
        return;
    auto call = takingOver(this, std::move(callback));
    const HandOver handOver(this);
    if (m_cancelRequested)
        QMetaObject::invokeMethod(context, std::move(call), Qt::QueuedConnection);
    else
        QObject::connect(m_notifier.get(), &OperationNotifier::cancelRequested, context, std::move(call),
                         Qt::QueuedConnection);
}

bool OperationStateBase::cancelLeaseLocked()
{
    if (!m_leased || m_taken || m_outcome != OperationOutcome::Value)
        return false;
    m_outcome = OperationOutcome::Cancelled;
    return true;
}

void OperationStateBase::requestCancel()
{
    std::unique_lock lock(m_mutex);
    if (cancelLeaseLocked()) {
        lock.unlock();
        reclaim();
        return;
    }
    if (m_outcome != OperationOutcome::Pending || m_cancelRequested)
        return;
    m_cancelRequested = true;
    lock.unlock();
    const HandOver handOver(this);
    Q_EMIT m_notifier->cancelRequested();
}

void OperationStateBase::abandon()
{
    std::unique_lock lock(m_mutex);
    const bool leased = m_leased;
    lock.unlock();
    if (leased)
        requestCancel();
}

void OperationStateBase::setLeased()
{
    const std::lock_guard lock(m_mutex);
    m_leased = true;
}

void OperationStateBase::reportProgress(const OperationProgress &progress)
{
    {
        const std::lock_guard lock(m_mutex);
        if (m_outcome != OperationOutcome::Pending)
            return;
        m_progress = progress;
    }
    const HandOver handOver(this);
    Q_EMIT m_notifier->progressed(progress);
}

void OperationStateBase::setBlockingCheck(std::function<std::optional<ErrorInfo>()> check)
{
    const std::lock_guard lock(m_mutex);
    m_blockingCheck = std::move(check);
}

void OperationStateBase::checkBlocking()
{
    if (blockingForbidden)
        qFatal("A blocking wait in %s would never end. Use then(), co_await or an OperationWatcher here.",
               blockingForbidden);
    std::function<std::optional<ErrorInfo>()> check;
    {
        const std::lock_guard lock(m_mutex);
        if (m_outcome == OperationOutcome::Pending)
            check = m_blockingCheck;
    }
    if (check) {
        if (const std::optional<ErrorInfo> error = check())
            error->raise();
    }
}

void OperationStateBase::wait()
{
    checkBlocking();
    std::unique_lock lock(m_mutex);
    m_ended.wait(lock, [this] { return m_outcome != OperationOutcome::Pending; });
}

bool OperationStateBase::wait(std::chrono::milliseconds limit)
{
    checkBlocking();
    std::unique_lock lock(m_mutex);
    return m_ended.wait_for(lock, limit, [this] { return m_outcome != OperationOutcome::Pending; });
}

bool OperationStateBase::end(OperationOutcome outcome, const ErrorInfo &error,
                             const std::function<void()> &store)
{
    bool unwanted = false;
    {
        const std::lock_guard lock(m_mutex);
        if (m_outcome != OperationOutcome::Pending)
            return false;
        // A lease that was cancelled or dropped before it came is given back at once; nobody may be left to
        // take it.
        unwanted = m_leased && m_cancelRequested && outcome == OperationOutcome::Value;
        m_outcome = unwanted ? OperationOutcome::Cancelled : outcome;
        m_error = error;
        if (store)
            store();
        m_ended.notify_all();
    }
    if (unwanted)
        reclaim();
    const HandOver handOver(this);
    Q_EMIT m_notifier->ended();
    // Posted deliveries keep their functors; the connections would keep this state alive for ever.
    m_notifier->disconnect();
    return true;
}

bool OperationStateBase::takeLocked()
{
    if (m_outcome != OperationOutcome::Value)
        return false;
    m_taken = true;
    return true;
}

void forbidBlockingInThisThread(const char *reason)
{
    blockingForbidden = reason;
}

void receiverThrew(QObject *context)
{
    QByteArray what;
    try {
        throw;
    } catch (const std::exception &exception) {
        what = exception.what();
    } catch (...) {
        what = "something that is no std::exception";
    }
    qFatal("A continuation in %s (\"%s\") threw: %s", context->metaObject()->className(),
           qUtf8Printable(context->objectName()), what.constData());
}

} // namespace Sandboxio::Detail
