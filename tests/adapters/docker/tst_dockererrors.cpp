// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "apierror.h"
#include "dockerapi.h"
#include "endpoint.h"
#include "support/testprogram.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace Sandboxio;
using namespace Sandboxio::Docker;

/*! Finding the daemon, and what its refusals become. Pure functions. */
class tst_DockerErrors : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void answer_data();
    void answer();
    void transport_data();
    void transport();
    void permissionHintFollowsTheGroup();
    void causeIsCutAndKeepsTheStatus();
    void malformedBodies_data();
    void malformedBodies();
    void address_data();
    void address();
    void sourcesAreAskedInOrder();
    void dockerContextIsRead();
    void version_data();
    void version();
    void target_data();
    void target();
};

void tst_DockerErrors::answer_data()
{
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<ErrorKind>("asked");
    QTest::addColumn<ErrorKind>("kind");
    QTest::addColumn<QString>("hintContains");
    const auto message = [](const char *text) {
        return R"({"message":")"_ba + text + R"("})";
    };
    using Kind = ErrorKind;
    QTest::newRow("an unknown container while connecting")
        << 404 << message("No such container: abc") << Kind::ConnectError << Kind::ConnectError
        << u"sandboxio list"_s;
    QTest::newRow("an unknown container during a run means that it is gone")
        << 404 << message("No such container: abc") << Kind::ExecutionError << Kind::SandboxGone << QString();
    QTest::newRow("a container that is not running any more")
        << 409 << message("Container 12ab is not running") << Kind::FileSystemError << Kind::SandboxGone
        << QString();
    QTest::newRow("a paused container")
        << 409 << message("Container 12ab is paused, unpause the container before exec") << Kind::ExecutionError
        << Kind::ExecutionError << u"docker unpause"_s;
    QTest::newRow("a missing image") << 404 << message("No such image: python:3.12-slim") << Kind::CreationError
                                     << Kind::CreationError << u"docker pull"_s;
    QTest::newRow("no way to the registry")
        << 500
        << message("Get \\\"https://registry-1.docker.io/v2/\\\": dial tcp: lookup registry-1.docker.io on "
                   "10.0.0.1:53: no such host")
        << Kind::CreationError << Kind::CreationError << u"docker load"_s;
    QTest::newRow("a private or unknown image")
        << 404 << message("pull access denied for x, repository does not exist or may require 'docker login'")
        << Kind::CreationError << Kind::CreationError << u"docker login"_s;
    QTest::newRow("an image behind a login") << 500 << message("unauthorized: authentication required")
                                             << Kind::CreationError << Kind::AuthError << u"docker login"_s;
    QTest::newRow("a registry that slows us down")
        << 429 << message("toomanyrequests: You have reached your pull rate limit") << Kind::CreationError
        << Kind::RateLimitError << u"docker login"_s;
    QTest::newRow("a full disk") << 500 << message("mkdir /var/lib/docker/overlay2/x: no space left on device")
                                 << Kind::CreationError << Kind::CreationError << u"docker system prune"_s;
    QTest::newRow("a cap that the kernel lacks")
        << 400
        << message("NanoCPUs can not be set, as your kernel does not support CPU CFS scheduler or the cgroup "
                   "is not mounted")
        << Kind::CreationError << Kind::ConfigurationError << u"waive"_s;
    QTest::newRow("a cap out of range")
        << 400 << message("range of CPUs is from 0.01 to 2.00, as there are only 2 CPUs available")
        << Kind::CreationError << Kind::ConfigurationError << u"range"_s;
    QTest::newRow("an unknown runtime") << 400 << message("unknown or invalid runtime name: runsc")
                                        << Kind::CreationError << Kind::ConfigurationError << u"docker info"_s;
    QTest::newRow("a program for another processor")
        << 400 << message("failed to create task: exec /.sandboxio/sandboxio-guest: exec format error")
        << Kind::CreationError << Kind::CreationError << u"architecture"_s;
    QTest::newRow("a taken name")
        << 409 << message("Conflict. The container name \\\"/x\\\" is already in use by container \\\"12\\\"")
        << Kind::CreationError << Kind::CreationError << u"docker rm -f"_s;
    QTest::newRow("a proxy that forbids")
        << 403 << "<html>Forbidden</html>"_ba << Kind::CreationError << Kind::AuthError << u"DOCKER_HOST"_s;
    QTest::newRow("something that nobody knows")
        << 500 << message("it hurts") << Kind::FileSystemError << Kind::FileSystemError << u"journalctl"_s;
    QTest::newRow("an empty body") << 500 << QByteArray() << Kind::ConnectError << Kind::ConnectError
                                   << u"journalctl"_s;
}

