// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How an OutputView looks.
#include "outputview.h"

#include <QFontInfo>
#include <QPainter>
#include <QPaintEvent>
#include <QScrollBar>
#include <QTextLayout>
#include <QtMath>

#include <memory>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {

constexpr int space = 4; // between margin and text
// Shaping costs: text longer than this is drawn, and measured, in segments, of which only those on screen count.
constexpr qsizetype longText = 200;
constexpr qsizetype segmentLength = 128;

// Whether every character of \a text takes one column of a fixed-pitch font.
bool isPlain(const QString &text)
{
    return std::ranges::all_of(text, [](QChar c) { return c >= u' ' && c < u'\x7f'; });
}

// The segment of \a text that starts at \a from.
QString segmentAt(const QString &text, qsizetype from)
{
    if (text.size() <= longText)
        return text.sliced(from);
    qsizetype length = std::min(segmentLength, text.size() - from);
    if (from + length < text.size() && text[from + length].isLowSurrogate())
        ++length;
    return text.sliced(from, length);
}

// A text that needs shaping, one segment after the other: each is shaped once, for measuring and for drawing.
class ShapedText
{
public:
    // \a x: where the text begins.
    ShapedText(const QString &text, const QFont &font, double x)
        : m_text(text)
        , m_font(font)
        , m_right(x)
    {
        shape();
    }
    bool isAtEnd() const { return m_from >= m_text.size(); }
    double left() const { return m_left; }
    double right() const { return m_right; }
    void next()
    {
        m_from = m_end;
        shape();
    }
    // Where \a column stands; the columns asked for must not go back.
    double xOf(qsizetype column)
    {
        while (column > m_end && !isAtEnd())
            next();
        return m_left + (isAtEnd() ? 0 : m_line.cursorToX(int(column - m_from)));
    }
    void draw(QPainter &painter, int baseline) const
    {
        m_layout->draw(&painter, QPointF(m_left, baseline - m_line.ascent()));
    }

private:
    void shape()
    {
        m_left = m_right;
        if (isAtEnd())
            return;
        const QString segment = segmentAt(m_text, m_from);
        m_end = m_from + segment.size();
        m_layout = std::make_unique<QTextLayout>(segment, m_font);
        m_layout->setCacheEnabled(true); // else endLayout() forgets the glyphs, and each question shapes again
        m_layout->beginLayout();
        m_line = m_layout->createLine();
        m_layout->endLayout();
        m_right = m_left + m_line.naturalTextWidth();
    }

    QString m_text;
    QFont m_font;
    std::unique_ptr<QTextLayout> m_layout;
    QTextLine m_line;
    qsizetype m_from = 0;
    qsizetype m_end = 0;
    double m_left = 0;
    double m_right;
};

} // namespace

int OutputView::textLeft() const
{
    return m_margin - horizontalScrollBar()->value();
}

void OutputView::measureFont()
{
    m_margin = fontMetrics().horizontalAdvance(u"err "_s) + space;
    m_cell = QFontInfo(font()).fixedPitch() ? QFontMetricsF(font()).horizontalAdvance(u'x') : 0;
}

void OutputView::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        measureFont();
        m_widest = 0;
        requestPage();
    }
}

// Measuring text is what painting spends its time with; the usual text needs only counting.
int OutputView::xOf(const QString &text, qsizetype column) const
{
    if (m_cell > 0 && isPlain(text))
        return qRound(double(column) * m_cell);
    int x = 0;
    for (qsizetype from = 0; from < column;) {
        const QString segment = segmentAt(text, from);
        x += fontMetrics().horizontalAdvance(segment.first(std::min(segment.size(), column - from)));
        from += segment.size();
    }
    return x;
}

// For the range of the scroll bar: exact for usual lines, never too small.
int OutputView::widthOf(const QString &text) const
{
    if (m_cell > 0 && text.size() > longText && !isPlain(text))
        return qCeil(double(text.size()) * m_cell * 2);
    return xOf(text, text.size());
}

// Draws what is on screen of a row.
void OutputView::drawPart(QPainter &painter, const QString &text, int top) const
{
    const int baseline = top + fontMetrics().ascent();
    const int width = viewport()->width();
    if (m_cell > 0 && isPlain(text)) {
        const auto from = std::min(qsizetype(horizontalScrollBar()->value() / m_cell), text.size());
        const auto count = std::min(qsizetype(width / m_cell) + 2, text.size() - from);
        painter.drawText(QPointF(textLeft() + double(from) * m_cell, baseline), text.sliced(from, count));
        return;
    }
    for (ShapedText shaped(text, font(), textLeft()); !shaped.isAtEnd() && shaped.left() < width;
         shaped.next()) {
        if (shaped.right() >= 0)
            shaped.draw(painter, baseline);
    }
}

