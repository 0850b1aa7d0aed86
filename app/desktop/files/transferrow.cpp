// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "transferrow.h"

#include <sandboxio/core/path.h>
#include <sandboxio/models/sandboxtexts.h>
#include <sandboxio/runtime/transfer.h>

#include <QGridLayout>
#include <QLabel>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {
constexpr int barSteps = 1000;
}

TransferRow::TransferRow(Transfer *transfer, QWidget *parent)
    : QFrame(parent)
    , m_transfer(transfer)
    , m_label(new QLabel(this))
    , m_bar(new QProgressBar(this))
{
    transfer->setParent(this);
    setFrameShape(QFrame::StyledPanel);
    setAccessibleName(tr("Transfer of %1").arg(displayPath(transfer->name())));
    m_label->setTextFormat(Qt::PlainText);
    m_label->setAccessibleName(tr("State of the transfer"));
    m_bar->setAccessibleName(tr("Progress of the transfer"));
    m_bar->setTextVisible(false);
    auto *button = new QPushButton(tr("&Cancel"), this);
    button->setAccessibleName(tr("Cancel the transfer"));
    auto *grid = new QGridLayout(this);
    grid->addWidget(m_label, 0, 0, 1, 2);
    grid->addWidget(m_bar, 1, 0);
    grid->addWidget(button, 1, 1);
    connect(button, &QPushButton::clicked, this, [this, button] {
        button->setEnabled(false);
        m_label->setText(tr("Cancelling %1").arg(displayPath(m_transfer->name())));
        m_transfer->cancel();
    });
    connect(transfer, &Transfer::progressed, this, &TransferRow::update);
    connect(transfer, &Transfer::ended, this, &TransferRow::ended);
    update();
}

void TransferRow::update()
{
    const QLocale locale;
    const QString name = displayPath(m_transfer->name());
    const QString done = locale.formattedDataSize(m_transfer->bytesDone());
    const QString rate = tr("%1/s").arg(locale.formattedDataSize(qint64(m_transfer->rate())));
    const std::optional<qint64> total = m_transfer->bytesTotal();
    QString text = total ? tr("%1: %2 of %3, %4").arg(name, done, locale.formattedDataSize(*total), rate)
                         : tr("%1: %2, %3").arg(name, done, rate);
    if (const auto left = m_transfer->timeLeft())
        text = tr("%1, %2 left").arg(text, durationText(*left));
    m_label->setText(text);
    m_bar->setRange(0, total && *total > 0 ? barSteps : 0);
    if (total && *total > 0)
        m_bar->setValue(int(double(m_transfer->bytesDone()) / double(*total) * barSteps));
}

} // namespace Sandboxio::Desktop
