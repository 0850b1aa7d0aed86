// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "session/outputview.h"
#include "support/testprogram.h"

#include <sandboxio/models/outputlog.h>

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QMenu>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace Sandboxio;
using namespace Sandboxio::Desktop;
using namespace Qt::StringLiterals;

using Found = std::optional<OutputLog::Match>;

class OutputViewTest : public QObject
{
    Q_OBJECT
private:
    QTemporaryDir m_folder;

private Q_SLOTS:
    void itFollowsOnlyWhileItStandsAtTheEnd()
    {
        OutputLog log({.directory = m_folder.path()});
        OutputView view;
        view.resize(600, 300);
        view.setLog(&log);
        view.show();
        QSignalSpy refreshed(&view, &OutputView::refreshed);
        log.append({.data = QByteArray("line\n").repeated(1000)});
        QTRY_VERIFY(view.verticalScrollBar()->maximum() > 900);
        QCOMPARE(view.verticalScrollBar()->value(), view.verticalScrollBar()->maximum());
        view.verticalScrollBar()->setValue(10); // reading above
        log.append({.data = QByteArray("line\n").repeated(1000)});
        QTRY_VERIFY(view.verticalScrollBar()->maximum() > 1900);
        QCOMPARE(view.verticalScrollBar()->value(), 10);
        QTest::keyClick(&view, Qt::Key_End);
        QVERIFY(refreshed.wait());
        QTRY_COMPARE(view.verticalScrollBar()->value(), view.verticalScrollBar()->maximum());
        QVERIFY(view.isFollowing());
    }

    void allOfItCanBeCopiedAndFoldedLinesAreWhole()
    {
        OutputLog log({.directory = m_folder.path()});
        OutputView view;
        view.setLog(&log);
        const QByteArray text = "first\n"_ba + QByteArray(9000, 'x') + "\nlast"_ba;
        log.append({.data = text});
        log.finish();
        view.selectAll();
        view.copy();
        QTRY_COMPARE(QGuiApplication::clipboard()->text(), QString::fromLatin1(text));
    }

