// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessionactions.h"

#include "shell/icons.h"

#include <QAction>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

SessionActions::SessionActions(QObject *parent)
    : run(new QAction(themeIcon(u"media-playback-start"_s, QStyle::SP_MediaPlay), tr("&Run Cell"), parent))
    , interrupt(
          new QAction(themeIcon(u"media-playback-stop"_s, QStyle::SP_MediaStop), tr("&Interrupt"), parent))
    , restart(new QAction(themeIcon(u"view-refresh"_s, QStyle::SP_BrowserReload), tr("Res&tart Interpreter"),
                          parent))
    , find(new QAction(themeIcon(u"edit-find"_s, QStyle::SP_FileDialogContentsView), tr("&Find in Output…"),
                       parent))
    , findNext(new QAction(themeIcon(u"go-down"_s, QStyle::SP_ArrowDown), tr("Find &Next"), parent))
    , findPrevious(new QAction(themeIcon(u"go-up"_s, QStyle::SP_ArrowUp), tr("Find &Previous"), parent))
    , saveOutput(new QAction(themeIcon(u"document-save-as"_s, QStyle::SP_DialogSaveButton),
                             tr("&Save Exact Output…"), parent))
{
    run->setObjectName(u"run.cell"_s);
    run->setShortcuts({QKeySequence(Qt::SHIFT | Qt::Key_Return), QKeySequence(Qt::SHIFT | Qt::Key_Enter),
                       QKeySequence(Qt::CTRL | Qt::Key_Return)});
    interrupt->setObjectName(u"run.interrupt"_s);
    interrupt->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_Period));
    restart->setObjectName(u"run.restart"_s);
    restart->setShortcut(QKeySequence(u"Ctrl+Alt+R"_s));
    find->setObjectName(u"output.find"_s);
    find->setShortcut(QKeySequence::Find);
    findNext->setObjectName(u"output.findNext"_s);
    findNext->setShortcut(QKeySequence(u"F3"_s));
    findPrevious->setObjectName(u"output.findPrevious"_s);
    findPrevious->setShortcut(QKeySequence(u"Shift+F3"_s));
    saveOutput->setObjectName(u"output.save"_s);
    saveOutput->setShortcut(QKeySequence(u"Ctrl+Shift+S"_s));
    setState({});
}

void SessionActions::setState(const CellState &state) const
{
    const QString obstacle = !state.isOpen        ? tr("Not available: no sandbox is open")
                             : state.isRunning    ? tr("Not available: the cell is running")
                             : state.isRestarting ? tr("Not available: the interpreter starts again")
                                                  : QString();
    run->setEnabled(obstacle.isEmpty());
    run->setStatusTip(obstacle.isEmpty() ? tr("Runs the cell in the sandbox") : obstacle);
    interrupt->setEnabled(state.isRunning);
    interrupt->setStatusTip(state.isRunning ? tr("Ends this run and what it started, nothing else")
                                            : tr("Not available: nothing runs"));
    restart->setEnabled(state.canRestart);
    restart->setStatusTip(
        state.canRestart     ? tr("Starts the interpreter again; what the runs have defined is lost")
        : obstacle.isEmpty() ? tr("Not available: the cell has no interpreter that keeps its state")
                             : obstacle);
    setOnOutput(state);
}

void SessionActions::setOnOutput(const CellState &state) const
{
    const QList<std::pair<QAction *, QString>> onOutput{
        {find, tr("Finds text in the output of the cell")},
        {findNext, tr("Goes to the next place")},
        {findPrevious, tr("Goes to the place before")},
        {saveOutput, tr("Writes what the cell has printed, byte for byte, to a file")}};
    for (const auto &[action, tip] : onOutput) {
        action->setEnabled(state.isOpen);
        action->setStatusTip(state.isOpen ? tip : tr("Not available: no sandbox is open"));
    }
}

} // namespace Sandboxio::Desktop
