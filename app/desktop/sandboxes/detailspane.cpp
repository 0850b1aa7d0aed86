// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "detailspane.h"

#include <sandboxio/models/sandboxtexts.h>

#include <QGridLayout>
#include <QLabel>
#include <QLocale>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

DetailsPane::DetailsPane(QWidget *parent)
    : QWidget(parent)
{
    setObjectName(u"detailsPane"_s);
    setAccessibleName(tr("Details of the selected sandbox"));
    auto *grid = new QGridLayout(this);
    m_name = addLine(0, 0, tr("Name"));
    m_id = addLine(1, 0, tr("Id"));
    m_target = addLine(2, 0, tr("Target"));
    m_template = addLine(3, 0, tr("Template"));
    m_labels = addLine(4, 0, tr("Labels"));
    m_state = addLine(0, 2, tr("State"));
    m_created = addLine(1, 2, tr("Created"));
    m_expires = addLine(2, 2, tr("Ends"));
    m_network = addLine(3, 2, tr("Network"));
    m_owner = addLine(4, 2, tr("Owner"));
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(3, 1);
    grid->setColumnMinimumWidth(0, fontMetrics().averageCharWidth() * 10);
    grid->setHorizontalSpacing(fontMetrics().averageCharWidth() * 2);
    clear();
}

QLabel *DetailsPane::addLine(int row, int column, const QString &name)
{
    auto *grid = static_cast<QGridLayout *>(layout());
    auto *title = new QLabel(name, this);
    title->setForegroundRole(QPalette::PlaceholderText);
    title->setAccessibleName(name);
    auto *value = new QLabel(this);
    value->setTextFormat(Qt::PlainText);
    value->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    value->setAccessibleName(name);
    value->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    grid->addWidget(title, row, column, Qt::AlignTop);
    grid->addWidget(value, row, column + 1, Qt::AlignTop);
    return value;
}

void DetailsPane::present(const ManagedSandbox &sandbox, const Owner &observer)
{
    const QLocale locale;
    const auto time = [&](const QDateTime &when) {
        return locale.toString(when.toLocalTime(), u"yyyy-MM-dd HH:mm:ss"_s);
    };
    const auto set = [](QLabel *label, const QString &text) {
        label->setText(text.isEmpty() ? u"–"_s : text);
        label->setToolTip(text);
    };
    set(m_name, sandbox.name);
    set(m_id, sandbox.id);
    set(m_target, sandbox.target.toDsn());
    set(m_template, sandbox.templateId);
    set(m_labels, labelsText(sandbox.metadata));
    set(m_state, stateLabel(sandbox.state));
    set(m_created, sandbox.createdAt.isValid() ? time(sandbox.createdAt) : QString());
    set(m_expires, !sandbox.expiresAt.isValid() ? tr("not known")
                   : sandbox.expiryIsAsked      ? tr("%1, as asked for").arg(time(sandbox.expiresAt))
                                                : time(sandbox.expiresAt));
    set(m_network,
        sandbox.egress ? tr("%1 (declared, not verified)").arg(egressLabel(*sandbox.egress)) : QString());
    set(m_owner, ownerText(sandbox.owner, observer));
}

void DetailsPane::clear()
{
    const auto labels = findChildren<QLabel *>();
    for (QLabel *label : labels) {
        if (label->textInteractionFlags() & Qt::TextSelectableByMouse)
            label->setText(u"–"_s);
    }
}

} // namespace Sandboxio::Desktop
