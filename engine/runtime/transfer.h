// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/operation.h>
#include <sandboxio/runtime/export.h>

#include <QElapsedTimer>
#include <QObject>

namespace Sandboxio {

/*! A running upload or download as an object with signals, rate and time left, for lists of transfers. Create
    and destroy it in the thread that shows it. Destroying it does not cancel the transfer.

    \code
    auto *transfer = new Transfer(Transfer::Direction::Upload, name, sandbox->files().upload(local, remote), this);
    connect(transfer, &Transfer::progressed, transferBar, &TransferBar::update);
    \endcode */
class SANDBOXIO_RUNTIME_EXPORT Transfer : public QObject
{
    Q_OBJECT
public:
    enum class Direction { Upload, Download };
    enum class State { Running, Finished, Failed, Cancelled };

    Transfer(Direction direction, const QString &name, const Operation<void> &operation,
             QObject *parent = nullptr);
    ~Transfer() override;

    Direction direction() const { return m_direction; }
    QString name() const { return m_name; }
    State state() const { return m_state; }
    qint64 bytesDone() const { return m_progress.done; }
    std::optional<qint64> bytesTotal() const { return m_progress.total; }
    /*! Bytes per second since the start. */
    double rate() const;
    std::optional<std::chrono::seconds> timeLeft() const;
    ErrorInfo error() const { return m_error; }
    /*! Asks for the end; ended() follows when nothing partial is left. */
    void cancel();

Q_SIGNALS:
    void progressed();
    void ended();

private:
    void end(State state);

    Direction m_direction;
    QString m_name;
    Operation<void> m_operation;
    State m_state = State::Running;
    OperationProgress m_progress;
    ErrorInfo m_error;
    QElapsedTimer m_elapsed;
};

} // namespace Sandboxio