void tst_DockerErrors::answer()
{
    QFETCH(const int, status);
    QFETCH(const QByteArray, body);
    QFETCH(const ErrorKind, asked);
    QFETCH(const ErrorKind, kind);
    QFETCH(const QString, hintContains);
    const ErrorInfo error = errorOfAnswer(status, body, {asked, u"make tea"_s});
    QCOMPARE(error.kind, kind);
    QVERIFY2(error.hint.contains(hintContains), qPrintable(error.hint));
    QVERIFY2(error.message.contains(u"make tea"_s), qPrintable(error.message));
    QVERIFY(isStatus(error, status));
    QVERIFY(!isStatus(error, status + 1));
    QVERIFY(!error.cause->text.contains(u"{\"message\""_s));
}

void tst_DockerErrors::transport_data()
{
    QTest::addColumn<TransportError::Kind>("kind");
    QTest::addColumn<QString>("messageContains");
    QTest::addColumn<QString>("hintContains");
    using Kind = TransportError::Kind;
    QTest::newRow("no socket") << Kind::NoSuchSocket << u"No Docker daemon answers at unix:///run/d.sock"_s
                               << u"DOCKER_HOST"_s;
    QTest::newRow("nobody listens") << Kind::Refused << u"No Docker daemon answers"_s
                                    << u"systemctl start docker"_s;
    QTest::newRow("no permission") << Kind::PermissionDenied << u"may not use"_s << u"rootless"_s;
    QTest::newRow("silence") << Kind::TimedOut << u"did not answer in time"_s << u"docker info"_s;
    QTest::newRow("a connection that broke")
        << Kind::ClosedBeforeReply << u"is not known"_s << u"sandboxio list"_s;
    QTest::newRow("a reply cut off") << Kind::ClosedMidBody << u"is not known"_s << u"sandboxio list"_s;
    QTest::newRow("no HTTP") << Kind::Malformed << u"not understood"_s << u"DOCKER_HOST"_s;
}

void tst_DockerErrors::transport()
{
    QFETCH(const TransportError::Kind, kind);
    QFETCH(const QString, messageContains);
    QFETCH(const QString, hintContains);
    const Endpoint endpoint{.path = u"/run/d.sock"_s};
    const ErrorInfo error = errorOfTransport({kind, u"ours"_s, u"the socket's"_s}, endpoint,
                                             {ErrorKind::CreationError, u"make tea"_s});
    QCOMPARE(error.kind, ErrorKind::CreationError);
    QVERIFY2(error.message.contains(messageContains), qPrintable(error.message));
    QVERIFY2(error.hint.contains(hintContains), qPrintable(error.hint));
    QVERIFY(error.cause && !error.cause->status);
}

void tst_DockerErrors::permissionHintFollowsTheGroup()
{
    const Endpoint endpoint{.path = u"/run/d.sock"_s};
    const TransportError denied{TransportError::Kind::PermissionDenied, {}, {}};
    const auto hint = [&](const SocketAccess &access) {
        return errorOfTransport(denied, endpoint, {ErrorKind::ConnectError, u"x"_s}, access).hint;
    };
    QVERIFY(hint({.group = u"docker"_s}).contains(u"sudo usermod -aG docker $USER"_s));
    QVERIFY(hint({.group = u"docker"_s, .memberButNotInSession = true}).contains(u"log out"_s));
    QVERIFY(!hint({.group = u"docker"_s, .memberButNotInSession = true}).contains(u"usermod"_s));
    QVERIFY(!hint({}).contains(u"usermod"_s));
    for (const SocketAccess &access :
         {SocketAccess{}, SocketAccess{u"docker"_s, false}, SocketAccess{u"docker"_s, true}})
        QVERIFY(!hint(access).contains(u"chmod"_s));
    QCOMPARE(socketAccess(u"/nowhere/at/all"_s), SocketAccess());
}

