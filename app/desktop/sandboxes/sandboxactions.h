// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/core/capability.h>
#include <sandboxio/core/managedsandbox.h>

#include <QCoreApplication>

#include <optional>

class QAction;

namespace Sandboxio::Desktop {

/*! The actions on sandboxes, each made once. Names of the objects are stable: shortcuts are saved by them. */
class SandboxActions
{
    Q_DECLARE_TR_FUNCTIONS(Sandboxio::Desktop::SandboxActions)
public:
    QAction *create = nullptr;
    QAction *open = nullptr;
    QAction *pause = nullptr;
    QAction *resume = nullptr;
    QAction *kill = nullptr;
    QAction *copyId = nullptr;
    QAction *refresh = nullptr;
    QAction *filter = nullptr;
    QAction *orphans = nullptr;

    explicit SandboxActions(QObject *parent);
    /*! Enables what can be done with the selected \a sandbox, whose target has \a capabilities; otherwise says why not
       in the status tip. */
    void setSelected(const std::optional<ManagedSandbox> &sandbox, Capabilities capabilities) const;

private:
    void setPausing(const std::optional<ManagedSandbox> &sandbox, Capabilities capabilities) const;
};

} // namespace Sandboxio::Desktop
