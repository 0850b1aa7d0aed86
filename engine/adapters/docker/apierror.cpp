// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "apierror.h"

#include "endpoint.h"
#include "texts.h"

#include <QFile>
#include <QJsonDocument>

#include <algorithm>
#include <array>
#include <vector>

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maximumCauseLength = 2000;

/*! One text that daemons write, what it means and the fix. The first that matches counts. */
struct KnownText
{
    const char *needle;            //!< lower case
    std::optional<ErrorKind> kind; //!< absent: the request's own
    const char *message;           //!< %1: what was wanted
    const char *hint;
};

#define SANDBOXIO_TEXT(text) QT_TRANSLATE_NOOP("Sandboxio::Docker", text)
constexpr const char *diskFull = SANDBOXIO_TEXT("The disk of the Docker host is full; could not %1.");
constexpr const char *diskFix =
    SANDBOXIO_TEXT("Free space on the Docker host: see `docker system df`, then run `docker system prune`.");
constexpr const char *noRegistry =
    SANDBOXIO_TEXT("The Docker host cannot reach the image registry; could not %1.");
constexpr const char *registryFix = SANDBOXIO_TEXT(
    "Connect the Docker host to the network, or bring the image there with `docker load` or `docker import`.");
constexpr const char *noImage =
    SANDBOXIO_TEXT("The registry has no such image, or it is private; could not %1.");
constexpr const char *imageFix = SANDBOXIO_TEXT(
    "Check the image's name and tag; fetch a private image with `docker login` and `docker pull` first.");
constexpr const char *capLacking = SANDBOXIO_TEXT("The Docker host cannot enforce a cap; could not %1.");
constexpr const char *capFix = SANDBOXIO_TEXT("Enable the cgroup controller that the daemon names on the "
                                              "Docker host, or waive that cap in so many words.");
constexpr const char *capWrong = SANDBOXIO_TEXT("The Docker host refuses the value of a cap; could not %1.");
constexpr const char *capWrongFix = SANDBOXIO_TEXT("Choose a value within the range that the daemon names.");
constexpr const char *noRuntime = SANDBOXIO_TEXT("The Docker host does not have that runtime; could not %1.");
constexpr const char *runtimeFix =
    SANDBOXIO_TEXT("Run `docker info` to see its runtimes, or leave the parameter `runtime` out.");

constexpr std::array knownTexts{
    KnownText{"no space left on device", {}, diskFull, diskFix},
    KnownText{"disk quota exceeded", {}, diskFull, diskFix},
    KnownText{"no matching manifest",
              {},
              SANDBOXIO_TEXT("The image has no variant for this Docker host; could not %1."),
              SANDBOXIO_TEXT("Choose an image that is built for the architecture of the Docker host.")},
    KnownText{"manifest unknown", {}, noImage, imageFix},
    KnownText{"pull access denied", {}, noImage, imageFix},
    KnownText{"repository does not exist", {}, noImage, imageFix},
    KnownText{"unauthorized", ErrorKind::AuthError, noImage, imageFix},
    KnownText{"authentication required", ErrorKind::AuthError, noImage, imageFix},
    KnownText{"no basic auth credentials", ErrorKind::AuthError, noImage, imageFix},
    KnownText{"toomanyrequests", ErrorKind::RateLimitError,
              SANDBOXIO_TEXT("The image registry asks to slow down; could not %1."),
              SANDBOXIO_TEXT("Wait, or sign in on the Docker host with `docker login`.")},
    KnownText{"no such image",
              {},
              SANDBOXIO_TEXT("The image is not on the Docker host; could not %1."),
              SANDBOXIO_TEXT("Fetch it with `docker pull`, or correct its name.")},
    KnownText{"invalid reference format", ErrorKind::ConfigurationError,
              SANDBOXIO_TEXT("That is not the name of an image; could not %1."),
              SANDBOXIO_TEXT("Write it like python:3.12-slim, in lower case.")},
    KnownText{"dial tcp", {}, noRegistry, registryFix},
    KnownText{"no such host", {}, noRegistry, registryFix},
    KnownText{"server misbehaving", {}, noRegistry, registryFix},
    KnownText{"tls handshake timeout", {}, noRegistry, registryFix},
    KnownText{"request canceled while waiting for connection", {}, noRegistry, registryFix},
    KnownText{"proxyconnect tcp", {}, noRegistry, registryFix},
    KnownText{"x509:",
              {},
              noRegistry,
              SANDBOXIO_TEXT("Install the certificate of the registry or its proxy on the Docker host.")},
    KnownText{"kernel does not support", ErrorKind::ConfigurationError, capLacking, capFix},
    KnownText{"nanocpus can not be set", ErrorKind::ConfigurationError, capLacking, capFix},
    KnownText{"limitation discarded", ErrorKind::ConfigurationError, capLacking, capFix},
    KnownText{"cgroup is not mounted", ErrorKind::ConfigurationError, capLacking, capFix},
    KnownText{"range of cpus is from", ErrorKind::ConfigurationError, capWrong, capWrongFix},
    KnownText{"minimum memory limit", ErrorKind::ConfigurationError, capWrong, capWrongFix},
    KnownText{"unknown or invalid runtime name", ErrorKind::ConfigurationError, noRuntime, runtimeFix},
    KnownText{"unknown runtime specified", ErrorKind::ConfigurationError, noRuntime, runtimeFix},
    KnownText{"exec format error",
              {},
              SANDBOXIO_TEXT("The program was built for another architecture; could not %1."),
              SANDBOXIO_TEXT("Choose an image that is built for the architecture of the Docker host.")},
    KnownText{"is already in use by container",
              {},
              SANDBOXIO_TEXT("The name is already taken; could not %1."),
              SANDBOXIO_TEXT("Remove the container of that name with `docker rm -f`, or use another name.")},
    KnownText{"is paused",
              {},
              SANDBOXIO_TEXT("The container is paused; could not %1."),
              SANDBOXIO_TEXT("Resume it first, for example with `docker unpause`.")},
    KnownText{"client version", ErrorKind::ConnectError,
              SANDBOXIO_TEXT("The Docker daemon refuses our API version; could not %1."),
              SANDBOXIO_TEXT("Try again; when it stays, update sandboxio or the daemon.")},
    KnownText{"authorization denied by plugin", ErrorKind::AuthError,
              SANDBOXIO_TEXT("A plugin of the Docker daemon denies the request; could not %1."),
              SANDBOXIO_TEXT("Ask whoever runs the Docker host to allow the request that the cause names.")},
};

