// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "selftest.h"

#include "create/createdialog.h"
#include "create/createform.h"
#include "errors/messagearea.h"
#include "files/filespane.h"
#include "files/fileviewer.h"
#include "orphans/orphanspage.h"
#include "sandboxes/sandboxespage.h"
#include "session/cellpane.h"
#include "session/outputview.h"
#include "session/sessionpage.h"
#include "shell/backendwatch.h"
#include "shell/mainwindow.h"

#include <sandboxio/models/filetreemodel.h>

#include <QAction>
#include <QLabel>
#include <QPushButton>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {
constexpr auto selfTestLimit = 25s; // the teardown is bounded by 5 s
const QString label = u"self-test"_s;
} // namespace

SelfTest::SelfTest(QObject *parent)
    : Script(selfTestLimit, parent)
{
    addBackendStep();
    addCreateSteps();
    addRunSteps();
    addFileSteps();
    addKillSteps();
    addOrphanSteps();
}

void SelfTest::prepare()
{
    const std::optional<Target> demo = demoTarget(engine()->backends());
    if (!demo) {
        fail(u"the demo backend is not installed"_s);
        return;
    }
    DesktopOptions options;
    options.targets = {*demo};
    options.atQuit = DesktopOptions::AtQuit::Stop;
    openWindow(options);
}

void SelfTest::addCreateSteps()
{
    addStep(
        u"the dialog accepts a plan for a sandbox without network"_s,
        [this] {
            CreateOptions options;
            options.metadata = {{u"purpose"_s, label}};
            window()->openCreateDialog({{window()->backends()->targets().first(), options}});
        },
        [this] {
            auto *dialog = window()->findChild<CreateDialog *>();
            return dialog && dialog->isAccepted();
        });
    addStep(
        u"Create makes the sandbox and opens its tab"_s,
        [this] { window()->findChild<QPushButton *>(u"createButton"_s)->click(); },
        [this] { return window()->currentSession() != nullptr; });
    addStep(u"the list shows it live with its label"_s, {}, [this] {
        const SandboxListModel *model = window()->backends()->model();
        return model->rowCount() == 1 && model->sandbox(0).metadata.value(u"purpose"_s) == label;
    });
}

void SelfTest::addRunSteps()
{
    const auto ended = [this] {
        const Run *run = window()->currentSession()->cell()->lastRun();
        return run && run->state() == Run::State::Ended;
    };
    addStep(
        u"a cell runs to exit status 0"_s,
        [this] {
            CellPane *cell = window()->currentSession()->cell();
            cell->setContent(u"print('hello from the cell')"_s,
                             window()->currentSession()->sandbox()->languages().value(0));
            window()->findChild<QAction *>(u"run.cell"_s)->trigger();
        },
        [this, ended] {
            return ended() && window()->currentSession()->cell()->lastRun()->outcome() ==
                                  RunOutcome{RunOutcome::Kind::Exited, 0};
        });
    addStep(u"its output is on screen"_s, {}, [this] {
        return window()->currentSession()->cell()->output()->visibleText().contains("hello from the cell"_L1);
    });
    addStep(
        u"a command line shows its error stream and exit status 3"_s,
        [this] {
            CellPane *cell = window()->currentSession()->cell();
            cell->setContent(u"echo out; echo err >&2; exit 3"_s, {});
            window()->findChild<QAction *>(u"run.cell"_s)->trigger();
        },
        [this, ended] {
            CellPane *cell = window()->currentSession()->cell();
            return ended() && cell->lastRun()->outcome() == RunOutcome{RunOutcome::Kind::Exited, 3} &&
                   cell->output()->visibleText().contains("error: err"_L1);
        });
    addStep(
        u"Interrupt ends a run that would last"_s,
        [this] {
            window()->currentSession()->cell()->setContent(u"sleep 600"_s, {});
            window()->findChild<QAction *>(u"run.cell"_s)->trigger();
        },
        [this] {
            CellPane *cell = window()->currentSession()->cell();
            if (cell->lastRun()->state() == Run::State::Running)
                window()->findChild<QAction *>(u"run.interrupt"_s)->trigger();
            return cell->lastRun()->state() == Run::State::Ended &&
                   cell->lastRun()->outcome().kind == RunOutcome::Kind::Killed;
        });
}

void SelfTest::addFileSteps()
{
    addStep(
        u"a file is written for the tree"_s,
        [this] {
            window()->currentSession()->cell()->setContent(u"echo 'text of the file' > note.txt"_s, {});
            window()->findChild<QAction *>(u"run.cell"_s)->trigger();
        },
        [this] { return !window()->currentSession()->cell()->isRunning(); });
    const auto note = [this]() -> std::optional<FileInfo> {
        const FileTreeModel *model = window()->currentSession()->files()->model();
        for (int row = 0; row < model->rowCount(); ++row) {
            if (model->fileInfo(model->index(row, 0)).name == "note.txt"_L1)
                return model->fileInfo(model->index(row, 0));
        }
        return std::nullopt;
    };
    addStep(
        u"the tree shows the file"_s, [this] { window()->currentSession()->files()->refresh(); },
        [note] { return note().has_value(); });
    addStep(
        u"the file opens as text"_s, [this, note] { window()->currentSession()->openFile(*note()); },
        [this] {
            const QList<FileViewer *> viewers = window()->currentSession()->viewers();
            return viewers.size() == 1 && viewers.first()->isLoaded() && viewers.first()->isText() &&
                   viewers.first()->shownText(100).contains("text of the file"_L1);
        });
}

void SelfTest::addKillSteps()
{
    addStep(
        u"Kill asks in place"_s,
        [this] {
            window()->showList();
            const ManagedSandbox sandbox = window()->backends()->model()->sandbox(0);
            window()->sandboxesPage()->select(sandbox.target, sandbox.id);
            window()->findChild<QAction *>(u"sandbox.kill"_s)->trigger();
        },
        [this] { return window()->sandboxesPage()->messages()->bars().size() == 1; });
    addStep(
        u"Kill removes the row"_s,
        [this] {
            const MessageBar *bar = window()->sandboxesPage()->messages()->bars().first();
            bar->findChild<QPushButton *>()->click();
        },
        [this] { return window()->backends()->model()->rowCount() == 0; });
}

void SelfTest::addOrphanSteps()
{
    addStep(
        u"the orphans view finds nothing that is not there"_s,
        [this] { window()->findChild<QAction *>(u"sandbox.orphans"_s)->trigger(); },
        [this] {
            const OrphansPage *page = window()->orphansPage();
            const auto labels = page ? page->findChildren<QLabel *>() : QList<QLabel *>();
            return page && page->model()->rowCount() == 0 && page->messages()->bars().isEmpty() &&
                   std::ranges::any_of(labels, [](const QLabel *l) {
                       return l->text() == OrphansPage::tr("No orphans: every sandbox has an owner that lives");
                   });
        });
}

void SelfTest::tearDown(std::function<void()> done)
{
    if (!window()) {
        Script::tearDown(done);
        return;
    }
    connect(
        window(), &MainWindow::finished, this,
        [this, done] {
            destroyWindow();
            done();
        },
        Qt::QueuedConnection);
    window()->close();
}

} // namespace Sandboxio::Desktop
