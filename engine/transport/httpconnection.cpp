// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "httpconnection.h"

#include <utility>

#include <QPointer>

#include "socketchannel_p.h"
#include "upgradedstream.h"

using namespace Qt::StringLiterals;

namespace Sandboxio {

HttpConnection::HttpConnection(DeviceFactory factory, QByteArray host, QObject *parent)
    : QObject(parent)
    , m_factory(std::move(factory))
    , m_host(std::move(host))
{
    m_idleTimer.setSingleShot(true);
    connect(&m_idleTimer, &QTimer::timeout, this, [this] {
        fail({TransportError::Kind::TimedOut, u"No byte moved for %1 ms."_s.arg(m_idleTimer.interval()), {}});
    });
}

HttpConnection::~HttpConnection() = default;

void HttpConnection::send(const HttpRequest &request)
{
    Q_ASSERT_X(!m_running && (!m_channel || m_reusable), "HttpConnection::send", "not fresh and not reusable");
    m_running = true;
    m_reusable = false;
    m_paused = false;
    m_decoder.emplace(request.method, request.upgrade);
    const auto bytes = encodeRequest(request, m_host);
    if (!bytes) {
        failLater(bytes.error());
        return;
    }
    const auto connection = request.headers.combinedValue(QHttpHeaders::WellKnownHeader::Connection);
    m_keepAliveAsked = !request.upgrade && !connection.toLower().contains("close");
    m_idleTimer.setInterval(request.idleLimit);
    if (!m_channel)
        openChannel();
    m_channel->write(*bytes);
    restartIdleTimer();
}

void HttpConnection::openChannel()
{
    m_channel = std::make_unique<SocketChannel>(m_factory(), readBufferSize);
    connect(m_channel.get(), &SocketChannel::readable, this, &HttpConnection::onReadable);
    connect(m_channel.get(), &SocketChannel::written, this, &HttpConnection::restartIdleTimer);
    connect(m_channel.get(), &SocketChannel::closed, this, &HttpConnection::onClosed);
}

void HttpConnection::pause()
{
    m_paused = true;
    m_idleTimer.stop();
}

void HttpConnection::resume()
{
    m_paused = false;
    restartIdleTimer();
    schedulePump();
}

void HttpConnection::abort()
{
    m_running = false;
    m_reusable = false;
    m_idleTimer.stop();
    m_held.clear();
    if (m_channel)
        m_channel->abort();
}

bool HttpConnection::isReusable() const
{
    return m_reusable && m_channel && !m_channel->isClosed() && m_channel->bytesAvailable() == 0;
}

bool HttpConnection::isReplyUntouched() const
{
    return !m_decoder || m_decoder->isUntouched();
}

std::unique_ptr<UpgradedStream> HttpConnection::takeUpgradedStream()
{
    return std::move(m_upgradedStream);
}

void HttpConnection::restartIdleTimer()
{
    if (m_running && !m_paused && m_idleTimer.interval() > 0)
        m_idleTimer.start();
}

void HttpConnection::onReadable()
{
    if (m_running) {
        if (!m_pumpPosted)
            pump();
    } else if (std::exchange(m_reusable, false)) {
        Q_EMIT closedWhileIdle(); // nobody asked for bytes
    }
}

void HttpConnection::onClosed()
{
    if (m_running)
        schedulePump();
    else if (std::exchange(m_reusable, false))
        Q_EMIT closedWhileIdle();
}

void HttpConnection::schedulePump()
{
    if (!std::exchange(m_pumpPosted, true))
        QMetaObject::invokeMethod(this, &HttpConnection::pump, Qt::QueuedConnection);
}

void HttpConnection::pump()
{
    m_pumpPosted = false;
    while (m_running && !m_paused && m_channel && (!m_held.isEmpty() || m_channel->bytesAvailable() > 0)) {
        restartIdleTimer();
        if (!deliver(m_held.isEmpty() ? m_channel->read(pieceSize) : std::exchange(m_held, {})))
            return;
    }
    if (m_running && !m_paused && m_channel && m_channel->isClosed())
        completeAtClose();
}

/// Decodes one piece and reports what it holds. False where the request ended or this object died.
bool HttpConnection::deliver(const QByteArray &bytes)
{
    using Kind = HttpResponseDecoder::Step::Kind;
    QByteArrayView rest = bytes;
    QByteArray body;
    while (true) {
        const auto step = m_decoder->decode(rest);
        if (!step) {
            if (deliverBody(body))
                fail({TransportError::Kind::Malformed, step.error().text, {}});
            return false;
        }
        rest = rest.sliced(step->consumed);
        switch (step->kind) {
        case Kind::NeedMore:
            return deliverBody(body);
        case Kind::Head:
            if (m_decoder->head().status == 101)
                break;
            if (!deliverHead())
                return false;
            if (m_paused && !rest.isEmpty()) {
                m_held = rest.toByteArray();
                return true;
            }
            break;
        case Kind::Body:
            if (step->body.size() == bytes.size())
                body = bytes; // shared, not copied
            else
                body.append(step->body);
            break;
        case Kind::End:
            if (deliverBody(body))
                complete(!rest.isEmpty());
            return false;
        case Kind::Upgraded:
            if (deliverHead())
                completeUpgrade(rest.toByteArray());
            return false;
        }
    }
}

bool HttpConnection::deliverHead()
{
    const QPointer<HttpConnection> self(this);
    Q_EMIT headReceived(m_decoder->head());
    return self && m_running;
}

bool HttpConnection::deliverBody(const QByteArray &body)
{
    if (body.isEmpty())
        return true;
    const QPointer<HttpConnection> self(this);
    Q_EMIT bodyReceived(body);
    return self && m_running;
}

void HttpConnection::completeAtClose()
{
    const auto channelError = m_channel->error();
    const bool opened = m_channel->isOpened();
    if (!opened) {
        fail(channelError.value_or(TransportError{}));
    } else if (m_decoder->isUntouched()) {
        fail({TransportError::Kind::ClosedBeforeReply, u"The peer closed the connection before it replied."_s,
              channelError ? channelError->providerText : QString()});
    } else if (channelError || !m_decoder->finish()) {
        fail({TransportError::Kind::ClosedMidBody, u"The peer closed the connection inside its reply."_s,
              channelError ? channelError->providerText : QString()});
    } else {
        complete(false);
    }
}

void HttpConnection::completeUpgrade(const QByteArray &firstBytes)
{
    m_running = false;
    m_idleTimer.stop();
    m_channel->disconnect(this);
    m_upgradedStream = std::make_unique<UpgradedStream>(std::move(m_channel), firstBytes);
    Q_EMIT upgraded();
}

void HttpConnection::complete(bool leftover)
{
    m_running = false;
    m_idleTimer.stop();
    const HttpHead &head = m_decoder->head();
    m_reusable = m_keepAliveAsked && !leftover && head.minorVersion == 1 &&
                 !head.hasToken("connection", "close") && !m_channel->isClosed() &&
                 m_channel->bytesToWrite() == 0;
    if (!m_reusable)
        m_channel->abort();
    Q_EMIT finished();
}

void HttpConnection::fail(const TransportError &error)
{
    m_running = false;
    m_idleTimer.stop();
    m_held.clear();
    if (m_channel)
        m_channel->abort();
    Q_EMIT failed(error);
}

void HttpConnection::failLater(const TransportError &error)
{
    QMetaObject::invokeMethod(
        this,
        [this, error] {
            if (m_running)
                fail(error);
        },
        Qt::QueuedConnection);
}

} // namespace Sandboxio
