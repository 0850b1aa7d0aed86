// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "create/createdialog.h"
#include "desktopfixture.h"
#include "errors/messagearea.h"
#include "orphans/orphanspage.h"
#include "sandboxes/sandboxespage.h"
#include "session/sessionpage.h"
#include "shell/backendwatch.h"
#include "support/testprogram.h"

#include <QAbstractButton>
#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QTreeView>

using namespace Sandboxio;
using namespace Sandboxio::Desktop;
using namespace Qt::StringLiterals;

namespace {

// A control is what a person can reach by the keyboard or read. Parts of composite widgets belong to their
// owner.
bool isControl(const QWidget *widget)
{
    const QString name = widget->objectName();
    const QWidget *parent = widget->parentWidget();
    const bool isPart =
        name.startsWith(u"qt_"_s) || qobject_cast<const QComboBox *>(parent) ||
        (parent && (parent->inherits("QComboBoxPrivateContainer") || parent->inherits("QTabBar"))) ||
        (qobject_cast<const QLineEdit *>(widget) && widget->parentWidget()->inherits("QAbstractSpinBox")) ||
        (widget->parentWidget() && widget->parentWidget()->inherits("QLineEdit"));
    if (isPart)
        return false;
    return widget->focusPolicy() != Qt::NoFocus || qobject_cast<const QAbstractButton *>(widget);
}

QStringList namelessControls(const QWidget *root)
{
    QStringList nameless;
    const auto all = root->findChildren<QWidget *>();
    for (const QWidget *widget : all) {
        if (isControl(widget) && widget->accessibleName().isEmpty() && !widget->inherits("QHeaderView") &&
            !widget->inherits("QTabBar") && !widget->inherits("QScrollBar"))
            nameless += u"%1 '%2' in %3"_s.arg(
                QLatin1StringView(widget->metaObject()->className()), widget->objectName(),
                QLatin1StringView(widget->parentWidget()->metaObject()->className()));
    }
    return nameless;
}

} // namespace

class MainWindowTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void theListFollowsWhatOthersCreateAndKill()
    {
        DesktopFixture fixture;
        const SandboxListModel *model = fixture.window().backends()->model();
        QTRY_COMPARE(model->targetStatus().first().kind, SandboxListModel::TargetStatus::Kind::Live);
        SandboxPtr sandbox;
        fixture.engine().create(fixture.target()).then(this, [&](const SandboxPtr &created) {
            sandbox = created;
        });
        QTRY_COMPARE(model->rowCount(), 1);
        QTRY_VERIFY(sandbox);
        QCOMPARE(model->sandbox(0).id, sandbox->id());
        int killed = 0;
        sandbox->kill().then(this, [&] { ++killed; });
        QTRY_COMPARE(model->rowCount(), 0);
        QTRY_COMPARE(killed, 1);
    }

    void everyControlHasAnAccessibleName()
    {
        DesktopFixture fixture;
        QVERIFY(fixture.createSession());
        fixture.window().showOrphans();
        const CreateDialog *dialog = fixture.window().openCreateDialog();
        fixture.window().sandboxesPage()->messages()->showError(
            u"Title"_s, makeError(ErrorKind::SandboxError, u"Why."_s, u"fix"_s, {500, u"cause"_s}));
        QCOMPARE(namelessControls(&fixture.window()).join(u'\n'), QString());
        QCOMPARE(namelessControls(dialog).join(u'\n'), QString());
    }

    void everyActionHasAStableNameAndWhatIsDisabledSaysWhy()
    {
        DesktopFixture fixture;
        const auto actions = fixture.window().findChildren<QAction *>();
        QSet<QString> names;
        for (const QAction *action : actions) {
            const bool isOurs = action->objectName().contains(u'.');
            if (!isOurs)
                continue;
            QVERIFY2(!names.contains(action->objectName()), qPrintable(action->objectName()));
            names += action->objectName();
            if (!action->isEnabled())
                QVERIFY2(action->statusTip().startsWith(u"Not available"_s), qPrintable(action->objectName()));
        }
        for (const QString &name : {u"sandbox.create"_s, u"sandbox.open"_s, u"sandbox.pause"_s,
                                    u"sandbox.resume"_s, u"sandbox.kill"_s, u"sandbox.orphans"_s,
                                    u"view.refresh"_s, u"run.cell"_s, u"run.interrupt"_s, u"file.quit"_s})
            QVERIFY2(names.contains(name), qPrintable(name));
    }

    void theFilterHidesRowsAndSaysHowMany()
    {
        DesktopFixture fixture;
        CreateOptions options;
        options.metadata = {{u"team"_s, u"billing"_s}};
        QVERIFY(fixture.createSession(options));
        SandboxesPage *page = fixture.window().sandboxesPage();
        QTRY_COMPARE(fixture.window().backends()->model()->rowCount(), 1);
        const auto *view = page->findChild<QTreeView *>(u"sandboxList"_s);
        page->setFilterText(u"BILLING running"_s);
        QCOMPARE(view->model()->rowCount(), 1);
        page->setFilterText(u"billing nothing-like-this"_s);
        QCOMPARE(view->model()->rowCount(), 0);
        fixture.window().showList();
        auto *clear = page->findChild<QPushButton *>(u"emptyStateMain"_s);
        QVERIFY(clear->isVisible());
        clear->click();
        QCOMPARE(view->model()->rowCount(), 1);
    }

    void killAsksInPlaceAndKeepIsTheDefault()
    {
        DesktopFixture fixture;
        const SessionPage *session = fixture.createSession();
        QVERIFY(session);
        const SandboxListModel *model = fixture.window().backends()->model();
        QTRY_COMPARE(model->rowCount(), 1);
        fixture.window().askKill(model->sandbox(0));
        const MessageArea *messages = fixture.window().sandboxesPage()->messages();
        QCOMPARE(messages->bars().size(), 1);
        const auto buttons = messages->bars().first()->findChildren<QPushButton *>();
        QCOMPARE(buttons.size(), 2);
        buttons.last()->click(); // Keep
        QVERIFY(messages->bars().isEmpty());
        QCOMPARE(model->rowCount(), 1);
        fixture.window().askKill(model->sandbox(0));
        messages->bars().first()->findChildren<QPushButton *>().first()->click(); // Kill
        QTRY_COMPARE(model->rowCount(), 0);
    }

    void aRefusedCreateShowsTheFixAndLeadsBackToTheSettings()
    {
        DesktopFixture fixture;
        CreateOptions options;
        options.network = NetworkPolicy::allowList({u"example.org"_s});
        fixture.window().createSandbox(fixture.target(), options);
        const MessageArea *messages = fixture.window().sandboxesPage()->messages();
        QTRY_COMPARE(messages->bars().size(), 1);
        const MessageBar *bar = messages->bars().first();
        QVERIFY(!bar->message().hint.isEmpty());
        QVERIFY(bar->findChild<QLabel *>(u"messageHint"_s)->text().startsWith(u"Fix: "_s));
        bar->findChildren<QPushButton *>().first()->click();
        auto *dialog = fixture.window().findChild<CreateDialog *>();
        QVERIFY(dialog);
        QTRY_VERIFY(dialog->explanation().contains(u"allowlist"_s));
        QVERIFY(!dialog->isAccepted());
    }

    void quittingAsksWhatBecomesOfRunningSandboxes_data()
    {
        QTest::addColumn<QString>("answer");
        QTest::addColumn<bool>("quits");
        QTest::addColumn<bool>("stays"); // the sandbox
        QTest::newRow("kept sandboxes go on") << u"&Keep Running and Quit"_s << true << true;
        QTest::newRow("stopped sandboxes are gone") << u"&Stop and Quit"_s << true << false;
        QTest::newRow("Cancel changes nothing") << u"&Cancel"_s << false << true;
    }
    void quittingAsksWhatBecomesOfRunningSandboxes()
    {
        QFETCH(QString, answer);
        QFETCH(bool, quits);
        QFETCH(bool, stays);
        DesktopFixture fixture(DesktopOptions::AtQuit::Ask);
        Engine other; // sees the same sandboxes
        const auto rows = [&] {
            return other.listManaged({.targets = {fixture.target()}, .metadata = {}}).result().rows();
        };
        QVERIFY(fixture.createSession());
        QCOMPARE(rows().size(), 1);
        QTRY_COMPARE(fixture.window().backends()->model()->rowCount(), 1);
        int finished = 0;
        connect(&fixture.window(), &MainWindow::finished, this, [&] { ++finished; });
        fixture.window().close();
        QVERIFY(fixture.window().isVisible());
        QCOMPARE(fixture.window().messages()->bars().size(), 1);
        const auto buttons = fixture.window().messages()->bars().first()->findChildren<QPushButton *>();
        const auto chosen = std::ranges::find(buttons, answer, &QPushButton::text);
        QVERIFY(chosen != buttons.end());
        QVERIFY(QTest::qWaitForWindowActive(&fixture.window()));
        QCOMPARE(buttons.first()->hasFocus(), true); // Enter keeps
        (*chosen)->setFocus();
        QTest::keyClick(*chosen, Qt::Key_Space);
        QTRY_COMPARE(finished, quits ? 1 : 0);
        QCOMPARE(fixture.window().isVisible(), !quits);
        QCOMPARE(rows().size(), stays ? 1 : 0);
    }

    void quittingAsksNothingAboutSandboxesThatHaveEnded_data()
    {
        QTest::addColumn<SandboxState>("state");
        QTest::newRow("a stopped one") << SandboxState::Stopped;
        QTest::newRow("a failed one") << SandboxState::Failed;
    }
    void quittingAsksNothingAboutSandboxesThatHaveEnded()
    {
        QFETCH(SandboxState, state);
        DesktopFixture fixture(DesktopOptions::AtQuit::Ask);
        QVERIFY(fixture.createSession());
        SandboxListModel *model = fixture.window().backends()->model();
        QTRY_COMPARE(model->rowCount(), 1);
        ManagedSandbox sandbox = model->sandbox(0);
        QCOMPARE(sandbox.owner.session, fixture.engine().owner().session);
        sandbox.state = state;
        model->updateSandbox(sandbox);
        fixture.window().close();
        QVERIFY(!fixture.window().isVisible());
        QVERIFY(fixture.window().messages()->bars().isEmpty());
    }

    void aSandboxOfThisApplicationIsNoOrphan()
    {
        DesktopFixture fixture;
        QVERIFY(fixture.createSession());
        fixture.window().showOrphans();
        OrphansPage *page = fixture.window().orphansPage();
        bool refreshed = false;
        connect(page, &OrphansPage::refreshed, this, [&] { refreshed = true; });
        QTRY_VERIFY(refreshed);
        QCOMPARE(page->model()->rowCount(), 0);
    }
};

SANDBOXIO_WIDGETS_TEST(MainWindowTest)
#include "tst_desktopmainwindow.moc"
