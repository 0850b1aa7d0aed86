// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multiplexdecoder.h"

#include <sandboxio/guest/client/client.h>
#include <sandboxio/transport/upgradedstream.h>

#include <QObject>

#include <memory>

namespace Sandboxio::Docker {

/*! A guest client on a hijacked connection of Docker. Lives in the I/O thread. */
class GuestLink final : public QObject
{
    Q_OBJECT
public:
    /*! \a stream has not been resumed yet. */
    explicit GuestLink(std::shared_ptr<UpgradedStream> stream, QObject *parent = nullptr);
    ~GuestLink() override;

    /*! Resumes the stream and greets the guest; ready() or lost() follows. */
    void start();
    Guest::Client &client() { return *m_client; }
    bool isReady() const { return m_client->isUsable() && m_client->guest().has_value(); }
    /*! What came on the guest's standard error, at most the last 4 KiB: why it could not serve. */
    QByteArray errorOutput() const { return m_errorOutput; }

Q_SIGNALS:
    void ready();
    /*! The connection ended or broke the protocol. Exactly once; everything pending in the client was failed
     * before. */
    void lost(const QString &reason);

private:
    void feed(const QByteArray &bytes);
    bool receive(MultiplexDecoder::Stream stream, QByteArrayView data);
    void endOfStream();
    void end(const QString &reason);

    std::shared_ptr<UpgradedStream> m_stream;
    MultiplexDecoder m_decoder;
    std::unique_ptr<Guest::Client> m_client;
    QByteArray m_errorOutput;
    bool m_ended = false;
};

} // namespace Sandboxio::Docker
