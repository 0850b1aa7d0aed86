// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "brokenadapter.h"

namespace Sandboxio::Broken {

using namespace Qt::StringLiterals;

namespace {

class CodeInArgv final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    ProcessRequest adjusted(const ProcessRequest &request) override
    {
        if (!request.code || request.codeOptions.language != "python"_L1)
            return request;
        ProcessRequest other = request;
        other.command = Command{u"python3"_s, u"-c"_s, QString::fromUtf8(*request.code)};
        other.code.reset();
        other.options.timeout = request.codeOptions.timeout;
        other.options.env = request.codeOptions.env;
        other.options.standardInput = request.codeOptions.standardInput;
        return other;
    }
};

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

class EveryLanguageIsPython final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    ProcessRequest adjusted(const ProcessRequest &request) override
    {
        ProcessRequest other = request;
        other.codeOptions.language = u"python"_s;
        return other;
    }
};

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

/*! Says that it has contexts. */
class DeclaresContexts : public ForwardingSandbox
{
public:
    using ForwardingSandbox::ForwardingSandbox;
    SandboxDetails details() const override
    {
        SandboxDetails details = ForwardingSandbox::details();
        details.capabilities |= Capability::StatefulCode;
        return details;
    }
};

/*! Has contexts in which nothing stays. */
class ForgetfulContexts final : public DeclaresContexts
{
    class Process final : public ForwardingProcess
    {
    public:
        using ForwardingProcess::ForwardingProcess;

    private:
        ProcessRequest adjusted(const ProcessRequest &request) override
        {
            ProcessRequest other = request;
            other.codeOptions.context.clear();
            return other;
        }
    };

public:
    using DeclaresContexts::DeclaresContexts;
    std::unique_ptr<ProcessPort> start(const ProcessRequest &request, ProcessEvents *events) override
    {
        auto process = std::make_unique<Process>(m_setting, request, events);
        process->begin(*m_inner);
        return process;
    }
    Operation<QString> createContext(const QString &) override
    {
        m_contexts.append(QString::number(m_contexts.size()));
        return finishedOperation(QString(m_contexts.last()));
    }
    Operation<QStringList> listContexts() override { return finishedOperation(QStringList(m_contexts)); }
    Operation<void> interruptContext(const QString &) override { return finishedOperation(); }
    Operation<void> restartContext(const QString &) override { return finishedOperation(); }
    Operation<void> removeContext(const QString &context) override
    {
        m_contexts.removeAll(context);
        return finishedOperation();
    }

private:
    QStringList m_contexts;
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
        brokenSandbox<DeclaresContexts>("contexts", "contexts declared and not there"),
        brokenSandbox<ForgetfulContexts>("contexts", "contexts that forget"),
    };
}

} // namespace Sandboxio::Broken
