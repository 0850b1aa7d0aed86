// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/models/sandboxlistmodel.h>

#include <QWidget>

namespace Sandboxio::Desktop {

/*! One button per target in the status bar: whether it answers, as icon and text. */
class TargetButtons : public QWidget
{
    Q_OBJECT
public:
    explicit TargetButtons(const SandboxListModel *model, QWidget *parent = nullptr);

Q_SIGNALS:
    /*! Somebody wants to know more about a target. */
    void activated();

private:
    void rebuild();

    const SandboxListModel *m_model;
    QStringList m_shown;
};

} // namespace Sandboxio::Desktop
