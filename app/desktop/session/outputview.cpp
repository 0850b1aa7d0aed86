// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "outputview.h"

#include <sandboxio/models/outputlog.h>

#include <QClipboard>
#include <QContextMenuEvent>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QTimer>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {
constexpr auto refreshInterval = 33ms;
constexpr qsizetype copyLimit = 16 * 1024 * 1024;
constexpr int gap = 4; // between margin and text
} // namespace

OutputView::OutputView(QWidget *parent)
    : QAbstractScrollArea(parent)
    , m_refresh(new QTimer(this))
{
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setBackgroundRole(QPalette::Base);
    viewport()->setCursor(Qt::IBeamCursor);
    viewport()->setAccessibleName(tr("Lines of output"));
    m_refresh->setSingleShot(true);
    m_refresh->setInterval(refreshInterval);
    connect(m_refresh, &QTimer::timeout, this, &OutputView::refresh);
}

OutputLog *OutputView::log() const
{
    return m_log;
}

void OutputView::setLog(OutputLog *log)
{
    if (m_log)
        disconnect(m_log, nullptr, this, nullptr);
    m_log = log;
    m_anchor = m_cursor = {};
    m_widest = 0;
    m_following = true;
    if (m_log)
        connect(m_log, &OutputLog::changed, this, &OutputView::scheduleRefresh);
    refresh();
}

void OutputView::scheduleRefresh()
{
    if (!m_refresh->isActive())
        m_refresh->start();
}

void OutputView::refresh()
{
    updateScrollBars();
    viewport()->update();
    Q_EMIT refreshed();
}

void OutputView::setFollowing(bool following)
{
    m_following = following;
    updateScrollBars();
}

qsizetype OutputView::linesOnScreen() const
{
    return std::max(viewport()->height() / fontMetrics().lineSpacing(), 1);
}

int OutputView::marginWidth() const
{
    return fontMetrics().horizontalAdvance(u"err "_s);
}

void OutputView::updateScrollBars()
{
    m_adjusting = true;
    const qint64 lines = m_log ? m_log->lineCount() : 0;
    const qint64 maximum = std::clamp<qint64>(lines - linesOnScreen(), 0, std::numeric_limits<int>::max());
    verticalScrollBar()->setRange(0, int(maximum));
    verticalScrollBar()->setPageStep(int(linesOnScreen()));
    if (m_following)
        verticalScrollBar()->setValue(int(maximum));
    const int room = viewport()->width() - marginWidth() - gap;
    horizontalScrollBar()->setRange(0, std::max(m_widest - room, 0));
    horizontalScrollBar()->setPageStep(room);
    horizontalScrollBar()->setSingleStep(fontMetrics().averageCharWidth() * 4);
    m_adjusting = false;
}

void OutputView::scrollContentsBy(int, int)
{
    if (!m_adjusting)
        m_following = verticalScrollBar()->value() == verticalScrollBar()->maximum();
    viewport()->update();
}

void OutputView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    updateScrollBars();
}

void OutputView::paintMargin(QPainter &painter, bool isError, int top) const
{
    if (!isError)
        return;
    const QRect margin(0, top, marginWidth(), fontMetrics().lineSpacing());
    painter.fillRect(margin, palette().brush(QPalette::AlternateBase));
    painter.fillRect(QRect(margin.right() - 2, top, 3, margin.height()), palette().brush(QPalette::Highlight));
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(margin.adjusted(2, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, u"err"_s);
}

void OutputView::paintLine(QPainter &painter, qint64 number, const QString &text, int top) const
{
    const QFontMetrics metrics = fontMetrics();
    const int left = marginWidth() + gap - horizontalScrollBar()->value();
    const QRect line(left, top, metrics.horizontalAdvance(text), metrics.lineSpacing());
    const auto [first, last] = std::minmax(m_anchor, m_cursor);
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, text);
    if (first == last || number < first.line || number > last.line)
        return;
    const qsizetype from = number == first.line ? std::min(first.column, text.size()) : 0;
    const qsizetype to = number == last.line ? std::min(last.column, text.size()) : text.size();
    const int start = left + metrics.horizontalAdvance(text.first(from));
    const int end = left + metrics.horizontalAdvance(text.first(to)) +
                    (number < last.line ? metrics.averageCharWidth() : 0);
    const QRect selected(start, top, end - start, line.height());
    painter.save();
    painter.setClipRect(selected, Qt::IntersectClip);
    painter.fillRect(selected, palette().brush(QPalette::Highlight));
    painter.setPen(palette().color(QPalette::HighlightedText));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, text);
    painter.restore();
}

