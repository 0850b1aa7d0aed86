// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "taskrow.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>
#include <QTimer>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {
constexpr auto appearAfter = 200ms;
constexpr int barSteps = 1000;
} // namespace

TaskRow::TaskRow(const QString &text, QWidget *parent)
    : QFrame(parent)
    , m_text(text)
    , m_label(new QLabel(text, this))
    , m_bar(new QProgressBar(this))
    , m_button(new QPushButton(tr("&Cancel"), this))
    , m_appear(new QTimer(this))
{
    setObjectName(u"taskRow"_s);
    setFrameShape(QFrame::StyledPanel);
    setAccessibleName(text);
    m_label->setTextFormat(Qt::PlainText);
    m_label->setAccessibleName(text);
    m_bar->setAccessibleName(tr("Progress of: %1").arg(text));
    m_bar->setRange(0, 0);
    m_bar->setTextVisible(false);
    m_button->setAccessibleName(tr("Cancel: %1").arg(text));
    auto *layout = new QHBoxLayout(this);
    layout->addWidget(m_label, 2);
    layout->addWidget(m_bar, 1);
    layout->addWidget(m_button);
    connect(m_button, &QPushButton::clicked, this, &TaskRow::cancel);
    hide();
    m_appear->setSingleShot(true);
    connect(m_appear, &QTimer::timeout, this, &QWidget::show);
    m_appear->start(appearAfter);
}

void TaskRow::cancel()
{
    if (std::exchange(m_cancelling, true) || !m_cancel)
        return;
    m_button->setEnabled(false);
    m_label->setText(tr("Cancelling: %1").arg(m_text));
    m_cancel();
}

void TaskRow::showProgress(const OperationProgress &progress)
{
    if (m_cancelling)
        return;
    const QLocale locale;
    QString text = progress.step.isEmpty() ? m_text : tr("%1 — %2").arg(m_text, progress.step);
    if (progress.total && *progress.total > 0) {
        m_bar->setRange(0, barSteps);
        m_bar->setValue(int(double(progress.done) / double(*progress.total) * barSteps));
        text =
            tr("%1 (%2 of %3)")
                .arg(text, locale.formattedDataSize(progress.done), locale.formattedDataSize(*progress.total));
    } else if (progress.done > 0) {
        text = tr("%1 (%2)").arg(text, locale.formattedDataSize(progress.done));
    }
    m_label->setText(text);
}

void TaskRow::end()
{
    m_appear->stop();
    hide();
    Q_EMIT ended();
}

} // namespace Sandboxio::Desktop
