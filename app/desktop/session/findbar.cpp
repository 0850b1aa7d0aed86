// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "findbar.h"

#include "outputview.h"
#include "shell/icons.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {

bool isEnter(const QKeyEvent *event)
{
    return event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
}

} // namespace

FindBar::FindBar(OutputView *view, QWidget *parent)
    : QWidget(parent)
    , m_view(view)
    , m_text(new QLineEdit(this))
    , m_result(new QLabel(this))
{
    setObjectName(u"findBar"_s);
    setAccessibleName(tr("Find in the output"));
    createLayout();
    m_text->installEventFilter(this);
    connect(m_text, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_view->setMarkedText(text);
        m_result->clear();
    });
    connect(m_view, &OutputView::searchEnded, this, &FindBar::showResult);
    hide();
}

void FindBar::createLayout()
{
    m_text->setObjectName(u"findText"_s);
    m_text->setAccessibleName(tr("Text to find"));
    m_text->setClearButtonEnabled(true);
    m_result->setObjectName(u"findResult"_s);
    m_result->setAccessibleName(tr("Result"));
    auto *label = new QLabel(tr("Fi&nd:"), this);
    label->setAccessibleName(tr("Find"));
    label->setBuddy(m_text);
    const auto button = [this](const QString &icon, QStyle::StandardPixmap fallback, const QString &name) {
        auto *made = new QToolButton(this);
        made->setIcon(themeIcon(icon, fallback));
        made->setToolTip(name);
        made->setAccessibleName(name);
        made->setAutoRaise(true);
        made->setFocusPolicy(Qt::TabFocus);
        return made;
    };
    QToolButton *previous = button(u"go-up"_s, QStyle::SP_ArrowUp, tr("Previous (Shift+F3)"));
    QToolButton *next = button(u"go-down"_s, QStyle::SP_ArrowDown, tr("Next (F3)"));
    QToolButton *done = button(u"dialog-close"_s, QStyle::SP_TitleBarCloseButton, tr("Close (Escape)"));
    connect(previous, &QToolButton::clicked, this, [this] { find(true); });
    connect(next, &QToolButton::clicked, this, [this] { find(false); });
    connect(done, &QToolButton::clicked, this, &FindBar::close);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins({});
    layout->addWidget(label);
    layout->addWidget(m_text, 1);
    layout->addWidget(previous);
    layout->addWidget(next);
    layout->addWidget(m_result);
    layout->addWidget(done);
}

void FindBar::open()
{
    show();
    m_view->setMarkedText(m_text->text());
    m_text->setFocus(Qt::ShortcutFocusReason);
    m_text->selectAll();
}

void FindBar::close()
{
    hide();
    m_result->clear();
    m_view->setMarkedText({});
    m_view->setFocus(Qt::OtherFocusReason);
}

void FindBar::find(bool backward)
{
    if (isHidden() || m_text->text().isEmpty()) {
        open();
        return;
    }
    m_backward = backward;
    m_result->setText(tr("Looking…"));
    m_view->findMarked(backward);
}

void FindBar::showResult(const std::optional<OutputLog::Match> &match)
{
    m_result->setText(!match            ? tr("Not found")
                      : !match->wrapped ? QString()
                      : m_backward      ? tr("Went on from the end")
                                        : tr("Went on from the beginning"));
    if (m_result->text().isEmpty())
        return;
    QAccessibleAnnouncementEvent announcement(this, m_result->text());
    QAccessible::updateAccessibility(&announcement);
}

bool FindBar::eventFilter(QObject *watched, QEvent *event)
{
    // Shift+Enter goes back here; everywhere else it is the window's action that runs the cell.
    if (event->type() == QEvent::ShortcutOverride && isEnter(static_cast<QKeyEvent *>(event))) {
        event->accept();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void FindBar::keyPressEvent(QKeyEvent *event)
{
    if (isEnter(event))
        find(event->modifiers() & Qt::ShiftModifier);
    else if (event->key() == Qt::Key_Escape)
        close();
    else
        QWidget::keyPressEvent(event);
}

} // namespace Sandboxio::Desktop
