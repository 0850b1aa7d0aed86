// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "reapplan.h"

#include <sandboxio/models/sandboxtexts.h>
#include <sandboxio/runtime/engine.h>

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {
enum Column { Name, Place, Evidence, Result };
}

ReapPlan::ReapPlan(Engine *engine, QWidget *parent)
    : QFrame(parent)
    , m_engine(engine)
    , m_title(new QLabel(this))
    , m_list(new QTreeWidget(this))
    , m_reap(new QPushButton(this))
    , m_cancel(new QPushButton(tr("&Cancel"), this))
{
    setObjectName(u"reapPlan"_s);
    setFrameShape(QFrame::StyledPanel);
    setAccessibleName(tr("What will be killed"));
    m_title->setAccessibleName(tr("Number of sandboxes"));
    m_list->setAccessibleName(tr("Sandboxes that will be killed"));
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setHeaderLabels({tr("Name"), tr("Target"), tr("Evidence"), tr("Result")});
    m_reap->setObjectName(u"reapButton"_s);
    m_reap->setAccessibleName(tr("Reap"));
    m_cancel->setAccessibleName(tr("Cancel"));
    const int em = fontMetrics().averageCharWidth();
    m_list->header()->resizeSection(Name, em * 30);
    m_list->header()->resizeSection(Place, em * 18);
    m_list->header()->resizeSection(Evidence, em * 60);
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(m_title, 1);
    buttons->addWidget(m_reap);
    buttons->addWidget(m_cancel);
    auto *layout = new QVBoxLayout(this);
    layout->addLayout(buttons);
    layout->addWidget(m_list);
    connect(m_reap, &QPushButton::clicked, this, &ReapPlan::reap);
    connect(m_cancel, &QPushButton::clicked, this, &ReapPlan::cancelled);
}

void ReapPlan::present(const QList<OrphanCandidate> &candidates)
{
    m_candidates = candidates;
    m_list->clear();
    for (const OrphanCandidate &candidate : candidates) {
        auto *item =
            new QTreeWidgetItem(m_list, {sandboxTitle(candidate.sandbox), candidate.sandbox.target.toDsn(),
                                         candidate.ownership.evidence.join(u' '), QString()});
        item->setToolTip(Name, candidate.sandbox.id);
        item->setToolTip(Evidence, candidate.ownership.evidence.join(u'\n'));
    }
    m_title->setText(
        tr("%n sandbox(es) will be killed; their files are lost.", nullptr, int(candidates.size())));
    m_reap->setText(tr("&Reap %1").arg(candidates.size()));
    m_reap->setEnabled(!candidates.isEmpty());
    m_cancel->setFocus(Qt::OtherFocusReason); // the safe choice
}

void ReapPlan::reap()
{
    m_reap->setEnabled(false);
    m_cancel->setEnabled(false);
    m_gone = m_failed = 0;
    m_waiting = int(m_candidates.size());
    for (qsizetype i = 0; i < m_candidates.size(); ++i) {
        QTreeWidgetItem *item = m_list->topLevelItem(int(i));
        const ManagedSandbox sandbox = m_candidates.at(i).sandbox;
        if (m_engine->ownershipOf(sandbox).verdict == Ownership::Verdict::InUse) {
            report(item, tr("Left alone: somebody uses it again"), false);
            continue;
        }
        item->setText(Result, tr("Killing"));
        m_engine->killManaged(sandbox.target, sandbox.id)
            .then(this,
                  [this, item, sandbox](bool killed) {
                      Q_EMIT reaped(sandbox.target, sandbox.id);
                      report(item, killed ? tr("Killed") : tr("Was gone already"), true);
                  })
            .onError(this, [this, item](const ErrorInfo &error) { report(item, error.message, false); })
            .onCancelled(this, [this, item] { report(item, tr("Cancelled"), false); });
    }
}

void ReapPlan::report(QTreeWidgetItem *item, const QString &text, bool gone)
{
    item->setText(Result, text);
    ++(gone ? m_gone : m_failed);
    if (--m_waiting > 0)
        return;
    m_cancel->setEnabled(true);
    Q_EMIT finished(m_gone, m_failed);
}

} // namespace Sandboxio::Desktop
