// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <memory>
#include <optional>

#include <QObject>
#include <QPointer>

#include <sandboxio/core/export.h>

#include "httpmessage.h"
#include "upgradedstream.h"

namespace Sandboxio {

class HttpClient;
class HttpConnection;

/// The handle of one request. Thread: the I/O thread. It belongs to the client (as its child) and is deleted by
/// the caller, as a QNetworkReply is; deleting it earlier aborts the exchange silently.
///
/// Exactly one of finished(), failed(), upgraded() ends it, always later, from the event loop, except that
/// nothing follows after the handle or its client was destroyed.
class SANDBOXIO_CORE_EXPORT HttpReply : public QObject
{
    Q_OBJECT

public:
    ~HttpReply() override;

    /// Aborts the exchange: the connection is closed, and failed() with Cancelled follows. Nothing happens on
    /// an ended reply. Whether the peer executed the request is unknown.
    void cancel();
    /// Stops reading from the socket: the peer blocks after 4 MiB. The idle limit does not run meanwhile.
    void pause();
    void resume();

    bool isEnded() const { return m_ended; }
    /// Nothing before headReceived().
    const std::optional<HttpHead> &head() const { return m_head; }
    /// The raw stream, once, in or after upgraded(); null otherwise. The caller owns it.
    std::unique_ptr<UpgradedStream> takeUpgradedStream();

Q_SIGNALS:
    void headReceived(const Sandboxio::HttpHead &head);
    void bodyReceived(const QByteArray &data);
    void finished();
    void failed(const Sandboxio::TransportError &error);
    void upgraded();

private:
    friend class HttpClient;
    HttpReply(HttpRequest request, HttpClient *client);

    HttpRequest m_request;
    QPointer<HttpConnection> m_connection;
    std::optional<HttpHead> m_head;
    std::unique_ptr<UpgradedStream> m_upgradedStream;
    HttpClient *m_client;
    bool m_paused = false;
    bool m_ended = false;
    bool m_counted = false;
    bool m_reused = false;
};

} // namespace Sandboxio