    void draggingSelectsCharacters()
    {
        OutputLog log({.directory = m_folder.path()});
        log.append({.data = "abcdef\nghijkl\n"_ba});
        OutputView view;
        view.resize(600, 300);
        view.setLog(&log);
        view.show();
        QTRY_VERIFY(view.visibleText().contains("ghijkl"_L1));
        const int line = view.fontMetrics().lineSpacing();
        QTest::mousePress(view.viewport(), Qt::LeftButton, {}, QPoint(0, line / 2));
        QTest::mouseMove(view.viewport(), QPoint(500, line + line / 2));
        QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, QPoint(500, line + line / 2));
        QCOMPARE(view.selectedText().result(), u"abcdef\nghijkl"_s);
        QVERIFY(!view.isFollowing());
    }

    void whoReadsBehindTheGapStaysThereWhenItGrows()
    {
        OutputLog log({.directory = m_folder.path(), .limit = 1024 * 1024});
        OutputView view;
        view.resize(600, 300);
        view.setLog(&log);
        view.show();
        int number = 0;
        const auto print = [&](int lines) {
            QByteArray text;
            for (int i = 0; i < lines; ++i)
                text += QByteArray::number(number++).rightJustified(19, '0') + '\n';
            log.append({.data = text});
        };
        print(200'000);
        QTRY_VERIFY(view.visibleText().contains(u"199999"_s));
        view.verticalScrollBar()->setValue(view.verticalScrollBar()->maximum() - 1000);
        QTRY_VERIFY(!view.visibleText().contains(u"199999"_s));
        const QString read = view.visibleText();
        const int before = view.verticalScrollBar()->value();
        print(20'000);
        QTRY_VERIFY(view.verticalScrollBar()->value() < before); // rows above it have gone
        QTRY_COMPARE(view.visibleText(), read);
    }

    void findingGoesFromPlaceToPlace()
    {
        OutputLog log({.directory = m_folder.path()});
        OutputView view;
        view.resize(600, 300);
        view.setLog(&log);
        view.show();
        log.append({.data = QByteArray("line\n").repeated(5000) + "the Needle\n"_ba +
                            QByteArray("line\n").repeated(5000) + "needle again\n"_ba});
        QSignalSpy ended(&view, &OutputView::searchEnded);
        view.setMarkedText(u"needle"_s);
        view.verticalScrollBar()->setValue(0);
        for (const auto &[backward, row] : QList<std::pair<bool, qint64>>{
                 {false, 5000}, {false, 10'001}, {false, 5000}, {true, 10'001}, {true, 5000}}) {
            view.findMarked(backward);
            QVERIFY(ended.wait());
            const auto match = ended.takeFirst().first().value<std::optional<OutputLog::Match>>();
            QVERIFY(match);
            QCOMPARE(match->position.row, row);
            QCOMPARE(view.selectedText().result().toLower(), u"needle"_s);
            QTRY_VERIFY(view.visibleText().contains(u"needle"_s, Qt::CaseInsensitive));
        }
        view.setMarkedText(u"nowhere"_s);
        view.findMarked(false);
        QVERIFY(ended.wait());
        QVERIFY(!ended.takeFirst().first().value<std::optional<OutputLog::Match>>());
    }

    void aSearchWithNothingToSearchEndsWithoutAMatch_data()
    {
        QTest::addColumn<bool>("hasLog");
        QTest::addColumn<QString>("text");
        QTest::newRow("before the first run") << false << u"text"_s;
        QTest::newRow("for nothing") << true << QString();
    }
    void aSearchWithNothingToSearchEndsWithoutAMatch()
    {
        QFETCH(bool, hasLog);
        QFETCH(QString, text);
        OutputLog log({.directory = m_folder.path()});
        OutputView view;
        if (hasLog)
            view.setLog(&log);
        QSignalSpy ended(&view, &OutputView::searchEnded);
        view.setMarkedText(text);
        view.findMarked(false);
        QTRY_COMPARE(ended.size(), 1);
        QVERIFY(!ended.first().first().value<Found>());
    }

    void anOldSearchThatIsAnsweredLateIsNotTakenForTheNewOne()
    {
        OutputLog log({.directory = m_folder.path()});
        OutputView view;
        view.setLog(&log);
        log.append({.data = "alpha\nbeta\n"_ba});
        QSignalSpy ended(&view, &OutputView::searchEnded);
        view.setMarkedText(u"alpha"_s);
        view.findMarked(false);
        QCOMPARE(log.rows(0, 1).result().lines.size(), 1); // the answer is on its way
        view.setMarkedText(u"beta"_s);
        view.findMarked(false);
        QVERIFY(ended.wait());
        QCOMPARE(ended.size(), 1);
        const auto match = ended.first().first().value<Found>();
        QVERIFY(match);
        QCOMPARE(match->position.row, 1);
        QCOMPARE(view.selectedText().result(), u"beta"_s);
    }

    void anotherLogEndsASearchWithoutAMatch()
    {
        OutputLog log({.directory = m_folder.path()});
        OutputLog other({.directory = m_folder.path()});
        OutputView view;
        view.setLog(&log);
        log.append({.data = "alpha\n"_ba});
        other.append({.data = "other\n"_ba});
        QSignalSpy ended(&view, &OutputView::searchEnded);
        QSignalSpy refreshed(&view, &OutputView::refreshed);
        view.setMarkedText(u"alpha"_s);
        view.findMarked(false);
        QCOMPARE(log.rows(0, 1).result().lines.size(), 1); // the answer is on its way
        view.setLog(&other);
        QCOMPARE(ended.size(), 1);
        QVERIFY(!ended.first().first().value<Found>());
        QTRY_COMPARE(view.visibleText(), u"other"_s);
        QCOMPARE(ended.size(), 1);
        QCOMPARE(view.selectedText().result(), QString());
        view.setLog(&log); // nothing was looked for
        QCOMPARE(ended.size(), 1);
    }

    void theMenuOffersOnlyWhatSomebodyDoes_data()
    {
        QTest::addColumn<bool>("finds");
        QTest::addColumn<bool>("saves");
        QTest::newRow("nothing in a file that is only read") << false << false;
        QTest::newRow("finding") << true << false;
        QTest::newRow("saving") << false << true;
    }
    void theMenuOffersOnlyWhatSomebodyDoes()
    {
        QFETCH(bool, finds);
        QFETCH(bool, saves);
        OutputView view;
        if (finds)
            connect(&view, &OutputView::findRequested, &view, [] {});
        if (saves)
            connect(&view, &OutputView::saveRequested, &view, [] {});
        view.show();
        QContextMenuEvent event(QContextMenuEvent::Keyboard, {}, view.mapToGlobal(QPoint()));
        QCoreApplication::sendEvent(view.viewport(), &event);
        const auto *menu = view.findChild<QMenu *>();
        QVERIFY(menu);
        QStringList entries;
        const auto actions = menu->actions();
        for (const QAction *action : actions)
            entries += action->text();
        QVERIFY(entries.contains(u"&Copy"_s));
        QCOMPARE(entries.contains(u"&Find…"_s), finds);
        QCOMPARE(entries.contains(u"&Save Exact Output…"_s), saves);
    }

    void marksStandWhereTheTextStands_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("plain") << QString(300, u'x');
        QTest::newRow("wide") << QString(300, u'中');
    }
    void marksStandWhereTheTextStands()
    {
        QFETCH(QString, text);
        OutputLog log({.directory = m_folder.path()});
        OutputView view;
        view.resize(600, 100);
        view.setLog(&log);
        view.show();
        log.append({.data = text.toUtf8()});
        QTRY_VERIFY(!view.visibleText().isEmpty());
        const auto picture = [&] {
            return view.viewport()->grab().toImage();
        };
        const QImage without = picture();
        view.setMarkedText(text.left(1));
        const QImage marked = picture();
        const int row = view.fontMetrics().lineSpacing() - 1; // its lower edge, where marks have their frame
        const auto changed = [&](int x) {
            return marked.pixel(x, row) != without.pixel(x, row);
        };
        QVERIFY(changed(marked.width() - 1)); // up to the right edge, also behind the first segment
        view.horizontalScrollBar()->setValue(view.width()); // every font is wide enough for that
        const QImage scrolled = picture();
        view.setMarkedText({});
        QVERIFY(scrolled.pixel(scrolled.width() - 1, row) != picture().pixel(scrolled.width() - 1, row));
        view.setMarkedText(u"nowhere"_s);
        view.horizontalScrollBar()->setValue(0);
        QCOMPARE(picture(), without);
    }
};

SANDBOXIO_WIDGETS_TEST(OutputViewTest)
#include "tst_desktopoutputview.moc"
