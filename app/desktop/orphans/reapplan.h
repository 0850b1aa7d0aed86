// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/models/orphanmodel.h>

#include <QFrame>

class QLabel;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace Sandboxio {
class Engine;
}

namespace Sandboxio::Desktop {

/*! The list of what is about to be killed, one by one, and what became of each. Nothing is killed before Reap.
 */
class ReapPlan : public QFrame
{
    Q_OBJECT
public:
    explicit ReapPlan(Engine *engine, QWidget *parent = nullptr);

    /*! Shows \a candidates and asks. */
    void present(const QList<OrphanCandidate> &candidates);
    /*! Kills what is listed, unless an owner has turned up meanwhile. */
    void reap();

Q_SIGNALS:
    void cancelled();
    /*! One of them is gone. */
    void reaped(const Sandboxio::Target &target, const QString &id);
    /*! All have been tried. */
    void finished(int gone, int failed);

private:
    void report(QTreeWidgetItem *item, const QString &text, bool gone);

    Engine *m_engine;
    QLabel *m_title;
    QTreeWidget *m_list;
    QPushButton *m_reap;
    QPushButton *m_cancel;
    QList<OrphanCandidate> m_candidates;
    int m_waiting = 0;
    int m_gone = 0;
    int m_failed = 0;
};

} // namespace Sandboxio::Desktop
