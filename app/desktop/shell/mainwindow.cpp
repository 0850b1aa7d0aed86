// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "mainwindow.h"

#include "backendwatch.h"
#include "create/createdialog.h"
#include "create/createform.h"
#include "errors/messagearea.h"
#include "icons.h"
#include "orphans/orphanspage.h"
#include "sandboxes/sandboxespage.h"
#include "session/cellpane.h"
#include "session/sessionpage.h"

#include <sandboxio/models/sandboxtexts.h>

#include <QClipboard>
#include <QCloseEvent>
#include <QGuiApplication>
#include <QSettings>
#include <QStatusBar>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {

constexpr QSize defaultSize(1180, 720);
constexpr int stateVersion = 1;

QString keyOf(const Target &target, const QString &id)
{
    return target.identity() + u'\n' + id;
}

bool isLive(SandboxState state)
{
    return state != SandboxState::Stopped && state != SandboxState::Failed;
}

std::unique_ptr<QSettings> openSettings(const QString &file)
{
    if (!file.isEmpty())
        return std::make_unique<QSettings>(file, QSettings::IniFormat);
    return std::make_unique<QSettings>(QSettings::IniFormat, QSettings::UserScope, u"sandboxio"_s,
                                       u"desktop"_s);
}

} // namespace

MainWindow::MainWindow(Engine *engine, const DesktopOptions &options, QWidget *parent)
    : QMainWindow(parent)
    , m_engine(engine)
    , m_options(options)
    , m_settings(openSettings(options.settingsFile))
    , m_sandboxActions(this)
    , m_sessionActions(this)
    , m_backends(new BackendWatch(engine, options.targets, this))
    , m_sandboxes(new SandboxesPage(m_backends->model(), m_sandboxActions, engine->owner(), this))
    , m_messages(new MessageArea(this))
    , m_tabs(new QTabWidget(this))
{
    setObjectName(u"mainWindow"_s);
    setWindowTitle(tr("Sandboxes"));
    setWindowIcon(applicationIcon());
    setAccessibleName(tr("Sandboxio"));
    m_tabs->setObjectName(u"mainTabs"_s);
    m_tabs->setAccessibleName(tr("Sandboxes and sessions"));
    m_tabs->tabBar()->setAccessibleName(tr("Sandboxes and sessions"));
    m_tabs->setDocumentMode(true);
    m_tabs->setTabsClosable(true);
    m_tabs->addTab(m_sandboxes, applicationIcon(), tr("Sandboxes"));
    m_tabs->tabBar()->setTabButton(0, QTabBar::RightSide, nullptr);
    m_tabs->tabBar()->setTabButton(0, QTabBar::LeftSide, nullptr);
    auto *content = new QWidget(this);
    content->setAccessibleName(tr("Sandboxio"));
    auto *layout = new QVBoxLayout(content);
    layout->setContentsMargins({});
    layout->setSpacing(0);
    layout->addWidget(m_messages);
    layout->addWidget(m_tabs, 1);
    setCentralWidget(content);
    createMenus();
    createToolBar();
    createStatusBar();
    connectActions();
    connectBackends();
    restoreState();
}

MainWindow::~MainWindow() = default;

void MainWindow::connectActions()
{
    connect(m_sandboxActions.create, &QAction::triggered, this, [this] { openCreateDialog(); });
    connect(m_sandboxActions.open, &QAction::triggered, this, [this] {
        if (const std::optional<ManagedSandbox> sandbox = m_sandboxes->selectedSandbox())
            openSandbox(*sandbox);
    });
    connect(m_sandboxActions.kill, &QAction::triggered, this, [this] {
        if (const std::optional<ManagedSandbox> sandbox = m_sandboxes->selectedSandbox())
            askKill(*sandbox);
    });
    connect(m_sandboxActions.pause, &QAction::triggered, this, [this] {
        if (const std::optional<ManagedSandbox> sandbox = m_sandboxes->selectedSandbox())
            setPaused(*sandbox, true);
    });
    connect(m_sandboxActions.resume, &QAction::triggered, this, [this] {
        if (const std::optional<ManagedSandbox> sandbox = m_sandboxes->selectedSandbox())
            setPaused(*sandbox, false);
    });
    connect(m_sandboxActions.copyId, &QAction::triggered, this, [this] {
        if (const std::optional<ManagedSandbox> sandbox = m_sandboxes->selectedSandbox()) {
            QGuiApplication::clipboard()->setText(sandbox->id);
            statusBar()->showMessage(tr("Copied %1").arg(sandbox->id), 3000);
        }
    });
    connect(m_sandboxActions.refresh, &QAction::triggered, this, [this] {
        m_backends->refresh();
        m_backends->diagnose();
        if (m_orphans)
            m_orphans->refresh();
    });
    connect(m_sandboxActions.filter, &QAction::triggered, this, [this] {
        showList();
        m_sandboxes->focusFilter();
    });
    connect(m_sandboxActions.orphans, &QAction::triggered, this, &MainWindow::showOrphans);
    connect(m_sessionActions.run, &QAction::triggered, this, [this] {
        if (SessionPage *session = currentSession())
            session->cell()->run();
    });
    connect(m_sessionActions.interrupt, &QAction::triggered, this, [this] {
        if (SessionPage *session = currentSession())
            session->cell()->interrupt();
    });
    connect(m_sessionActions.restart, &QAction::triggered, this, [this] {
        if (SessionPage *session = currentSession())
            session->cell()->restartInterpreter();
    });
    connect(m_sessionActions.find, &QAction::triggered, this, [this] {
        if (SessionPage *session = currentSession())
            session->findInOutput();
    });
    for (QAction *action : {m_sessionActions.findNext, m_sessionActions.findPrevious}) {
        connect(action, &QAction::triggered, this, [this, backward = action == m_sessionActions.findPrevious] {
            if (SessionPage *session = currentSession())
                session->findAgain(backward);
        });
    }
    connect(m_sessionActions.saveOutput, &QAction::triggered, this, [this] {
        if (SessionPage *session = currentSession())
            session->chooseOutputFile();
    });
    connect(m_tabs, &QTabWidget::tabCloseRequested, this, &MainWindow::closeTab);
    connect(m_tabs, &QTabWidget::currentChanged, this, &MainWindow::updateRunActions);
}

