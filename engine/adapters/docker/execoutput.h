// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multiplexdecoder.h"

#include <sandboxio/core/execresult.h>
#include <sandboxio/transport/upgradedstream.h>

#include <QObject>

#include <memory>

namespace Sandboxio::Docker {

/*! The output of a program that writes directly into an exec of Docker. Lives in the I/O thread. Stops reading
    while more than the window is unacknowledged. Destroying it closes the connection. */
class ExecOutput final : public QObject
{
    Q_OBJECT
public:
    /*! \a stream has not been resumed yet; \a window in bytes. */
    ExecOutput(std::shared_ptr<UpgradedStream> stream, qint64 window, QObject *parent = nullptr);
    ~ExecOutput() override;

    void start();
    void acknowledge(qint64 bytes);

Q_SIGNALS:
    void received(Sandboxio::OutputStream stream, const QByteArray &data);
    /*! After the last received(); exactly once. False when the connection broke and output may be missing. */
    void ended(bool complete);

private:
    void feed(const QByteArray &bytes);
    void deliver();
    void end(bool complete);

    std::shared_ptr<UpgradedStream> m_stream;
    MultiplexDecoder m_decoder;
    QByteArray m_pending; //!< neighbouring frames of one stream
    OutputStream m_pendingStream = OutputStream::StandardOutput;
    const qint64 m_window;
    qint64 m_unacknowledged = 0;
    bool m_ended = false;
};

} // namespace Sandboxio::Docker
