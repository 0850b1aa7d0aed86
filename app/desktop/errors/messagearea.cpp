// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "messagearea.h"

#include <QAccessible>
#include <QLabel>
#include <QVBoxLayout>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {
constexpr qsizetype visibleBars = 2;
}

MessageArea::MessageArea(QWidget *parent)
    : QWidget(parent)
    , m_layout(new QVBoxLayout(this))
    , m_more(new QLabel(this))
{
    setObjectName(u"messageArea"_s);
    setAccessibleName(tr("Messages"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    m_layout->setContentsMargins({});
    m_more->setAccessibleName(tr("More messages"));
    m_layout->addWidget(m_more);
    arrange();
}

MessageBar *MessageArea::showMessage(const Message &message)
{
    for (MessageBar *bar : bars()) {
        if (bar->message().title == message.title && bar->message().text == message.text)
            remove(bar);
    }
    auto *bar = new MessageBar(message, this);
    m_bars.append(bar);
    m_layout->insertWidget(0, bar);
    connect(bar, &MessageBar::closed, this, [this, bar] { remove(bar); });
    arrange();
    bar->focusDefaultAction();
    QAccessibleAnnouncementEvent announcement(this, bar->plainText());
    QAccessible::updateAccessibility(&announcement);
    return bar;
}

MessageBar *MessageArea::showError(const QString &title, const ErrorInfo &error)
{
    return showMessage(errorMessage(title, error));
}

void MessageArea::clear()
{
    for (MessageBar *bar : bars())
        remove(bar);
}

void MessageArea::remove(MessageBar *bar)
{
    if (!m_bars.removeOne(bar))
        return;
    bar->hide();
    bar->deleteLater();
    arrange();
}

void MessageArea::arrange()
{
    const qsizetype folded = std::max<qsizetype>(m_bars.size() - visibleBars, 0);
    for (qsizetype i = 0; i < m_bars.size(); ++i)
        m_bars.at(i)->setVisible(i >= folded);
    m_more->setText(tr("%n more message(s); close one to see it", nullptr, int(folded)));
    m_more->setVisible(folded > 0);
}

TaskRow *MessageArea::addTaskRow(const QString &text)
{
    auto *row = new TaskRow(text, this);
    m_layout->addWidget(row);
    connect(row, &TaskRow::ended, row, &QObject::deleteLater);
    return row;
}

} // namespace Sandboxio::Desktop
