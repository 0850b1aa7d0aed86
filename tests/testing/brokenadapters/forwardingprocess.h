// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "forwardingsandbox.h"

namespace Sandboxio::Broken {

/*! A process that does what another one does, both ways. */
class ForwardingProcess : public ProcessPort, protected ProcessEvents
{
public:
    ForwardingProcess(const Setting &setting, const ProcessRequest &request, ProcessEvents *events);
    ~ForwardingProcess() override;
    void begin(SandboxPort &sandbox);
    /*! Instead: reads a background run of \a sandbox. */
    void attachTo(SandboxPort &sandbox, const AttachRequest &request);

    void acknowledge(OutputStream stream, qint64 bytes) override;
    Operation<void> write(const QByteArray &data) override;
    Operation<void> closeWrite() override;
    Operation<void> resize(TerminalSize size) override;
    Operation<void> signal(int signal) override;
    Operation<void> killTree() override;

protected:
    void started(std::optional<qint64> pid) override;
    void output(OutputStream stream, const QByteArray &data) override;
    void outputLost(OutputStream stream, qint64 bytes) override;
    void streamEnded(OutputStream stream) override;
    void exited(const ExitStatus &status) override;
    void failed(const ErrorInfo &error) override;
    void richOutput(const RichOutput &output) override;

    /*! What is asked of the other process instead of \a request. */
    virtual ProcessRequest adjusted(const ProcessRequest &request);
    bool hasLimit() const
    {
        return m_request.code ? m_request.codeOptions.timeout.has_value()
                              : m_request.options.timeout.has_value();
    }

    Setting m_setting;
    ProcessRequest m_request;
    ProcessEvents *m_events;
    std::unique_ptr<ProcessPort> m_inner;
};

/*! Asks for something else, which \a change (void(ProcessRequest &)) makes of a request. */
template <auto change>
class OtherRequest : public ForwardingProcess
{
public:
    using ForwardingProcess::ForwardingProcess;

private:
    ProcessRequest adjusted(const ProcessRequest &request) override
    {
        ProcessRequest other = request;
        change(other);
        return other;
    }
};

/*! A sandbox whose processes are of the class \a Port. */
template <typename Port, typename Base = ForwardingSandbox>
class WithProcess final : public Base
{
public:
    using Base::Base;
    std::unique_ptr<ProcessPort> start(const ProcessRequest &request, ProcessEvents *events) override
    {
        auto process = std::make_unique<Port>(this->m_setting, request, events);
        process->begin(*this->m_inner);
        return process;
    }
};

} // namespace Sandboxio::Broken
