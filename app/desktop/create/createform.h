// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planprobe.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QSpinBox;

namespace Sandboxio::Desktop {

/*! The fields of a new sandbox. Fields that the chosen target refuses are disabled and say why. */
class CreateForm : public QWidget
{
    Q_OBJECT
public:
    CreateForm(Engine *engine, const QList<Target> &targets, QWidget *parent = nullptr);

    Target target() const;
    CreateOptions options() const;
    /*! What is wrong with what was typed, before any backend is asked; empty when nothing is. */
    QString problem() const;
    /*! Fills the fields from \a target and \a options; a target that is not offered leaves the first one. */
    void setContent(const Target &target, const CreateOptions &options);
    void showTemplate(const QString &resolved);

Q_SIGNALS:
    void edited();

private:
    void addPlaceFields(const QList<Target> &targets);
    void addNetworkFields();
    void addCapFields();
    void addLifetimeFields();
    void addRow(const QString &label, QWidget *field, const QString &name);
    void applyRefusals();
    void updateAllow();

    PlanProbe *m_probe;
    QFormLayout *m_form;
    QComboBox *m_target;
    QLineEdit *m_template;
    QComboBox *m_isolation;
    QComboBox *m_network;
    QPlainTextEdit *m_allow;
    QLabel *m_networkNote;
    QDoubleSpinBox *m_cpu;
    QSpinBox *m_memory;
    QSpinBox *m_disk;
    QSpinBox *m_processes;
    QSpinBox *m_lifetime;
    QComboBox *m_lifetimeUnit;
    QCheckBox *m_acceptLifetime;
    QPlainTextEdit *m_labels;
};

} // namespace Sandboxio::Desktop
