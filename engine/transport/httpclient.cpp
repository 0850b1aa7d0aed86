// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "httpclient.h"

#include <algorithm>
#include <utility>

#include <QPointer>
#include <QTimer>

#include "httpconnection.h"

using namespace Qt::StringLiterals;

namespace Sandboxio {

struct HttpClient::IdleConnection
{
    std::unique_ptr<HttpConnection> connection;
    QTimer *timer; // a child of the connection
};

HttpClient::HttpClient(HttpClientOptions options, QObject *parent)
    : QObject(parent)
    , m_options(std::move(options))
{}

HttpClient::~HttpClient()
{
    qDeleteAll(findChildren<HttpReply *>(Qt::FindDirectChildrenOnly));
}

HttpReply *HttpClient::request(HttpRequest request)
{
    if (!request.headers.contains(QHttpHeaders::WellKnownHeader::UserAgent))
        request.headers.append(QHttpHeaders::WellKnownHeader::UserAgent, m_options.userAgent);
    const bool hasConnection = request.headers.contains(QHttpHeaders::WellKnownHeader::Connection);
    if (!isSafeMethod(request.method) && !request.upgrade && !hasConnection)
        request.headers.append(QHttpHeaders::WellKnownHeader::Connection, "close"_ba);
    auto *reply = new HttpReply(std::move(request), this);
    m_queue.push_back(reply);
    scheduleStart();
    return reply;
}

namespace {

/// What fetch() has collected so far.
struct Collector
{
    HttpResponse response;
    HttpClient::FetchCallback callback;
};

} // namespace

HttpReply *HttpClient::fetch(HttpRequest request, qint64 limit, QObject *context, FetchCallback callback)
{
    Q_ASSERT_X(!request.upgrade, "HttpClient::fetch", "an upgrade has no buffered reply");
    HttpReply *reply = this->request(std::move(request));
    auto collector = std::make_shared<Collector>(Collector{{}, std::move(callback)});
    connect(reply, &HttpReply::headReceived, context,
            [collector](const HttpHead &head) { collector->response.head = head; });
    connect(reply, &HttpReply::bodyReceived, context, [this, reply, collector, limit](const QByteArray &data) {
        if (collector->response.body.size() + data.size() > limit)
            cancel(reply,
                   {TransportError::Kind::TooLarge, u"The reply is longer than %1 bytes."_s.arg(limit), {}});
        else
            collector->response.body.append(data);
    });
    connect(reply, &HttpReply::finished, context, [reply, collector] {
        reply->deleteLater();
        collector->callback(std::move(collector->response));
    });
    connect(reply, &HttpReply::failed, context, [reply, collector](const TransportError &error) {
        reply->deleteLater();
        collector->callback(std::unexpected(error));
    });
    connect(context, &QObject::destroyed, reply, [reply] { delete reply; });
    return reply;
}

void HttpClient::abortAll()
{
    const auto replies = findChildren<HttpReply *>(Qt::FindDirectChildrenOnly);
    for (HttpReply *reply : replies)
        reply->cancel();
    m_idle.clear();
}

int HttpClient::activeCount() const
{
    return static_cast<int>(m_active.size());
}

int HttpClient::queuedCount() const
{
    return static_cast<int>(m_queue.size());
}

int HttpClient::idleCount() const
{
    return static_cast<int>(m_idle.size());
}

void HttpClient::scheduleStart()
{
    if (!std::exchange(m_startPosted, true))
        QMetaObject::invokeMethod(this, &HttpClient::startQueued, Qt::QueuedConnection);
}

void HttpClient::startQueued()
{
    m_startPosted = false;
    std::deque<HttpReply *> waiting;
    for (HttpReply *reply : std::exchange(m_queue, {})) {
        const bool counts = !reply->m_request.longLived;
        if (counts && m_counted >= m_options.maximumConnections) {
            waiting.push_back(reply);
            continue;
        }
        reply->m_counted = counts;
        m_counted += counts ? 1 : 0;
        start(reply, true);
    }
    m_queue = std::move(waiting);
}

void HttpClient::start(HttpReply *reply, bool mayReuse)
{
    std::unique_ptr<HttpConnection> connection;
    if (mayReuse && isSafeMethod(reply->m_request.method) && !reply->m_request.upgrade)
        connection = takeIdle();
    reply->m_reused = connection != nullptr;
    if (!connection)
        connection = std::make_unique<HttpConnection>(m_options.factory, m_options.host);
    reply->m_connection = connection.get();
    watch(reply, connection.get());
    m_active.push_back(std::move(connection));
    reply->m_connection->send(reply->m_request);
    if (reply->m_paused)
        reply->m_connection->pause();
}

void HttpClient::watch(HttpReply *reply, HttpConnection *connection)
{
    connect(connection, &HttpConnection::headReceived, reply, [reply](const HttpHead &head) {
        reply->m_head = head;
        Q_EMIT reply->headReceived(head);
    });
    connect(connection, &HttpConnection::bodyReceived, reply, &HttpReply::bodyReceived);
    connect(connection, &HttpConnection::finished, reply, [this, reply] { onFinished(reply); });
    connect(connection, &HttpConnection::failed, reply,
            [this, reply](const TransportError &error) { onFailed(reply, error); });
    connect(connection, &HttpConnection::upgraded, reply, [this, reply] { onUpgraded(reply); });
}

void HttpClient::onFinished(HttpReply *reply)
{
    auto connection = takeActive(reply);
    if (connection->isReusable() && isSafeMethod(reply->m_request.method))
        keepIdle(std::move(connection));
    else
        connection.release()->deleteLater(); // it is the sender of the signal that led here
    release(reply);
    Q_EMIT reply->finished();
}

void HttpClient::onFailed(HttpReply *reply, const TransportError &error)
{
    const bool deadBeforeUse = reply->m_reused && reply->m_connection->isReplyUntouched() &&
                               error.kind == TransportError::Kind::ClosedBeforeReply;
    takeActive(reply).release()->deleteLater();
    if (deadBeforeUse) {
        start(reply, false);
        return;
    }
    release(reply);
    Q_EMIT reply->failed(error);
}

void HttpClient::onUpgraded(HttpReply *reply)
{
    reply->m_upgradedStream = reply->m_connection->takeUpgradedStream();
    release(reply);
    Q_EMIT reply->upgraded();
}

void HttpClient::cancel(HttpReply *reply, const TransportError &error)
{
    if (reply->m_ended)
        return;
    release(reply);
    QMetaObject::invokeMethod(reply, [reply, error] { Q_EMIT reply->failed(error); }, Qt::QueuedConnection);
}

/// Ends @p reply's use of the client: its place in the queue, its connection, its share of the limit.
void HttpClient::release(HttpReply *reply)
{
    if (std::exchange(reply->m_ended, true))
        return;
    std::erase(m_queue, reply);
    if (auto connection = takeActive(reply)) {
        connection->abort();
        connection.release()->deleteLater();
    }
    m_counted -= reply->m_counted ? 1 : 0;
    if (!m_queue.empty())
        scheduleStart();
}

std::unique_ptr<HttpConnection> HttpClient::takeActive(HttpReply *reply)
{
    HttpConnection *connection = std::exchange(reply->m_connection, nullptr);
    const auto found = std::ranges::find(m_active, connection, &std::unique_ptr<HttpConnection>::get);
    if (!connection || found == m_active.end())
        return nullptr;
    auto taken = std::move(*found);
    m_active.erase(found);
    taken->disconnect(reply);
    return taken;
}

std::unique_ptr<HttpConnection> HttpClient::takeIdle()
{
    while (!m_idle.empty()) {
        IdleConnection idle = std::move(m_idle.back());
        m_idle.pop_back();
        delete idle.timer;
        idle.connection->disconnect(this);
        if (idle.connection->isReusable())
            return std::move(idle.connection);
    }
    return nullptr;
}

void HttpClient::keepIdle(std::unique_ptr<HttpConnection> connection)
{
    const HttpConnection *key = connection.get();
    auto *timer = new QTimer(connection.get());
    timer->setSingleShot(true);
    connect(timer, &QTimer::timeout, this, [this, key] { dropIdle(key); });
    connect(key, &HttpConnection::closedWhileIdle, this, [this, key] { dropIdle(key); });
    timer->start(m_options.keepIdle);
    m_idle.push_back({std::move(connection), timer});
    if (m_idle.size() > static_cast<size_t>(m_options.maximumIdleConnections))
        dropIdle(m_idle.front().connection.get());
}

void HttpClient::dropIdle(const HttpConnection *connection)
{
    const auto found = std::ranges::find_if(
        m_idle, [connection](const IdleConnection &idle) { return idle.connection.get() == connection; });
    if (found == m_idle.end())
        return;
    found->connection->disconnect(this);
    found->connection.release()->deleteLater(); // it or its timer may be the sender
    m_idle.erase(found);
}

} // namespace Sandboxio