void OutputView::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    const int height = fontMetrics().lineSpacing();
    painter.setClipRect(QRect(m_margin - space, 0, viewport()->width(), viewport()->height()));
    for (qsizetype i = 0; i < m_page.lines.size(); ++i)
        paintRow(painter, m_page.first + i, m_page.lines[i], int(i) * height);
    painter.setClipping(false);
    for (qsizetype i = 0; i < m_page.lines.size(); ++i)
        paintMargin(painter, m_page.lines[i].stream == OutputStream::StandardError && !m_page.lines[i].isGap,
                    int(i) * height);
}

void OutputView::paintRow(QPainter &painter, qint64 row, const OutputLog::Line &line, int top) const
{
    if (line.isGap) {
        const QRect whole(0, top, viewport()->width(), fontMetrics().lineSpacing());
        painter.fillRect(whole, palette().brush(QPalette::AlternateBase));
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(whole, Qt::AlignCenter, u"⋯ %1 ⋯"_s.arg(line.text));
        return;
    }
    paintMarks(painter, line.text, top);
    painter.setPen(palette().color(QPalette::Text));
    drawPart(painter, line.text, top);
    paintSelection(painter, row, line.text, top);
}

void OutputView::paintMarks(QPainter &painter, const QString &text, int top) const
{
    qsizetype at = m_marked.isEmpty() ? -1 : text.indexOf(m_marked, 0, Qt::CaseInsensitive);
    if (at < 0)
        return;
    const bool plain = m_cell > 0 && isPlain(text);
    const int width = viewport()->width();
    std::optional<ShapedText> shaped;
    if (!plain)
        shaped.emplace(text, font(), textLeft());
    const auto xAt = [&](qsizetype column) {
        return plain ? textLeft() + qRound(double(column) * m_cell) : qRound(shaped->xOf(column));
    };
    QList<QRect> marks;
    for (; at >= 0; at = text.indexOf(m_marked, at + m_marked.size(), Qt::CaseInsensitive)) {
        const auto [start, end] = std::minmax({xAt(at), xAt(at + m_marked.size())});
        if ((plain ? start : qFloor(shaped->left())) >= width)
            break; // all that follows is beyond the right edge
        if (start < width && end > 0)
            marks += QRect(start, top, std::max(end - start - 1, 0), fontMetrics().lineSpacing() - 1);
    }
    painter.setBrush(palette().brush(QPalette::AlternateBase));
    painter.setPen(palette().color(QPalette::Highlight));
    painter.drawRects(marks);
    painter.setBrush(Qt::NoBrush);
}

void OutputView::paintSelection(QPainter &painter, qint64 row, const QString &text, int top) const
{
    const auto [first, last] = std::minmax(m_anchor, m_cursor);
    if (first == last || row < first.row || row > last.row)
        return;
    const qsizetype from = row == first.row ? std::min(first.column, text.size()) : 0;
    const qsizetype to = row == last.row ? std::min(last.column, text.size()) : text.size();
    const int start = textLeft() + xOf(text, from);
    const int end = textLeft() + xOf(text, to) + (row < last.row ? fontMetrics().averageCharWidth() : 0);
    const QRect selected(start, top, end - start, fontMetrics().lineSpacing());
    painter.save();
    painter.setClipRect(selected, Qt::IntersectClip);
    painter.fillRect(selected, palette().brush(QPalette::Highlight));
    painter.setPen(palette().color(QPalette::HighlightedText));
    drawPart(painter, text, top);
    painter.restore();
}

void OutputView::paintMargin(QPainter &painter, bool isError, int top) const
{
    if (!isError)
        return;
    const QRect margin(0, top, m_margin - space, fontMetrics().lineSpacing());
    painter.fillRect(margin, palette().brush(QPalette::AlternateBase));
    painter.fillRect(QRect(margin.right() - 2, top, 3, margin.height()), palette().brush(QPalette::Highlight));
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(margin.adjusted(2, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, u"err"_s);
}

} // namespace Sandboxio::Desktop
