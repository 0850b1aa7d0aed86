// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "emptystate.h"

#include "shell/icons.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {

constexpr int columnWidth = 640; // of readable text, in device independent pixels

QLabel *centered(QWidget *parent, const QString &name)
{
    auto *label = new QLabel(parent);
    label->setAlignment(Qt::AlignCenter);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setAccessibleName(name);
    return label;
}

QIcon findingIcon(Diagnosis::Status status)
{
    switch (status) {
    case Diagnosis::Status::Good:
        return themeIcon(u"dialog-ok"_s, QStyle::SP_DialogApplyButton);
    case Diagnosis::Status::Warning:
        return themeIcon(u"dialog-warning"_s, QStyle::SP_MessageBoxWarning);
    case Diagnosis::Status::Failed:
        break;
    }
    return themeIcon(u"dialog-error"_s, QStyle::SP_MessageBoxCritical);
}

} // namespace

EmptyState::EmptyState(QWidget *parent)
    : QWidget(parent)
    , m_icon(centered(this, tr("Symbol")))
    , m_title(centered(this, tr("What is shown")))
    , m_text(centered(this, tr("Explanation")))
    , m_findings(new QWidget(this))
    , m_findingsLayout(new QVBoxLayout(m_findings))
    , m_main(new QPushButton(this))
    , m_other(new QPushButton(this))
{
    setObjectName(u"emptyState"_s);
    setAccessibleName(tr("Nothing to list"));
    QFont large = m_title->font();
    large.setPointSizeF(large.pointSizeF() * 1.4);
    m_title->setFont(large);
    m_findings->setAccessibleName(tr("Findings"));
    m_findings->setFixedWidth(columnWidth); // so that the height of wrapped text is known
    m_main->setObjectName(u"emptyStateMain"_s);
    m_other->setObjectName(u"emptyStateOther"_s);
    m_main->setDefault(true);

    auto *buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(m_main);
    buttons->addWidget(m_other);
    buttons->addStretch();
    auto *layout = new QVBoxLayout(this);
    layout->addStretch(1);
    layout->addWidget(m_icon);
    layout->addWidget(m_title);
    layout->addWidget(m_text);
    auto *center = new QHBoxLayout;
    center->addStretch();
    center->addWidget(m_findings);
    center->addStretch();
    layout->addLayout(center);
    layout->addSpacing(fontMetrics().height());
    layout->addLayout(buttons);
    layout->addStretch(2);
    connect(m_main, &QPushButton::clicked, this, [this] { m_mainCallback(); });
    connect(m_other, &QPushButton::clicked, this, [this] { m_otherCallback(); });
}

void EmptyState::setButton(QPushButton *button, const Button &content)
{
    button->setText(content.text);
    button->setAccessibleName(content.text.isEmpty() ? tr("No action") : QString(content.text).remove(u'&'));
    button->setVisible(!content.text.isEmpty());
}

void EmptyState::present(const QIcon &icon, const QString &title, const QString &text, const Button &main,
                         const Button &other)
{
    m_icon->setPixmap(icon.pixmap(64));
    m_title->setText(title);
    m_text->setText(text);
    m_text->setVisible(!text.isEmpty());
    m_mainCallback = main.callback;
    m_otherCallback = other.callback;
    setButton(m_main, main);
    setButton(m_other, other);
}

void EmptyState::clearFindings()
{
    while (QLayoutItem *item = m_findingsLayout->takeAt(0)) {
        if (item->widget())
            item->widget()->deleteLater();
        delete item;
    }
    m_findings->hide();
}

void EmptyState::addFinding(const Diagnosis &line)
{
    auto *row = new QWidget(m_findings);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins({});
    auto *icon = new QLabel(row);
    icon->setPixmap(findingIcon(line.status).pixmap(16));
    icon->setAccessibleName(line.status == Diagnosis::Status::Good      ? tr("Good")
                            : line.status == Diagnosis::Status::Warning ? tr("Warning")
                                                                        : tr("Failed"));
    const QString text = tr("%1: %2").arg(line.subject, line.finding);
    auto *label = new QLabel(line.fix.isEmpty() ? text : text + u'\n' + tr("Fix: %1").arg(line.fix), row);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setAccessibleName(text);
    layout->addWidget(icon, 0, Qt::AlignTop);
    layout->addWidget(label, 1);
    m_findingsLayout->addWidget(row);
}

void EmptyState::setFindings(const QList<TargetReport> &reports)
{
    clearFindings();
    for (const TargetReport &report : reports) {
        for (const Diagnosis &line : report.lines)
            addFinding(line);
        if (!report.backend.problem.isEmpty())
            addFinding({Diagnosis::Status::Failed, report.backend.name, report.backend.problem, {}});
    }
    m_findings->setVisible(m_findingsLayout->count() > 0);
}

} // namespace Sandboxio::Desktop
