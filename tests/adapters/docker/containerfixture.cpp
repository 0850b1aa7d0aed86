// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "containerfixture.h"

#include "guestbinary.h"
#include "labels.h"

#include <QDeadlineTimer>
#include <QEventLoop>
#include <QFileInfo>
#include <QJsonDocument>
#include <QTimer>
#include <QUuid>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

const QString image = u"sandboxio-test:1"_s;

const Call fixtureCall{.purpose = {ErrorKind::ConnectError, u"test"_s}};

QString testRun()
{
    return qEnvironmentVariable("SANDBOXIO_TEST_RUN", u"by-hand"_s);
}

// The daemon must see it, so it may have to be elsewhere than where it was built.
QString guestFolder()
{
    const QString built = QString::fromLocal8Bit(TEST_GUEST_DIRECTORY);
    const QString given = qEnvironmentVariable(guestDirectoryVariable);
    return given.isEmpty() ? built : given + u'/' + QFileInfo(built).fileName();
}

} // namespace

bool spinUntil(const std::function<bool()> &done, std::chrono::milliseconds limit)
{
    QEventLoop loop;
    QDeadlineTimer deadline(limit);
    QTimer wake; // so that the deadline is seen when nothing else happens
    wake.start(std::chrono::milliseconds(50));
    while (!done() && !deadline.hasExpired())
        loop.processEvents(QEventLoop::WaitForMoreEvents);
    return done();
}

std::unique_ptr<ContainerFixture> ContainerFixture::make(QString *why)
{
    if (!qEnvironmentVariableIsSet("DOCKER_HOST")) {
        *why = u"DOCKER_HOST names no daemon"_s;
        return {};
    }
    const auto api = std::make_shared<Api>(resolveEndpoint({}, EndpointSources::ofProcess()));
    try {
        await(api->get(u"/images/%1/json"_s.arg(image), {}, fixtureCall));
    } catch (const SandboxError &error) {
        *why = u"no daemon with the image %1: %2"_s.arg(image, error.info().message);
        return {};
    }
    return std::unique_ptr<ContainerFixture>(new ContainerFixture(api));
}

ContainerFixture::ContainerFixture(std::shared_ptr<Api> api)
    : m_api(std::move(api))
{
    m_context.ioObject = &m_ioObject;
    m_context.clock = Clock::system();
    m_context.redactor = std::make_shared<Redactor>();
    m_context.warn = [](const EngineWarning &warning) {
        qWarning("%s", qPrintable(warning.message));
    };
}

ContainerFixture::~ContainerFixture()
{
    for (const QString &id : std::as_const(m_ids)) {
        try {
            await(m_api->remove(u"/containers/"_s + id, QUrlQuery(u"force=1&v=1"_s), fixtureCall));
        } catch (const SandboxError &error) {
            if (!isStatus(error.info(), 404))
                qWarning("%s", qPrintable(error.info().toText()));
        }
    }
}

QString ContainerFixture::createContainer(const ContainerOptions &options)
{
    const QJsonObject labels{{QString::fromLatin1(managedLabel), u"true"_s},
                             {QString::fromLatin1(metadataPrefix) + u"test_run"_s, testRun()}};
    const qint64 memory = options.memoryMb * 1024 * 1024;
    const QJsonObject host{{u"Binds"_s, QJsonArray{guestFolder() + u":/.sandboxio:ro"_s}},
                           {u"NetworkMode"_s, u"none"_s},
                           {u"CapDrop"_s, QJsonArray{u"ALL"_s}},
                           {u"Memory"_s, memory},
                           {u"MemorySwap"_s, memory},
                           {u"PidsLimit"_s, 256},
                           {u"LogConfig"_s, QJsonObject{{u"Type"_s, u"none"_s}}}};
    const QJsonObject request{
        {u"Image"_s, image},
        {u"User"_s, options.user},
        {u"Labels"_s, labels},
        {u"HostConfig"_s, host},
        {u"OpenStdin"_s, true},
        {u"AttachStdin"_s, true},
        {u"AttachStdout"_s, true},
        {u"AttachStderr"_s, true},
        {u"Tty"_s, false},
        {u"Entrypoint"_s, QJsonArray{QString::fromLatin1(guestProgram)}},
        {u"Cmd"_s, QJsonArray{u"serve"_s, u"--lifetime-ms"_s, QString::number(options.lifetime.count()),
                              u"--workdir"_s, u"/tmp"_s}}};
    QUrlQuery query;
    query.addQueryItem(u"name"_s, u"sandboxio-"_s + QUuid::createUuid().toString(QUuid::WithoutBraces));
    const QByteArray body = await(m_api->post(u"/containers/create"_s, query, request, fixtureCall));
    const QString id = QJsonDocument::fromJson(body).object()["Id"_L1].toString();
    m_ids.append(id);
    return id;
}

