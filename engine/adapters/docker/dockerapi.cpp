// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerapi.h"

#include "texts.h"

#include <QJsonDocument>
#include <QPointer>

#include <algorithm>
#include <utility>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr auto pingLimit = std::chrono::seconds(10);
constexpr qint64 maximumErrorBody = 64 * 1024;
constexpr int firstErrorStatus = 400;

HttpClientOptions clientOptions(const Endpoint &endpoint)
{
    return {.factory = endpoint.deviceFactory(),
            .host = endpoint.isLocal() ? "docker"_ba
                                       : endpoint.host.toLatin1() + ':' + QByteArray::number(endpoint.port),
            .userAgent = "sandboxio/0.1"_ba};
}

HttpRequest jsonRequest(const QByteArray &method, const QJsonObject &body)
{
    HttpRequest request{.method = method};
    if (!body.isEmpty()) {
        request.headers.append(QHttpHeaders::WellKnownHeader::ContentType, "application/json"_ba);
        request.body = QJsonDocument(body).toJson(QJsonDocument::Compact);
    }
    return request;
}

HttpRequest withTarget(HttpRequest request, const DaemonVersion &version, const QString &path,
                       const QUrlQuery &query)
{
    request.target = requestTarget(version.apiMinor, path, query);
    return request;
}

QString versionText(int minor)
{
    return u"1.%1"_s.arg(minor);
}

} // namespace

LineStream::~LineStream() = default;

/*! The lines of one reply. */
class ApiLineStream final : public QObject, public LineStream
{
public:
    ApiLineStream(LineHandlers handlers, Call call)
        : m_handlers(std::move(handlers))
        , m_call(std::move(call))
    {}
    ~ApiLineStream() override { delete m_reply.data(); }

    void open(Api *api, HttpRequest request)
    {
        m_reply = api->m_client->request(std::move(request));
        connect(m_reply, &HttpReply::headReceived, this, [this](const HttpHead &head) {
            m_status = head.status;
            const auto opened = m_handlers.opened; // a copy: the receiver may destroy the stream
            if (m_status < firstErrorStatus && opened)
                opened();
        });
        connect(m_reply, &HttpReply::bodyReceived, this, &ApiLineStream::feed);
        connect(m_reply, &HttpReply::finished, this, &ApiLineStream::finish);
        connect(m_reply, &HttpReply::failed, this, [this, api = QPointer(api)](const TransportError &error) {
            if (api)
                end(api->transportError(error, m_call.purpose));
        });
    }
    void end(const std::optional<ErrorInfo> &error)
    {
        if (std::exchange(m_ended, true))
            return;
        if (m_reply)
            m_reply->deleteLater();
        const auto ended = m_handlers.ended;
        ended(error);
    }
    const Call &settings() const { return m_call; }

private:
    void feed(const QByteArray &data)
    {
        if (m_status >= firstErrorStatus) {
            m_errorBody.append(data.first(std::min(data.size(), maximumErrorBody - m_errorBody.size())));
            return;
        }
        m_splitter.feed(data);
        const QPointer<ApiLineStream> alive(this);
        const auto report = m_handlers.line;
        while (alive && !m_ended) {
            const auto line = m_splitter.next();
            if (!line)
                end(malformedAnswer(line.error().text, m_call.purpose));
            else if (!*line)
                return;
            else if (!(*line)->trimmed().isEmpty())
                report(**line);
        }
    }
    void finish()
    {
        if (m_status >= firstErrorStatus) {
            end(errorOfAnswer(m_status, m_errorBody, m_call.purpose));
            return;
        }
        const QPointer<ApiLineStream> alive(this);
        const auto report = m_handlers.line;
        if (const auto rest = m_splitter.takeRest(); rest && !rest->trimmed().isEmpty() && !m_ended)
            report(*rest);
        if (alive)
            end({});
    }

    LineHandlers m_handlers;
    Call m_call;
    QPointer<HttpReply> m_reply;
    LineSplitter m_splitter;
    QByteArray m_errorBody;
    int m_status = 0;
    bool m_ended = false;
};

std::expected<DaemonVersion, ErrorInfo> agreeOnVersion(const QByteArray &serverVersion,
                                                       const QByteArray &server)
{
    const QByteArrayView minorText =
        QByteArrayView(serverVersion).sliced(std::min<qsizetype>(2, serverVersion.size()));
    bool ok = false;
    const int minor = minorText.toInt(&ok);
    if (!ok || !serverVersion.startsWith("1."))
        return std::unexpected(
            makeError(ErrorKind::ConnectError,
                      Text::tr("What answers there is not a Docker daemon: it names no API version."),
                      Text::tr("Check DOCKER_HOST and the parameter `host`.")));
    if (minor < minimumApiMinor)
        return std::unexpected(
            makeError(ErrorKind::ConnectError,
                      Text::tr("The Docker daemon speaks API %1; version %2 or newer is needed.")
                          .arg(versionText(minor), versionText(minimumApiMinor)),
                      Text::tr("Update Docker on that host to 20.10 or newer.")));
    return DaemonVersion{.apiMinor = std::min(minor, maximumApiMinor),
                         .server = QString::fromUtf8(server),
                         .isPodman = server.toLower().contains("libpod")};
}

