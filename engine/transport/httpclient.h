// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <chrono>
#include <deque>
#include <expected>
#include <functional>
#include <memory>
#include <vector>

#include <QObject>

#include <sandboxio/core/export.h>

#include "devicefactory.h"
#include "httpmessage.h"
#include "httpreply.h"

namespace Sandboxio {

class HttpConnection;

/// Settings of an HttpClient.
struct HttpClientOptions
{
    DeviceFactory factory = {};
    QByteArray host = QByteArrayLiteral("localhost"); ///< The Host header.
    QByteArray userAgent = QByteArrayLiteral("sandboxio");
    int maximumConnections = 128;   ///< Exchanges at one time; more wait in order. Upgraded streams and
                                    ///< long-lived requests do not count.
    int maximumIdleConnections = 8; ///< Kept open for later GETs.
    std::chrono::milliseconds keepIdle{20'000}; ///< How long an idle connection is kept.
};

/// Sends requests over a bounded pool of connections. Thread: lives in and is used from the I/O thread alone.
///
/// GET and HEAD may use an idle connection that was kept open; where that one turns out dead before a byte of
/// the reply, the request is sent once more on a fresh connection. Every other method gets one fresh connection
/// of its own, and nothing of it is ever sent twice.
///
/// @code
/// HttpClient client({.factory = localSocketFactory(u"/run/docker.sock"_s)});
/// client.fetch({.target = "/_ping"_ba}, 1024, this, [](std::expected<HttpResponse, TransportError> response) {
/// … });
/// @endcode
class SANDBOXIO_CORE_EXPORT HttpClient : public QObject
{
    Q_OBJECT

public:
    using FetchCallback = std::function<void(std::expected<HttpResponse, TransportError>)>;

    explicit HttpClient(HttpClientOptions options, QObject *parent = nullptr);
    /// Aborts everything; no signal and no callback follows.
    ~HttpClient() override;

    /// Starts @p request; connect to the reply before control returns to the event loop. Never null.
    HttpReply *request(HttpRequest request);

    /// Starts @p request and collects its reply. @p callback runs exactly once, later, from the event loop,
    /// unless
    /// @p context died before (which aborts the exchange). A body longer than @p limit bytes is TooLarge. A
    /// status of 400 and above is a response, not an error. The returned handle is for cancel() and deletes
    /// itself after the callback: hold it in a QPointer.
    HttpReply *fetch(HttpRequest request, qint64 limit, QObject *context, FetchCallback callback);

    /// Cancels every request, waiting ones too (each ends by failed() with Cancelled), and closes idle
    /// connections.
    void abortAll();

    int activeCount() const; ///< Exchanges that hold a connection, long-lived ones included.
    int queuedCount() const; ///< Requests that wait for a connection.
    int idleCount() const;   ///< Open connections that wait for a GET.

private:
    friend class HttpReply;

    struct IdleConnection;

    void scheduleStart();
    void startQueued();
    void start(HttpReply *reply, bool mayReuse);
    void watch(HttpReply *reply, HttpConnection *connection);
    void onFinished(HttpReply *reply);
    void onFailed(HttpReply *reply, const TransportError &error);
    void onUpgraded(HttpReply *reply);
    void cancel(HttpReply *reply, const TransportError &error);
    void release(HttpReply *reply);
    std::unique_ptr<HttpConnection> takeActive(HttpReply *reply);
    std::unique_ptr<HttpConnection> takeIdle();
    void keepIdle(std::unique_ptr<HttpConnection> connection);
    void dropIdle(const HttpConnection *connection);

    HttpClientOptions m_options;
    std::deque<HttpReply *> m_queue;
    std::vector<std::unique_ptr<HttpConnection>> m_active;
    std::vector<IdleConnection> m_idle;
    int m_counted = 0;
    bool m_startPosted = false;
};

} // namespace Sandboxio
