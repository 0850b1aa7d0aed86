// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractScrollArea>
#include <QPointer>

namespace Sandboxio {
class OutputLog;
}

class QTimer;

namespace Sandboxio::Desktop {

/*! Shows the lines of an OutputLog: reads only those on screen, repaints at most 30 times a second, follows the
    end only while it stands there. Lines of the error stream carry a mark in the margin. Text can be selected
    and copied. */
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
    QString selectedText() const;
    /*! The text of the lines on screen, for screen readers and tests. */
    QString visibleText() const;

public Q_SLOTS:
    void copy();
    void selectAll();

Q_SIGNALS:
    /*! What is on screen has been brought up to date. */
    void refreshed();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    struct Position
    {
        qint64 line = 0;
        qsizetype column = 0;
        auto operator<=>(const Position &) const = default;
    };
    void scheduleRefresh();
    void refresh();
    void updateScrollBars();
    Position positionAt(const QPoint &point) const;
    void paintLine(QPainter &painter, qint64 number, const QString &text, int top) const;
    void paintMargin(QPainter &painter, bool isError, int top) const;
    qsizetype linesOnScreen() const;
    int marginWidth() const;

    QPointer<OutputLog> m_log;
    QTimer *m_refresh;
    Position m_anchor;
    Position m_cursor;
    bool m_following = true;
    bool m_adjusting = false;
    int m_widest = 0;
};

} // namespace Sandboxio::Desktop
