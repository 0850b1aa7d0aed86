// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "messagebar.h"

#include <sandboxio/core/operation.h>

class QVBoxLayout;

namespace Sandboxio::Desktop {

class TaskRow;

/*! The message bars and running tasks of one view, above its content. Shows the two newest messages and how
    many more there are; takes no room while there is nothing to say. */
class MessageArea : public QWidget
{
    Q_OBJECT
public:
    explicit MessageArea(QWidget *parent = nullptr);

    /*! Shows \a message; the same message shown before goes. */
    MessageBar *showMessage(const Message &message);
    MessageBar *showError(const QString &title, const ErrorInfo &error);
    /*! Shows a row with progress and Cancel for \a operation until it ends. */
    template <typename T>
    void showTask(const QString &text, const Operation<T> &operation);
    /*! The bars there are, oldest first, folded ones included. */
    QList<MessageBar *> bars() const { return m_bars; }
    void clear();

private:
    void remove(MessageBar *bar);
    void arrange();
    TaskRow *addTaskRow(const QString &text);

    QVBoxLayout *m_layout;
    QLabel *m_more;
    QList<MessageBar *> m_bars;
};

} // namespace Sandboxio::Desktop

#include "shell/taskrow.h"

namespace Sandboxio::Desktop {

template <typename T>
void MessageArea::showTask(const QString &text, const Operation<T> &operation)
{
    addTaskRow(text)->follow(operation);
}

} // namespace Sandboxio::Desktop
