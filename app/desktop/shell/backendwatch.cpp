// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "backendwatch.h"

#include "desktopoptions.h"

namespace Sandboxio::Desktop {

BackendWatch::BackendWatch(Engine *engine, const QList<Target> &targets, QObject *parent)
    : QObject(parent)
    , m_engine(engine)
    , m_model(new SandboxListModel({.observer = engine->owner()}, this))
{
    follow(targets.isEmpty() ? usualTargets(engine->backends()) : targets);
}

void BackendWatch::follow(const QList<Target> &targets)
{
    if (targets.isEmpty())
        return;
    m_targets += targets;
    for (const Target &target : targets)
        m_model->expectTarget(target);
    SandboxWatcher *watcher = m_engine->watch(targets, this);
    m_watchers.append(watcher);
    m_model->follow(watcher);
    connect(watcher, &SandboxWatcher::removed, this, &BackendWatch::sandboxRemoved);
    for (const Target &target : targets)
        askCapabilities(target);
    Q_EMIT targetsChanged();
}

// A backend that cannot be used has none, and its target says why.
void BackendWatch::askCapabilities(const Target &target)
{
    m_engine->capabilities(target).then(
        this, [this, target](Capabilities capabilities) { Q_EMIT capabilitiesKnown(target, capabilities); });
}

bool BackendWatch::canAddDemo() const
{
    const std::optional<Target> demo = demoTarget(m_engine->backends());
    return demo && !std::ranges::contains(m_targets, demo->identity(), &Target::identity);
}

void BackendWatch::addDemo()
{
    if (canAddDemo())
        follow({*demoTarget(m_engine->backends())});
}

void BackendWatch::refresh()
{
    for (SandboxWatcher *watcher : std::as_const(m_watchers))
        watcher->refresh();
}

void BackendWatch::diagnose()
{
    if (std::exchange(m_diagnosing, true))
        return;
    m_engine->doctor(m_targets).then(this, [this](const DoctorReport &report) {
        m_diagnosing = false;
        Q_EMIT diagnosed(report);
    });
}

} // namespace Sandboxio::Desktop
