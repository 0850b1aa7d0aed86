// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "session/outputview.h"

#include <sandboxio/models/outputlog.h>

#include <QClipboard>
#include <QGuiApplication>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <ctime>

using namespace Sandboxio;
using namespace Sandboxio::Desktop;
using namespace Qt::StringLiterals;

using namespace std::chrono_literals;

namespace {

// CPU time of this thread: on a busy machine the time of day says nothing.
std::chrono::microseconds threadTime()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_nsec / 1000);
}

} // namespace

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

    void muchOutputStaysResponsive_data()
    {
        QTest::addColumn<QByteArray>("chunk"); // 256 KiB
        QTest::newRow("lines of 80 bytes") << (QByteArray(79, 'x') + '\n').repeated(3276);
        QTest::newRow("lines of one byte") << QByteArray("y\n").repeated(128 * 1024);
        QTest::newRow("one line without end") << QByteArray(256 * 1024, 'x');
        QTest::newRow("wide characters") << QByteArray("\xe4\xb8\xad").repeated(87'381);
    }
    void muchOutputStaysResponsive()
    {
        QFETCH(QByteArray, chunk);
        OutputLog log({.directory = m_folder.path(), .limit = 16 * 1024 * 1024});
        OutputView view;
        view.resize(800, 600);
        view.setLog(&log);
        view.show();
        QSignalSpy accepted(&log, &OutputLog::accepted);
        QList<std::chrono::microseconds> spent;
        for (int i = 0; i < 120; ++i) {
            const auto before = threadTime();
            log.append({.data = chunk});
            QCoreApplication::processEvents();
            view.viewport()->repaint();
            spent += threadTime() - before;
            while (log.pendingBytes() >= OutputLog::enoughPending)
                QVERIFY(accepted.wait(30'000));
        }
        std::ranges::sort(spent);
        qInfo() << "CPU time of append, events and paint in microseconds: median" << spent.at(60).count()
                << "longest" << spent.last().count();
        QVERIFY(spent.at(115) <
                16ms); // all but the first, which loads fonts, and a few that a busy machine spoils
    }
};

QTEST_MAIN(OutputViewTest)
#include "tst_desktopoutputview.moc"
