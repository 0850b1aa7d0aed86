// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>

class QAction;

namespace Sandboxio::Desktop {

/*! The actions on sandboxes, each made once. Names of the objects are stable: shortcuts are saved by them. */
class SandboxActions
{
    Q_DECLARE_TR_FUNCTIONS(Sandboxio::Desktop::SandboxActions)
public:
    QAction *create = nullptr;
    QAction *open = nullptr;
    QAction *kill = nullptr;
    QAction *copyId = nullptr;
    QAction *refresh = nullptr;
    QAction *filter = nullptr;
    QAction *orphans = nullptr;

    explicit SandboxActions(QObject *parent);
    /*! Enables what needs a selected sandbox; otherwise says why not in the status tip. */
    void setSelected(bool selected) const;
};

} // namespace Sandboxio::Desktop