constexpr KnownText forbidden{
    "", ErrorKind::AuthError,
    SANDBOXIO_TEXT("The Docker daemon, or a proxy in front of it, forbids the request; could not %1."),
    SANDBOXIO_TEXT("Allow it there, or set DOCKER_HOST to the daemon's own socket.")};
constexpr KnownText noContainer{"",
                                {},
                                SANDBOXIO_TEXT("There is no such container; could not %1."),
                                SANDBOXIO_TEXT("Run `sandboxio list` to see the sandboxes there are.")};
constexpr KnownText notRunning{"",
                               {},
                               SANDBOXIO_TEXT("The container is not running; could not %1."),
                               SANDBOXIO_TEXT("Create a new sandbox.")};
constexpr KnownText other{
    "",
    {},
    SANDBOXIO_TEXT("The Docker daemon could not %1."),
    SANDBOXIO_TEXT("Read what the daemon said below; `journalctl -u docker` on the host has more.")};
#undef SANDBOXIO_TEXT

ErrorInfo errorOf(const KnownText &known, const std::optional<int> &status, const QString &text,
                  const Purpose &purpose)
{
    return makeError(known.kind.value_or(purpose.kind), Text::tr(known.message).arg(purpose.what),
                     Text::tr(known.hint), ErrorCause{status, text.left(maximumCauseLength)});
}

/*! The class of "it does not exist (any more)" for a request of \a kind. */
Purpose whenGone(const Purpose &purpose)
{
    const bool keeps = purpose.kind == ErrorKind::ConnectError || purpose.kind == ErrorKind::CreationError;
    return {keeps ? purpose.kind : ErrorKind::SandboxGone, purpose.what};
}

QString textOf(const QByteArray &body)
{
    const QJsonObject object = QJsonDocument::fromJson(body).object();
    const QString message = object.value("message"_L1).toString();
    return message.isEmpty() ? QString::fromUtf8(body).trimmed() : message;
}

bool listsAccount(const group &entry, const char *account)
{
    for (char **member = entry.gr_mem; *member; ++member) {
        if (qstrcmp(*member, account) == 0)
            return true;
    }
    return false;
}

QString permissionHint(const SocketAccess &access)
{
    if (access.memberButNotInSession)
        return Text::
            tr("Your account is in the group '%1', but this session began before that: log out and in again.")
                .arg(access.group);
    if (access.group.isEmpty())
        return Text::tr(
            "Use rootless Docker (`dockerd-rootless-setuptool.sh install`), or set DOCKER_HOST to a daemon of "
            "your own.");
    return Text::tr("Run `sudo usermod -aG %1 $USER`, then log out and in again; or use rootless Docker.")
        .arg(access.group);
}

QString startHint(const Endpoint &endpoint)
{
    if (endpoint.isLocal())
        return Text::tr(
            "Start Docker with `sudo systemctl start docker`, or set DOCKER_HOST to where it listens.");
    return Text::tr("Start the daemon at %1, or correct DOCKER_HOST and the parameter `host`.")
        .arg(endpoint.toString());
}

} // namespace