void MainWindow::connectBackends()
{
    connect(m_engine, &Engine::warningRaised, this, &MainWindow::showWarning);
    connect(m_sandboxes, &SandboxesPage::openRequested, this, &MainWindow::openSandbox);
    connect(m_sandboxes, &SandboxesPage::diagnosisWanted, m_backends, &BackendWatch::diagnose);
    connect(m_sandboxes, &SandboxesPage::demoRequested, m_backends, &BackendWatch::addDemo);
    connect(m_backends, &BackendWatch::diagnosed, m_sandboxes, &SandboxesPage::setDiagnosis);
    connect(m_backends, &BackendWatch::capabilitiesKnown, m_sandboxes, &SandboxesPage::setCapabilities);
    connect(m_backends, &BackendWatch::sandboxRemoved, this, &MainWindow::noteRemoved);
    connect(m_backends, &BackendWatch::targetsChanged, this, [this] {
        m_sandboxes->setDemoOffered(m_backends->canAddDemo());
        if (m_orphans)
            m_orphans->setTargets(m_backends->targets());
    });
    m_sandboxes->setDemoOffered(m_backends->canAddDemo());
}

CreateDialog *MainWindow::openCreateDialog(const std::optional<std::pair<Target, CreateOptions>> &content)
{
    auto *dialog = new CreateDialog(m_engine, m_backends->targets(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (content)
        dialog->form()->setContent(content->first, content->second);
    connect(dialog, &CreateDialog::createRequested, this, &MainWindow::createSandbox);
    dialog->open();
    return dialog;
}

void MainWindow::createSandbox(const Target &target, const CreateOptions &options)
{
    const Operation<SandboxPtr> creating = m_engine->create(target, options);
    m_sandboxes->messages()->showTask(tr("Creating a sandbox at %1").arg(target.toDsn()), creating);
    creating
        .then(this,
              [this](const SandboxPtr &sandbox) {
                  statusBar()->showMessage(tr("Created %1").arg(sandboxTitle(sandbox->details().managed)),
                                           5000);
                  openSession(sandbox);
              })
        .onError(this,
                 [this, target, options](const ErrorInfo &error) {
                     Message message = errorMessage(tr("The sandbox was not created"), error);
                     message.actions = {{tr("&Change Settings…"), [this, target, options] {
                                             openCreateDialog({{target, options}});
                                         }}};
                     showList();
                     m_sandboxes->messages()->showMessage(message);
                 })
        .onCancelled(this,
                     [this] { statusBar()->showMessage(tr("Cancelled; nothing was left behind"), 5000); });
}

void MainWindow::openSandbox(const ManagedSandbox &sandbox)
{
    if (const SandboxPtr known = m_handles.value(keyOf(sandbox.target, sandbox.id))) {
        openSession(known);
        return;
    }
    const Operation<SandboxPtr> connecting = m_engine->connectTo(sandbox.target, sandbox.id);
    m_sandboxes->messages()->showTask(tr("Connecting to %1").arg(sandboxTitle(sandbox)), connecting);
    connecting.then(this, [this](const SandboxPtr &connected) { openSession(connected); })
        .onError(this, [this, sandbox](const ErrorInfo &error) {
            m_sandboxes->messages()->showError(tr("%1 could not be opened").arg(sandboxTitle(sandbox)), error);
        });
}

void MainWindow::openSession(const SandboxPtr &sandbox)
{
    m_handles.insert(keyOf(sandbox->target(), sandbox->id()), sandbox);
    for (SessionPage *open : sessions()) {
        if (open->sandbox() == sandbox) {
            m_tabs->setCurrentWidget(open);
            return;
        }
    }
    auto *session = new SessionPage(sandbox, m_options.outputDirectory, m_tabs);
    connect(session->cell(), &CellPane::runStateChanged, this, &MainWindow::updateRunActions);
    const int tab = m_tabs->addTab(session, sandboxTitle(sandbox->details().managed));
    m_tabs->setTabToolTip(tab, sandbox->id());
    m_tabs->setCurrentIndex(tab);
    session->cell()->focusEditor();
}

QList<SessionPage *> MainWindow::sessions() const
{
    QList<SessionPage *> pages;
    for (int i = 0; i < m_tabs->count(); ++i) {
        if (auto *page = qobject_cast<SessionPage *>(m_tabs->widget(i)))
            pages.append(page);
    }
    return pages;
}

SessionPage *MainWindow::currentSession() const
{
    return qobject_cast<SessionPage *>(m_tabs->currentWidget());
}

void MainWindow::updateRunActions()
{
    const SessionPage *session = currentSession();
    const CellPane *cell = session ? session->cell() : nullptr;
    m_sessionActions.setState(cell ? CellState{.isOpen = true,
                                               .isRunning = cell->isRunning(),
                                               .isRestarting = cell->isRestarting(),
                                               .canRestart = cell->canRestart()}
                                   : CellState());
    // One key finds what the tab is about: text in an output, or sandboxes.
    m_sandboxActions.filter->setShortcut(session ? QKeySequence() : QKeySequence(QKeySequence::Find));
    setWindowTitle(m_tabs->tabText(m_tabs->currentIndex()));
}

void MainWindow::askKill(const ManagedSandbox &sandbox)
{
    showList();
    Message question;
    question.kind = Message::Kind::Question;
    question.title = tr("Kill %1?").arg(sandboxTitle(sandbox));
    question.text = tr("Everything that runs in it ends, and its files are lost.");
    question.actions = {{tr("&Kill"),
                         [this, sandbox] {
                             kill(sandbox);
                         }},
                        {tr("K&eep"), {}, true}};
    m_sandboxes->messages()->showMessage(question);
}

void MainWindow::kill(const ManagedSandbox &sandbox)
{
    const QString title = sandboxTitle(sandbox);
    const Operation<bool> killing = m_engine->killManaged(sandbox.target, sandbox.id);
    m_sandboxes->messages()->showTask(tr("Killing %1").arg(title), killing);
    killing
        .then(this,
              [this, title](bool killed) {
                  statusBar()->showMessage(
                      killed ? tr("Killed %1").arg(title) : tr("%1 was gone already").arg(title), 5000);
              })
        .onError(this, [this, title](const ErrorInfo &error) {
            m_sandboxes->messages()->showError(tr("%1 was not killed").arg(title), error);
        });
}

void MainWindow::setPaused(const ManagedSandbox &sandbox, bool paused)
{
    const QString title = sandboxTitle(sandbox);
    if (const SandboxPtr known = m_handles.value(keyOf(sandbox.target, sandbox.id))) {
        setPaused(known, title, paused);
        return;
    }
    m_engine->connectTo(sandbox.target, sandbox.id)
        .then(this, [this, title, paused](const SandboxPtr &connected) { setPaused(connected, title, paused); })
        .onError(this, [this, title, paused](const ErrorInfo &error) { showPauseError(title, paused, error); });
}

void MainWindow::setPaused(const SandboxPtr &sandbox, const QString &title, bool paused)
{
    const Operation<void> changing = paused ? sandbox->pause() : sandbox->resume();
    m_sandboxes->messages()->showTask(paused ? tr("Pausing %1").arg(title) : tr("Resuming %1").arg(title),
                                      changing);
    changing
        .then(this,
              [this, title, paused] {
                  statusBar()->showMessage(paused ? tr("Paused %1").arg(title) : tr("Resumed %1").arg(title),
                                           5000);
              })
        .onError(this, [this, title, paused](const ErrorInfo &error) { showPauseError(title, paused, error); });
}

void MainWindow::showPauseError(const QString &title, bool paused, const ErrorInfo &error)
{
    m_sandboxes->messages()->showError(
        paused ? tr("%1 was not paused").arg(title) : tr("%1 was not resumed").arg(title), error);
}

void MainWindow::noteRemoved(const Target &target, const QString &id)
{
    m_handles.remove(keyOf(target, id));
    for (SessionPage *session : sessions()) {
        if (session->sandbox()->id() != id || session->sandbox()->target().identity() != target.identity())
            continue;
        Message message;
        message.kind = Message::Kind::Warning;
        message.title = tr("This sandbox is gone");
        message.text =
            tr("It was killed or its lifetime is over. What it printed stays here until the tab is closed.");
        message.actions = {{tr("&New Sandbox…"), [this] {
                                openCreateDialog();
                            }}};
        session->messages()->showMessage(message);
    }
}

void MainWindow::showWarning(const EngineWarning &warning)
{
    if (warning.kind == EngineWarning::Kind::Reconnected) {
        statusBar()->showMessage(warning.message, 5000);
        return;
    }
    Message message;
    message.kind = Message::Kind::Warning;
    message.title = warning.message;
    if (warning.kind == EngineWarning::Kind::OrphanedSandbox)
        message.actions = {{tr("Find &Orphans"), [this] {
                                showOrphans();
                            }}};
    m_sandboxes->messages()->showMessage(message);
}

void MainWindow::showList()
{
    m_tabs->setCurrentWidget(m_sandboxes);
}

void MainWindow::showOrphans()
{
    if (m_orphans) {
        m_orphans->refresh();
    } else {
        m_orphans = new OrphansPage(m_engine, m_backends->targets(), m_tabs);
        m_tabs->insertTab(1, m_orphans, m_sandboxActions.orphans->icon(), tr("Orphans"));
    }
    m_tabs->setCurrentWidget(m_orphans);
}

void MainWindow::closeTab(int index)
{
    QWidget *page = m_tabs->widget(index);
    if (index < 0 || page == m_sandboxes)
        return;
    m_tabs->removeTab(index);
    if (page == m_orphans)
        m_orphans = nullptr;
    page->deleteLater();
}

void MainWindow::saveState()
{
    m_settings->setValue(u"version"_s, stateVersion);
    m_settings->setValue(u"window/geometry"_s, saveGeometry());
    m_settings->setValue(u"window/state"_s, QMainWindow::saveState(stateVersion));
    m_sandboxes->saveState(*m_settings);
}

void MainWindow::restoreState()
{
    resize(defaultSize);
    restoreGeometry(m_settings->value(u"window/geometry"_s).toByteArray());
    QMainWindow::restoreState(m_settings->value(u"window/state"_s).toByteArray(), stateVersion);
    m_sandboxes->restoreState(*m_settings);
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    // At the end of a desktop session nobody is there to answer: sandboxes go on until their lifetime is over.
    const bool asks = m_options.atQuit == DesktopOptions::AtQuit::Ask && !qGuiApp->isSavingSession();
    const qsizetype running = asks && !m_closing ? ownSandboxes() : 0;
    event->setAccepted(running == 0);
    if (running > 0)
        askAtQuit(running);
    else
        quit(m_options.atQuit == DesktopOptions::AtQuit::Stop);
}

// How many sandboxes run that this program made.
qsizetype MainWindow::ownSandboxes() const
{
    const SandboxListModel *model = m_backends->model();
    const QString session = m_engine->owner().session;
    qsizetype count = 0;
    for (int row = 0; row < model->rowCount(); ++row) {
        const ManagedSandbox sandbox = model->sandbox(row);
        count += sandbox.owner.session == session && isLive(sandbox.state) ? 1 : 0;
    }
    return count;
}

void MainWindow::askAtQuit(qsizetype running)
{
    Message question;
    question.kind = Message::Kind::Question;
    question.title = tr("%n sandbox(es) of this window still run", nullptr, int(running));
    question.text =
        tr("Kept, they go on until their lifetime is over and can be opened again. Stopped, they are gone "
           "with their files.");
    question.actions = {
        {tr("&Keep Running and Quit"), [this] { decideAtQuit(DesktopOptions::AtQuit::Keep); }, true},
        {tr("&Stop and Quit"),
         [this] {
             decideAtQuit(DesktopOptions::AtQuit::Stop);
         }},
        {tr("&Cancel"), {}}};
    m_messages->showMessage(question);
}

void MainWindow::decideAtQuit(DesktopOptions::AtQuit choice)
{
    m_options.atQuit = choice;
    close();
}

void MainWindow::quit(bool stopSandboxes)
{
    if (std::exchange(m_closing, true))
        return;
    saveState();
    for (SessionPage *session : sessions())
        session->cell()->interrupt();
    m_engine->shutdown(stopSandboxes)
        .then(this, [this] { Q_EMIT finished(); })
        .onError(this, [this](const ErrorInfo &) { Q_EMIT finished(); })
        .onCancelled(this, [this] { Q_EMIT finished(); });
}

} // namespace Sandboxio::Desktop