void tst_DockerErrors::causeIsCutAndKeepsTheStatus()
{
    const ErrorInfo error = errorOfAnswer(500, QByteArray(100'000, 'x'), {ErrorKind::ConnectError, u"x"_s});
    QVERIFY(error.cause->text.size() <= 2000);
    QCOMPARE(error.cause->status, 500);
}

void tst_DockerErrors::malformedBodies_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<bool>("isObject");
    QTest::addColumn<bool>("isArray");
    QTest::newRow("an object") << R"({"a":1})"_ba << true << false;
    QTest::newRow("an array") << "[1]"_ba << false << true;
    QTest::newRow("null for an empty list") << "null\n"_ba << false << true;
    QTest::newRow("nothing") << QByteArray() << false << false;
    QTest::newRow("half an object") << R"({"a":)"_ba << false << false;
    QTest::newRow("HTML") << "<html></html>"_ba << false << false;
}

void tst_DockerErrors::malformedBodies()
{
    QFETCH(const QByteArray, body);
    QFETCH(const bool, isObject);
    QFETCH(const bool, isArray);
    const Purpose purpose{ErrorKind::CreationError, u"make tea"_s};
    const auto object = parseObject(body, purpose);
    const auto array = parseArray(body, purpose);
    QCOMPARE(object.has_value(), isObject);
    QCOMPARE(array.has_value(), isArray);
    if (!object)
        QCOMPARE(object.error().kind, ErrorKind::CreationError);
}

void tst_DockerErrors::address_data()
{
    QTest::addColumn<QString>("address");
    QTest::addColumn<QString>("expected");
    QTest::newRow("a local socket") << u"unix:///run/docker.sock"_s << u"unix:///run/docker.sock"_s;
    QTest::newRow("a path") << u"/run/docker.sock"_s << u"unix:///run/docker.sock"_s;
    QTest::newRow("TCP") << u"tcp://127.0.0.1:4000"_s << u"tcp://127.0.0.1:4000"_s;
    QTest::newRow("TCP without a port") << u"tcp://dockerhost"_s << u"tcp://dockerhost:2375"_s;
    QTest::newRow("SSH is refused") << u"ssh://me@host"_s << QString();
    QTest::newRow("TLS is refused") << u"https://host:2376"_s << QString();
    QTest::newRow("a password is refused") << u"tcp://me:hunter2@host"_s << QString();
    QTest::newRow("a relative path is refused") << u"unix://docker.sock"_s << QString();
    QTest::newRow("another scheme is refused") << u"npipe:////./pipe/docker_engine"_s << QString();
    QTest::newRow("nothing is refused") << QString() << QString();
}

void tst_DockerErrors::address()
{
    QFETCH(const QString, address);
    QFETCH(const QString, expected);
    const auto endpoint = parseEndpoint(address, u"DOCKER_HOST"_s);
    QCOMPARE(endpoint.has_value(), !expected.isEmpty());
    if (endpoint) {
        QCOMPARE(endpoint->toString(), expected);
        return;
    }
    QCOMPARE(endpoint.error().kind, ErrorKind::ConfigurationError);
    QVERIFY(!endpoint.error().toText().contains(u"hunter2"_s));
    QVERIFY(!endpoint.error().hint.isEmpty());
}

void tst_DockerErrors::sourcesAreAskedInOrder()
{
    QMap<QString, QString> variables{{u"XDG_RUNTIME_DIR"_s, u"/run/user/7"_s}};
    QStringList sockets{u"/run/user/7/docker.sock"_s};
    const EndpointSources sources{.variable = [&](const QString &name) { return variables.value(name); },
                                  .configDirectory = u"/nowhere"_s,
                                  .socketExists =
                                      [&](const QString &path) {
                                          return sockets.contains(path);
                                      }};
    Target target{.backend = u"docker"_s, .templateId = {}, .parameters = {}};
    const auto found = [&] {
        return resolveEndpoint(target, sources).value_or(Endpoint{}).toString();
    };
    QCOMPARE(found(), u"unix:///run/user/7/docker.sock"_s);
    sockets.append(u"/var/run/docker.sock"_s);
    QCOMPARE(found(), u"unix:///var/run/docker.sock"_s);
    variables[u"DOCKER_HOST"_s] = u"tcp://one:1"_s;
    QCOMPARE(found(), u"tcp://one:1"_s);
    target.parameters[u"host"_s] = u"tcp://two:2"_s;
    QCOMPARE(found(), u"tcp://two:2"_s);
    variables[u"DOCKER_TLS_VERIFY"_s] = u"1"_s;
    QVERIFY(!resolveEndpoint(target, sources));
}

void tst_DockerErrors::dockerContextIsRead()
{
    const QTemporaryDir folder;
    const auto write = [&](const QString &path, const QByteArray &content) {
        QVERIFY(QDir(folder.path()).mkpath(QFileInfo(path).path()));
        QFile file(folder.filePath(path));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
    };
    write(u"config.json"_s, R"({"currentContext":"remote","auths":{}})");
    const EndpointSources sources{.variable = [](const QString &) { return QString(); },
                                  .configDirectory = folder.path(),
                                  .socketExists =
                                      [](const QString &) {
                                          return true;
                                      }};
    const ErrorInfo missing = resolveEndpoint({}, sources).error();
    QVERIFY2(missing.message.contains(u"remote"_s), qPrintable(missing.message));
    const QString hash =
        QString::fromLatin1(QCryptographicHash::hash("remote", QCryptographicHash::Sha256).toHex());
    write(u"contexts/meta/%1/meta.json"_s.arg(hash),
          R"({"Name":"remote","Endpoints":{"docker":{"Host":"unix:///x/d.sock"}}})");
    const auto endpoint = resolveEndpoint({}, sources);
    QVERIFY(endpoint);
    QCOMPARE(endpoint->path, u"/x/d.sock"_s);
    QVERIFY(endpoint->origin.contains(u"remote"_s));
}

void tst_DockerErrors::version_data()
{
    QTest::addColumn<QByteArray>("offered");
    QTest::addColumn<int>("minor");
    QTest::newRow("the oldest that we know") << "1.41"_ba << 41;
    QTest::newRow("one between") << "1.45"_ba << 45;
    QTest::newRow("a newer one than ours") << "1.99"_ba << 51;
    QTest::newRow("too old") << "1.40"_ba << 0;
    QTest::newRow("none") << QByteArray() << 0;
    QTest::newRow("no number") << "1.x"_ba << 0;
    QTest::newRow("another major") << "2.1"_ba << 0;
}

void tst_DockerErrors::version()
{
    QFETCH(const QByteArray, offered);
    QFETCH(const int, minor);
    const auto version = agreeOnVersion(offered, "Docker/26.1.5 (linux)");
    QCOMPARE(version.has_value(), minor != 0);
    if (version)
        QCOMPARE(version->apiMinor, minor);
    else
        QVERIFY(!version.error().hint.isEmpty());
    QVERIFY(agreeOnVersion("1.41", "Libpod/5.4.2 (linux)")->isPodman);
}

void tst_DockerErrors::target_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QUrlQuery>("query");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("a plain path") << u"/containers/json"_s << QUrlQuery() << "/v1.45/containers/json"_ba;
    QTest::newRow("an image with host and tag")
        << u"/images/host:5000/a/b:1@x/json"_s << QUrlQuery() << "/v1.45/images/host:5000/a/b:1@x/json"_ba;
    QTest::newRow("what could break the line") << u"/a b\r\n?c"_s << QUrlQuery() << "/v1.45/a%20b%0D%0A%3Fc"_ba;
    QTest::newRow("a query with reserved characters")
        << u"/x"_s << QUrlQuery{{u"path"_s, u"/a&b=c+d e"_s}, {u"v"_s, u"1"_s}}
        << "/v1.45/x?path=%2Fa%26b%3Dc%2Bd%20e&v=1"_ba;
}

void tst_DockerErrors::target()
{
    QFETCH(const QString, path);
    QFETCH(const QUrlQuery, query);
    QFETCH(const QByteArray, expected);
    QCOMPARE(requestTarget(45, path, query), expected);
}

SANDBOXIO_TEST(tst_DockerErrors)
#include "tst_dockererrors.moc"
