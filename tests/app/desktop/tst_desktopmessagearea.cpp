// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "errors/messagearea.h"
#include "support/testprogram.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QTest>

using namespace Sandboxio;
using namespace Sandboxio::Desktop;
using namespace Qt::StringLiterals;

class MessageAreaTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void anErrorShowsWhatWhyAndTheFix()
    {
        MessageArea area;
        area.show();
        ErrorInfo error = makeError(ErrorKind::BackendNotInstalled, u"It is not installed."_s, u"install it"_s);
        error.cause = ErrorCause{404, u"no such thing"_s};
        const MessageBar *bar = area.showError(u"Nothing was created"_s, error);
        QVERIFY(bar->isVisible());
        QCOMPARE(bar->findChild<QLabel *>(u"messageHint"_s)->text(), u"Fix: install it"_s);
        for (const QString &part : {u"Nothing was created"_s, u"[SBX_E1002] It is not installed."_s,
                                    u"Fix: install it"_s, u"404"_s, u"no such thing"_s})
            QVERIFY2(bar->plainText().contains(part), qPrintable(part));
    }

    void copyPutsAllOfItOnTheClipboard()
    {
        MessageArea area;
        const MessageBar *bar =
            area.showError(u"Title"_s, makeError(ErrorKind::SandboxError, u"Why."_s, u"do this"_s));
        const auto buttons = bar->findChildren<QPushButton *>();
        for (QPushButton *button : buttons) {
            if (button->accessibleName() == u"Copy this message"_s)
                button->click();
        }
        QCOMPARE(QGuiApplication::clipboard()->text(), bar->plainText());
    }

    void twoBarsAreShownAndOthersFold()
    {
        MessageArea area;
        area.show();
        for (int i = 0; i < 4; ++i)
            area.showMessage({.title = QString::number(i)});
        QList<bool> visible;
        for (const MessageBar *bar : area.bars())
            visible += bar->isVisible();
        QCOMPARE(visible, QList<bool>({false, false, true, true}));
        Q_EMIT area.bars().last()->closed();
        QVERIFY(area.bars().at(1)->isVisible());
    }

    void theSameMessageIsThereOnce()
    {
        MessageArea area;
        area.showMessage({.title = u"same"_s});
        area.showMessage({.title = u"same"_s});
        QCOMPARE(area.bars().size(), 1);
    }

    void aQuestionDoesWhatItsButtonSaysAndGoes()
    {
        MessageArea area;
        area.show();
        int killed = 0;
        const MessageBar *bar = area.showMessage({.kind = Message::Kind::Question,
                                                  .title = u"Kill?"_s,
                                                  .actions = {{u"&Kill"_s,
                                                               [&] {
                                                                   ++killed;
                                                               }},
                                                              {u"K&eep"_s, {}, true}}});
        const auto buttons = bar->findChildren<QPushButton *>();
        QCOMPARE(buttons.size(), 2);
        buttons.first()->click();
        QCOMPARE(killed, 1);
        QVERIFY(area.bars().isEmpty());
    }

    void aTaskCancelsItsOperationAndGoesWhenItEnds()
    {
        MessageArea area;
        area.show();
        const OperationPromise<int> promise;
        area.showTask(u"Long work"_s, promise.operation());
        auto *row = area.findChild<TaskRow *>();
        QTRY_VERIFY(row->isVisible());
        row->findChild<QPushButton *>()->click();
        QVERIFY(promise.isCancelRequested());
        QVERIFY(!row->findChild<QPushButton *>()->isEnabled());
        promise.cancelled();
        QTRY_VERIFY(!area.findChild<TaskRow *>());
    }
};

SANDBOXIO_WIDGETS_TEST(MessageAreaTest)
#include "tst_desktopmessagearea.moc"
