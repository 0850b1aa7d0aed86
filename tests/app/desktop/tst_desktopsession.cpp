// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "desktopfixture.h"
#include "errors/messagearea.h"
#include "session/cellpane.h"
#include "session/outputview.h"
#include "session/sessionpage.h"

#include <QAction>
#include <QPlainTextEdit>
#include <QTest>

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

QTEST_MAIN(SessionTest)
#include "tst_desktopsession.moc"
