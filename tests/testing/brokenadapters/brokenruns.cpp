// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "brokenadapter.h"

namespace Sandboxio::Broken {

namespace {

using ArgvThroughAShell = OtherRequest<[](ProcessRequest &request) {
    if (request.command && !request.command->isShell())
        request.command = Command::shell(request.command->arguments().join(u' '));
}>;

class NullExitCodeAsZero final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    void exited(const ExitStatus &status) override
    {
        ForwardingProcess::exited(m_request.streamed ? status : ExitStatus{status.code.value_or(0), {}, {}});
    }
};

class ExitCodeIsSigned final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    void exited(const ExitStatus &status) override
    {
        ExitStatus other = status;
        if (status.code)
            other.code = static_cast<signed char>(*status.code);
        ForwardingProcess::exited(other);
    }
};

class DecodesOutput final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    void output(OutputStream stream, const QByteArray &data) override
    {
        ForwardingProcess::output(stream, m_request.streamed ? data : QString::fromUtf8(data).toUtf8());
    }
};

class JoinsTheStreams final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    void output(OutputStream stream, const QByteArray &data) override
    {
        const bool joins = m_request.command && !m_request.streamed;
        ForwardingProcess::output(joins ? OutputStream::StandardOutput : stream, data);
    }
};

using DropsTheEnvironment = OtherRequest<[](ProcessRequest &request) {
    request.options.env.clear();
}>;
using IgnoresTheUser = OtherRequest<[](ProcessRequest &request) {
    request.options.user.clear();
}>;
using IgnoresTheWorkingDirectory = OtherRequest<[](ProcessRequest &request) {
    request.options.workingDirectory.clear();
}>;

class EndsWithTheLastChild final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    void exited(const ExitStatus &status) override
    {
        if (m_request.streamed || hasLimit())
            ForwardingProcess::exited(status);
        else
            m_status = status;
    }
    void streamEnded(OutputStream stream) override
    {
        if (m_status && ++m_ended == 2)
            ForwardingProcess::exited(*m_status);
        ForwardingProcess::streamEnded(stream);
    }
    std::optional<ExitStatus> m_status;
    int m_ended = 0;
};

class MissingProgramIsAnExitCode final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    void failed(const ErrorInfo &error) override
    {
        if (error.kind != ErrorKind::ConfigurationError || !m_request.command ||
            !m_request.options.user.isEmpty()) {
            ForwardingProcess::failed(error);
            return;
        }
        ForwardingProcess::exited({127, {}, {}});
        ForwardingProcess::streamEnded(OutputStream::StandardOutput);
        ForwardingProcess::streamEnded(OutputStream::StandardError);
    }
};

} // namespace

QList<BrokenAdapter> brokenRuns()
{
    return {
        brokenProcess<ArgvThroughAShell>("runs", "argv through a shell"),
        brokenProcess<NullExitCodeAsZero>("runs", "null exit code as 0"),
        brokenProcess<ExitCodeIsSigned>("runs", "an exit code of 255 becomes -1"),
        brokenProcess<DecodesOutput>("runs", "decodes output as text"),
        brokenProcess<JoinsTheStreams>("runs", "joins the two streams"),
        brokenProcess<DropsTheEnvironment>("runs", "drops the environment of a run"),
        brokenProcess<IgnoresTheUser>("runs", "ignores the user of a run"),
        brokenProcess<IgnoresTheWorkingDirectory>("runs", "ignores the working directory of a run"),
        brokenProcess<EndsWithTheLastChild>("runs", "a run ends with its last child"),
        brokenProcess<MissingProgramIsAnExitCode>("runs", "a missing program is an exit code"),
    };
}

} // namespace Sandboxio::Broken
