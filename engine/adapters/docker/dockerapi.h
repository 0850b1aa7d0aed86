// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apierror.h"
#include "endpoint.h"

#include <sandboxio/core/operation.h>
#include <sandboxio/core/task.h>
#include <sandboxio/transport/httpclient.h>
#include <sandboxio/transport/linesplitter.h>
#include <sandboxio/transport/upgradedstream.h>

#include <QUrlQuery>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace Sandboxio::Docker {

/*! Versions of the Engine API that this adapter speaks. */
inline constexpr int minimumApiMinor = 41; //!< 1.41
inline constexpr int maximumApiMinor = 51; //!< 1.51

/*! What the daemon said to /_ping. */
struct DaemonVersion
{
    int apiMinor = 0;    //!< agreed: 44 means 1.44
    QString server = {}; //!< the Server header, for people
    bool isPodman = false;
    bool operator==(const DaemonVersion &) const = default;
};
/*! The version to speak with a daemon whose newest is \a serverVersion ("1.45"); an error naming both when
    there is none. \a server is the Server header. */
std::expected<DaemonVersion, ErrorInfo> agreeOnVersion(const QByteArray &serverVersion,
                                                       const QByteArray &server);

/*! How to send one request. */
struct Call
{
    Purpose purpose = {};
    std::chrono::milliseconds limit = std::chrono::seconds(30); //!< without a byte in either direction; 0: none
    qint64 maximumReply = 64 * 1024 * 1024;                     //!< bytes
};

/*! A reply that comes in lines as long as it lives: events, pull progress. Destroying it, also from inside a
    handler, ends the request. */
class LineStream
{
public:
    virtual ~LineStream();
};
struct LineHandlers
{
    std::function<void()> opened = {};                 //!< the head of the answer is there; may be empty
    std::function<void(const QByteArray &)> line = {}; //!< one non-empty line
    std::function<void(std::optional<ErrorInfo>)> ended =
        {}; //!< the last call; absent error: the daemon ended it in order
};

/*! One daemon. Lives in the I/O thread; sandboxes and the backend share it. The first request asks for the
    daemon's API version; paths are given without it ("/containers/json").

    Every operation ends later, never inline: with the body of an answer below 400, or with an error mapped by
    Call::purpose (ErrorInfo::cause holds status and text; see isStatus()). Only get() and head() can be cancelled on the
    wire; what changes something is sent once, never again, and always let end: cancel does nothing there. When
    the Api goes, what is pending ends as cancelled; the caller keeps it alive.

    \code
    const QByteArray body = co_await api->post(u"/containers/%1/exec"_s.arg(id), {}, request, {.purpose = {…}});
    \endcode */
class Api : public QObject, public std::enable_shared_from_this<Api>
{
    Q_OBJECT

public:
    /*! An \a endpoint that could not be resolved makes every request fail with that error. */
    explicit Api(std::expected<Endpoint, ErrorInfo> endpoint);
    ~Api() override;

    const std::expected<Endpoint, ErrorInfo> &endpoint() const { return m_endpoint; }
    /*! Asks the daemon once; later calls get the same answer until a request fails on it. */
    Operation<DaemonVersion> version(const Purpose &purpose);

    Operation<QByteArray> get(const QString &path, const QUrlQuery &query, const Call &call);
    /*! Only asks whether get() would answer; the value is empty. */
    Operation<QByteArray> head(const QString &path, const QUrlQuery &query, const Call &call);
    /*! An empty \a body sends none. */
    Operation<QByteArray> post(const QString &path, const QUrlQuery &query, const QJsonObject &body,
                               const Call &call);
    /*! Sends the archive \a tar. */
    Operation<QByteArray> put(const QString &path, const QUrlQuery &query, const QByteArray &tar,
                              const Call &call);
    Operation<QByteArray> remove(const QString &path, const QUrlQuery &query, const Call &call);

    /*! POSTs \a body and takes over the connection (attach, exec start). The stream is paused; nothing is lost.
        The limit covers the time until the answer. */
    Operation<std::shared_ptr<UpgradedStream>> hijack(const QString &path, const QUrlQuery &query,
                                                      const QJsonObject &body, const Call &call);
    /*! Sends \a method and reports the answer line by line, in the I/O thread, never inline. Call::limit is the
       longest time without a byte (0: none). Never null. */
    std::unique_ptr<LineStream> streamLines(const QByteArray &method, const QString &path,
                                            const QUrlQuery &query, LineHandlers handlers, const Call &call);

    /*! The error of a request that had no answer, for users of hijacked streams. */
    ErrorInfo transportError(const TransportError &error, const Purpose &purpose) const;

    /*! Ends every pending request as cancelled and closes idle connections. */
    void abortAll();

private:
    using WithVersion = std::function<void(const std::expected<DaemonVersion, ErrorInfo> &)>;
    friend class ApiLineStream;
    friend class BodyStream;

    void withVersion(const Purpose &purpose, WithVersion continuation);
    void answerVersion(const std::expected<HttpResponse, TransportError> &response);
    Operation<QByteArray> call(HttpRequest request, const QString &path, const QUrlQuery &query,
                               const Call &call);
    void exchange(HttpRequest request, const Call &call, const OperationPromise<QByteArray> &promise);
    void exchangeUpgrade(HttpRequest request, const Call &call,
                         const OperationPromise<std::shared_ptr<UpgradedStream>> &promise);

    std::expected<Endpoint, ErrorInfo> m_endpoint;
    std::unique_ptr<HttpClient> m_client;
    std::optional<DaemonVersion> m_version;
    std::vector<std::pair<Purpose, WithVersion>> m_waiting;
};

/*! Path and query as they go on the wire, with the version in front. */
QByteArray requestTarget(int apiMinor, const QString &path, const QUrlQuery &query);
/*! parseObject() of \a body for coroutines: \throws the error. */
QJsonObject objectOf(const QByteArray &body, const Purpose &purpose);
/*! \overload */
QJsonArray arrayOf(const QByteArray &body, const Purpose &purpose);

} // namespace Sandboxio::Docker
