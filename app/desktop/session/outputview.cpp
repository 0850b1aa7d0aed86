// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "outputview.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QMenu>
#include <QMetaMethod>
#include <QScrollBar>
#include <QTimer>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {
constexpr auto refreshInterval = 33ms;
constexpr qsizetype copyLimit = 16 * 1024 * 1024;
} // namespace

OutputView::OutputView(QWidget *parent)
    : QAbstractScrollArea(parent)
    , m_refresh(new QTimer(this))
{
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    measureFont();
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setBackgroundRole(QPalette::Base);
    viewport()->setCursor(Qt::IBeamCursor);
    viewport()->setAccessibleName(tr("Lines of output"));
    m_refresh->setSingleShot(true);
    m_refresh->setInterval(refreshInterval);
    connect(m_refresh, &QTimer::timeout, this, &OutputView::requestPage);
}

OutputLog *OutputView::log() const
{
    return m_log;
}

void OutputView::setLog(OutputLog *log)
{
    if (m_log)
        disconnect(m_log, nullptr, this, nullptr);
    const bool wasSearching = stopSearching();
    m_log = log;
    m_page = {};
    m_asking = m_stale = false;
    m_anchor = m_cursor = {};
    m_widest = 0;
    m_following = true;
    if (m_log)
        connect(m_log, &OutputLog::changed, this, &OutputView::scheduleRefresh);
    updateScrollBars();
    viewport()->update();
    requestPage();
    if (wasSearching)
        Q_EMIT searchEnded(std::nullopt);
}

void OutputView::scheduleRefresh()
{
    if (!m_refresh->isActive())
        m_refresh->start();
}

// Asks for the rows that should be on screen; one question at a time.
void OutputView::requestPage()
{
    if (!m_log || std::exchange(m_asking, true)) {
        m_stale = m_log != nullptr;
        return;
    }
    m_stale = false;
    const qsizetype count = linesOnScreen() + (m_following ? 0 : 1);
    const Operation<OutputLog::Page> asked =
        m_following ? m_log->lastRows(count) : m_log->rows(verticalScrollBar()->value(), count);
    asked.then(this, [this, log = m_log](const OutputLog::Page &page) {
        if (log != m_log)
            return; // the answer of another log
        m_asking = false;
        showPage(page);
        if (m_stale)
            requestPage();
    });
}

void OutputView::showPage(const OutputLog::Page &page)
{
    holdStill(page);
    m_page = page;
    for (const OutputLog::Line &line : page.lines)
        m_widest = std::max(m_widest, widthOf(line.text));
    updateScrollBars();
    viewport()->update();
    Q_EMIT refreshed();
}

// Rows that go from the middle of the log move those behind it; who reads or has selected there stays there.
void OutputView::holdStill(const OutputLog::Page &page)
{
    const qint64 gone = page.removedRows - m_page.removedRows;
    if (gone <= 0)
        return;
    const auto moved = [&](qint64 row) {
        return row > page.gapRow ? std::max(row - gone, page.gapRow) : row;
    };
    m_anchor.row = moved(m_anchor.row);
    m_cursor.row = moved(m_cursor.row);
    const qint64 top = verticalScrollBar()->value();
    if (m_following || moved(top) == top)
        return;
    m_adjusting = true;
    verticalScrollBar()->setValue(int(moved(top)));
    m_adjusting = false;
    m_stale = true;
}

void OutputView::setFollowing(bool following)
{
    m_following = following;
    requestPage();
}

qsizetype OutputView::linesOnScreen() const
{
    return std::max(viewport()->height() / fontMetrics().lineSpacing(), 1);
}

void OutputView::updateScrollBars()
{
    m_adjusting = true;
    const qint64 maximum =
        std::clamp<qint64>(m_page.rowCount - linesOnScreen(), 0, std::numeric_limits<int>::max());
    verticalScrollBar()->setRange(0, int(maximum));
    verticalScrollBar()->setPageStep(int(linesOnScreen()));
    if (m_following)
        verticalScrollBar()->setValue(int(maximum));
    const int room = viewport()->width() - m_margin;
    horizontalScrollBar()->setRange(0, std::max(m_widest - room, 0));
    horizontalScrollBar()->setPageStep(room);
    horizontalScrollBar()->setSingleStep(fontMetrics().averageCharWidth() * 4);
    m_adjusting = false;
}

void OutputView::scrollContentsBy(int, int dy)
{
    if (m_adjusting)
        return;
    m_following = verticalScrollBar()->value() == verticalScrollBar()->maximum();
    if (dy != 0)
        requestPage();
    else
        viewport()->update();
}

void OutputView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    updateScrollBars();
    requestPage();
}

OutputView::Position OutputView::positionAt(const QPoint &point) const
{
    if (m_page.lines.isEmpty())
        return {};
    const auto wanted = qsizetype(std::floor(double(point.y()) / fontMetrics().lineSpacing()));
    const qsizetype index = std::clamp<qsizetype>(wanted, 0, m_page.lines.size() - 1);
    const QString &text = m_page.lines[index].text;
    const int x = point.x() - textLeft();
    qsizetype low = 0;
    qsizetype high = text.size();
    while (low < high) {
        const qsizetype middle = (low + high) / 2;
        if ((xOf(text, middle) + xOf(text, middle + 1)) / 2 < x)
            low = middle + 1;
        else
            high = middle;
    }
    return {m_page.first + index, low};
}

