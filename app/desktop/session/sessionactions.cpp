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
    find->setObjectName(u"output.find"_s);
    find->setShortcut(QKeySequence::Find);
    findNext->setObjectName(u"output.findNext"_s);
    findNext->setShortcut(QKeySequence(u"F3"_s));
    findPrevious->setObjectName(u"output.findPrevious"_s);
    findPrevious->setShortcut(QKeySequence(u"Shift+F3"_s));
    saveOutput->setObjectName(u"output.save"_s);
    saveOutput->setShortcut(QKeySequence(u"Ctrl+Shift+S"_s));
    setState(false, false);
}

void SessionActions::setState(bool canRun, bool isRunning) const
{
    const QList<std::pair<QAction *, QString>> onOutput{
        {find, tr("Finds text in the output of the cell")},
        {findNext, tr("Goes to the next place")},
        {findPrevious, tr("Goes to the place before")},
        {saveOutput, tr("Writes what the cell has printed, byte for byte, to a file")}};
    for (const auto &[action, tip] : onOutput) {
        action->setEnabled(canRun);
        action->setStatusTip(canRun ? tip : tr("Not available: no sandbox is open"));
    }
    run->setEnabled(canRun && !isRunning);
    run->setStatusTip(isRunning ? tr("Not available: the cell is running")
                      : canRun  ? tr("Runs the cell in the sandbox")
                                : tr("Not available: no sandbox is open"));
    interrupt->setEnabled(isRunning);
    interrupt->setStatusTip(isRunning ? tr("Ends this run and what it started, nothing else")
                                      : tr("Not available: nothing runs"));
}

} // namespace Sandboxio::Desktop
