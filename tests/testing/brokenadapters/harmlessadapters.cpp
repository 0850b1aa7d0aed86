// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "brokenadapter.h"

#include <csignal>

// Adapters that do wrong and cannot harm: the runtime stands between. They must pass the whole suite, which proves it.
namespace Sandboxio::Broken {

namespace {

class SucceedsWhenKilled final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    Operation<void> killTree() override
    {
        m_killed = true;
        return ForwardingProcess::killTree();
    }
    void exited(const ExitStatus &status) override
    {
        ForwardingProcess::exited(m_killed && !m_request.streamed ? ExitStatus{0, {}, {}} : status);
    }
    bool m_killed = false;
};

class ExitsTwice final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    void exited(const ExitStatus &status) override
    {
        ForwardingProcess::exited(status);
        ForwardingProcess::exited({0, {}, {}});
    }
};

class TalksAfterTheEnd final : public ForwardingProcess
{
    using ForwardingProcess::ForwardingProcess;
    void failed(const ErrorInfo &error) override
    {
        ForwardingProcess::failed(error);
        ForwardingProcess::output(OutputStream::StandardOutput, "late");
        ForwardingProcess::exited({0, {}, {}});
    }
};

class PretendsToPause final : public ForwardingSandbox
{
public:
    using ForwardingSandbox::ForwardingSandbox;
    Operation<void> pause() override { return finishedOperation(); }
    Operation<void> resume() override { return finishedOperation(); }
    Operation<void> extend(std::chrono::milliseconds) override { return finishedOperation(); }
    Operation<QString> createContext(const QString &) override { return finishedOperation(QString()); }
};

} // namespace

QList<BrokenAdapter> harmlessAdapters()
{
    return {
        passes(brokenProcess<SucceedsWhenKilled>("", "exit code 0 of a killed run"),
               "RunDriver keeps why it killed: a limit stays a timeout, a cancel stays a cancel"),
        passes(brokenProcess<ExitsTwice>("", "two ends of one run"), "RunDriver takes the first end only"),
        passes(brokenProcess<TalksAfterTheEnd>("", "output and an exit after a failure"),
               "RunDriver reports nothing after the end"),
        passes(brokenSandbox<PretendsToPause>("", "undeclared and silently ignored: pause, extend, contexts"),
               "SandboxHandle::submit refuses what is not declared before it asks the adapter"),
    };
}

} // namespace Sandboxio::Broken
