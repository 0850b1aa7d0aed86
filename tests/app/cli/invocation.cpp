// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "invocation.h"

#include <QDeadlineTimer>
#include <QJsonDocument>

#include <csignal>

using namespace Qt::StringLiterals;

Invocation::Invocation(const QStringList &arguments)
{
    m_process.setProgram(QStringLiteral(SANDBOXIO_COMMAND));
    m_process.setArguments(arguments);
}

Invocation::~Invocation()
{
    if (m_process.state() == QProcess::NotRunning)
        return;
    m_process.kill();
    m_process.waitForFinished();
}

void Invocation::setVariable(const QString &name, const QString &value)
{
    QProcessEnvironment environment = m_process.processEnvironment();
    if (environment.isEmpty())
        environment = QProcessEnvironment::systemEnvironment();
    environment.insert(name, value);
    m_process.setProcessEnvironment(environment);
}

void Invocation::start()
{
    m_process.start();
    m_process.waitForStarted();
}

void Invocation::signal(int signal)
{
    ::kill(pid_t(m_process.processId()), signal);
}

void Invocation::collect()
{
    m_output += m_process.readAllStandardOutput();
    m_error += m_process.readAllStandardError();
}

bool Invocation::waitFor(const QByteArray &text, QByteArray &collected, int limitMs)
{
    const QDeadlineTimer deadline(limitMs);
    while (true) {
        collect();
        if (collected.contains(text))
            return true;
        if (deadline.hasExpired() || m_process.state() == QProcess::NotRunning)
            return false;
        m_process.waitForReadyRead(50);
    }
}

bool Invocation::waitForError(const QByteArray &text, int limitMs)
{
    return waitFor(text, m_error, limitMs);
}

bool Invocation::waitForOutput(const QByteArray &text, int limitMs)
{
    return waitFor(text, m_output, limitMs);
}

bool Invocation::finish(int limitMs)
{
    const bool ended = m_process.state() == QProcess::NotRunning || m_process.waitForFinished(limitMs);
    collect();
    return ended;
}

int Invocation::exitCode() const
{
    return m_process.exitStatus() == QProcess::NormalExit ? m_process.exitCode() : -1;
}

QJsonObject Invocation::json() const
{
    return QJsonDocument::fromJson(m_output).object();
}

const char *Invocation::report() const
{
    m_report = "sandboxio " + m_process.arguments().join(u' ').toUtf8() + "\nexit code " +
               QByteArray::number(exitCode()) + "\nstdout: " + m_output.left(4000) +
               "\nstderr: " + m_error.left(4000);
    return m_report.constData();
}

std::unique_ptr<Invocation> invoke(const QStringList &arguments, const QByteArray &input)
{
    auto invocation = std::make_unique<Invocation>(arguments);
    invocation->start();
    invocation->process().write(input);
    invocation->process().closeWriteChannel();
    invocation->finish();
    return invocation;
}

QStringList testLabel()
{
    return {u"--label"_s, u"test_run="_s + qEnvironmentVariable("SANDBOXIO_TEST_RUN", u"manual"_s)};
}
