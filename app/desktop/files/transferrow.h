// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;
class QProgressBar;

namespace Sandboxio {
class Transfer;
}

namespace Sandboxio::Desktop {

/*! One upload or download with amount, rate, time left and Cancel. Takes the transfer over. */
class TransferRow : public QFrame
{
    Q_OBJECT
public:
    explicit TransferRow(Transfer *transfer, QWidget *parent = nullptr);

Q_SIGNALS:
    /*! The transfer has ended and the row may go. */
    void ended();

private:
    void update();

    Transfer *m_transfer;
    QLabel *m_label;
    QProgressBar *m_bar;
};

} // namespace Sandboxio::Desktop
