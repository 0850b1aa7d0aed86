// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "targetwatch_p.h"

#include "enginecore_p.h"

namespace Sandboxio::Detail {

using namespace std::chrono_literals;

namespace {
constexpr auto pollInterval = 5s;
}

WatchMailbox::WatchMailbox(std::shared_ptr<EngineLink> link)
    : m_link(std::move(link))
{}

void WatchMailbox::attach(SandboxWatcher *handle, std::function<void(SandboxWatcher *)> wake)
{
    const std::lock_guard lock(m_mutex);
    m_handle = handle;
    m_wake = std::move(wake);
}

void WatchMailbox::detach()
{
    const std::lock_guard lock(m_mutex);
    m_handle = nullptr;
}

void WatchMailbox::push(Message message)
{
    const std::lock_guard lock(m_mutex);
    if (!m_handle)
        return;
    m_messages.push_back(std::move(message));
    if (!std::exchange(m_wakePosted, true))
        m_wake(m_handle);
}

std::deque<WatchMailbox::Message> WatchMailbox::take()
{
    const std::lock_guard lock(m_mutex);
    m_wakePosted = false;
    return std::exchange(m_messages, {});
}

TargetWatch::TargetWatch(EngineCore &core, const Target &target, std::shared_ptr<WatchMailbox> mailbox)
    : m_core(core)
    , m_target(target)
    , m_mailbox(std::move(mailbox))
{}

TargetWatch::~TargetWatch() = default;

void TargetWatch::start()
{
    try {
        m_reapable = &m_core.reapable(m_target);
        if (EventPort *events = m_core.backend(m_target).events())
            m_subscription = events->subscribe([this](const BackendEvent &event) { handle(event); });
        else
            refresh();
    } catch (const SandboxError &error) {
        lost(error.info());
    }
}

void TargetWatch::refresh()
{
    if (!m_reapable)
        return;
    if (std::exchange(m_listing, true)) {
        m_listAgain = true;
        return;
    }
    const Operation<QList<ManagedSandbox>> listing = m_reapable->listManaged({}, {});
    listing.then(this, [this](const QList<ManagedSandbox> &rows) { listed(rows); });
    listing.onError(this, [this](const ErrorInfo &error) {
        m_listing = false;
        lost(error);
        pollLater();
    });
    listing.onCancelled(this, [this] { m_listing = false; });
}

void TargetWatch::listed(QList<ManagedSandbox> rows)
{
    m_listing = false;
    m_mailbox->push(WatchMailbox::Reset{m_target, std::move(rows)});
    if (std::exchange(m_listAgain, false)) {
        m_changedWhileListing.clear();
        refresh();
        return;
    }
    const QSet<QString> changed = std::exchange(m_changedWhileListing, {});
    for (const QString &id : changed)
        inspect(id);
    if (!m_subscription)
        pollLater();
}

void TargetWatch::pollLater()
{
    m_pollTimer = m_core.context().clock->arm(this, pollInterval, [this] { refresh(); });
}

void TargetWatch::handle(const BackendEvent &event)
{
    switch (event.kind) {
    case BackendEvent::Kind::Resync:
        refresh();
        break;
    case BackendEvent::Kind::Lost:
        lost(event.error);
        break;
    case BackendEvent::Kind::Changed:
    case BackendEvent::Kind::Removed:
        // Both are looked at again: an id that the provider no longer knows is removed.
        if (m_listing)
            m_changedWhileListing.insert(event.id);
        else
            inspect(event.id);
        break;
    }
}

void TargetWatch::inspect(const QString &id)
{
    if (m_inspecting.contains(id)) {
        m_inspectAgain.insert(id);
        return;
    }
    m_inspecting.insert(id);
    const auto done = [this, id] {
        m_inspecting.remove(id);
        if (m_inspectAgain.remove(id))
            inspect(id);
    };
    const Operation<std::optional<ManagedSandbox>> inspection = m_reapable->inspectManaged(id);
    inspection.then(this, [this, id, done](const std::optional<ManagedSandbox> &row) {
        if (row)
            m_mailbox->push(*row);
        else
            m_mailbox->push(WatchMailbox::Removed{m_target, id});
        done();
    });
    inspection.onError(this, [this, done](const ErrorInfo &error) {
        lost(error);
        done();
    });
    inspection.onCancelled(this, done);
}

void TargetWatch::lost(const ErrorInfo &error)
{
    m_mailbox->push(WatchMailbox::Lost{m_target, redacted(*m_core.context().redactor, error)});
}

} // namespace Sandboxio::Detail
