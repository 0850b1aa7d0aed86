// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/models/outputlog.h>

#include <QWidget>

class QLabel;
class QLineEdit;

namespace Sandboxio::Desktop {

class OutputView;

/*! Finds text in the output that \a view shows, all of it, not only what is on screen. Hidden until open().
    Enter and F3 go on, Shift+Enter and Shift+F3 back, Escape closes. */
class FindBar : public QWidget
{
    Q_OBJECT
public:
    explicit FindBar(OutputView *view, QWidget *parent = nullptr);

    /*! Shows the bar and gives it the focus. */
    void open();
    void close();
    void find(bool backward);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void createLayout();
    void showResult(const std::optional<OutputLog::Match> &match);

    OutputView *m_view;
    QLineEdit *m_text;
    QLabel *m_result;
    bool m_backward = false;
};

} // namespace Sandboxio::Desktop
