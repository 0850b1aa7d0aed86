// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/operation.h>

#include <QObject>

namespace Sandboxio {

/*! The end of one operation as signals, for code that connects rather than continues. Create and destroy it in
    the thread whose event loop delivers the signals; exactly one of succeeded(), failed(), cancelled() is
    emitted, then ended(). Destroying it does not cancel the operation.

    \code
    auto *watcher = new OperationWatcher(sandbox->kill(), this);
    connect(watcher, &OperationWatcher::failed, bar, &MessageBar::showError);
    \endcode */
class SANDBOXIO_CORE_EXPORT OperationWatcher : public QObject
{
    Q_OBJECT
public:
    template <typename T>
    explicit OperationWatcher(const Operation<T> &operation, QObject *parent = nullptr)
        : OperationWatcher([operation] { operation.cancel(); }, parent)
    {
        operation.onProgress(this, [this](const OperationProgress &progress) { Q_EMIT progressed(progress); });
        operation.state().whenEnded(this,
                                    [this, operation] { report(operation.outcome(), operation.error()); });
    }
    ~OperationWatcher() override;

    /*! Operation::cancel(). */
    void cancel();

Q_SIGNALS:
    void succeeded();
    void failed(const Sandboxio::ErrorInfo &error);
    void cancelled();
    void ended();
    void progressed(const Sandboxio::OperationProgress &progress);

private:
    OperationWatcher(std::function<void()> cancelOperation, QObject *parent);
    void report(OperationOutcome outcome, const ErrorInfo &error);

    std::function<void()> m_cancel;
};

} // namespace Sandboxio
