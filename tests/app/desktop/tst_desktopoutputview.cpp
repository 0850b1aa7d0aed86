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
        QVERIFY(refreshed.wait());
        QCOMPARE(view.verticalScrollBar()->value(), view.verticalScrollBar()->maximum());
        view.verticalScrollBar()->setValue(10); // reading above
        log.append({.data = QByteArray("line\n").repeated(1000)});
        QVERIFY(refreshed.wait());
        QCOMPARE(view.verticalScrollBar()->value(), 10);
        QTest::keyClick(&view, Qt::Key_End);
        QCOMPARE(view.verticalScrollBar()->value(), view.verticalScrollBar()->maximum());
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
        QCOMPARE(QGuiApplication::clipboard()->text(), QString::fromLatin1(text));
    }

    void draggingSelectsCharacters()
    {
        OutputLog log({.directory = m_folder.path()});
        log.append({.data = "abcdef\nghijkl\n"_ba});
        OutputView view;
        view.resize(600, 300);
        view.setLog(&log);
        view.show();
        const int line = view.fontMetrics().lineSpacing();
        QTest::mousePress(view.viewport(), Qt::LeftButton, {}, QPoint(0, line / 2));
        QTest::mouseMove(view.viewport(), QPoint(500, line + line / 2));
        QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, QPoint(500, line + line / 2));
        QCOMPARE(view.selectedText(), u"abcdef\nghijkl"_s);
        QVERIFY(!view.isFollowing());
    }

    void aHundredMegabytesStayResponsive()
    {
        OutputLog log({.directory = m_folder.path(), .limit = 128 * 1024 * 1024});
        OutputView view;
        view.resize(800, 600);
        view.setLog(&log);
        view.show();
        const QByteArray chunk = (QByteArray(79, 'x') + '\n').repeated(3276); // 256 KiB
        QList<std::chrono::microseconds> spent;
        for (int i = 0; i < 400; ++i) {
            const auto before = threadTime();
            log.append({.data = chunk});
            view.viewport()->repaint();
            spent += threadTime() - before;
        }
        std::ranges::sort(spent);
        qInfo() << "CPU time of append and paint in microseconds: median" << spent.at(200).count() << "longest"
                << spent.last().count();
        QCOMPARE(log.droppedBytes(), 0);
        QVERIFY(spent.at(395) <
                16ms); // all but the first, which loads fonts, and a few that a busy machine spoils
    }
};

QTEST_MAIN(OutputViewTest)
#include "tst_desktopoutputview.moc"
