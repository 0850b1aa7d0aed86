// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "guestlink.h"

#include <QPointer>

namespace Sandboxio::Docker {

namespace {
constexpr qsizetype errorOutputLimit = 4096;
}

GuestLink::GuestLink(std::shared_ptr<UpgradedStream> stream, QObject *parent)
    : QObject(parent)
    , m_stream(std::move(stream))
{
    Guest::ClientHandlers handlers;
    handlers.ready = [this](const Guest::HelloReply &) {
        Q_EMIT ready();
    };
    handlers.failed = [this](const QString &reason) {
        end(reason);
    };
    m_client = std::make_unique<Guest::Client>(
        Guest::Transport{.write = [this](const QByteArray &bytes) { m_stream->write(bytes); },
                         .bytesToWrite =
                             [this] {
                                 return m_stream->bytesToWrite();
                             }},
        std::move(handlers));
    connect(m_stream.get(), &UpgradedStream::dataReceived, this, &GuestLink::feed);
    connect(m_stream.get(), &UpgradedStream::closed, this, &GuestLink::endOfStream);
    connect(m_stream.get(), &UpgradedStream::bytesWritten, this, [this] { m_client->outputDrained(); });
}

GuestLink::~GuestLink() = default;

void GuestLink::start()
{
    m_client->start();
    m_stream->resume();
}

void GuestLink::feed(const QByteArray &bytes)
{
    const QPointer<GuestLink> self(this);
    const auto error = m_decoder.feed(
        bytes, [this](MultiplexDecoder::Stream stream, QByteArrayView data) { return receive(stream, data); });
    if (self && error)
        end(error->text);
}

// False once this link has ended; it may be gone then.
bool GuestLink::receive(MultiplexDecoder::Stream stream, QByteArrayView data)
{
    if (stream == MultiplexDecoder::Stream::StandardOutput) {
        const QPointer<GuestLink> self(this);
        m_client->feed(data);
        return self && !m_ended;
    }
    m_errorOutput = QByteArray(m_errorOutput)
                        .append(data)
                        .last(std::min(m_errorOutput.size() + data.size(), errorOutputLimit));
    return true;
}

void GuestLink::endOfStream()
{
    if (const std::optional<TransportError> error = m_stream->error())
        end(error->text);
    else
        end(m_errorOutput.isEmpty() ? tr("the connection ended") : QString::fromUtf8(m_errorOutput).trimmed());
}

void GuestLink::end(const QString &reason)
{
    if (std::exchange(m_ended, true))
        return;
    m_stream->abort();
    const QPointer<GuestLink> self(this);
    m_client->connectionLost();
    if (self)
        Q_EMIT lost(reason);
}

} // namespace Sandboxio::Docker
