// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "peers.h"

#include "../translation.h"

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

const QString dockerPyScript = uR"(import sys
try:
    import docker
except ImportError:
    print("missing", flush=True)
    sys.exit(0)
client = docker.DockerClient(base_url=sys.argv[1]) if sys.argv[1] else docker.from_env()
container = client.containers.get(sys.argv[2])
print("ready", flush=True)
for line in sys.stdin:
    print("ok" if container.exec_run(["true"]).exit_code == 0 else "failed", flush=True)
)"_s;

ErrorInfo peerError(const QString &what, const QString &why)
{
    return makeError(ErrorKind::ExecutionError, Text::tr("The peer failed: %1: %2").arg(what, why.simplified()),
                     Text::tr("Run the command by hand to see what is wrong."));
}

} // namespace

Operation<void> runProgram(const QString &program, const QStringList &arguments)
{
    const OperationPromise<void> promise;
    auto *process = new QProcess;
    const QString line = program + u' ' + arguments.join(u' ');
    process->setStandardOutputFile(QProcess::nullDevice());
    process->setStandardInputFile(QProcess::nullDevice());
    QObject::connect(
        process, &QProcess::finished, process, [promise, process, line](int code, QProcess::ExitStatus status) {
            if (promise.isCancelRequested())
                promise.cancelled();
            else if (status == QProcess::NormalExit && code == 0)
                promise.finish();
            else
                promise.fail(peerError(line, QString::fromUtf8(process->readAllStandardError().right(400))));
            process->deleteLater();
        });
    QObject::connect(process, &QProcess::errorOccurred, process,
                     [promise, process, line](QProcess::ProcessError error) {
                         if (error != QProcess::FailedToStart)
                             return; // finished() follows
                         promise.fail(peerError(line, process->errorString()));
                         process->deleteLater();
                     });
    promise.onCancelRequested(process, [process] { process->kill(); });
    process->start(program, arguments);
    return promise.operation();
}

DockerPy::DockerPy(QObject *parent)
    : QObject(parent)
    , m_process(new QProcess)
{
    connect(m_process, &QProcess::readyReadStandardOutput, this, &DockerPy::readLines);
    connect(m_process, &QProcess::finished, this, &DockerPy::end);
    connect(m_process, &QProcess::errorOccurred, this, &DockerPy::end);
}

DockerPy::~DockerPy()
{
    disconnect(m_process, nullptr, this, nullptr);
    m_process->kill(); // the destructor of QProcess reaps it
}

Operation<QString> DockerPy::start(const QString &host, const QString &container)
{
    const Operation<QString> operation = m_started.operation();
    m_process->start(u"python3"_s, {u"-c"_s, dockerPyScript, host, container});
    return operation;
}

Operation<void> DockerPy::runTrue()
{
    const OperationPromise<void> promise;
    m_waiting.push_back(promise);
    m_process->write("\n");
    return promise.operation();
}

void DockerPy::readLines()
{
    while (m_process->canReadLine()) {
        const QByteArray line = m_process->readLine().trimmed();
        if (!m_started.isEnded()) {
            m_started.finish(line == "ready" ? QString() : Text::tr("docker-py is not installed"));
        } else if (!m_waiting.empty()) {
            const OperationPromise<void> promise = m_waiting.front();
            m_waiting.pop_front();
            if (line == "ok")
                promise.finish();
            else
                promise.fail(peerError(u"docker-py"_s, QString::fromUtf8(line)));
        }
    }
}

void DockerPy::end()
{
    const QString why = QString::fromUtf8(m_process->readAllStandardError().right(400)).simplified();
    m_started.finish(
        Text::tr("docker-py cannot be used: %1").arg(why.isEmpty() ? m_process->errorString() : why));
    for (const OperationPromise<void> &promise : std::exchange(m_waiting, {}))
        promise.fail(peerError(u"docker-py"_s, why));
}

} // namespace Sandboxio::Cli
