// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the window around its pages: menus, tool bar, status bar.
#include "backendwatch.h"
#include "icons.h"
#include "mainwindow.h"
#include "targetbuttons.h"

#include <QApplication>
#include <QMenuBar>
#include <QMessageBox>
#include <QStatusBar>
#include <QTabWidget>
#include <QToolBar>
#include <QToolButton>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

void MainWindow::createMenus()
{
    QMenu *file = menuBar()->addMenu(tr("&File"));
    file->addAction(m_sandboxActions.create);
    file->addAction(m_sandboxActions.open);
    file->addSeparator();
    QAction *closeCurrent =
        file->addAction(themeIcon(u"tab-close"_s, QStyle::SP_DialogCloseButton), tr("&Close Tab"),
                        QKeySequence::Close, this, [this] { closeTab(m_tabs->currentIndex()); });
    closeCurrent->setObjectName(u"file.closeTab"_s);
    QAction *quit = file->addAction(themeIcon(u"application-exit"_s, QStyle::SP_TitleBarCloseButton),
                                    tr("&Quit"), QKeySequence(u"Ctrl+Q"_s), this, &QWidget::close);
    quit->setObjectName(u"file.quit"_s);
    quit->setMenuRole(QAction::QuitRole);

    QMenu *edit = menuBar()->addMenu(tr("&Edit"));
    edit->addAction(m_sandboxActions.copyId);
    edit->addAction(m_sandboxActions.filter);
    edit->addSeparator();
    edit->addActions({m_sessionActions.find, m_sessionActions.findNext, m_sessionActions.findPrevious});

    QMenu *view = menuBar()->addMenu(tr("&View"));
    view->addAction(m_sandboxActions.refresh);
    QAction *list = view->addAction(tr("&Sandboxes"), QKeySequence(u"Alt+1"_s), this, &MainWindow::showList);
    list->setObjectName(u"view.sandboxes"_s);
    view->addAction(m_sandboxActions.orphans);
    view->addSeparator();
    QAction *pane = view->addAction(tr("Next &Pane"), QKeySequence(u"F6"_s), this, &MainWindow::focusNextPane);
    pane->setObjectName(u"view.nextPane"_s);
    auto *bar = new QAction(tr("Show &Menu Bar"), this);
    bar->setObjectName(u"view.menuBar"_s);
    bar->setShortcut(QKeySequence(u"Ctrl+M"_s));
    bar->setCheckable(true);
    bar->setChecked(true);
    connect(bar, &QAction::toggled, menuBar(), &QWidget::setVisible);
    view->addAction(bar);
    addAction(bar); // so that the shortcut brings the menu bar back

    QMenu *sandbox = menuBar()->addMenu(tr("&Sandbox"));
    sandbox->addActions(
        {m_sandboxActions.open, m_sandboxActions.pause, m_sandboxActions.resume, m_sandboxActions.kill});

    QMenu *run = menuBar()->addMenu(tr("&Run"));
    run->addActions({m_sessionActions.run, m_sessionActions.interrupt, m_sessionActions.restart});
    run->addSeparator();
    run->addAction(m_sessionActions.saveOutput);

    QMenu *help = menuBar()->addMenu(tr("&Help"));
    QAction *about = help->addAction(applicationIcon(), tr("&About Sandboxio"), this, &MainWindow::showAbout);
    about->setObjectName(u"help.about"_s);
    about->setMenuRole(QAction::AboutRole);
    const QList<QMenu *> menus{file, edit, view, sandbox, run, help};
    for (QMenu *menu : menus)
        menu->setAccessibleName(menu->title().remove(u'&'));
    menuBar()->setAccessibleName(tr("Menu bar"));
}

void MainWindow::createToolBar()
{
    QToolBar *bar = addToolBar(tr("Main Tool Bar"));
    bar->setObjectName(u"mainToolBar"_s);
    bar->setAccessibleName(tr("Main tool bar"));
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    bar->addActions({m_sandboxActions.create, m_sandboxActions.open, m_sandboxActions.kill});
    bar->addSeparator();
    bar->addActions({m_sandboxActions.orphans, m_sandboxActions.refresh});
    const QList<QAction *> actions = bar->actions();
    for (QAction *action : actions) {
        if (auto *button = qobject_cast<QToolButton *>(bar->widgetForAction(action))) {
            button->setAccessibleName(action->text().remove(u'&').remove(u'…'));
            button->setFocusPolicy(Qt::TabFocus);
        }
    }
}

void MainWindow::createStatusBar()
{
    auto *targets = new TargetButtons(m_backends->model(), this);
    connect(targets, &TargetButtons::activated, this, [this] {
        showList();
        m_backends->diagnose();
    });
    statusBar()->setAccessibleName(tr("Status bar"));
    statusBar()->addPermanentWidget(targets);
}

void MainWindow::focusNextPane()
{
    // Panes are what Tab cannot leave: from an editor to whatever comes after it.
    QWidget *focus = QApplication::focusWidget();
    QWidget *next = focus ? focus->nextInFocusChain() : m_tabs->currentWidget();
    while (next && next != focus &&
           !(next->isVisible() && next->isEnabled() && (next->focusPolicy() & Qt::TabFocus)))
        next = next->nextInFocusChain();
    if (next)
        next->setFocus(Qt::TabFocusReason);
}

void MainWindow::showAbout()
{
    auto *box = new QMessageBox(this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setWindowTitle(tr("About Sandboxio"));
    box->setIconPixmap(applicationIcon().pixmap(64));
    box->setText(tr("<h3>Sandboxio %1</h3><p>Drives sandboxes for untrusted code.</p>"
                    "<p>Free software under the GNU General Public License, version 3 or later.</p>")
                     .arg(QCoreApplication::applicationVersion()));
    box->open();
}

} // namespace Sandboxio::Desktop