QByteArray requestTarget(int apiMinor, const QString &path, const QUrlQuery &query)
{
    QByteArray target = "/v1." + QByteArray::number(apiMinor) + QUrl::toPercentEncoding(path, "/:@"_ba);
    char separator = '?';
    for (const auto &[name, value] : query.queryItems(QUrl::FullyDecoded)) {
        target += separator + QUrl::toPercentEncoding(name) + '=' + QUrl::toPercentEncoding(value);
        separator = '&';
    }
    return target;
}

QJsonObject objectOf(const QByteArray &body, const Purpose &purpose)
{
    auto object = parseObject(body, purpose);
    if (!object)
        object.error().raise();
    return *std::move(object);
}

QJsonArray arrayOf(const QByteArray &body, const Purpose &purpose)
{
    auto array = parseArray(body, purpose);
    if (!array)
        array.error().raise();
    return *std::move(array);
}

Api::Api(std::expected<Endpoint, ErrorInfo> endpoint)
    : m_endpoint(std::move(endpoint))
{
    if (m_endpoint)
        m_client = std::make_unique<HttpClient>(clientOptions(*m_endpoint));
}

Api::~Api() = default;

void Api::abortAll()
{
    if (m_client)
        m_client->abortAll();
}

ErrorInfo Api::transportError(const TransportError &error, const Purpose &purpose) const
{
    const Endpoint place = m_endpoint.value_or(Endpoint{});
    const bool denied = error.kind == TransportError::Kind::PermissionDenied && place.isLocal();
    return errorOfTransport(error, place, purpose, denied ? socketAccess(place.path) : SocketAccess{});
}

void Api::withVersion(const Purpose &purpose, WithVersion continuation)
{
    if (!m_endpoint) {
        continuation(std::unexpected(m_endpoint.error()));
        return;
    }
    if (m_version) {
        continuation(*m_version);
        return;
    }
    m_waiting.emplace_back(purpose, std::move(continuation));
    if (m_waiting.size() > 1)
        return;
    m_client->fetch(
        {.target = "/_ping"_ba, .idleLimit = pingLimit}, maximumErrorBody, this,
        [this](const std::expected<HttpResponse, TransportError> &response) { answerVersion(response); });
}

void Api::answerVersion(const std::expected<HttpResponse, TransportError> &response)
{
    for (const auto &[purpose, continuation] : std::exchange(m_waiting, {})) {
        std::expected<DaemonVersion, ErrorInfo> version;
        if (!response)
            version = std::unexpected(transportError(response.error(), purpose));
        else if (response->head.status >= firstErrorStatus)
            version = std::unexpected(errorOfAnswer(response->head.status, response->body, purpose));
        else
            version = agreeOnVersion(response->head.headers.value("Api-Version"_L1).toByteArray(),
                                     response->head.headers.value("Server"_L1).toByteArray());
        if (version)
            m_version = *version;
        continuation(version);
    }
}

Operation<DaemonVersion> Api::version(const Purpose &purpose)
{
    const OperationPromise<DaemonVersion> promise;
    withVersion(purpose, [promise](const std::expected<DaemonVersion, ErrorInfo> &version) {
        version ? promise.finish(*version) : promise.fail(version.error());
    });
    return promise.operation();
}

Operation<QByteArray> Api::call(HttpRequest request, const QString &path, const QUrlQuery &query,
                                const Call &call)
{
    const OperationPromise<QByteArray> promise;
    request.idleLimit = call.limit;
    withVersion(call.purpose, [=, this](const std::expected<DaemonVersion, ErrorInfo> &version) {
        if (version)
            exchange(withTarget(request, *version, path, query), call, promise);
        else
            promise.fail(version.error());
    });
    return promise.operation();
}