void OutputView::paintEvent(QPaintEvent *)
{
    if (!m_log)
        return;
    QPainter painter(viewport());
    const int height = fontMetrics().lineSpacing();
    const qint64 first = verticalScrollBar()->value();
    const QList<OutputLog::Line> lines = m_log->lines(first, linesOnScreen() + 1);
    const int widest = m_widest;
    painter.setClipRect(QRect(marginWidth(), 0, viewport()->width(), viewport()->height()));
    for (qsizetype i = 0; i < lines.size(); ++i) {
        m_widest = std::max(m_widest, fontMetrics().horizontalAdvance(lines[i].text));
        paintLine(painter, first + i, lines[i].text, int(i) * height);
    }
    painter.setClipping(false);
    for (qsizetype i = 0; i < lines.size(); ++i)
        paintMargin(painter, lines[i].stream == OutputStream::StandardError, int(i) * height);
    if (m_widest != widest)
        QMetaObject::invokeMethod(this, &OutputView::updateScrollBars, Qt::QueuedConnection);
}

OutputView::Position OutputView::positionAt(const QPoint &point) const
{
    if (!m_log || m_log->lineCount() == 0)
        return {};
    const qint64 wanted =
        verticalScrollBar()->value() + qint64(std::floor(double(point.y()) / fontMetrics().lineSpacing()));
    const qint64 number = std::clamp<qint64>(wanted, 0, m_log->lineCount() - 1);
    const QString text = m_log->lines(number, 1).value(0).text;
    const int x = point.x() - marginWidth() - gap + horizontalScrollBar()->value();
    qsizetype low = 0;
    qsizetype high = text.size();
    while (low < high) {
        const qsizetype middle = (low + high) / 2;
        const int left = fontMetrics().horizontalAdvance(text.first(middle));
        const int right = fontMetrics().horizontalAdvance(text.first(middle + 1));
        if ((left + right) / 2 < x)
            low = middle + 1;
        else
            high = middle;
    }
    return {number, low};
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
    setFollowing(false); // reading and selecting hold the view still
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
    const QString selected = selectedText();
    if (!selected.isEmpty() && QGuiApplication::clipboard()->supportsSelection())
        QGuiApplication::clipboard()->setText(selected, QClipboard::Selection);
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
    QAction *follow = menu->addAction(tr("&Follow the End"), this, &OutputView::setFollowing);
    follow->setCheckable(true);
    follow->setChecked(m_following);
    menu->popup(event->globalPos());
}

QString OutputView::selectedText() const
{
    if (!m_log || m_anchor == m_cursor)
        return {};
    const auto [first, last] = std::minmax(m_anchor, m_cursor);
    QString text;
    for (qint64 line = first.line; line <= last.line && text.size() < copyLimit;
         line += OutputSpool::blockLines) {
        const qint64 count = std::min<qint64>(OutputSpool::blockLines, last.line - line + 1);
        const QList<OutputLog::Line> lines = m_log->lines(line, count);
        for (qsizetype i = 0; i < lines.size(); ++i) {
            QString piece = lines[i].text;
            if (line + i == last.line)
                piece.truncate(last.column);
            if (line + i == first.line)
                piece.remove(0, first.column);
            text += piece;
            if (line + i < last.line && lines[i].ended)
                text += u'\n';
        }
    }
    return text;
}

QString OutputView::visibleText() const
{
    QStringList texts;
    if (m_log) {
        const QList<OutputLog::Line> lines = m_log->lines(verticalScrollBar()->value(), linesOnScreen());
        for (const OutputLog::Line &line : lines)
            texts += line.stream == OutputStream::StandardError ? tr("error: %1").arg(line.text) : line.text;
    }
    return texts.join(u'\n');
}

void OutputView::copy()
{
    const QString text = selectedText();
    if (!text.isEmpty())
        QGuiApplication::clipboard()->setText(text);
}

void OutputView::selectAll()
{
    if (!m_log)
        return;
    m_anchor = {};
    m_cursor = {std::max<qint64>(m_log->lineCount() - 1, 0), std::numeric_limits<qsizetype>::max()};
    viewport()->update();
}

} // namespace Sandboxio::Desktop
