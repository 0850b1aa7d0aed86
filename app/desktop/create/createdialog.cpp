// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "createdialog.h"

#include "createform.h"

#include <sandboxio/models/sandboxtexts.h>

#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {
constexpr auto debounce = 250ms;
}

CreateDialog::CreateDialog(Engine *engine, const QList<Target> &targets, QWidget *parent)
    : QDialog(parent)
    , m_engine(engine)
    , m_form(new CreateForm(engine, targets, this))
    , m_explanation(new QLabel(this))
    , m_debounce(new QTimer(this))
{
    setObjectName(u"createDialog"_s);
    setWindowTitle(tr("New Sandbox"));
    setAccessibleName(tr("New sandbox"));
    m_explanation->setObjectName(u"createExplanation"_s);
    m_explanation->setAccessibleName(tr("What would be created"));
    m_explanation->setWordWrap(true);
    m_explanation->setTextFormat(Qt::PlainText);
    m_explanation->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_explanation->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_explanation->setMinimumHeight(fontMetrics().lineSpacing() * 5);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    buttons->setAccessibleName(tr("Create or cancel"));
    m_create = buttons->addButton(tr("&Create"), QDialogButtonBox::AcceptRole);
    m_create->setObjectName(u"createButton"_s);
    m_create->setAccessibleName(tr("Create"));
    m_create->setDefault(true);
    buttons->button(QDialogButtonBox::Cancel)->setAccessibleName(tr("Cancel"));
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(m_form);
    layout->addWidget(m_explanation, 1);
    layout->addWidget(buttons);
    resize(fontMetrics().averageCharWidth() * 84, sizeHint().height());

    m_debounce->setSingleShot(true);
    m_debounce->setInterval(debounce);
    connect(m_debounce, &QTimer::timeout, this, &CreateDialog::plan);
    connect(m_form, &CreateForm::edited, this, &CreateDialog::schedule);
    connect(buttons, &QDialogButtonBox::accepted, this, &CreateDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &CreateDialog::reject);
    refuse(tr("Asking the backend…"), {});
    plan();
}

QString CreateDialog::explanation() const
{
    return m_explanation->text();
}

void CreateDialog::schedule()
{
    ++m_generation; // an answer to the old question says nothing about the new one
    m_accepted = false;
    m_create->setEnabled(false);
    m_debounce->start();
}

void CreateDialog::refuse(const QString &text, const QString &fix)
{
    m_accepted = false;
    m_explanation->setText(fix.isEmpty() ? text : text + u'\n' + tr("Fix: %1").arg(fix));
    m_create->setEnabled(false);
    m_create->setToolTip(text);
    m_create->setAccessibleDescription(text);
}

void CreateDialog::plan()
{
    if (!m_form->problem().isEmpty()) {
        refuse(m_form->problem(), tr("Write one name=value a line."));
        Q_EMIT planned();
        return;
    }
    const quint64 generation = ++m_generation;
    m_engine->plan(m_form->target(), m_form->options())
        .then(this,
              [this, generation](const CreatePlan &plan) {
                  if (generation == m_generation)
                      showPlan(plan);
              })
        .onError(this, [this, generation](const ErrorInfo &error) {
            if (generation != m_generation)
                return;
            refuse(error.message, error.hint);
            Q_EMIT planned();
        });
}

void CreateDialog::showPlan(const CreatePlan &plan)
{
    if (!plan.isAccepted()) {
        refuse(plan.refusals.first().message, plan.refusals.first().hint);
        Q_EMIT planned();
        return;
    }
    m_accepted = true;
    m_create->setEnabled(true);
    m_create->setToolTip({});
    m_create->setAccessibleDescription({});
    if (m_form->target().templateId.isEmpty())
        m_form->showTemplate(plan.templateId);
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(plan.options.timeout);
    QStringList lines;
    lines += plan.templateMissing ? tr("Template %1, which has to be fetched first.").arg(plan.templateId)
                                  : tr("Template %1.").arg(plan.templateId);
    lines += plan.runtime.isEmpty()
                 ? tr("Isolation: %1.").arg(isolationTierName(plan.tier))
                 : tr("Isolation: %1, runtime %2.").arg(isolationTierName(plan.tier), plan.runtime);
    lines += plan.lifetimeMechanism.isEmpty()
                 ? tr("Ends after %1.").arg(durationText(seconds))
                 : tr("Ends after %1: %2").arg(durationText(seconds), plan.lifetimeMechanism);
    lines += plan.remarks;
    m_explanation->setText(lines.join(u'\n'));
    Q_EMIT planned();
}

void CreateDialog::accept()
{
    if (!m_accepted)
        return;
    Q_EMIT createRequested(m_form->target(), m_form->options());
    QDialog::accept();
}

} // namespace Sandboxio::Desktop
