// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "codelanguages.h"
#include "dockersandbox.h"
#include "execfiles.h"
#include "execfilescripts.h"
#include "execscripts.h"
#include "texts.h"

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

// Short: an exec that goes on for longer has lost its connection, also one that ends soon after.
constexpr std::chrono::milliseconds endNoticeLimit(100);

Purpose execPurpose()
{
    return {ErrorKind::ConnectError, Text::tr("run a program by `docker exec`")};
}

QString transportText(bool canRun)
{
    if (canRun) {
        return Text::tr(
            "Plain exec: each run is a `docker exec`, without a helper inside. Its arguments can be read "
            "in the daemon's event stream, and it goes on if this program is killed.");
    }
    return Text::tr(
        "Nothing can be run: plain exec needs a /bin/sh in the container that can limit file locks, and "
        "/proc.");
}

} // namespace

Operation<QString> DockerSandbox::createPlainExec(const ExecSpec &spec)
{
    return operationOf(newExecSteps(shared_from_this(), spec, execPurpose()));
}

Operation<StartedExec> DockerSandbox::startPlainExec(const QString &id)
{
    return operationOf(startExec(m_api, id, execPurpose()));
}

Operation<ExecState> DockerSandbox::plainExecState(const QString &id)
{
    return operationOf(execState(m_api, id, execPurpose()));
}

Operation<ExecState> DockerSandbox::endOfExec(const QString &id)
{
    return operationOf(execEnd(m_api, &m_context, id, endNoticeLimit, execPurpose()));
}

Operation<ExecAnswer> DockerSandbox::askPlainExec(const QStringList &command, const QString &user,
                                                  const QByteArray &input)
{
    return operationOf(
        askExec(m_api, &m_context, id(), {.command = command, .user = user}, input, execPurpose()));
}

void DockerSandbox::removeByExec(const QString &path, const QString &user)
{
    std::ignore = askPlainExec({u"rm"_s, u"-f"_s, u"--"_s, path}, user, {});
}

Operation<void> DockerSandbox::usePlainExec()
{
    m_setup.plainExec = true;
    return operationOf(probeSteps(shared_from_this()));
}

QCoro::Task<> DockerSandbox::probeSteps(std::shared_ptr<DockerSandbox> self)
{
    QStringList programs;
    for (const CodeLanguage &language : codeLanguages())
        programs.append(language.program);
    const ExecAnswer answer = co_await self->askPlainExec(probeArguments(makeRunMark(), programs), {}, {});
    const ExecProbe probe = readExecProbe(answer.output);
    SandboxDetails &details = self->m_setup.details;
    self->m_languages.clear();
    for (const CodeLanguage &language : codeLanguages()) {
        if (probe.canMark && probe.programs.contains(language.program))
            self->m_languages.append(language.name);
    }
    if (probe.canMark)
        details.workingDirectory = probe.directory;
    details.transport = transportText(probe.canMark);
    details.capabilities.setFlag(Capability::RunCommand, probe.canMark);
    details.capabilities.setFlag(Capability::Streaming, probe.canMark);
    details.capabilities.setFlag(Capability::RunCode, !self->m_languages.isEmpty());
    const ExecAnswer files = co_await self->askPlainExec(FileScript::probe(), {}, {});
    self->m_execFiles = files.exitCode == 0 ? std::make_unique<ExecFiles>(*self) : nullptr;
    details.capabilities.setFlag(Capability::FileSystem, self->m_execFiles != nullptr);
    details.capabilities.setFlag(Capability::UploadDownload, self->m_execFiles != nullptr);
}

} // namespace Sandboxio::Docker
