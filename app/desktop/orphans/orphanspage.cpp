// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "orphanspage.h"

#include "errors/messagearea.h"
#include "reapplan.h"
#include "shell/icons.h"

#include <sandboxio/runtime/engine.h>

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeView>
#include <QVBoxLayout>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

OrphansPage::OrphansPage(Engine *engine, const QList<Target> &targets, QWidget *parent)
    : QWidget(parent)
    , m_engine(engine)
    , m_targets(targets)
    , m_model(new OrphanModel(this))
    , m_messages(new MessageArea(this))
    , m_summary(new QLabel(this))
    , m_view(new QTreeView(this))
    , m_refresh(
          new QPushButton(themeIcon(u"view-refresh"_s, QStyle::SP_BrowserReload), tr("&Look Again"), this))
    , m_preview(new QPushButton(themeIcon(u"view-preview"_s, QStyle::SP_FileDialogContentsView),
                                tr("&Preview Reap…"), this))
    , m_plan(new ReapPlan(engine, this))
{
    setObjectName(u"orphansPage"_s);
    setAccessibleName(tr("Orphans"));
    createLayout();
    connect(m_refresh, &QPushButton::clicked, this, &OrphansPage::refresh);
    connect(m_preview, &QPushButton::clicked, this, &OrphansPage::preview);
    connect(m_model, &OrphanModel::checkedChanged, this, &OrphansPage::updateButtons);
    connect(m_plan, &ReapPlan::cancelled, m_plan, &QWidget::hide);
    connect(m_plan, &ReapPlan::reaped, m_model, &OrphanModel::removeCandidate);
    connect(m_plan, &ReapPlan::finished, this, [this](int gone, int failed) {
        Message message;
        message.kind = failed > 0 ? Message::Kind::Warning : Message::Kind::Information;
        message.title = failed > 0 ? tr("%1 reaped, %2 left; the list says why").arg(gone).arg(failed)
                                   : tr("%n sandbox(es) reaped", nullptr, gone);
        m_messages->showMessage(message);
        m_plan->setVisible(failed > 0);
    });
    updateButtons();
    refresh();
}

void OrphansPage::createLayout()
{
    m_summary->setAccessibleName(tr("Summary"));
    m_refresh->setAccessibleName(tr("Look again"));
    m_preview->setObjectName(u"previewReap"_s);
    m_preview->setAccessibleName(tr("Preview what would be killed"));
    m_view->setObjectName(u"orphanList"_s);
    m_view->setAccessibleName(tr("Sandboxes that may be nobody's"));
    m_view->setModel(m_model);
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAlternatingRowColors(true);
    const int em = fontMetrics().averageCharWidth();
    m_view->header()->resizeSection(OrphanModel::Name, em * 32);
    m_view->header()->resizeSection(OrphanModel::Verdict, em * 14);
    m_view->header()->resizeSection(OrphanModel::Evidence, em * 70);
    m_view->header()->resizeSection(OrphanModel::Backend, em * 10);
    m_view->header()->resizeSection(OrphanModel::State, em * 12);
    m_view->header()->resizeSection(OrphanModel::Age, em * 13);
    m_plan->hide();
    auto *top = new QHBoxLayout;
    top->addWidget(m_summary, 1);
    top->addWidget(m_refresh);
    top->addWidget(m_preview);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(m_messages);
    layout->addLayout(top);
    layout->addWidget(m_view, 2);
    layout->addWidget(m_plan, 1);
}

void OrphansPage::setTargets(const QList<Target> &targets)
{
    m_targets = targets;
    refresh();
}

void OrphansPage::refresh()
{
    if (std::exchange(m_listing, true))
        return;
    updateButtons();
    m_engine->listManaged({.targets = m_targets, .metadata = {}})
        .then(this, [this](const ManagedListing &listing) {
            m_listing = false;
            m_model->setCandidates(listing.rows(),
                                   [this](const ManagedSandbox &row) { return m_engine->ownershipOf(row); });
            for (const TargetListing &target : listing.targets) {
                if (target.error)
                    m_messages->showError(tr("%1 could not be listed").arg(target.target.toDsn()),
                                          *target.error);
            }
            updateButtons();
            Q_EMIT refreshed();
        });
}

void OrphansPage::preview()
{
    m_plan->present(m_model->checkedCandidates());
    m_plan->show();
}

void OrphansPage::updateButtons()
{
    const qsizetype checked = m_model->checkedCandidates().size();
    m_refresh->setEnabled(!m_listing);
    m_preview->setEnabled(checked > 0);
    m_preview->setToolTip(checked > 0 ? QString() : tr("Not available: nothing is checked"));
    m_summary->setText(m_listing ? tr("Looking…")
                       : m_model->rowCount() == 0
                           ? tr("No orphans: every sandbox has an owner that lives")
                           : tr("%1 found, %2 checked. What is not certain is never checked by itself.")
                                 .arg(m_model->rowCount())
                                 .arg(checked));
}

} // namespace Sandboxio::Desktop
