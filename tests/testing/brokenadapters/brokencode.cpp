// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "brokenadapter.h"

namespace Sandboxio::Broken {

using namespace Qt::StringLiterals;

namespace {

using CodeInArgv = OtherRequest<[](ProcessRequest &request) {
    if (!request.code || request.codeOptions.language != "python"_L1)
        return;
    request.command = Command{u"python3"_s, u"-c"_s, QString::fromUtf8(*request.code)};
    request.code.reset();
    request.options.timeout = request.codeOptions.timeout;
    request.options.env = request.codeOptions.env;
    request.options.standardInput = request.codeOptions.standardInput;
}>;

class FailedCodeIsAnError final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    void exited(const ExitStatus &status) override
    {
        if (m_request.code && status.code.value_or(0) == 1)
            ForwardingProcess::failed(makeError(ErrorKind::SandboxError, u"The code failed."_s));
        else
            ForwardingProcess::exited(status);
    }
};

class FailedCodeIsASuccess final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    void exited(const ExitStatus &status) override
    {
        ForwardingProcess::exited(m_request.code && status.code ? ExitStatus{0, {}, {}} : status);
    }
};

using EveryLanguageIsPython = OtherRequest<[](ProcessRequest &request) {
    request.codeOptions.language = u"python"_s;
}>;

class ResultsMadeOfOutput final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    void output(OutputStream stream, const QByteArray &data) override
    {
        if (m_request.code && stream == OutputStream::StandardOutput)
            ForwardingProcess::richOutput({{{u"text/plain"_s, data}}});
        ForwardingProcess::output(stream, data);
    }
};

class DropsErrorsOfCode final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    void output(OutputStream stream, const QByteArray &data) override
    {
        if (m_request.code && stream == OutputStream::StandardError)
            m_inner->acknowledge(stream, data.size());
        else
            ForwardingProcess::output(stream, data);
    }
};

} // namespace

QList<BrokenAdapter> brokenCode()
{
    return {
        brokenProcess<CodeInArgv>("code", "code in argv"),
        brokenProcess<FailedCodeIsAnError>("code", "code that fails is an error of the sandbox"),
        brokenProcess<FailedCodeIsASuccess>("code", "code that fails is a success"),
        brokenProcess<EveryLanguageIsPython>("code", "every language is run as Python"),
        brokenProcess<ResultsMadeOfOutput>("code", "rich results made up from the output"),
        brokenProcess<DropsErrorsOfCode>("code", "drops what code prints to standard error"),
    };
}

} // namespace Sandboxio::Broken
