// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>

class QAction;

namespace Sandboxio::Desktop {

/*! The actions on the code cell of the current tab, each made once. */
class SessionActions
{
    Q_DECLARE_TR_FUNCTIONS(Sandboxio::Desktop::SessionActions)
public:
    QAction *run = nullptr;
    QAction *interrupt = nullptr;
    QAction *find = nullptr;
    QAction *findNext = nullptr;
    QAction *findPrevious = nullptr;
    QAction *saveOutput = nullptr;

    explicit SessionActions(QObject *parent);
    /*! Enables what makes sense now; what is disabled says why in its status tip. */
    void setState(bool canRun, bool isRunning) const;
};

} // namespace Sandboxio::Desktop
