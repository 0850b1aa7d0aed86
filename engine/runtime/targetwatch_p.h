// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "enginelink_p.h"

#include <sandboxio/core/clock.h>
#include <sandboxio/ports/backendport.h>
#include <sandboxio/runtime/sandboxwatcher.h>

#include <QSet>

#include <deque>
#include <mutex>
#include <variant>

namespace Sandboxio::Detail {

class EngineCore;

/*! Carries changes from the I/O thread to a SandboxWatcher, one wake-up at a time. */
class WatchMailbox
{
public:
    struct Reset
    {
        Target target;
        QList<ManagedSandbox> rows;
    };
    struct Removed
    {
        Target target;
        QString id;
    };
    struct Lost
    {
        Target target;
        ErrorInfo error;
    };
    using Message = std::variant<Reset, ManagedSandbox, Removed, Lost>;

    explicit WatchMailbox(std::shared_ptr<EngineLink> link);
    void attach(SandboxWatcher *handle, std::function<void(SandboxWatcher *)> wake);
    void detach();
    void push(Message message);
    std::deque<Message> take();
    EngineLink &link() const { return *m_link; }

private:
    std::mutex m_mutex;
    std::shared_ptr<EngineLink> m_link;
    SandboxWatcher *m_handle = nullptr;
    std::function<void(SandboxWatcher *)> m_wake;
    std::deque<Message> m_messages;
    bool m_wakePosted = false;
};

/*! Follows one target in the I/O thread: subscribes first, then lists, then applies; lists again after a break.
    Where a backend has no events it lists now and then. */
class TargetWatch final : public QObject
{
    Q_OBJECT
public:
    TargetWatch(EngineCore &core, const Target &target, std::shared_ptr<WatchMailbox> mailbox);
    ~TargetWatch() override;
    void start();
    void refresh();

private:
    void handle(const BackendEvent &event);
    void listed(QList<ManagedSandbox> rows);
    void inspect(const QString &id);
    void lost(const ErrorInfo &error);
    void pollLater();

    EngineCore &m_core;
    Target m_target;
    std::shared_ptr<WatchMailbox> m_mailbox;
    ReapablePort *m_reapable = nullptr;
    std::unique_ptr<EventSubscription> m_subscription;
    std::unique_ptr<ArmedTimer> m_pollTimer;
    bool m_listing = false;
    bool m_listAgain = false;
    QSet<QString> m_changedWhileListing;
    QSet<QString> m_inspecting;
    QSet<QString> m_inspectAgain;
};

} // namespace Sandboxio::Detail
