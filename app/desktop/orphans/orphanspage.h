// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/models/orphanmodel.h>

#include <QWidget>

class QLabel;
class QPushButton;
class QTreeView;

namespace Sandboxio {
class Engine;
}

namespace Sandboxio::Desktop {

class MessageArea;
class ReapPlan;

/*! Finds sandboxes that nobody uses any more: evidence first, then a list of what will be killed, then the
 * kill. */
class OrphansPage : public QWidget
{
    Q_OBJECT
public:
    OrphansPage(Engine *engine, const QList<Target> &targets, QWidget *parent = nullptr);

    OrphanModel *model() const { return m_model; }
    ReapPlan *plan() const { return m_plan; }
    MessageArea *messages() const { return m_messages; }
    void setTargets(const QList<Target> &targets);
    /*! Lists again. */
    void refresh();
    /*! Shows what the checked rows would mean. */
    void preview();

Q_SIGNALS:
    void refreshed();

private:
    void createLayout();
    void updateButtons();

    Engine *m_engine;
    QList<Target> m_targets;
    OrphanModel *m_model;
    MessageArea *m_messages;
    QLabel *m_summary;
    QTreeView *m_view;
    QPushButton *m_refresh;
    QPushButton *m_preview;
    ReapPlan *m_plan;
    bool m_listing = false;
};

} // namespace Sandboxio::Desktop
