// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "screenshotscript.h"

#include "errors/messagearea.h"
#include "files/filespane.h"
#include "sandboxes/sandboxespage.h"
#include "session/cellpane.h"
#include "session/findbar.h"
#include "session/outputview.h"
#include "session/sessionpage.h"
#include "shell/backendwatch.h"
#include "shell/mainwindow.h"

#include <sandboxio/models/filetreemodel.h>

#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QPixmap>
#include <QTabWidget>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto screenshotsLimit = 120s;
constexpr int sandboxes = 5;
const QString program = uR"(import math, pathlib, sys, time

primes = [n for n in range(2, 60) if all(n % d for d in range(2, math.isqrt(n) + 1))]
for start in range(0, len(primes), 6):
    print("primes", *primes[start:start + 6], flush=True)
    time.sleep(0.1)

pathlib.Path("primes.txt").write_text("\n".join(map(str, primes)))
print("17 primes below 60", file=sys.stderr)
)"_s;

} // namespace

ScreenshotScript::ScreenshotScript(const DesktopOptions &options, QObject *parent)
    : Script(screenshotsLimit, parent)
    , m_options(options)
{
    addBackendStep();
    addStep(
        u"five sandboxes run"_s,
        [this] {
            createSandbox(u"billing"_s, u"nightly"_s, 30min);
            createSandbox(u"billing"_s, u"review-1482"_s, 60min);
            createSandbox(u"search"_s, u"index"_s, 240min);
            createSandbox(u"search"_s, u"agent-7"_s, 15min);
            createSandbox(u"docs"_s, u"examples"_s, 10min);
        },
        [this] {
            return window()->sessions().size() == sandboxes &&
                   window()->backends()->model()->rowCount() >= sandboxes;
        });
    addStep(
        u"list.png"_s,
        [this] {
            window()->showList();
            const ManagedSandbox sandbox = window()->sessions().at(2)->sandbox()->details().managed;
            window()->sandboxesPage()->select(sandbox.target, sandbox.id);
        },
        [this] { return window()->sandboxesPage()->selectedSandbox().has_value(); });
    addStep(u"list.png saved"_s, [this] { save(u"list.png"_s); });
    addStep(
        u"a cell runs"_s,
        [this] {
            window()->findChild<QTabWidget *>(u"mainTabs"_s)->setCurrentWidget(window()->sessions().at(2));
            CellPane *cell = window()->currentSession()->cell();
            cell->setContent(program, window()->currentSession()->sandbox()->languages().value(0));
            cell->run();
        },
        [this] {
            CellPane *cell = window()->currentSession()->cell();
            return !cell->isRunning() && cell->output()->visibleText().contains("17 primes"_L1);
        });
    addStep(
        u"the tree shows what the cell wrote"_s, [this] { window()->currentSession()->files()->refresh(); },
        [this] { return window()->currentSession()->files()->model()->rowCount() > 0; });
    addStep(u"cell.png saved"_s, [this] { save(u"cell.png"_s); });
    addStep(
        u"text is found in the output"_s,
        [this] {
            window()->currentSession()->findInOutput();
            window()->currentSession()->findChild<QLineEdit *>(u"findText"_s)->setText(u"primes"_s);
            window()->currentSession()->findAgain(false);
        },
        [this] {
            const QString result = window()->currentSession()->findChild<QLabel *>(u"findResult"_s)->text();
            return result.isEmpty() || result == FindBar::tr("Went on from the beginning");
        });
    addStep(
        u"quitting asks what becomes of the sandboxes"_s, [this] { window()->close(); },
        [this] { return window()->isVisible() && !window()->messages()->bars().isEmpty(); });
    addStep(u"quit.png saved"_s, [this] { save(u"quit.png"_s); });
}

void ScreenshotScript::prepare()
{
    openWindow(m_options);
}

void ScreenshotScript::createSandbox(const QString &project, const QString &job, std::chrono::minutes lifetime)
{
    CreateOptions options;
    options.timeout = lifetime;
    options.metadata = {{u"project"_s, project}, {u"job"_s, job}};
    window()->createSandbox(window()->backends()->targets().first(), options);
}

void ScreenshotScript::save(const QString &name)
{
    const QString path = QDir(m_options.screenshotDirectory).filePath(name);
    if (!QDir().mkpath(m_options.screenshotDirectory) || !window()->grab().save(path))
        fail(u"%1 could not be written"_s.arg(path));
}

} // namespace Sandboxio::Desktop
