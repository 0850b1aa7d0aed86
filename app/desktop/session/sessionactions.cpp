// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessionactions.h"

#include "shell/icons.h"

#include <QAction>
#include <QCoreApplication>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {

QString sessionText(const char *source)
{
    return QCoreApplication::translate("Sandboxio::Desktop::SessionActions", source);
}

} // namespace

SessionActions::SessionActions(QObject *parent)
    : run(new QAction(themeIcon(u"media-playback-start"_s, QStyle::SP_MediaPlay),
                      sessionText(QT_TRANSLATE_NOOP("Sandboxio::Desktop::SessionActions", "&Run Cell")),
                      parent))
    , interrupt(new QAction(themeIcon(u"media-playback-stop"_s, QStyle::SP_MediaStop),
                            sessionText(QT_TRANSLATE_NOOP("Sandboxio::Desktop::SessionActions", "&Interrupt")),
                            parent))
{
    run->setObjectName(u"run.cell"_s);
    run->setShortcuts({QKeySequence(Qt::SHIFT | Qt::Key_Return), QKeySequence(Qt::SHIFT | Qt::Key_Enter),
                       QKeySequence(Qt::CTRL | Qt::Key_Return)});
    interrupt->setObjectName(u"run.interrupt"_s);
    interrupt->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_Period));
    setState(false, false);
}

void SessionActions::setState(bool canRun, bool isRunning) const
{
    run->setEnabled(canRun && !isRunning);
    run->setStatusTip(isRunning ? sessionText(QT_TRANSLATE_NOOP("Sandboxio::Desktop::SessionActions",
                                                                "Not available: the cell is running"))
                      : canRun  ? sessionText(QT_TRANSLATE_NOOP("Sandboxio::Desktop::SessionActions",
                                                                "Runs the cell in the sandbox"))
                                : sessionText(QT_TRANSLATE_NOOP("Sandboxio::Desktop::SessionActions",
                                                                "Not available: no sandbox is open")));
    interrupt->setEnabled(isRunning);
    interrupt->setStatusTip(
        isRunning ? sessionText(QT_TRANSLATE_NOOP("Sandboxio::Desktop::SessionActions",
                                                  "Ends this run and what it started, nothing else"))
                  : sessionText(QT_TRANSLATE_NOOP("Sandboxio::Desktop::SessionActions",
                                                  "Not available: nothing runs")));
}

} // namespace Sandboxio::Desktop
