// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "bodystream.h"

#include <algorithm>
#include <utility>

namespace Sandboxio::Docker {

namespace {

constexpr qint64 window = 2 * 1024 * 1024;
constexpr qint64 longestRefusal = 64 * 1024;
constexpr int firstErrorStatus = 400;

} // namespace

Operation<std::shared_ptr<BodyStream>> BodyStream::get(const std::shared_ptr<Api> &api, const QString &path,
                                                       const QByteArray &query, const Call &call)
{
    const Promise promise;
    Operation<std::shared_ptr<BodyStream>> operation = promise.operation();
    api->withVersion(call.purpose, [=](const std::expected<DaemonVersion, ErrorInfo> &version) {
        if (!version)
            promise.fail(version.error());
        else if (promise.isCancelRequested())
            promise.cancelled();
        else
            std::shared_ptr<BodyStream>(new BodyStream(call, promise))
                ->send(api.get(), {.target = requestTarget(version->apiMinor, path, {}) + '?' + query,
                                   .idleLimit = call.limit,
                                   .longLived = true});
    });
    return operation;
}

BodyStream::BodyStream(Call call, Promise opening)
    : m_call(std::move(call))
    , m_opening(std::move(opening))
{}

BodyStream::~BodyStream()
{
    delete m_reply.data();
}

bool BodyStream::isRefused() const
{
    return m_head.status >= firstErrorStatus;
}

void BodyStream::send(Api *api, const HttpRequest &request)
{
    m_reply = api->m_client->request(request);
    // Until somebody can have it, the request holds what it is for.
    const auto held = std::make_shared<std::shared_ptr<BodyStream>>(shared_from_this());
    connect(m_reply, &HttpReply::headReceived, this, [held](const HttpHead &head) {
        if ((*held)->begin(head))
            held->reset();
    });
    connect(m_reply, &HttpReply::bodyReceived, this, &BodyStream::take);
    connect(m_reply, &HttpReply::finished, this, &BodyStream::finish);
    connect(m_reply, &HttpReply::failed, this,
            [this, api = QPointer(api)](const TransportError &error) { fail(error, api); });
    m_opening->onCancelRequested(m_reply, [reply = m_reply] { reply->cancel(); });
}

/*! Whether the body is one to be read. */
bool BodyStream::begin(const HttpHead &head)
{
    m_head = head;
    if (isRefused())
        return false;
    const auto opening = std::exchange(m_opening, {});
    if (opening)
        opening->finish(shared_from_this());
    return true;
}

void BodyStream::take(const QByteArray &data)
{
    if (isRefused()) {
        m_refusal.append(data.first(std::min(data.size(), longestRefusal - m_refusal.size())));
        return;
    }
    m_ready.push_back(data);
    m_readyBytes += data.size();
    if (m_readyBytes >= window)
        m_reply->pause();
    serve();
}

void BodyStream::finish()
{
    const auto self = shared_from_this(); // the request may be all that holds it
    m_reply->deleteLater();
    m_ended = true;
    const auto opening = std::exchange(m_opening, {});
    if (opening)
        opening->fail(errorOfAnswer(m_head.status, m_refusal, m_call.purpose));
    serve();
}

void BodyStream::fail(const TransportError &error, const Api *api)
{
    const auto self = shared_from_this();
    m_reply->deleteLater();
    const auto opening = std::exchange(m_opening, {});
    if (error.kind == TransportError::Kind::Cancelled || !api) {
        m_cancelled = true;
        if (opening)
            opening->cancelled();
    } else {
        m_error = api->transportError(error, m_call.purpose);
        if (opening)
            opening->fail(*m_error);
    }
    serve();
}

Operation<QByteArray> BodyStream::read()
{
    m_reading.emplace();
    const Operation<QByteArray> operation = m_reading->operation();
    m_reading->onCancelRequested(this, [this] {
        if (m_reply)
            m_reply->cancel();
    });
    serve();
    return operation;
}

void BodyStream::serve()
{
    if (!m_reading)
        return;
    if (m_ready.empty() && !m_error && !m_cancelled && !m_ended)
        return;
    const OperationPromise<QByteArray> promise = *m_reading;
    m_reading.reset();
    if (!m_ready.empty()) {
        QByteArray piece = std::move(m_ready.front());
        m_ready.pop_front();
        const bool wasFull = m_readyBytes >= window;
        m_readyBytes -= piece.size();
        if (wasFull && m_readyBytes < window && m_reply)
            m_reply->resume();
        promise.finish(std::move(piece));
    } else if (m_error) {
        promise.fail(*m_error);
    } else if (m_cancelled) {
        promise.cancelled();
    } else {
        promise.finish({});
    }
}

} // namespace Sandboxio::Docker