SandboxSetup ContainerFixture::setupOf(const QString &id, const ContainerOptions &options) const
{
    SandboxSetup setup{.details = {}, .env = options.env, .secrets = options.secrets, .searchPath = {}};
    setup.details.managed.id = id;
    setup.details.managed.createdAt = m_context.clock->wallTime();
    setup.details.managed.expiresAt = setup.details.managed.createdAt.addMSecs(options.lifetime.count());
    setup.details.resources.memoryMb = options.memoryMb;
    return setup;
}

std::shared_ptr<DockerSandbox> ContainerFixture::create(const ContainerOptions &options)
{
    const QString id = createContainer(options);
    const auto sandbox = DockerSandbox::make(m_api, m_context, setupOf(id, options));
    const auto stream =
        await(m_api->hijack(u"/containers/%1/attach"_s.arg(id),
                            QUrlQuery(u"stream=1&stdin=1&stdout=1&stderr=1"_s), {}, fixtureCall));
    const Operation<void> attached = sandbox->attachStdio(stream);
    await(m_api->post(u"/containers/%1/start"_s.arg(id), {}, {}, fixtureCall));
    await(attached);
    return sandbox;
}

std::shared_ptr<DockerSandbox> ContainerFixture::connectTo(const QString &id)
{
    const auto sandbox = DockerSandbox::make(m_api, m_context, setupOf(id, {}));
    await(sandbox->relay());
    return sandbox;
}

QJsonObject ContainerFixture::inspect(const QString &id)
{
    return QJsonDocument::fromJson(await(m_api->get(u"/containers/%1/json"_s.arg(id), {}, fixtureCall)))
        .object();
}

void RecordingEvents::started(std::optional<qint64> number)
{
    ++startedCalls;
    pid = number;
    if (status || error)
        breaches.append(u"started after the end"_s);
}

void RecordingEvents::output(OutputStream stream, const QByteArray &data)
{
    if (startedCalls == 0 || error)
        breaches.append(u"output before started or after failed"_s);
    received += data.size();
    if (keep)
        (stream == OutputStream::StandardOutput ? standardOutput : standardError) += data;
    if (process)
        process->acknowledge(stream, data.size());
}

void RecordingEvents::outputLost(OutputStream, qint64 bytes)
{
    lost += bytes;
    if (error)
        breaches.append(u"outputLost after failed"_s);
}

void RecordingEvents::streamEnded(OutputStream)
{
    if (++endedStreams > 2 || error)
        breaches.append(u"streamEnded too often or after failed"_s);
}

void RecordingEvents::exited(const ExitStatus &how)
{
    if (++exitedCalls > 1 || error)
        breaches.append(u"exited twice or after failed"_s);
    status = how;
}

void RecordingEvents::failed(const ErrorInfo &why)
{
    if (++failedCalls > 1 || status)
        breaches.append(u"failed twice or after exited"_s);
    error = why;
}

void RecordingEvents::richOutput(const RichOutput &)
{
    breaches.append(u"rich output of a one-shot run"_s);
}

Running::Running(DockerSandbox &sandbox, const ProcessRequest &request)
    : process(sandbox.start(request, events.get()))
{
    events->process = process.get();
}

RecordingEvents &Running::wait(std::chrono::milliseconds limit)
{
    if (!spinUntil([this] { return events->ended(); }, limit))
        qWarning("A run did not end within %lld ms.", static_cast<long long>(limit.count()));
    return *events;
}

ProcessRequest commandRequest(const Command &command, const RunOptions &options)
{
    ProcessRequest request;
    request.command = command;
    request.options = options;
    return request;
}

ProcessRequest shellRequest(const QString &text, const RunOptions &options)
{
    return commandRequest(Command::shell(text), options);
}

ProcessRequest codeRequest(const QByteArray &code, const QString &language)
{
    ProcessRequest request;
    request.code = code;
    request.codeOptions.language = language;
    return request;
}

} // namespace Sandboxio::Docker