void Api::exchange(HttpRequest request, const Call &call, const OperationPromise<QByteArray> &promise)
{
    const bool mayAbort = isSafeMethod(request.method);
    if (mayAbort && promise.isCancelRequested()) {
        promise.cancelled();
        return;
    }
    const auto answered = [this, call, promise](const std::expected<HttpResponse, TransportError> &response) {
        if (response && response->head.status < firstErrorStatus) {
            promise.finish(response->body);
        } else if (response) {
            if (response->head.status == firstErrorStatus && response->body.contains("client version"))
                m_version.reset(); // the daemon was exchanged for another version
            promise.fail(errorOfAnswer(response->head.status, response->body, call.purpose));
        } else if (response.error().kind == TransportError::Kind::Cancelled) {
            promise.cancelled();
        } else {
            promise.fail(transportError(response.error(), call.purpose));
        }
    };
    const QPointer<HttpReply> reply = m_client->fetch(std::move(request), call.maximumReply, this, answered);
    if (mayAbort)
        promise.onCancelRequested(reply, [reply] { reply->cancel(); });
}

Operation<QByteArray> Api::get(const QString &path, const QUrlQuery &query, const Call &call)
{
    return this->call({.method = "GET"_ba}, path, query, call);
}

Operation<QByteArray> Api::head(const QString &path, const QUrlQuery &query, const Call &call)
{
    return this->call({.method = "HEAD"_ba}, path, query, call);
}

Operation<QByteArray> Api::post(const QString &path, const QUrlQuery &query, const QJsonObject &body,
                                const Call &call)
{
    return this->call(jsonRequest("POST"_ba, body), path, query, call);
}

Operation<QByteArray> Api::put(const QString &path, const QUrlQuery &query, const QByteArray &tar,
                               const Call &call)
{
    HttpRequest request{.method = "PUT"_ba, .body = tar};
    request.headers.append(QHttpHeaders::WellKnownHeader::ContentType, "application/x-tar"_ba);
    return this->call(std::move(request), path, query, call);
}

Operation<QByteArray> Api::remove(const QString &path, const QUrlQuery &query, const Call &call)
{
    return this->call({.method = "DELETE"_ba}, path, query, call);
}

Operation<std::shared_ptr<UpgradedStream>> Api::hijack(const QString &path, const QUrlQuery &query,
                                                       const QJsonObject &body, const Call &call)
{
    const OperationPromise<std::shared_ptr<UpgradedStream>> promise;
    HttpRequest request = jsonRequest("POST"_ba, body);
    request.upgrade = true;
    request.longLived = true;
    request.idleLimit = call.limit;
    withVersion(call.purpose, [=, this](const std::expected<DaemonVersion, ErrorInfo> &version) {
        if (version)
            exchangeUpgrade(withTarget(request, *version, path, query), call, promise);
        else
            promise.fail(version.error());
    });
    return promise.operation();
}

void Api::exchangeUpgrade(HttpRequest request, const Call &call,
                          const OperationPromise<std::shared_ptr<UpgradedStream>> &promise)
{
    HttpReply *reply = m_client->request(std::move(request));
    const auto body = std::make_shared<QByteArray>();
    connect(reply, &HttpReply::upgraded, this, [reply, promise] {
        reply->deleteLater();
        promise.finish(std::shared_ptr<UpgradedStream>(reply->takeUpgradedStream()));
    });
    connect(reply, &HttpReply::bodyReceived, this, [body](const QByteArray &data) {
        body->append(data.first(std::min(data.size(), maximumErrorBody - body->size())));
    });
    connect(reply, &HttpReply::finished, this, [reply, body, call, promise] {
        reply->deleteLater();
        const int status = reply->head() ? reply->head()->status : 0;
        promise.fail(status >= firstErrorStatus
                         ? errorOfAnswer(status, *body, call.purpose)
                         : malformedAnswer(u"status %1 instead of 101"_s.arg(status), call.purpose));
    });
    connect(reply, &HttpReply::failed, this, [this, reply, call, promise](const TransportError &error) {
        reply->deleteLater();
        if (error.kind == TransportError::Kind::Cancelled)
            promise.cancelled();
        else
            promise.fail(transportError(error, call.purpose));
    });
}

std::unique_ptr<LineStream> Api::streamLines(const QByteArray &method, const QString &path,
                                             const QUrlQuery &query, LineHandlers handlers, const Call &call)
{
    auto stream = std::make_unique<ApiLineStream>(std::move(handlers), call);
    HttpRequest request{.method = method, .idleLimit = call.limit, .longLived = true};
    // Queued: nothing may be reported before the caller has the stream.
    QMetaObject::invokeMethod(
        stream.get(),
        [api = QPointer(this), request, path, query, guard = QPointer(stream.get())] {
            if (!api)
                return;
            api->withVersion(guard->settings().purpose,
                             [=](const std::expected<DaemonVersion, ErrorInfo> &version) {
                                 if (guard && version)
                                     guard->open(api, withTarget(request, *version, path, query));
                                 else if (guard)
                                     guard->end(version.error());
                             });
        },
        Qt::QueuedConnection);
    return stream;
}

} // namespace Sandboxio::Docker
