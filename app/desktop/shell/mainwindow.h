// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "desktopoptions.h"
#include "sandboxes/sandboxactions.h"
#include "session/sessionactions.h"

#include <sandboxio/runtime/engine.h>

#include <QHash>
#include <QMainWindow>

#include <memory>

class QLabel;
class QSettings;
class QTabWidget;

namespace Sandboxio::Desktop {

class BackendWatch;
class CreateDialog;
class MessageArea;
class OrphansPage;
class SandboxesPage;
class SessionPage;

/*! The window: the list of sandboxes, one tab per opened sandbox, the orphans. Closing it asks what should become
    of running sandboxes, in a message, then shuts the engine down without holding up anybody; finished() follows. \a engine outlives the window. */
class MainWindow : public QMainWindow
{
    Q_OBJECT
public:
    MainWindow(Engine *engine, const DesktopOptions &options, QWidget *parent = nullptr);
    ~MainWindow() override;

    BackendWatch *backends() const { return m_backends; }
    SandboxesPage *sandboxesPage() const { return m_sandboxes; }
    /*! The orphans view; null while it is closed. */
    OrphansPage *orphansPage() const { return m_orphans; }
    /*! The session in the current tab; null when it shows something else. */
    SessionPage *currentSession() const;
    QList<SessionPage *> sessions() const;

    /*! Opens the dialog for a new sandbox, filled with \a options where given. */
    CreateDialog *openCreateDialog(const std::optional<std::pair<Target, CreateOptions>> &content = {});
    void createSandbox(const Target &target, const CreateOptions &options);
    void openSandbox(const ManagedSandbox &sandbox);
    /*! Asks in the list, not in a dialog, and kills on Kill. */
    void askKill(const ManagedSandbox &sandbox);
    void showList();
    void showOrphans();
    /*! Messages that are about the whole window, above its tabs. */
    MessageArea *messages() const { return m_messages; }

Q_SIGNALS:
    /*! The window is closed and the engine has shut down. */
    void finished();

protected:
    void closeEvent(QCloseEvent *event) override;

private:
    void createMenus();
    void createToolBar();
    void createStatusBar();
    void connectActions();
    void connectBackends();
    void openSession(const SandboxPtr &sandbox);
    void kill(const ManagedSandbox &sandbox);
    void setPaused(const ManagedSandbox &sandbox, bool paused);
    void setPaused(const SandboxPtr &sandbox, const QString &title, bool paused);
    void showPauseError(const QString &title, bool paused, const ErrorInfo &error);
    void closeTab(int index);
    void updateRunActions();
    void showWarning(const EngineWarning &warning);
    void noteRemoved(const Target &target, const QString &id);
    void focusNextPane();
    void showAbout();
    qsizetype ownSandboxes() const;
    void askAtQuit(qsizetype running);
    void decideAtQuit(DesktopOptions::AtQuit choice);
    void quit(bool stopSandboxes);
    void saveState();
    void restoreState();

    Engine *m_engine;
    DesktopOptions m_options;
    std::unique_ptr<QSettings> m_settings;
    SandboxActions m_sandboxActions;
    SessionActions m_sessionActions;
    BackendWatch *m_backends;
    SandboxesPage *m_sandboxes;
    MessageArea *m_messages;
    QTabWidget *m_tabs;
    OrphansPage *m_orphans = nullptr;
    QHash<QString, SandboxPtr>
        m_handles; // by target and id: a handle from create() knows the secrets, a new one not
    bool m_closing = false;
};

} // namespace Sandboxio::Desktop
