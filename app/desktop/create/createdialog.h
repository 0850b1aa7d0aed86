// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/runtime/engine.h>

#include <QDialog>

class QLabel;
class QPushButton;
class QTimer;

namespace Sandboxio::Desktop {

class CreateForm;

/*! Asks for a new sandbox. While the reader edits, the engine plans: what would be made is shown, what the
    target refuses is disabled or keeps Create disabled, with the reason and the fix. Creates nothing itself. */
class CreateDialog : public QDialog
{
    Q_OBJECT
public:
    CreateDialog(Engine *engine, const QList<Target> &targets, QWidget *parent = nullptr);

    CreateForm *form() const { return m_form; }
    /*! Whether Create is possible now. */
    bool isAccepted() const { return m_accepted; }
    /*! Why it is not, or what would be made. */
    QString explanation() const;
    void accept() override;

Q_SIGNALS:
    void createRequested(const Sandboxio::Target &target, const Sandboxio::CreateOptions &options);
    /*! The plan for what the fields say now has arrived. */
    void planned();

private:
    void schedule();
    void plan();
    void showPlan(const CreatePlan &plan);
    void refuse(const QString &text, const QString &fix);

    Engine *m_engine;
    CreateForm *m_form;
    QLabel *m_explanation;
    QPushButton *m_create;
    QTimer *m_debounce;
    quint64 m_generation = 0;
    bool m_accepted = false;
};

} // namespace Sandboxio::Desktop
