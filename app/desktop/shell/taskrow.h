// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/core/operation.h>

#include <QFrame>

#include <functional>

class QLabel;
class QProgressBar;
class QPushButton;
class QTimer;

namespace Sandboxio::Desktop {

/*! A running operation with its step, its progress and Cancel. Appears only when the operation takes longer
    than a moment, and answers to Cancel at once. */
class TaskRow : public QFrame
{
    Q_OBJECT
public:
    explicit TaskRow(const QString &text, QWidget *parent = nullptr);

    template <typename T>
    void follow(const Operation<T> &operation)
    {
        m_cancel = [operation] {
            operation.cancel();
        };
        operation.onProgress(this, [this](const OperationProgress &progress) { showProgress(progress); })
            .onError(this, [this](const ErrorInfo &) { end(); })
            .onCancelled(this, [this] { end(); });
        if constexpr (std::is_void_v<T>)
            operation.then(this, [this] { end(); });
        else
            operation.then(this, [this](const auto &) { end(); });
    }
    void cancel();

Q_SIGNALS:
    void ended();

private:
    void showProgress(const OperationProgress &progress);
    void end();

    QString m_text;
    QLabel *m_label;
    QProgressBar *m_bar;
    QPushButton *m_button;
    QTimer *m_appear;
    std::function<void()> m_cancel;
    bool m_cancelling = false;
};

} // namespace Sandboxio::Desktop
