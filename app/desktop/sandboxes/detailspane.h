// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/core/managedsandbox.h>

#include <QWidget>

class QLabel;

namespace Sandboxio::Desktop {

/*! Everything that is known about the selected sandbox, as text that can be selected. */
class DetailsPane : public QWidget
{
    Q_OBJECT
public:
    explicit DetailsPane(QWidget *parent = nullptr);

    void present(const ManagedSandbox &sandbox, const Owner &observer);
    void clear();

private:
    QLabel *addLine(int row, int column, const QString &name);

    QLabel *m_name;
    QLabel *m_id;
    QLabel *m_target;
    QLabel *m_template;
    QLabel *m_labels;
    QLabel *m_state;
    QLabel *m_created;
    QLabel *m_expires;
    QLabel *m_network;
    QLabel *m_owner;
};

} // namespace Sandboxio::Desktop
