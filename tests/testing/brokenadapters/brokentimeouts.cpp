// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "brokenadapter.h"

#include <csignal>
#include <set>

namespace Sandboxio::Broken {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

class PartialOutputAsSuccess final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    ProcessRequest adjusted(const ProcessRequest &request) override
    {
        const auto limit = request.code ? request.codeOptions.timeout : request.options.timeout;
        if (limit)
            m_timer = m_setting.context->clock->arm(m_setting.io(), *limit * 9 / 10, [this] { giveUp(); });
        return request;
    }
    void giveUp()
    {
        m_gaveUp = true;
        std::ignore = m_inner->killTree();
        ForwardingProcess::exited({0, {}, {}});
    }
    void exited(const ExitStatus &status) override
    {
        m_timer.reset();
        if (!m_gaveUp)
            ForwardingProcess::exited(status);
    }
    std::unique_ptr<ArmedTimer> m_timer;
    bool m_gaveUp = false;
};

class LeavesTheTimedOutRun final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    Operation<void> killTree() override
    {
        return hasLimit() ? finishedOperation() : ForwardingProcess::killTree();
    }
};

class KillsTheMainProcessOnly final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    Operation<void> killTree() override
    {
        return hasLimit() ? ForwardingProcess::signal(SIGTERM) : ForwardingProcess::killTree();
    }
};

class RestartsTheContainer final : public ForwardingSandbox
{
    class Process final : public ForwardingProcess
    {
    public:
        Process(RestartsTheContainer &sandbox, const Setting &setting, const ProcessRequest &request,
                ProcessEvents *events)
            : ForwardingProcess(setting, request, events)
            , m_processes(sandbox.m_processes)
        {
            m_processes->insert(this);
        }
        ~Process() override { m_processes->erase(this); }
        Operation<void> killTree() override
        {
            for (Process *process : hasLimit() ? *m_processes : std::set<Process *>()) {
                if (process != this)
                    std::ignore = process->m_inner->killTree();
            }
            return ForwardingProcess::killTree();
        }

    private:
        std::shared_ptr<std::set<Process *>> m_processes;
    };

public:
    using ForwardingSandbox::ForwardingSandbox;
    std::unique_ptr<ProcessPort> start(const ProcessRequest &request, ProcessEvents *events) override
    {
        auto process = std::make_unique<Process>(*this, m_setting, request, events);
        process->begin(*m_inner);
        return process;
    }

private:
    std::shared_ptr<std::set<Process *>> m_processes = std::make_shared<std::set<Process *>>();
};

class LimitOfItsOwn final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    ProcessRequest adjusted(const ProcessRequest &request) override
    {
        ProcessRequest other = request;
        if (request.command && !request.options.timeout && !request.streamed)
            m_timer = m_setting.context->clock->arm(m_setting.io(), 1s,
                                                    [this] { std::ignore = m_inner->killTree(); });
        return other;
    }
    std::unique_ptr<ArmedTimer> m_timer;
};

class EndOfTheSandboxAsTimeout final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    void started(std::optional<qint64> pid) override
    {
        m_started = true;
        ForwardingProcess::started(pid);
    }
    void failed(const ErrorInfo &error) override
    {
        const bool lifetime = m_started && error.hint.contains("lifetime"_L1);
        ForwardingProcess::failed(lifetime ? makeError(ErrorKind::ExecutionTimeout, error.message) : error);
    }
    bool m_started = false;
};

} // namespace

QList<BrokenAdapter> brokenTimeouts()
{
    return {
        brokenProcess<PartialOutputAsSuccess>("timeouts", "partial output as success on timeout"),
        brokenSandbox<RestartsTheContainer>("timeouts", "restarts the container on timeout"),
        brokenProcess<LeavesTheTimedOutRun>("timeouts", "leaves a timed-out run running"),
        brokenProcess<KillsTheMainProcessOnly>("timeouts",
                                               "a timeout kills the main process and not its children"),
        brokenProcess<LimitOfItsOwn>("timeouts", "a limit of its own where none was asked for"),
        brokenProcess<EndOfTheSandboxAsTimeout>("timeouts", "the end of the lifetime as a timeout of the run"),
    };
}

} // namespace Sandboxio::Broken
