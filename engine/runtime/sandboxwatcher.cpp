// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "sandboxwatcher.h"

#include "enginecore_p.h"
#include "targetwatch_p.h"

#include <sandboxio/core/handover.h>

#include <QPointer>

namespace Sandboxio {

using Detail::EngineCore;
using Detail::WatchMailbox;

namespace {
template <typename... Callables>
struct Overloaded : Callables...
{
    using Callables::operator()...;
};
} // namespace

SandboxWatcher::SandboxWatcher(std::shared_ptr<WatchMailbox> mailbox, QObject *parent)
    : QObject(parent)
    , m_mailbox(std::move(mailbox))
{
    m_mailbox->attach(this,
                      [](SandboxWatcher *watcher) { postCall(watcher, [watcher] { watcher->drain(); }); });
}

SandboxWatcher::~SandboxWatcher()
{
    m_mailbox->detach();
    m_mailbox->link().post([mailbox = m_mailbox](EngineCore &core) { core.stopWatch(mailbox.get()); });
}

void SandboxWatcher::refresh()
{
    m_mailbox->link().post([mailbox = m_mailbox](EngineCore &core) { core.refreshWatch(mailbox.get()); });
}

void SandboxWatcher::drain()
{
    const QPointer<SandboxWatcher> alive = this;
    for (const WatchMailbox::Message &message : m_mailbox->take()) {
        if (!alive)
            return; // a slot destroyed this object
        std::visit(
            Overloaded{[this](const WatchMailbox::Reset &all) { Q_EMIT reset(all.target, all.rows); },
                       [this](const ManagedSandbox &row) { Q_EMIT changed(row); },
                       [this](const WatchMailbox::Removed &gone) { Q_EMIT removed(gone.target, gone.id); },
                       [this](const WatchMailbox::Lost &broken) {
                           Q_EMIT lost(broken.target, broken.error);
                       }},
            message);
    }
}

} // namespace Sandboxio