ErrorInfo errorOfText(std::optional<int> status, const QString &text, const Purpose &purpose)
{
    const QByteArray lower = text.toLower().toUtf8();
    const auto known =
        std::ranges::find_if(knownTexts, [&](const KnownText &row) { return lower.contains(row.needle); });
    return errorOf(known == knownTexts.end() ? other : *known, status, text, purpose);
}

ErrorInfo errorOfAnswer(int status, const QByteArray &body, const Purpose &purpose)
{
    const QString text = textOf(body);
    const QString lower = text.toLower();
    if (status == 404 && lower.contains("no such container"_L1))
        return errorOf(noContainer, status, text, whenGone(purpose));
    if (status == 409 && lower.contains("is not running"_L1))
        return errorOf(notRunning, status, text, whenGone(purpose));
    ErrorInfo error = errorOfText(status, text, purpose);
    const bool unknown = error.message == Text::tr(other.message).arg(purpose.what);
    if (status == 403 && unknown)
        return errorOf(forbidden, status, text, purpose);
    return error;
}

SocketAccess socketAccess(const QString &path)
{
    struct stat status = {};
    if (stat(QFile::encodeName(path).constData(), &status) != 0 || status.st_gid == 0)
        return {};
    const group *entry = getgrgid(status.st_gid);
    const passwd *account = getpwuid(getuid());
    if (!entry)
        return {};
    SocketAccess access{.group = QString::fromLocal8Bit(entry->gr_name)};
    if (!account || !listsAccount(*entry, account->pw_name))
        return access;
    std::vector<gid_t> groups(std::max(0, getgroups(0, nullptr)));
    const int count = getgroups(static_cast<int>(groups.size()), groups.data());
    groups.resize(std::max(0, count));
    access.memberButNotInSession =
        getegid() != status.st_gid && std::ranges::find(groups, status.st_gid) == groups.end();
    return access;
}

ErrorInfo errorOfTransport(const TransportError &error, const Endpoint &endpoint, const Purpose &purpose,
                           const SocketAccess &access)
{
    const ErrorCause cause{std::nullopt, error.providerText.isEmpty() ? error.text : error.providerText};
    const auto make = [&](const QString &message, const QString &hint) {
        return makeError(purpose.kind, message, hint, cause);
    };
    const QString place = endpoint.toString();
    switch (error.kind) {
    case TransportError::Kind::NoSuchSocket:
    case TransportError::Kind::Refused:
    case TransportError::Kind::ConnectFailed:
        return make(Text::tr("No Docker daemon answers at %1; could not %2.").arg(place, purpose.what),
                    startHint(endpoint));
    case TransportError::Kind::PermissionDenied:
        return make(Text::tr("This account may not use the Docker daemon at %1; could not %2.")
                        .arg(place, purpose.what),
                    permissionHint(access));
    case TransportError::Kind::TimedOut:
        return make(
            Text::tr("The Docker daemon at %1 did not answer in time; could not %2.").arg(place, purpose.what),
            Text::tr("See whether the host is overloaded; `docker info` must answer there."));
    case TransportError::Kind::ClosedBeforeReply:
    case TransportError::Kind::ClosedMidBody:
        return make(Text::tr("The connection to the Docker daemon broke; whether it did %1 is not known.")
                        .arg(purpose.what),
                    Text::tr("Run `sandboxio list` to see what there is now, and `sandboxio doctor`."));
    case TransportError::Kind::TlsFailed:
    case TransportError::Kind::Malformed:
    case TransportError::Kind::TooLarge:
    case TransportError::Kind::InvalidRequest:
    case TransportError::Kind::Cancelled:
        break;
    }
    return malformedAnswer(error.text, purpose);
}

ErrorInfo malformedAnswer(const QString &detail, const Purpose &purpose)
{
    return makeError(purpose.kind,
                     Text::tr("The Docker daemon's answer is not understood; could not %1.").arg(purpose.what),
                     Text::tr("Check that DOCKER_HOST names a Docker daemon; if it does, report this."),
                     ErrorCause{std::nullopt, detail.left(maximumCauseLength)});
}

bool isStatus(const ErrorInfo &error, int status)
{
    return error.cause && error.cause->status == status;
}

std::expected<QJsonObject, ErrorInfo> parseObject(const QByteArray &body, const Purpose &purpose)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(body, &error);
    if (!document.isObject())
        return std::unexpected(malformedAnswer(u"no JSON object: "_s + error.errorString(), purpose));
    return document.object();
}

std::expected<QJsonArray, ErrorInfo> parseArray(const QByteArray &body, const Purpose &purpose)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(body, &error);
    if (document.isArray())
        return document.array();
    if (body.trimmed() == "null")
        return QJsonArray();
    return std::unexpected(malformedAnswer(u"no JSON array: "_s + error.errorString(), purpose));
}

} // namespace Sandboxio::Docker
