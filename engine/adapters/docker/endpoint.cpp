// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "endpoint.h"

#include "texts.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QUrl>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr quint16 plainPort = 2375;
constexpr qint64 maximumConfigSize = 1024 * 1024;

std::unexpected<ErrorInfo> endpointError(const QString &message, const QString &hint)
{
    return std::unexpected(makeError(ErrorKind::ConfigurationError, message, hint));
}

QString localSocketHint()
{
    return Text::tr(
        "Use a local socket: set DOCKER_HOST or the parameter `host` to unix:///var/run/docker.sock.");
}

QJsonObject readJson(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly) || file.size() > maximumConfigSize)
        return {};
    return QJsonDocument::fromJson(file.readAll()).object();
}

QString contextName(const EndpointSources &sources)
{
    QString named = sources.variable(u"DOCKER_CONTEXT"_s);
    if (!named.isEmpty())
        return named;
    return readJson(sources.configDirectory + u"/config.json"_s).value("currentContext"_L1).toString();
}

std::expected<Endpoint, ErrorInfo> contextEndpoint(const QString &name, const EndpointSources &sources)
{
    const auto hash = QCryptographicHash::hash(name.toUtf8(), QCryptographicHash::Sha256).toHex();
    const QString path =
        u"%1/contexts/meta/%2/meta.json"_s.arg(sources.configDirectory, QString::fromLatin1(hash));
    const QJsonObject endpoints = readJson(path).value("Endpoints"_L1).toObject();
    const QString address = endpoints.value("docker"_L1).toObject().value("Host"_L1).toString();
    if (address.isEmpty())
        return endpointError(Text::tr("The docker context '%1' has no endpoint.").arg(name),
                             Text::tr("Run `docker context ls`, then `docker context use default`."));
    return parseEndpoint(address, Text::tr("the docker context '%1'").arg(name));
}

} // namespace

QString Endpoint::toString() const
{
    return isLocal() ? u"unix://"_s + path : u"tcp://%1:%2"_s.arg(host).arg(port);
}

DeviceFactory Endpoint::deviceFactory() const
{
    return isLocal() ? localSocketFactory(path) : tcpSocketFactory(host, port);
}

EndpointSources EndpointSources::ofProcess()
{
    const auto variable = [](const QString &name) {
        return qEnvironmentVariable(qPrintable(name));
    };
    QString directory = variable(u"DOCKER_CONFIG"_s);
    if (directory.isEmpty())
        directory = QDir::homePath() + u"/.docker"_s;
    return {variable, directory, [](const QString &path) {
                return QFileInfo::exists(path);
            }};
}

std::expected<Endpoint, ErrorInfo> parseEndpoint(const QString &address, const QString &origin)
{
    if (address.startsWith("unix://"_L1) && address.size() > 8 && address.at(7) == u'/')
        return Endpoint{.path = address.sliced(7), .origin = origin};
    if (address.startsWith(u'/'))
        return Endpoint{.path = address, .origin = origin};
    const QUrl url(address, QUrl::StrictMode);
    if (url.scheme() == "ssh"_L1)
        return endpointError(Text::tr("%1 names a host over SSH, which is not supported yet.").arg(origin),
                             localSocketHint());
    if (url.scheme() == "https"_L1)
        return endpointError(Text::tr("%1 names a host over TLS, which is not supported yet.").arg(origin),
                             localSocketHint());
    if (url.scheme() != "tcp"_L1 && url.scheme() != "http"_L1)
        return endpointError(Text::tr("%1 is not the address of a Docker daemon.").arg(origin),
                             localSocketHint());
    if (!url.isValid() || url.host().isEmpty() || !url.userInfo().isEmpty())
        return endpointError(Text::tr("%1 is not a valid address.").arg(origin),
                             Text::tr("Write it like tcp://127.0.0.1:2375, without user and password."));
    return Endpoint{.host = url.host(), .port = static_cast<quint16>(url.port(plainPort)), .origin = origin};
}

std::expected<Endpoint, ErrorInfo> resolveEndpoint(const Target &target, const EndpointSources &sources)
{
    std::expected<Endpoint, ErrorInfo> endpoint;
    const QString context = contextName(sources);
    if (const QString host = target.parameters.value(u"host"_s); !host.isEmpty())
        endpoint = parseEndpoint(host, Text::tr("The parameter 'host'"));
    else if (const QString variable = sources.variable(u"DOCKER_HOST"_s); !variable.isEmpty())
        endpoint = parseEndpoint(variable, u"DOCKER_HOST"_s);
    else if (!context.isEmpty() && context != "default"_L1)
        endpoint = contextEndpoint(context, sources);
    else {
        const QString system = u"/var/run/docker.sock"_s;
        const QString own = sources.variable(u"XDG_RUNTIME_DIR"_s) + u"/docker.sock"_s;
        const bool useOwn = !sources.socketExists(system) && own.size() > 12 && sources.socketExists(own);
        endpoint = Endpoint{.path = useOwn ? own : system, .origin = Text::tr("the usual socket")};
    }
    const bool wantsTls = !sources.variable(u"DOCKER_TLS_VERIFY"_s).isEmpty();
    if (endpoint && !endpoint->isLocal() && wantsTls)
        return endpointError(Text::tr("DOCKER_TLS_VERIFY asks for TLS, which is not supported yet."),
                             localSocketHint());
    return endpoint;
}

} // namespace Sandboxio::Docker
