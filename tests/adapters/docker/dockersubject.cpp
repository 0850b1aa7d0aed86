// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockersubject.h"

#include "support/freezing.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr int commandLimitMs = 30'000;
constexpr qint64 bytesPerMb = 1024 * 1024;

struct Answer
{
    bool succeeded = false;
    QByteArray output;
    QString problem;
};

Answer docker(const QStringList &arguments)
{
    QProcess process;
    process.start(u"docker"_s, arguments);
    const bool ended = process.waitForFinished(commandLimitMs);
    return {ended && process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0,
            process.readAllStandardOutput(), QString::fromUtf8(process.readAllStandardError()).simplified()};
}

QStringList linesOf(const QByteArray &output)
{
    return QString::fromUtf8(output).split(u'\n', Qt::SkipEmptyParts);
}

QString daemonSocket()
{
    const QString host = qEnvironmentVariable("DOCKER_HOST", u"unix:///var/run/docker.sock"_s);
    return host.startsWith("unix://"_L1) ? host.sliced(7) : QString();
}

QStringList processesIn(const QString &id)
{
    QStringList lines = linesOf(docker({u"top"_s, id, u"-eo"_s, u"pid,args"_s}).output).mid(1);
    lines.removeIf([](const QString &line) {
        return line.contains("/.sandboxio/"_L1) || line.contains("sandboxio-exec"_L1);
    });
    return lines;
}

Resources capsOf(const QString &id)
{
    const QJsonDocument found = QJsonDocument::fromJson(docker({u"inspect"_s, id}).output);
    const QJsonValue host = found.array().first()["HostConfig"_L1];
    Resources caps;
    if (const double nanoCpus = host["NanoCpus"_L1].toDouble(); nanoCpus > 0)
        caps.cpu = nanoCpus / 1e9;
    if (const qint64 memory = host["Memory"_L1].toInteger(); memory > 0)
        caps.memoryMb = memory / bytesPerMb;
    if (const int processes = host["PidsLimit"_L1].toInt(); processes > 0)
        caps.processes = processes;
    return caps;
}

} // namespace

DockerSubject::DockerSubject(const QString &name, const QMap<QString, QString> &parameters)
    : m_name(name)
    , m_parameters(parameters)
{
    tier = IsolationTier::Container;
    missingTemplate = u"sandboxio-contract-missing:1"_s;
    m_proxy = std::make_unique<FaultProxy>(FaultProxy::Options{
        .listenPath = m_folder.filePath(u"docker.sock"_s),
        .targetPath = daemonSocket(),
        .onRequest = [this](int, const QByteArray &method, const QByteArray &path) {
            // The container that fills the guest's volume is no sandbox.
            if (method == "POST" && path.contains("/containers/create") && !path.contains("-fill"))
                ++m_createRequests;
        }});
    setProbes();
    setFaultProbes();
}

DockerSubject::~DockerSubject() = default;

QString DockerSubject::image() const
{
    return qEnvironmentVariable("SANDBOXIO_TEST_IMAGE", u"sandboxio-test:1"_s);
}

Target DockerSubject::target() const
{
    QMap<QString, QString> parameters = m_parameters;
    parameters.insert(u"host"_s, u"unix://"_s + m_folder.filePath(u"docker.sock"_s));
    return {.backend = u"docker"_s, .templateId = {}, .parameters = parameters};
}

CreateOptions DockerSubject::createOptions() const
{
    CreateOptions options;
    options.templateId = image();
    options.metadata = {{u"test_run"_s, qEnvironmentVariable("SANDBOXIO_TEST_RUN", u"by-hand"_s)}};
    return options;
}

QString DockerSubject::unavailable()
{
    if (daemonSocket().isEmpty())
        return u"the daemon is not on a local socket"_s;
    if (const Answer found = docker({u"image"_s, u"inspect"_s, image()}); !found.succeeded)
        return u"no Docker daemon with the image %1: %2"_s.arg(image(), found.problem);
    const Answer open = docker({u"run"_s, u"--rm"_s, u"--network"_s, u"bridge"_s, image(), u"true"_s});
    if (!open.succeeded)
        noOpenNetwork = u"this daemon has no open network: "_s + open.problem;
    return m_proxy->start() ? QString() : u"the proxy cannot listen"_s;
}

void DockerSubject::setProbes()
{
    probes.sandboxes = [](const QString &name, const QString &value) {
        return linesOf(docker({u"ps"_s, u"--all"_s, u"--quiet"_s, u"--no-trunc"_s, u"--filter"_s,
                               u"label=io.sandboxio.meta.%1=%2"_s.arg(name, value)})
                           .output);
    };
    probes.processes = processesIn;
    probes.createRequests = [this] {
        return m_createRequests.load();
    };
    probes.lose = [](const QString &id) {
        docker({u"rm"_s, u"--force"_s, u"--volumes"_s, id});
    };
    probes.addForeign = [this] {
        const Answer made =
            docker({u"run"_s, u"--detach"_s, u"--network"_s, u"none"_s, image(), u"sleep"_s, u"600"_s});
        const QString id = QString::fromLatin1(made.output).trimmed();
        return ForeignSandbox{id, faultUntil([id] { docker({u"rm"_s, u"--force"_s, id}); })};
    };
    probes.caps = capsOf;
    probes.description = [](const QString &id) {
        const QByteArray volumes =
            docker({u"volume"_s, u"ls"_s, u"--format"_s, u"{{.Name}} {{.Labels}}"_s}).output;
        return docker({u"inspect"_s, id}).output + volumes;
    };
}

Fault DockerSubject::withRule(const QString &text)
{
    const auto rule = FaultRule::parse(text);
    if (!rule)
        qFatal("%s", qPrintable(rule.error()));
    m_proxy->setRules({*rule});
    return faultUntil([this] {
        m_proxy->setRules({});
        m_proxy->release();
    });
}

void DockerSubject::setFaultProbes()
{
    probes.breakProvider = [this] {
        return withRule(u"* .:0:before-request:error"_s);
    };
    probes.slowCreate = [this](std::chrono::milliseconds step) {
        return withRule(u"POST /containers/create:0:before-reply:delay=%1"_s.arg(step.count()));
    };
    probes.failCreate = [this] {
        return withRule(u"POST /containers/create:0:before-request:error"_s);
    };
    probes.cutCreateAnswer = [this] {
        return withRule(u"POST /containers/create:0:before-reply:half"_s);
    };
    probes.failFetch = [this] {
        return withRule(u"POST /images/create:0:before-request:error-line"_s);
    };
    probes.rateLimit = Probe<Fault()>::missing(u"the daemon limits no rates"_s);
    probes.hangKill = [this] {
        return withRule(u"DELETE /containers/:0:before-request:stop"_s);
    };
    probes.failKill = [this] {
        return withRule(u"DELETE /containers/:0:before-request:error"_s);
    };
    probes.hangKillTree = [](const QString &id) {
        std::ignore =
            pauseForCertain([&] { return docker({u"pause"_s, id}).problem; }); // nobody in it answers any more
        return faultUntil([id] { docker({u"unpause"_s, id}); });
    };
    probes.breakConnections = [this] {
        m_proxy->dropConnections();
    };
}

} // namespace Sandboxio::Docker
