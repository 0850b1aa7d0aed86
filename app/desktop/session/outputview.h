// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/models/outputlog.h>

#include <QAbstractScrollArea>
#include <QPointer>

class QTimer;

namespace Sandboxio::Desktop {

/*! Shows the rows of an OutputLog: asks only for those on screen and shows them when they come, at most 30 times
    a second; follows the end only while it stands there. Rows of the error stream carry a mark in the margin,
    gaps are set off. Text can be selected, copied and searched. */
class OutputView : public QAbstractScrollArea
{
    Q_OBJECT
public:
    explicit OutputView(QWidget *parent = nullptr);

    void setLog(OutputLog *log);
    OutputLog *log() const;
    /*! Whether new lines scroll into view. */
    bool isFollowing() const { return m_following; }
    void setFollowing(bool following);
    /*! The selected text, lines separated by line feeds; at most 16 MiB. */
    Operation<QString> selectedText() const;
    /*! The text of the lines on screen, for screen readers and tests. */
    QString visibleText() const;
    /*! Marks \a text wherever it is on screen; empty: nothing. */
    void setMarkedText(const QString &text);
    /*! Goes to the next place of the marked text, from the selection on; searchEnded() follows. */
    void findMarked(bool backward);

public Q_SLOTS:
    void copy();
    void selectAll();

Q_SIGNALS:
    /*! What is on screen has been brought up to date. */
    void refreshed();
    /*! A search is over; without a match also when there is nothing to search or another log came. */
    void searchEnded(const std::optional<Sandboxio::OutputLog::Match> &match);
    /*! The reader wants to find text, or to save the output. The menu offers what is connected. */
    void findRequested();
    void saveRequested();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void changeEvent(QEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    using Position = OutputLog::Position;
    void scheduleRefresh();
    void requestPage();
    void showPage(const OutputLog::Page &page);
    void holdStill(const OutputLog::Page &page);
    bool stopSearching();
    void showMatch(const OutputLog::Match &match);
    void updateScrollBars();
    Position positionAt(const QPoint &point) const;
    void paintRow(QPainter &painter, qint64 row, const OutputLog::Line &line, int top) const;
    void paintSelection(QPainter &painter, qint64 row, const QString &text, int top) const;
    void paintMarks(QPainter &painter, const QString &text, int top) const;
    void paintMargin(QPainter &painter, bool isError, int top) const;
    void drawPart(QPainter &painter, const QString &text, int top) const;
    int xOf(const QString &text, qsizetype column) const;
    int widthOf(const QString &text) const;
    void measureFont();
    int textLeft() const;
    qsizetype linesOnScreen() const;

    QPointer<OutputLog> m_log;
    QTimer *m_refresh;
    OutputLog::Page m_page; // what is on screen
    bool m_asking = false;  // a page is on its way
    bool m_stale = false;   // and another one is wanted after it
    Position m_anchor;
    Position m_cursor;
    QString m_marked;
    std::optional<Operation<std::optional<OutputLog::Match>>> m_searching;
    quint64 m_wanted = 0; // counts the searches
    bool m_following = true;
    bool m_adjusting = false;
    int m_widest = 0;
    int m_margin = 0;  // in pixels, in front of the text
    double m_cell = 0; // width of a character where all have the same; else 0
};

} // namespace Sandboxio::Desktop
