// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "desktopfixture.h"
#include "errors/messagearea.h"
#include "session/cellpane.h"
#include "session/codeeditor.h"
#include "session/findbar.h"
#include "session/outputview.h"
#include "session/sessionactions.h"
#include "session/sessionpage.h"
#include "session/syntaxlibrary.h"
#include "support/testprogram.h"

#include <QAction>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <QTextLayout>

#include <cerrno>
#include <cstring>

using namespace Sandboxio;
using namespace Sandboxio::Desktop;
using namespace Qt::StringLiterals;

class SessionTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void aCellShowsOutputAndExitStatus_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("isCode");
        QTest::addColumn<QString>("output");
        QTest::addColumn<QString>("status");
        QTest::newRow("code prints") << u"print('from code')"_s << true << u"from code"_s << u"exited 0"_s;
        QTest::newRow("a command prints") << u"echo from shell"_s << false << u"from shell"_s << u"exited 0"_s;
        QTest::newRow("errors are marked") << u"echo oops >&2"_s << false << u"error: oops"_s << u"exited 0"_s;
        QTest::newRow("an exit status other than 0 is shown")
            << u"echo x; exit 3"_s << false << u"x"_s << u"exited 3"_s;
    }
    void aCellShowsOutputAndExitStatus()
    {
        QFETCH(QString, text);
        QFETCH(bool, isCode);
        QFETCH(QString, output);
        QFETCH(QString, status);
        DesktopFixture fixture;
        SessionPage *session = fixture.createSession();
        QVERIFY(session);
        CellPane *cell = session->cell();
        cell->setContent(text, isCode ? session->sandbox()->languages().value(0) : QString());
        cell->run();
        QTRY_VERIFY(cell->lastRun()->state() == Run::State::Ended);
        QTRY_VERIFY2(cell->output()->visibleText().contains(output), qPrintable(cell->output()->visibleText()));
        QVERIFY2(cell->statusText().startsWith(status), qPrintable(cell->statusText()));
    }

    void shiftEnterInTheEditorRuns()
    {
        DesktopFixture fixture;
        SessionPage *session = fixture.createSession();
        QVERIFY(session);
        session->cell()->setContent(u"echo by key"_s, {});
        QVERIFY(QTest::qWaitForWindowActive(&fixture.window()));
        auto *editor = session->findChild<QPlainTextEdit *>(u"cellEditor"_s);
        editor->setFocus();
        QTest::keyClick(editor, Qt::Key_Return, Qt::ShiftModifier);
        QTRY_VERIFY(session->cell()->output()->visibleText().contains(u"by key"_s));
        QCOMPARE(editor->toPlainText(), u"echo by key"_s);
    }

    void interruptEndsTheRunAndSaysSo()
    {
        DesktopFixture fixture;
        SessionPage *session = fixture.createSession();
        QVERIFY(session);
        session->cell()->setContent(u"sleep 600"_s, {});
        session->cell()->run();
        const auto *interrupt = fixture.window().findChild<QAction *>(u"run.interrupt"_s);
        QTRY_VERIFY(session->cell()->lastRun()->state() == Run::State::Running);
        QVERIFY(interrupt->isEnabled());
        session->cell()->interrupt();
        QTRY_VERIFY(session->cell()->lastRun()->state() == Run::State::Ended);
        QCOMPARE(session->cell()->lastRun()->outcome().kind, RunOutcome::Kind::Killed);
        QVERIFY(session->cell()->statusText().startsWith(u"interrupted"_s));
        QVERIFY(!interrupt->isEnabled());
        QVERIFY(!interrupt->statusTip().isEmpty());
    }

    void theActionsSayWhyTheyAreNotAvailable_data()
    {
        QTest::addColumn<CellState>("state");
        QTest::addColumn<QString>("run");
        QTest::addColumn<QString>("restart");
        QTest::newRow("no sandbox is open")
            << CellState() << u"Not available: no sandbox is open"_s << u"Not available: no sandbox is open"_s;
        QTest::newRow("the cell runs")
            << CellState{.isOpen = true, .isRunning = true} << u"Not available: the cell is running"_s
            << u"Not available: the cell is running"_s;
        QTest::newRow("the interpreter starts again") << CellState{.isOpen = true, .isRestarting = true}
                                                      << u"Not available: the interpreter starts again"_s
                                                      << u"Not available: the interpreter starts again"_s;
        QTest::newRow("nothing keeps state")
            << CellState{.isOpen = true} << QString()
            << u"Not available: the cell has no interpreter that keeps its state"_s;
        QTest::newRow("an interpreter keeps state")
            << CellState{.isOpen = true, .canRestart = true} << QString() << QString();
    }
    void theActionsSayWhyTheyAreNotAvailable()
    {
        QFETCH(const CellState, state);
        QFETCH(const QString, run);
        QFETCH(const QString, restart);
        QObject parent;
        const SessionActions actions(&parent);
        actions.setState(state);
        const auto obstacle = [](const QAction *action) {
            return action->isEnabled() ? QString() : action->statusTip();
        };
        QCOMPARE(obstacle(actions.run), run);
        QCOMPARE(obstacle(actions.restart), restart);
        QVERIFY(!actions.run->statusTip().isEmpty() && !actions.restart->statusTip().isEmpty());
        QVERIFY(!actions.restart->shortcut().isEmpty());
        QCOMPARE(actions.interrupt->isEnabled(), state.isRunning);
    }

    void closingTheTabOfARunningCellEndsTheRun()
    {
        DesktopFixture fixture;
        SessionPage *session = fixture.createSession();
        QVERIFY(session);
        const SandboxPtr sandbox = session->sandbox();
        session->cell()->setContent(u"sleep 600"_s, {});
        session->cell()->run();
        QTRY_VERIFY(session->cell()->lastRun()->state() == Run::State::Running);
        fixture.window().findChild<QAction *>(u"file.closeTab"_s)->trigger();
        QTRY_VERIFY(fixture.window().sessions().isEmpty());
    }

    void theFindBarSearchesTheWholeOutputByKeyboard()
    {
        DesktopFixture fixture;
        SessionPage *session = fixture.createSession();
        QVERIFY(session);
        CellPane *cell = session->cell();
        cell->setContent(u"echo line one; echo a needle; echo line three"_s, {});
        cell->run();
        QTRY_VERIFY(cell->lastRun()->state() == Run::State::Ended);
        QVERIFY(QTest::qWaitForWindowActive(&fixture.window()));
        auto *editor = session->findChild<QPlainTextEdit *>(u"cellEditor"_s);
        editor->setFocus();
        QTest::keyClick(editor, Qt::Key_F, Qt::ControlModifier);
        auto *text = session->findChild<QLineEdit *>(u"findText"_s);
        QTRY_VERIFY(text->hasFocus());
        QTest::keyClicks(text, u"NEEDLE"_s);
        QTest::keyClick(text, Qt::Key_Return);
        QTRY_COMPARE(cell->output()->selectedText().result(), u"needle"_s);
        const QLabel *result = session->findChild<QLabel *>(u"findResult"_s);
        QTest::keyClick(text, Qt::Key_Return, Qt::ShiftModifier); // back, and not a run of the cell
        QTRY_COMPARE(result->text(), u"Went on from the end"_s);
        QVERIFY(!cell->isRunning());
        QTest::keyClicks(text, u" not there"_s);
        QTest::keyClick(text, Qt::Key_Return);
        QTRY_COMPARE(result->text(), u"Not found"_s);
        QTest::keyClick(text, Qt::Key_Escape);
        QVERIFY(cell->findBar()->isHidden());
        QVERIFY(cell->output()->hasFocus());
    }

    void savedOutputIsWhatTheProgramPrinted_data()
    {
        QTest::addColumn<OutputStream>("stream");
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("standard output") << OutputStream::StandardOutput << "out\nno end"_ba;
        QTest::newRow("standard error") << OutputStream::StandardError << "err\n"_ba;
    }
    void savedOutputIsWhatTheProgramPrinted()
    {
        QFETCH(OutputStream, stream);
        QFETCH(QByteArray, bytes);
        DesktopFixture fixture;
        SessionPage *session = fixture.createSession();
        QVERIFY(session);
        session->cell()->setContent(u"echo out; echo err >&2; printf 'no end'"_s, {});
        session->cell()->run();
        QTRY_VERIFY(session->cell()->lastRun()->state() == Run::State::Ended);
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"saved"_s);
        session->saveOutput(stream, path);
        QTRY_COMPARE(session->messages()->bars().size(), 1);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), bytes);
    }

    void savingAsksWhereAndAFailureIsTold()
    {
        DesktopFixture fixture;
        SessionPage *session = fixture.createSession();
        QVERIFY(session);
        session->cell()->setContent(u"echo out"_s, {});
        session->cell()->run();
        QTRY_VERIFY(session->cell()->lastRun()->state() == Run::State::Ended);
        fixture.window().findChild<QAction *>(u"output.save"_s)->trigger();
        auto *dialog = session->findChild<QFileDialog *>(u"saveOutputDialog"_s);
        QVERIFY(dialog);
        dialog->close();
        session->saveOutput(OutputStream::StandardOutput, u"/proc/nowhere/file"_s);
        QTRY_COMPARE(session->messages()->bars().size(), 1);
        QCOMPARE(session->messages()->bars().first()->message().kind, Message::Kind::Error);
        QVERIFY(!session->messages()->bars().first()->message().hint.isEmpty());
    }

    void coloursComeWithTheLanguageThatWasAskedForLast()
    {
        CodeEditor editor;
        QSignalSpy ready(&editor, &CodeEditor::languageReady);
        editor.setPlainText(u"import math"_s);
        const auto coloured = [&] {
            return !editor.document()->firstBlock().layout()->formats().isEmpty();
        };
        editor.setLanguage(u"python"_s);
        QVERIFY(!coloured()); // reading the language takes longer than an event may
        editor.setLanguage(u"no such language"_s);
        QVERIFY(ready.wait());
        QTRY_COMPARE(ready.size(), 1);
        QVERIFY(!coloured());
        editor.setLanguage(u"python"_s);
        QVERIFY(ready.wait());
        QVERIFY(coloured());
        QCOMPARE(ready.size(), 2);
    }

    void outputThatIsNotKeptIsToldWithTheFix()
    {
        DesktopFixture fixture(DesktopOptions::AtQuit::Keep, u"/proc/nowhere"_s);
        SessionPage *session = fixture.createSession();
        QVERIFY(session);
        session->cell()->setContent(u"seq 1 50000"_s, {}); // more than a block of the spool
        session->cell()->run();
        QTRY_VERIFY(session->cell()->lastRun()->state() == Run::State::Ended);
        QCOMPARE(session->cell()->lastRun()->outcome(), (RunOutcome{RunOutcome::Kind::Exited, 0}));
        QTRY_COMPARE(session->messages()->bars().size(), 1);
        const Message message = session->messages()->bars().first()->message();
        QCOMPARE(message.kind, Message::Kind::Error);
        QVERIFY2(message.text.contains(QString::fromLocal8Bit(strerror(ENOENT))), qPrintable(message.text));
        QVERIFY2(message.hint.contains(u"/proc/nowhere"_s), qPrintable(message.hint));
        QVERIFY(session->cell()->statusText().contains(u"are not kept"_s));
    }

    void lookingForTextBeforeTheFirstRunEnds()
    {
        DesktopFixture fixture;
        SessionPage *session = fixture.createSession();
        QVERIFY(session);
        session->findInOutput();
        session->findChild<QLineEdit *>(u"findText"_s)->setText(u"needle"_s);
        session->findAgain(false);
        QTRY_COMPARE(session->findChild<QLabel *>(u"findResult"_s)->text(), u"Not found"_s);
    }

    void aFileHasTheLanguageOfItsName_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("language");
        QTest::newRow("by its suffix") << u"program.py"_s << u"Python"_s;
        QTest::newRow("another one with that suffix") << u"other.py"_s << u"Python"_s;
        QTest::newRow("a text file is plain") << u"notes.txt"_s << QString();
        QTest::newRow("by the whole name, whatever the suffix") << u"CMakeLists.txt"_s << u"CMake"_s;
        QTest::newRow("by a name that is all suffix") << u".bashrc"_s << u"Bash"_s;
        QTest::newRow("by a name without suffix") << u"Makefile"_s << u"Makefile"_s;
    }
    void aFileHasTheLanguageOfItsName()
    {
        QFETCH(QString, name);
        QFETCH(QString, language);
        std::optional<QString> found;
        SyntaxLibrary::instance()->findForFile(name, this, [&](const Syntax &syntax) {
            found = syntax.definition.isValid() ? syntax.definition.name() : QString();
        });
        QTRY_VERIFY(found);
        QCOMPARE(*found, language);
    }

    void aSandboxThatGoesAwayIsToldInItsTab()
    {
        DesktopFixture fixture;
        SessionPage *session = fixture.createSession();
        QVERIFY(session);
        int killed = 0;
        fixture.engine().killManaged(fixture.target(), session->sandbox()->id()).then(this, [&](bool) {
            ++killed;
        });
        QTRY_COMPARE(killed, 1);
        QTRY_COMPARE(session->messages()->bars().size(), 1);
        QVERIFY(session->messages()->bars().first()->plainText().contains(u"gone"_s));
    }
};

SANDBOXIO_WIDGETS_TEST(SessionTest)
#include "tst_desktopsession.moc"
