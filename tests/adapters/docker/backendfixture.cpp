// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "backendfixture.h"

#include "labels.h"
#include "support/freezing.h"

#include <sandboxio/ports/processport.h>

#include <QJsonDocument>
#include <QUuid>

#include <unistd.h>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

const Call testCall{.purpose = {ErrorKind::ConnectError, u"test"_s}};

class NoCredentials final : public CredentialSource
{
public:
    Operation<std::optional<Secret>> credential(const QString &) override
    {
        return finishedOperation<std::optional<Secret>>(std::nullopt);
    }
};

class Collector final : public ProcessEvents
{
public:
    explicit Collector(ProcessPort *&port)
        : m_port(port)
    {}
    void started(std::optional<qint64>) override {}
    void output(OutputStream stream, const QByteArray &data) override
    {
        text += data;
        m_port->acknowledge(stream, data.size());
    }
    void outputLost(OutputStream, qint64) override {}
    void streamEnded(OutputStream) override { ++ends; }
    void exited(const ExitStatus &) override { ++ends; }
    void failed(const ErrorInfo &error) override
    {
        text += error.toText().toUtf8();
        ends = 3;
    }
    void richOutput(const RichOutput &) override {}

    QByteArray text;
    int ends = 0;

private:
    ProcessPort *&m_port;
};

} // namespace

std::unique_ptr<BackendFixture> BackendFixture::make(QString *why)
{
    if (!qEnvironmentVariableIsSet("DOCKER_HOST")) {
        *why = u"DOCKER_HOST names no daemon"_s;
        return {};
    }
    std::unique_ptr<BackendFixture> fixture(new BackendFixture);
    try {
        waitFor(fixture->m_api->get(u"/images/%1/json"_s.arg(QLatin1StringView(testImage)), {}, testCall));
    } catch (const SandboxError &error) {
        *why = u"no daemon with the image %1: %2"_s.arg(QLatin1StringView(testImage), error.info().message);
        return {};
    }
    return fixture;
}

BackendFixture::BackendFixture()
{
    m_context.ioObject = &m_ioObject;
    m_context.clock = Clock::system();
    m_context.redactor = std::make_shared<Redactor>();
    m_context.credentials = std::make_shared<NoCredentials>();
    m_context.owner.session = QUuid::createUuid().toString(QUuid::WithoutBraces);
    m_context.owner.pid = getpid();
    m_context.owner.hostId = u"test-host"_s;
    m_context.warn = [this](const EngineWarning &warning) {
        warnings.append(warning);
    };
    m_metadata = {{u"test_run"_s, qEnvironmentVariable("SANDBOXIO_TEST_RUN", u"by-hand"_s)},
                  {u"test_fixture"_s, m_context.owner.session}};
    m_api = std::make_shared<Api>(resolveEndpoint({}, EndpointSources::ofProcess()));
    m_backend = other({.backend = u"docker"_s, .templateId = {}, .parameters = {}});
}

void BackendFixture::pauseByOthers(const QString &id)
{
    const QString problem = pauseForCertain([&] {
        try {
            waitFor(api().post(u"/containers/%1/pause"_s.arg(id), {}, {}, testCall));
        } catch (const SandboxError &error) {
            return error.info().toWholeText();
        }
        return QString();
    });
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
}

BackendFixture::~BackendFixture()
{
    try { // also what is not managed: tests make such containers to see that they are left alone
        const QUrlQuery force{{u"force"_s, u"1"_s}, {u"v"_s, u"1"_s}};
        for (const QString &id : containers())
            waitFor(m_api->remove(u"/containers/"_s + id, force, testCall));
    } catch (const SandboxError &error) {
        qWarning("%s", qPrintable(error.info().toText()));
    }
}

std::unique_ptr<DockerBackend> BackendFixture::other(const Target &target)
{
    return std::make_unique<DockerBackend>(m_context, target,
                                           resolveEndpoint(target, EndpointSources::ofProcess()));
}

CreateOptions BackendFixture::options() const
{
    CreateOptions options;
    options.timeout = std::chrono::seconds(60);
    options.templateId = QString::fromLatin1(testImage);
    options.metadata = m_metadata;
    return options;
}

std::shared_ptr<SandboxPort> BackendFixture::create(const CreateOptions &options)
{
    const CreatePlan plan = waitFor(m_backend->plan(options));
    return waitFor(m_backend->create(plan));
}

QJsonObject BackendFixture::inspect(const QString &id)
{
    return objectOf(waitFor(m_api->get(u"/containers/%1/json"_s.arg(id), {}, testCall)), testCall.purpose);
}

QUrlQuery BackendFixture::ownQuery() const
{
    const QString label =
        u"%1test_fixture=%2"_s.arg(QLatin1StringView(metadataPrefix), m_context.owner.session);
    const QJsonObject filters{{u"label"_s, QJsonArray{label}}};
    return {{u"all"_s, u"1"_s},
            {u"filters"_s, QString::fromUtf8(QJsonDocument(filters).toJson(QJsonDocument::Compact))}};
}

QStringList BackendFixture::containers()
{
    QStringList ids;
    const QByteArray body = waitFor(m_api->get(u"/containers/json"_s, ownQuery(), testCall));
    const QJsonArray entries = arrayOf(body, testCall.purpose);
    for (const QJsonValue &entry : entries)
        ids.append(entry["Id"_L1].toString());
    return ids;
}

QStringList BackendFixture::leftovers()
{
    QStringList found = containers();
    const QByteArray body = waitFor(m_api->get(u"/volumes"_s, ownQuery(), testCall));
    const QJsonArray volumes = objectOf(body, testCall.purpose).value("Volumes"_L1).toArray();
    for (const QJsonValue &volume : volumes)
        found.append(u"volume "_s + volume["Name"_L1].toString());
    return found;
}

QByteArray outputOf(SandboxPort &sandbox, const QStringList &command)
{
    ProcessRequest request;
    request.command = Command(command);
    ProcessPort *port = nullptr;
    Collector collector(port);
    const auto process = sandbox.start(request, &collector);
    port = process.get();
    if (!QTest::qWaitFor([&] { return collector.ends >= 3; }, std::chrono::seconds(30)))
        return "it did not end";
    return collector.text;
}

} // namespace Sandboxio::Docker
