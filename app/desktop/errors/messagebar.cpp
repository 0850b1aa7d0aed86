// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "messagebar.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {

QStyle::StandardPixmap symbolOf(Message::Kind kind)
{
    switch (kind) {
    case Message::Kind::Error:
        return QStyle::SP_MessageBoxCritical;
    case Message::Kind::Warning:
        return QStyle::SP_MessageBoxWarning;
    case Message::Kind::Question:
        return QStyle::SP_MessageBoxQuestion;
    case Message::Kind::Information:
        break;
    }
    return QStyle::SP_MessageBoxInformation;
}

QLabel *textLabel(const QString &text, const QString &name, QWidget *parent)
{
    auto *label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setAccessibleName(name);
    return label;
}

} // namespace

Message errorMessage(const QString &title, const ErrorInfo &error)
{
    Message message;
    message.kind = Message::Kind::Error;
    message.title = title;
    message.text = error.code().isEmpty() ? error.message : u"[%1] %2"_s.arg(error.code(), error.message);
    message.hint = error.hint;
    if (error.cause)
        message.details = error.cause->toText();
    return message;
}

MessageBar::MessageBar(const Message &message, QWidget *parent)
    : QFrame(parent)
    , m_message(message)
{
    setObjectName(u"messageBar"_s);
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::AlternateBase);
    setAccessibleName(message.title);
    setAccessibleDescription(message.text);

    auto *row = new QHBoxLayout(this);
    auto *symbol = new QLabel(this);
    const int extent = style()->pixelMetric(QStyle::PM_LargeIconSize, nullptr, this);
    symbol->setPixmap(style()->standardIcon(symbolOf(message.kind), nullptr, this).pixmap(extent));
    symbol->setAccessibleName(message.kind == Message::Kind::Error     ? tr("Error")
                              : message.kind == Message::Kind::Warning ? tr("Warning")
                                                                       : tr("Message"));
    row->addWidget(symbol, 0, Qt::AlignTop);
    auto *texts = new QVBoxLayout;
    addTexts(texts);
    row->addLayout(texts, 1);
    row->addWidget(createButtons(), 0, Qt::AlignTop);
}

void MessageBar::addTexts(QVBoxLayout *layout)
{
    QLabel *title = textLabel(m_message.title, tr("What happened"), this);
    QFont bold = title->font();
    bold.setBold(true);
    title->setFont(bold);
    layout->addWidget(title);
    if (!m_message.text.isEmpty())
        layout->addWidget(textLabel(m_message.text, tr("Reason"), this));
    if (!m_message.hint.isEmpty()) {
        QLabel *hint = textLabel(tr("Fix: %1").arg(m_message.hint), tr("Fix"), this);
        hint->setObjectName(u"messageHint"_s);
        layout->addWidget(hint);
    }
    if (!m_message.details.isEmpty()) {
        m_details = textLabel(m_message.details, tr("Details"), this);
        m_details->hide();
        layout->addWidget(m_details);
    }
}

QWidget *MessageBar::createButtons()
{
    auto *buttons = new QWidget(this);
    auto *layout = new QHBoxLayout(buttons);
    layout->setContentsMargins({});
    for (const MessageAction &action : std::as_const(m_message.actions)) {
        auto *button = new QPushButton(action.text, buttons);
        button->setAccessibleName(QString(action.text).remove(u'&'));
        connect(button, &QPushButton::clicked, this, [this, callback = action.callback] {
            Q_EMIT closed();
            if (callback)
                callback();
        });
        layout->addWidget(button);
        if (action.isDefault)
            m_defaultButton = button;
    }
    if (m_details) {
        auto *details = new QPushButton(tr("&Details"), buttons);
        details->setCheckable(true);
        details->setAccessibleName(tr("Details"));
        connect(details, &QPushButton::toggled, m_details, &QLabel::setVisible);
        layout->addWidget(details);
    }
    if (m_message.kind == Message::Kind::Error || m_message.kind == Message::Kind::Warning) {
        auto *copy = new QPushButton(tr("Cop&y"), buttons);
        copy->setAccessibleName(tr("Copy this message"));
        connect(copy, &QPushButton::clicked, this,
                [this] { QGuiApplication::clipboard()->setText(plainText()); });
        layout->addWidget(copy);
    }
    if (m_message.kind != Message::Kind::Question) {
        auto *close = new QToolButton(buttons);
        close->setAutoRaise(true);
        close->setIcon(style()->standardIcon(QStyle::SP_TitleBarCloseButton, nullptr, this));
        close->setToolTip(tr("Close this message"));
        close->setAccessibleName(tr("Close this message"));
        close->setFocusPolicy(Qt::StrongFocus);
        connect(close, &QToolButton::clicked, this, &MessageBar::closed);
        layout->addWidget(close);
    }
    return buttons;
}

QString MessageBar::plainText() const
{
    QStringList lines{m_message.title};
    if (!m_message.text.isEmpty())
        lines += m_message.text;
    if (!m_message.hint.isEmpty())
        lines += tr("Fix: %1").arg(m_message.hint);
    if (!m_message.details.isEmpty())
        lines += m_message.details;
    return lines.join(u'\n');
}

void MessageBar::focusDefaultAction()
{
    if (m_defaultButton)
        m_defaultButton->setFocus(Qt::OtherFocusReason);
}

} // namespace Sandboxio::Desktop
