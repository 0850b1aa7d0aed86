// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "dockerapi.h"

#include <QPointer>

#include <deque>

namespace Sandboxio::Docker {

/*! The body of an answer of any length, at the pace of whoever reads it: the daemon waits when more than 2 MiB are
    unread. Destroying it ends the request. Lives in the I/O thread.

    \code
    const auto body = co_await BodyStream::get(api, u"/containers/%1/archive"_s.arg(id), "path=%2Fwork"_ba, call);
    while (true) {
        const QByteArray piece = co_await body->read();
        if (piece.isEmpty())
            break;
        …
    }
    \endcode */
class BodyStream final : public QObject, public std::enable_shared_from_this<BodyStream>
{
    Q_OBJECT
public:
    /*! Sends a GET; ends with the head of the answer, or with the errors of Api's operations. \a query is
        percent-encoded already: it may name bytes that are no text. Cancel aborts the request. */
    static Operation<std::shared_ptr<BodyStream>> get(const std::shared_ptr<Api> &api, const QString &path,
                                                      const QByteArray &query, const Call &call);
    ~BodyStream() override;

    const HttpHead &head() const { return m_head; }
    /*! The next bytes; empty at the end. One call at a time. Cancel aborts the request; nothing can be read then. */
    Operation<QByteArray> read();

private:
    using Promise = OperationPromise<std::shared_ptr<BodyStream>>;

    BodyStream(Call call, Promise opening);
    void send(Api *api, const HttpRequest &request);
    bool begin(const HttpHead &head);
    void take(const QByteArray &data);
    void finish();
    void fail(const TransportError &error, const Api *api);
    void serve();
    bool isRefused() const;

    Call m_call;
    std::optional<Promise> m_opening; // until it has its value, which is this
    QPointer<HttpReply> m_reply;
    HttpHead m_head;
    QByteArray m_refusal;
    std::deque<QByteArray> m_ready;
    qint64 m_readyBytes = 0;
    std::optional<OperationPromise<QByteArray>> m_reading;
    std::optional<ErrorInfo> m_error;
    bool m_cancelled = false;
    bool m_ended = false;
};

} // namespace Sandboxio::Docker
