// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandboxactions.h"

#include "shell/icons.h"

#include <QAction>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {

QAction *make(QObject *parent, const QString &name, const QString &label, const QIcon &icon,
              const QKeySequence &key, const QString &tip)
{
    auto *action = new QAction(icon, label, parent);
    action->setObjectName(name);
    action->setShortcut(key);
    action->setStatusTip(tip);
    return action;
}

} // namespace

SandboxActions::SandboxActions(QObject *parent)
{
    create = make(parent, u"sandbox.create"_s, tr("&New Sandbox…"),
                  themeIcon(u"list-add"_s, QStyle::SP_FileIcon), QKeySequence::New, tr("Creates a sandbox"));
    open = make(parent, u"sandbox.open"_s, tr("&Open"),
                themeIcon(u"document-open"_s, QStyle::SP_DialogOpenButton), QKeySequence::Open, {});
    pause =
        make(parent, u"sandbox.pause"_s, tr("&Pause"),
             themeIcon(u"media-playback-pause"_s, QStyle::SP_MediaPause), QKeySequence(u"Ctrl+Shift+P"_s), {});
    resume =
        make(parent, u"sandbox.resume"_s, tr("Re&sume"),
             themeIcon(u"media-playback-start"_s, QStyle::SP_MediaPlay), QKeySequence(u"Ctrl+Shift+R"_s), {});
    kill = make(parent, u"sandbox.kill"_s, tr("&Kill"), themeIcon(u"process-stop"_s, QStyle::SP_BrowserStop),
                QKeySequence::Delete, {});
    kill->setShortcutContext(Qt::WidgetWithChildrenShortcut); // Delete also edits text
    copyId = make(parent, u"sandbox.copyId"_s, tr("&Copy Id"),
                  themeIcon(u"edit-copy"_s, QStyle::SP_FileDialogDetailedView), {}, {});
    refresh =
        make(parent, u"view.refresh"_s, tr("&Refresh"), themeIcon(u"view-refresh"_s, QStyle::SP_BrowserReload),
             QKeySequence::Refresh, tr("Asks every backend again"));
    filter = make(parent, u"edit.filter"_s, tr("&Filter Sandboxes"),
                  themeIcon(u"view-filter"_s, QStyle::SP_FileDialogContentsView), QKeySequence::Find,
                  tr("Shows only the sandboxes with some text"));
    orphans = make(parent, u"sandbox.orphans"_s, tr("Find &Orphans"),
                   themeIcon(u"edit-find"_s, QStyle::SP_FileDialogContentsView),
                   QKeySequence(u"Ctrl+Shift+O"_s), tr("Looks for sandboxes that nobody uses any more"));
    setSelected(std::nullopt, {});
}

void SandboxActions::setSelected(const std::optional<ManagedSandbox> &sandbox, Capabilities capabilities) const
{
    const QString none = tr("Not available: no sandbox is selected");
    const bool selected = sandbox.has_value();
    open->setEnabled(selected);
    open->setStatusTip(selected ? tr("Opens the selected sandbox in a tab") : none);
    kill->setEnabled(selected);
    kill->setStatusTip(selected ? tr("Ends the selected sandbox, after asking") : none);
    copyId->setEnabled(selected);
    copyId->setStatusTip(selected ? tr("Copies the id of the selected sandbox") : none);
    setPausing(sandbox, capabilities);
}

void SandboxActions::setPausing(const std::optional<ManagedSandbox> &sandbox, Capabilities capabilities) const
{
    const bool able = sandbox && capabilities.testFlag(Capability::PauseResume);
    const bool running = able && sandbox->state == SandboxState::Running;
    const bool paused = able && sandbox->state == SandboxState::Paused;
    const QString obstacle = !sandbox ? tr("Not available: no sandbox is selected")
                             : !able  ? tr("Not available: sandboxes of this backend cannot be paused")
                                      : QString();
    pause->setEnabled(running);
    pause->setStatusTip(running ? tr("Freezes everything in the selected sandbox; its lifetime goes on")
                        : able  ? tr("Not available: the selected sandbox does not run")
                                : obstacle);
    resume->setEnabled(paused);
    resume->setStatusTip(paused ? tr("Lets everything in the selected sandbox go on")
                         : able ? tr("Not available: the selected sandbox is not paused")
                                : obstacle);
}

} // namespace Sandboxio::Desktop
