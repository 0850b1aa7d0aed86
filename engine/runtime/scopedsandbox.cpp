// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "scopedsandbox.h"

#include "enginecore_p.h"
#include "sandboxhandle_p.h"

#include <QCoreApplication>
#include <QThread>

namespace Sandboxio {

namespace {
bool isGuiThread()
{
    const QCoreApplication *application = QCoreApplication::instance();
    return application && application->inherits("QGuiApplication") &&
           QThread::currentThread() == application->thread();
}
} // namespace

ScopedSandbox::ScopedSandbox(SandboxPtr sandbox)
    : m_sandbox(std::move(sandbox))
{}

ScopedSandbox::~ScopedSandbox()
{
    if (!m_sandbox)
        return;
    const Operation<void> kill =
        m_sandbox->m_handle->submit<void>([](Detail::EngineCore &core, std::shared_ptr<SandboxPort> port,
                                             auto) { return core.unseenKillSteps(std::move(port)); });
    if (!isGuiThread())
        kill.waitFor(m_sandbox->m_handle->grace);
}

Operation<void> ScopedSandbox::close()
{
    if (!m_sandbox)
        return finishedOperation();
    const SandboxPtr sandbox = std::exchange(m_sandbox, nullptr);
    return sandbox->kill();
}

SandboxPtr ScopedSandbox::release()
{
    return std::exchange(m_sandbox, nullptr);
}

} // namespace Sandboxio