void OutputView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_cursor = positionAt(event->position().toPoint());
    if (!(event->modifiers() & Qt::ShiftModifier))
        m_anchor = m_cursor;
    viewport()->update();
}

void OutputView::mouseMoveEvent(QMouseEvent *event)
{
    if (!(event->buttons() & Qt::LeftButton))
        return;
    m_following = false; // reading and selecting hold the view still
    const QPoint point = event->position().toPoint();
    if (point.y() < 0)
        verticalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepSub);
    else if (point.y() > viewport()->height())
        verticalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepAdd);
    m_cursor = positionAt(point);
    viewport()->update();
}

void OutputView::mouseReleaseEvent(QMouseEvent *)
{
    if (m_anchor == m_cursor || !QGuiApplication::clipboard()->supportsSelection())
        return;
    selectedText().then(
        this, [](const QString &text) { QGuiApplication::clipboard()->setText(text, QClipboard::Selection); });
}

void OutputView::keyPressEvent(QKeyEvent *event)
{
    if (event == QKeySequence::Copy) {
        copy();
    } else if (event == QKeySequence::SelectAll) {
        selectAll();
    } else if (event->key() == Qt::Key_End) {
        setFollowing(true);
    } else if (event->key() == Qt::Key_Home) {
        verticalScrollBar()->setValue(0);
        horizontalScrollBar()->setValue(0);
    } else if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) {
        horizontalScrollBar()->triggerAction(event->key() == Qt::Key_Left
                                                 ? QAbstractSlider::SliderSingleStepSub
                                                 : QAbstractSlider::SliderSingleStepAdd);
    } else {
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void OutputView::contextMenuEvent(QContextMenuEvent *event)
{
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("&Copy"), QKeySequence::Copy, this, &OutputView::copy)->setEnabled(m_anchor != m_cursor);
    menu->addAction(tr("Select &All"), QKeySequence::SelectAll, this, &OutputView::selectAll);
    menu->addSeparator();
    if (isSignalConnected(QMetaMethod::fromSignal(&OutputView::findRequested)))
        menu->addAction(tr("&Find…"), this, &OutputView::findRequested);
    if (isSignalConnected(QMetaMethod::fromSignal(&OutputView::saveRequested)))
        menu->addAction(tr("&Save Exact Output…"), this, &OutputView::saveRequested)
            ->setEnabled(m_log != nullptr);
    menu->addSeparator();
    QAction *follow = menu->addAction(tr("Follow the &End"), this, &OutputView::setFollowing);
    follow->setCheckable(true);
    follow->setChecked(m_following);
    menu->popup(event->globalPos());
}

Operation<QString> OutputView::selectedText() const
{
    if (!m_log || m_anchor == m_cursor)
        return finishedOperation(QString());
    const auto [first, last] = std::minmax(m_anchor, m_cursor);
    return m_log->text(first, last, copyLimit);
}

QString OutputView::visibleText() const
{
    QStringList texts;
    for (const OutputLog::Line &line : m_page.lines)
        texts += line.stream == OutputStream::StandardError ? tr("error: %1").arg(line.text) : line.text;
    return texts.join(u'\n');
}

void OutputView::copy()
{
    selectedText().then(this, [](const QString &text) {
        if (!text.isEmpty())
            QGuiApplication::clipboard()->setText(text);
    });
}

void OutputView::selectAll()
{
    if (!m_log)
        return;
    m_anchor = {};
    m_cursor = {std::numeric_limits<qint64>::max(), 0};
    viewport()->update();
}

void OutputView::setMarkedText(const QString &text)
{
    m_marked = text;
    viewport()->update();
}

// Whether there was something to stop.
bool OutputView::stopSearching()
{
    ++m_wanted;
    if (!m_searching)
        return false;
    m_searching->cancel();
    m_searching.reset();
    return true;
}

void OutputView::findMarked(bool backward)
{
    stopSearching();
    if (!m_log || m_marked.isEmpty()) {
        Q_EMIT searchEnded(std::nullopt);
        return;
    }
    const auto [first, last] = std::minmax(m_anchor, m_cursor);
    const Position start = first == last ? Position{m_page.first, 0} : first;
    const bool again = first != last; // the selected place is where we are
    OutputLog::Search search{.text = m_marked, .backward = backward, .from = start};
    if (again && !backward)
        ++search.from.column;
    const auto searching = m_log->find(search);
    m_searching = searching;
    searching.then(this, [this, wanted = m_wanted](const std::optional<OutputLog::Match> &match) {
        if (wanted != m_wanted)
            return; // the answer of an old search that was on its way
        m_searching.reset();
        if (match)
            showMatch(*match);
        Q_EMIT searchEnded(match);
    });
}

void OutputView::showMatch(const OutputLog::Match &match)
{
    m_following = false;
    m_anchor = match.position;
    m_cursor = {match.position.row, match.position.column + match.length};
    if (match.position.row < m_page.first || match.position.row >= m_page.first + linesOnScreen())
        verticalScrollBar()->setValue(int(std::max<qint64>(match.position.row - linesOnScreen() / 2, 0)));
    m_following = false; // also when that is the last page
    requestPage();
}

} // namespace Sandboxio::Desktop
