// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerdaemon.h"
#include "session/cellcontexts.h"
#include "session/cellpane.h"
#include "session/outputview.h"
#include "session/resultsview.h"
#include "session/sessionpage.h"
#include "shell/mainwindow.h"
#include "support/testprogram.h"

#include <sandboxio/runtime/scopedsandbox.h>

#include <QAction>
#include <QBuffer>
#include <QCheckBox>
#include <QImage>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace Sandboxio;
using namespace Sandboxio::Desktop;
using namespace Qt::StringLiterals;

/*! The cell of the desktop with an interpreter that stays, in a real sandbox. */
class DesktopContextsTest : public QObject
{
    Q_OBJECT
private:
    QTemporaryDir m_folder;
    std::unique_ptr<Engine> m_engine;
    SandboxPtr m_sandbox;
    std::unique_ptr<CellPane> m_cell;

    void run(const QString &code)
    {
        m_cell->setContent(code, u"python"_s);
        m_cell->run();
        QTRY_VERIFY_WITH_TIMEOUT(m_cell->lastRun()->state() == Run::State::Ended, 30'000);
    }
    QString output() const { return m_cell->output()->visibleText(); }

private Q_SLOTS:
    void initTestCase()
    {
        if (const QString why = Live::missingDaemon(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_engine = std::make_unique<Engine>(EngineOptions{.stateDirectory = QString()});
        m_sandbox = m_engine->create(Live::target(), Live::createOptions(u"desktopcontexts"_s)).result();
    }
    void cleanupTestCase()
    {
        if (m_sandbox)
            m_sandbox->kill().result();
        m_engine.reset();
    }
    void init()
    {
        m_cell = std::make_unique<CellPane>(m_sandbox, m_folder.path());
        m_cell->resize(800, 600);
        m_cell->show();
    }
    void cleanup() { m_cell.reset(); }

    void whatOneRunDefinesTheNextOneFinds()
    {
        auto *restart = m_cell->findChild<QPushButton *>(u"cellRestart"_s);
        QVERIFY(!restart->isEnabled()); // nothing runs yet
        run(u"x = 41"_s);
        QVERIFY(m_cell->results()->isHidden());
        run(u"print('on the stream')\nx + 1"_s);
        QVERIFY(m_cell->results()->isVisible());
        QCOMPARE(m_cell->results()->text(), u"42"_s);
        QTRY_COMPARE(output(), u"on the stream"_s); // the value is no output
        QVERIFY(restart->isEnabled());
        const QSignalSpy changes(m_cell.get(), &CellPane::runStateChanged);
        restart->click();
        QVERIFY(!restart->isEnabled());
        QVERIFY(m_cell->isRestarting() && !changes.isEmpty());
        const qsizetype begun = changes.size();
        QTRY_VERIFY_WITH_TIMEOUT(restart->isEnabled(), 20'000);
        QVERIFY(!m_cell->isRestarting() && changes.size() > begun);
        run(u"x"_s);
        QCOMPARE(m_cell->lastRun()->outcome(), (RunOutcome{RunOutcome::Kind::Exited, 1}));
        QTRY_VERIFY(output().contains(u"NameError"_s));
        QVERIFY(m_cell->results()->isHidden()); // no value of the run before
    }

    void withoutStateEachRunIsOnItsOwn()
    {
        m_cell->findChild<QCheckBox *>(u"cellKeepState"_s)->setChecked(false);
        run(u"x = 41"_s);
        run(u"x"_s);
        QTRY_VERIFY(output().contains(u"NameError"_s));
        QCOMPARE(m_sandbox->listContexts().result(), QStringList());
    }

    void interruptKeepsTheState()
    {
        run(u"x = 1"_s);
        m_cell->setContent(u"import time\nprint('begun', flush=True)\ntime.sleep(600)"_s, u"python"_s);
        m_cell->run();
        QTRY_COMPARE_WITH_TIMEOUT(output(), u"begun"_s, 20'000);
        m_cell->interrupt();
        QTRY_VERIFY_WITH_TIMEOUT(m_cell->lastRun()->state() == Run::State::Ended, 20'000);
        QCOMPARE(m_cell->lastRun()->outcome().kind, RunOutcome::Kind::Killed);
        run(u"x"_s);
        QCOMPARE(m_cell->results()->text(), u"1"_s);
    }

    void anInterpreterThatDiedIsRestartedByItsButton()
    {
        const QSignalSpy failures(m_cell.get(), &CellPane::runFailed);
        run(u"import os; os._exit(3)"_s);
        run(u"1"_s);
        QVERIFY(!failures.isEmpty());
        QVERIFY(failures.last().first().value<ErrorInfo>().message.contains(u"state is lost"_s));
        auto *restart = m_cell->findChild<QPushButton *>(u"cellRestart"_s);
        restart->click();
        QTRY_VERIFY_WITH_TIMEOUT(restart->isEnabled(), 20'000);
        run(u"1"_s);
        QCOMPARE(m_cell->results()->text(), u"1"_s);
    }

    void theRunMenuRestartsTheInterpreter()
    {
        DesktopOptions options;
        options.targets = {Live::target()};
        options.settingsFile = m_folder.filePath(u"settings.ini"_s);
        options.outputDirectory = m_folder.filePath(u"output"_s);
        MainWindow window(m_engine.get(), options);
        window.show();
        window.openSandbox(m_sandbox->details().managed);
        QTRY_COMPARE_WITH_TIMEOUT(window.sessions().size(), 1, 20'000);
        CellPane *cell = window.sessions().first()->cell();
        const QAction *runAction = window.findChild<QAction *>(u"run.cell"_s);
        QAction *restart = window.findChild<QAction *>(u"run.restart"_s);
        QVERIFY(runAction->isEnabled() && !restart->isEnabled());
        cell->setContent(u"x = 41"_s, u"python"_s);
        cell->run();
        QTRY_VERIFY_WITH_TIMEOUT(restart->isEnabled(), 20'000);
        restart->trigger();
        QVERIFY(cell->isRestarting() && !runAction->isEnabled() && !restart->isEnabled());
        QCOMPARE(runAction->statusTip(), u"Not available: the interpreter starts again"_s);
        QTRY_VERIFY_WITH_TIMEOUT(restart->isEnabled(), 20'000);
        QVERIFY(runAction->isEnabled());
        cell->setContent(u"x"_s, u"python"_s);
        cell->run();
        QTRY_VERIFY_WITH_TIMEOUT(cell->lastRun()->state() == Run::State::Ended, 20'000);
        QCOMPARE(cell->lastRun()->outcome(), (RunOutcome{RunOutcome::Kind::Exited, 1}));
    }

    void picturesAreShownAndMarkupIsText()
    {
        QBuffer png;
        QImage picture(30, 20, QImage::Format_RGB32);
        picture.fill(Qt::blue);
        QVERIFY(png.open(QIODevice::WriteOnly) && picture.save(&png, "PNG"));
        run(u"import base64\nclass P:\n def _repr_png_(self): return base64.b64decode('%1')\ndisplay(P())\n"
            "class H:\n def __repr__(self): return '<b>bold</b>'\nH()"_s.arg(
                QString::fromLatin1(png.data().toBase64())));
        QTRY_COMPARE(m_cell->results()->text(), u"Picture, 30 × 20\n<b>bold</b>"_s);
        const auto labels = m_cell->results()->findChildren<QLabel *>();
        QCOMPARE(labels.last()->textFormat(), Qt::PlainText);
    }

    void aBrokenPictureIsShownByItsText()
    {
        run(u"class P:\n def _repr_png_(self): return b'no picture'\n def __repr__(self): return 'text of it'\nP()"_s);
        QCOMPARE(m_cell->results()->text(), u"text of it"_s);
    }

    void closingTheCellEndsItsInterpreters()
    {
        run(u"1"_s);
        QCOMPARE(m_sandbox->listContexts().result().size(), 1);
        m_cell.reset();
        QTRY_COMPARE(m_sandbox->listContexts().result(), QStringList());
    }

    void closingTheCellEndsAnInterpreterThatItHasNotHeardOf()
    {
        auto contexts = std::make_unique<CellContexts>(m_sandbox);
        const Operation<QString> making = contexts->of(u"python"_s);
        QVERIFY(making.waitFor(std::chrono::seconds(20))); // no event loop runs here meanwhile
        QCOMPARE(making.outcome(), OperationOutcome::Value);
        QVERIFY(contexts->has(u"python"_s));
        contexts.reset();
        QTRY_COMPARE(m_sandbox->listContexts().result(), QStringList());
    }
};

SANDBOXIO_WIDGETS_TEST(DesktopContextsTest)
#include "tst_desktopcontexts.moc"
