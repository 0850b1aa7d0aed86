// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "forwardingprocess.h"

namespace Sandboxio::Broken {

ForwardingProcess::ForwardingProcess(const Setting &setting, const ProcessRequest &request,
                                     ProcessEvents *events)
    : m_setting(setting)
    , m_request(request)
    , m_events(events)
{}

ForwardingProcess::~ForwardingProcess() = default;

void ForwardingProcess::begin(SandboxPort &sandbox)
{
    m_inner = sandbox.start(adjusted(m_request), this);
}

void ForwardingProcess::attachTo(SandboxPort &sandbox, const AttachRequest &request)
{
    m_inner = sandbox.attach(request, this);
}

void ForwardingProcess::acknowledge(OutputStream stream, qint64 bytes)
{
    m_inner->acknowledge(stream, bytes);
}

Operation<void> ForwardingProcess::write(const QByteArray &data)
{
    return m_inner->write(data);
}

Operation<void> ForwardingProcess::closeWrite()
{
    return m_inner->closeWrite();
}

Operation<void> ForwardingProcess::resize(TerminalSize size)
{
    return m_inner->resize(size);
}

Operation<void> ForwardingProcess::signal(int signal)
{
    return m_inner->signal(signal);
}

Operation<void> ForwardingProcess::killTree()
{
    return m_inner->killTree();
}

void ForwardingProcess::started(std::optional<qint64> pid)
{
    m_events->started(pid);
}

void ForwardingProcess::output(OutputStream stream, const QByteArray &data)
{
    m_events->output(stream, data);
}

void ForwardingProcess::outputLost(OutputStream stream, qint64 bytes)
{
    m_events->outputLost(stream, bytes);
}

void ForwardingProcess::streamEnded(OutputStream stream)
{
    m_events->streamEnded(stream);
}

void ForwardingProcess::exited(const ExitStatus &status)
{
    m_events->exited(status);
}

void ForwardingProcess::failed(const ErrorInfo &error)
{
    m_events->failed(error);
}

void ForwardingProcess::richOutput(const RichOutput &output)
{
    m_events->richOutput(output);
}

ProcessRequest ForwardingProcess::adjusted(const ProcessRequest &request)
{
    return request;
}

} // namespace Sandboxio::Broken
