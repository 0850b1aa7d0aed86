// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/core/errorinfo.h>

#include <QFrame>
#include <QList>

#include <functional>

class QLabel;
class QVBoxLayout;

namespace Sandboxio::Desktop {

/*! A button of a message. */
struct MessageAction
{
    QString text;                   //!< with mnemonic
    std::function<void()> callback; //!< called once, then the bar goes
    bool isDefault = false;         //!< gets the keyboard focus
};

/*! What a message bar says. */
struct Message
{
    enum class Kind { Information, Warning, Error, Question };
    Kind kind = Kind::Information;
    QString title;   //!< what happened
    QString text;    //!< why, in plain words; may be empty
    QString hint;    //!< the exact fix; may be empty
    QString details; //!< for reports; may be empty
    QList<MessageAction> actions;
};

/*! The message for a failure: \a title says what was attempted. */
Message errorMessage(const QString &title, const ErrorInfo &error);

/*! One message inside the view that it is about: what failed, why, the fix, Details and Copy. Never modal. */
class MessageBar : public QFrame
{
    Q_OBJECT
public:
    explicit MessageBar(const Message &message, QWidget *parent = nullptr);

    const Message &message() const { return m_message; }
    /*! Everything that the bar says, as Copy puts it on the clipboard. */
    QString plainText() const;
    void focusDefaultAction();

Q_SIGNALS:
    /*! The bar is done: closed, or one of its actions was taken. */
    void closed();

private:
    void addTexts(QVBoxLayout *layout);
    QWidget *createButtons();

    Message m_message;
    QLabel *m_details = nullptr;
    QWidget *m_defaultButton = nullptr;
};

} // namespace Sandboxio::Desktop
