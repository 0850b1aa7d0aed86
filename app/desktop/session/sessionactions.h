// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>

class QAction;

namespace Sandboxio::Desktop {

/*! What the actions on a code cell depend on. */
struct CellState
{
    bool isOpen = false; //!< the current tab has a cell; otherwise the rest is false
    bool isRunning = false;
    bool isRestarting = false;
    bool canRestart = false;
};

/*! The actions on the code cell of the current tab, each made once. */
class SessionActions
{
    Q_DECLARE_TR_FUNCTIONS(Sandboxio::Desktop::SessionActions)
public:
    QAction *run = nullptr;
    QAction *interrupt = nullptr;
    QAction *restart = nullptr;
    QAction *find = nullptr;
    QAction *findNext = nullptr;
    QAction *findPrevious = nullptr;
    QAction *saveOutput = nullptr;

    explicit SessionActions(QObject *parent);
    /*! Enables what makes sense now; what is disabled says why in its status tip. */
    void setState(const CellState &state) const;

private:
    void setOnOutput(const CellState &state) const;
};

} // namespace Sandboxio::Desktop
