// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/managedsandbox.h>
#include <sandboxio/runtime/export.h>

#include <QObject>

#include <memory>

namespace Sandboxio {

namespace Detail {
class WatchMailbox;
}

/*! Follows the managed sandboxes of some targets: first a full list, then every change, again a full list after
    a broken connection. Created by Engine::watch(), lives in the caller's thread. Watching wakes and extends
    nothing; destroying it ends the subscriptions. */
class SANDBOXIO_RUNTIME_EXPORT SandboxWatcher : public QObject
{
    Q_OBJECT
public:
    ~SandboxWatcher() override;
    /*! Lists everything again. */
    void refresh();

Q_SIGNALS:
    /*! The sandboxes of \a target are exactly \a rows. */
    void reset(const Sandboxio::Target &target, const QList<Sandboxio::ManagedSandbox> &rows);
    /*! \a row is new or has changed. */
    void changed(const Sandboxio::ManagedSandbox &row);
    void removed(const Sandboxio::Target &target, const QString &id);
    /*! \a target cannot be followed at the moment; reset() follows when it can. */
    void lost(const Sandboxio::Target &target, const Sandboxio::ErrorInfo &error);

private:
    friend class Engine;
    explicit SandboxWatcher(std::shared_ptr<Detail::WatchMailbox> mailbox, QObject *parent);
    void drain();
    std::shared_ptr<Detail::WatchMailbox> m_mailbox;
};

} // namespace Sandboxio
