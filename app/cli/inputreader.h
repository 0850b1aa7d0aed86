// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/core/operation.h>

#include <QByteArray>
#include <QObject>
#include <QSocketNotifier>

#include <optional>

namespace Sandboxio::Cli {

/*! Reads a file descriptor piece by piece without holding the event loop. Nothing is read ahead: a consumer
    that does not ask slows whoever writes. Create, use and destroy it in one thread. */
class InputReader : public QObject
{
    Q_OBJECT
public:
    explicit InputReader(int descriptor, QObject *parent = nullptr);
    ~InputReader() override;

    /*! The next bytes, at most 64 KiB; empty at the end and on a read error. One call at a time. */
    Operation<QByteArray> read();
    /*! Ends a read that waits as cancelled; so does cancelling its operation. */
    void stop();

private:
    void readPiece();

    int m_descriptor;
    QSocketNotifier m_notifier;
    std::optional<OperationPromise<QByteArray>> m_pending;
};

} // namespace Sandboxio::Cli
