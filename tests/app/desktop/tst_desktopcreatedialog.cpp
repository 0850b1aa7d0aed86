// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "create/createdialog.h"
#include "create/createform.h"
#include "create/labelstext.h"
#include "desktopfixture.h"
#include "support/testprogram.h"

#include <sandboxio/fake/fakescript.h>

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTest>

using namespace Sandboxio;
using namespace Sandboxio::Desktop;
using namespace Qt::StringLiterals;

class CreateDialogTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void whatTheTargetRefusesCannotBeChosenAndSaysWhy()
    {
        DesktopFixture fixture;
        CreateDialog dialog(&fixture.engine(), {fixture.target()});
        const auto *network = dialog.findChild<QComboBox *>(u"createNetwork"_s);
        const auto *items = qobject_cast<QStandardItemModel *>(network->model());
        const auto item = [&](NetworkPolicy::Egress egress) {
            return items->item(network->findData(int(egress)));
        };
        QTRY_VERIFY(!item(NetworkPolicy::Egress::AllowList)->isEnabled());
        QTRY_VERIFY(!item(NetworkPolicy::Egress::Learn)->isEnabled());
        QVERIFY(item(NetworkPolicy::Egress::AllowList)->toolTip().contains(u"allowlist"_s));
        QVERIFY(item(NetworkPolicy::Egress::Deny)->isEnabled());
        QVERIFY(item(NetworkPolicy::Egress::Open)->isEnabled());
    }

    void aRefusedPlanKeepsCreateDisabledWithReasonAndFix()
    {
        DesktopFixture fixture;
        CreateDialog dialog(&fixture.engine(), {fixture.target()});
        QTRY_VERIFY(dialog.isAccepted());
        const auto *create = dialog.findChild<QPushButton *>(u"createButton"_s);
        QVERIFY(create->isEnabled());
        auto *isolation = dialog.findChild<QComboBox *>(u"createIsolation"_s);
        isolation->setCurrentIndex(isolation->findData(int(IsolationTier::MicroVm)));
        QVERIFY(!create->isEnabled()); // at once: the old answer does not count for the new question
        QTRY_VERIFY(dialog.explanation().contains(u"MicroVM"_s));
        QVERIFY(dialog.explanation().contains(u"Fix: "_s));
        QVERIFY(!create->isEnabled());
        QVERIFY(!create->accessibleDescription().isEmpty());
        QSignalSpy requested(&dialog, &CreateDialog::createRequested);
        dialog.accept(); // as Enter would
        QCOMPARE(requested.size(), 0);
        isolation->setCurrentIndex(0);
        QTRY_VERIFY(create->isEnabled());
    }

    void aLifetimeThatOnlyThisProgramKeepsIsAskedFor()
    {
        QTemporaryDir folder;
        EngineOptions engineOptions;
        engineOptions.stateDirectory = folder.path();
        Engine engine(engineOptions);
        const auto script = std::make_shared<Fake::Script>();
        script->setFaults({.clientSideLifetime = true});
        engine.registerBackend(u"doubtful"_s, Fake::factory(script));
        engine.registerBackend(u"certain"_s, Fake::factory(std::make_shared<Fake::Script>()));
        const auto doubtful = Target::fromDsn(u"doubtful://"_s);
        const auto certain = Target::fromDsn(u"certain://"_s);
        CreateDialog dialog(&engine, {doubtful, certain});
        dialog.show();
        auto *accept = dialog.findChild<QCheckBox *>(u"createAcceptLifetime"_s);
        QVERIFY(!accept->isVisible());
        QTRY_VERIFY(accept->isVisible());
        QVERIFY(!accept->accessibleDescription().isEmpty());
        QVERIFY(!dialog.isAccepted());
        accept->click();
        QTRY_VERIFY(dialog.isAccepted());
        QVERIFY(dialog.form()->options().acceptClientSideLifetime);
        dialog.findChild<QComboBox *>(u"createTarget"_s)->setCurrentIndex(1);
        QTRY_VERIFY(!accept->isVisible());
        QVERIFY(!dialog.form()->options().acceptClientSideLifetime);
    }

    void labelsThatAreNoneAreExplainedWithoutAskingTheBackend()
    {
        DesktopFixture fixture;
        CreateDialog dialog(&fixture.engine(), {fixture.target()});
        QTRY_VERIFY(dialog.isAccepted());
        dialog.findChild<QPlainTextEdit *>(u"createLabels"_s)->setPlainText(u"no equals sign"_s);
        QTRY_VERIFY(dialog.explanation().contains(u"Line 1"_s));
        QVERIFY(!dialog.isAccepted());
    }

    void theFieldsSayWhatIsCreated()
    {
        DesktopFixture fixture;
        CreateOptions wanted;
        wanted.timeout = std::chrono::minutes(7);
        wanted.network = NetworkPolicy::open();
        wanted.resources.cpu = 1.5;
        wanted.resources.memoryMb = 768;
        wanted.resources.processes = 99;
        wanted.metadata = {{u"team"_s, u"billing"_s}, {u"job"_s, u"a=b"_s}};
        Target target = fixture.target();
        target.templateId = u"python"_s;
        CreateDialog dialog(&fixture.engine(), {fixture.target()});
        dialog.form()->setContent(target, wanted);
        QTRY_VERIFY(dialog.isAccepted());
        QSignalSpy requested(&dialog, &CreateDialog::createRequested);
        dialog.findChild<QPushButton *>(u"createButton"_s)->click();
        QCOMPARE(requested.size(), 1);
        QCOMPARE(requested.first().at(0).value<Target>(), target);
        QCOMPARE(requested.first().at(1).value<CreateOptions>(), wanted);
    }

    void labels_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QMap<QString, QString>>("labels");
        QTest::addColumn<bool>("valid");
        using Labels = QMap<QString, QString>;
        QTest::newRow("nothing is no labels") << u""_s << Labels{} << true;
        QTest::newRow("empty lines do not count") << u"\n\na=b\n\n"_s << Labels{{u"a"_s, u"b"_s}} << true;
        QTest::newRow("only the first equals sign separates")
            << u"a=b=c"_s << Labels{{u"a"_s, u"b=c"_s}} << true;
        QTest::newRow("a value may be empty") << u"a="_s << Labels{{u"a"_s, u""_s}} << true;
        QTest::newRow("a line without equals sign is wrong") << u"a"_s << Labels{} << false;
        QTest::newRow("a line without name is wrong") << u"=b"_s << Labels{} << false;
        QTest::newRow("a name twice is wrong") << u"a=1\na=2"_s << Labels{} << false;
    }
    void labels()
    {
        QFETCH(QString, text);
        QFETCH(bool, valid);
        const auto result = parseLabels(text);
        QCOMPARE(result.index() == 0, valid);
        if (valid)
            QTEST(std::get<0>(result), "labels");
    }
};

SANDBOXIO_WIDGETS_TEST(CreateDialogTest)
#include "tst_desktopcreatedialog.moc"
