// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "forwardingsandbox.h"

namespace Sandboxio::Broken {

ForwardingSandbox::ForwardingSandbox(const Setting &setting, std::shared_ptr<SandboxPort> inner)
    : m_setting(setting)
    , m_inner(std::move(inner))
{}

ForwardingSandbox::~ForwardingSandbox() = default;

QString ForwardingSandbox::id() const
{
    return m_inner->id();
}

SandboxDetails ForwardingSandbox::details() const
{
    return m_inner->details();
}

Operation<ManagedSandbox> ForwardingSandbox::inspect()
{
    return m_inner->inspect();
}

std::unique_ptr<ProcessPort> ForwardingSandbox::start(const ProcessRequest &request, ProcessEvents *events)
{
    return m_inner->start(request, events);
}

QStringList ForwardingSandbox::languages() const
{
    return m_inner->languages();
}

FileSystemPort *ForwardingSandbox::files()
{
    return m_inner->files();
}

Operation<void> ForwardingSandbox::kill()
{
    return m_inner->kill();
}

Operation<NetworkProbeResult> ForwardingSandbox::probe(const NetworkProbe &probe)
{
    return m_inner->probe(probe);
}

Operation<SandboxStats> ForwardingSandbox::stats()
{
    return m_inner->stats();
}

Operation<void> ForwardingSandbox::pause()
{
    return m_inner->pause();
}

Operation<void> ForwardingSandbox::resume()
{
    return m_inner->resume();
}

Operation<void> ForwardingSandbox::extend(std::chrono::milliseconds lifetime)
{
    return m_inner->extend(lifetime);
}

Operation<QString> ForwardingSandbox::createContext(const QString &language)
{
    return m_inner->createContext(language);
}

Operation<QStringList> ForwardingSandbox::listContexts()
{
    return m_inner->listContexts();
}

Operation<void> ForwardingSandbox::interruptContext(const QString &context)
{
    return m_inner->interruptContext(context);
}

Operation<void> ForwardingSandbox::restartContext(const QString &context)
{
    return m_inner->restartContext(context);
}

Operation<void> ForwardingSandbox::removeContext(const QString &context)
{
    return m_inner->removeContext(context);
}

Operation<QString> ForwardingSandbox::startBackground(const ProcessRequest &request)
{
    return m_inner->startBackground(request);
}

std::unique_ptr<ProcessPort> ForwardingSandbox::attach(const AttachRequest &request, ProcessEvents *events)
{
    return m_inner->attach(request, events);
}

Operation<QList<BackgroundRun>> ForwardingSandbox::backgroundRuns()
{
    return m_inner->backgroundRuns();
}

Operation<void> ForwardingSandbox::removeBackgroundRun(const QString &id)
{
    return m_inner->removeBackgroundRun(id);
}

void *ForwardingSandbox::nativeHandle()
{
    return m_inner->nativeHandle();
}

} // namespace Sandboxio::Broken
