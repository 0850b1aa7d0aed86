// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "peers.h"

#include "../translation.h"

#include <QCoreApplication>

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

QString failure(const QString &what, const QString &why)
{
    return Text::tr("The peer failed: %1: %2").arg(what, why.simplified());
}

ErrorInfo peerError(const QString &what, const QString &why)
{
    return makeError(ErrorKind::ExecutionError, failure(what, why),
                     Text::tr("Run the command by hand to see what is wrong."));
}

// Ends \a promise as the process of its peer did.
void endWith(const OperationPromise<void> &promise, const ErrorInfo &error)
{
    if (promise.isCancelRequested())
        promise.cancelled();
    else
        promise.fail(error);
}

} // namespace

Operation<void> runPeer(const QString &program, const QStringList &arguments)
{
    const OperationPromise<void> promise;
    auto *process = new QProcess(QCoreApplication::instance());
    const QString line = program + u' ' + arguments.join(u' ');
    process->setStandardOutputFile(QProcess::nullDevice());
    process->setStandardInputFile(QProcess::nullDevice());
    QObject::connect(
        process, &QProcess::finished, process, [promise, process, line](int code, QProcess::ExitStatus status) {
            if (status == QProcess::NormalExit && code == 0)
                promise.finish();
            else
                endWith(promise,
                        peerError(line, QString::fromUtf8(process->readAllStandardError().right(400))));
            process->deleteLater();
        });
    QObject::connect(
        process, &QProcess::errorOccurred, process,
        [promise, process, line, program](QProcess::ProcessError error) {
            if (error != QProcess::FailedToStart)
                return; // finished() follows
            promise.fail(makeError(ErrorKind::ExecutionError, failure(line, process->errorString()),
                                   Text::tr("Install the %1 command line or put it into PATH.").arg(program)));
            process->deleteLater();
        });
    promise.onCancelRequested(process, [process] { process->kill(); });
    process->start(program, arguments);
    return promise.operation();
}

DockerPy::DockerPy(QObject *parent)
    : QObject(parent)
    , m_process(new QProcess(QCoreApplication::instance()))
{
    connect(m_process, &QProcess::readyReadStandardOutput, this, &DockerPy::readLines);
    connect(m_process, &QProcess::finished, this, &DockerPy::end);
    connect(m_process, &QProcess::errorOccurred, this, &DockerPy::end);
}

DockerPy::~DockerPy()
{
    disconnect(m_process, nullptr, this, nullptr);
    if (m_process->state() == QProcess::NotRunning) {
        m_process->deleteLater();
        return;
    }
    connect(m_process, &QProcess::finished, m_process, &QObject::deleteLater);
    m_process->kill();
}

Operation<QString> DockerPy::start(const QString &host, const QString &container)
{
    const Operation<QString> operation = m_started.operation();
    m_started.onCancelRequested(this, [this] {
        if (!m_started.isEnded())
            m_process->kill();
    });
    m_process->start(u"python3"_s, {u"-c"_s, dockerPyScript, host, container});
    return operation;
}

Operation<void> DockerPy::runTrue()
{
    if (m_process->state() == QProcess::NotRunning)
        return failedOperation<void>(peerError(u"docker-py"_s, Text::tr("its process has ended")));
    const OperationPromise<void> promise;
    promise.onCancelRequested(this, [this, promise] {
        if (!promise.isEnded())
            m_process->kill();
    });
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
    if (m_started.isCancelRequested())
        m_started.cancelled();
    m_started.finish(
        Text::tr("docker-py cannot be used: %1").arg(why.isEmpty() ? m_process->errorString() : why));
    for (const OperationPromise<void> &promise : std::exchange(m_waiting, {}))
        endWith(promise, peerError(u"docker-py"_s, why.isEmpty() ? m_process->errorString() : why));
}

} // namespace Sandboxio::Cli
