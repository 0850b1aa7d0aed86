// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandboxespage.h"

#include "detailspane.h"
#include "emptystate.h"
#include "errors/messagearea.h"
#include "sandboxfilterproxy.h"
#include "shell/icons.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QTreeView>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

SandboxesPage::SandboxesPage(SandboxListModel *model, const SandboxActions &actions, const Owner &observer,
                             QWidget *parent)
    : QWidget(parent)
    , m_model(model)
    , m_actions(actions)
    , m_observer(observer)
    , m_proxy(new SandboxFilterProxy(this))
    , m_messages(new MessageArea(this))
    , m_filter(new QLineEdit(this))
    , m_count(new QLabel(this))
    , m_view(new QTreeView(this))
    , m_splitter(new QSplitter(Qt::Vertical, this))
    , m_details(new DetailsPane(this))
    , m_empty(new EmptyState(this))
    , m_stack(new QStackedWidget(this))
    , m_clock(new QTimer(this))
{
    setObjectName(u"sandboxesPage"_s);
    setAccessibleName(tr("Sandboxes"));
    m_proxy->setSourceModel(model);
    createView();
    createLayout();
    m_clock->setInterval(1s);
    connect(m_clock, &QTimer::timeout, this, &SandboxesPage::updateTimes);
    connect(m_filter, &QLineEdit::textChanged, this, &SandboxesPage::setFilterText);
    connect(m_proxy, &QAbstractItemModel::rowsInserted, this, &SandboxesPage::updateContent);
    connect(m_proxy, &QAbstractItemModel::rowsRemoved, this, &SandboxesPage::updateContent);
    connect(m_proxy, &QAbstractItemModel::modelReset, this, &SandboxesPage::updateContent);
    connect(m_proxy, &QAbstractItemModel::dataChanged, this, &SandboxesPage::updateSelection);
    connect(m_model, &SandboxListModel::targetStatusChanged, this, &SandboxesPage::updateContent);
    updateContent();
}

void SandboxesPage::createView()
{
    m_view->setObjectName(u"sandboxList"_s);
    m_view->setAccessibleName(tr("List of sandboxes"));
    m_view->setModel(m_proxy);
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAlternatingRowColors(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(SandboxListModel::Age, Qt::AscendingOrder);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    m_view->addAction(m_actions.kill);
    const int em = fontMetrics().averageCharWidth();
    const QMap<int, int> widths{{SandboxListModel::Name, 24},     {SandboxListModel::State, 15},
                                {SandboxListModel::Backend, 10},  {SandboxListModel::Tier, 12},
                                {SandboxListModel::Template, 22}, {SandboxListModel::Age, 13},
                                {SandboxListModel::TimeLeft, 14}, {SandboxListModel::Policy, 11},
                                {SandboxListModel::Labels, 38},   {SandboxListModel::OwnerColumn, 20}};
    for (const auto &[column, width] : widths.asKeyValueRange())
        m_view->header()->resizeSection(column, width * em);
    m_view->header()->setStretchLastSection(true);
    connect(m_view, &QTreeView::activated, this, [this] {
        if (const std::optional<ManagedSandbox> sandbox = selectedSandbox())
            Q_EMIT openRequested(*sandbox);
    });
    connect(m_view, &QWidget::customContextMenuRequested, this, &SandboxesPage::showContextMenu);
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &SandboxesPage::updateSelection);
}

void SandboxesPage::createLayout()
{
    m_filter->setObjectName(u"sandboxFilter"_s);
    m_filter->setAccessibleName(tr("Filter"));
    m_filter->setPlaceholderText(tr("Name, label, template…"));
    m_filter->setClearButtonEnabled(true);
    auto *label = new QLabel(tr("F&ilter:"), this);
    label->setAccessibleName(tr("Filter"));
    label->setBuddy(m_filter);
    m_count->setAccessibleName(tr("Number of sandboxes"));
    auto *top = new QHBoxLayout;
    top->addWidget(label);
    top->addWidget(m_filter, 1);
    top->addWidget(m_count);

    m_splitter->setAccessibleName(tr("List and details"));
    m_splitter->addWidget(m_view);
    m_splitter->addWidget(m_details);
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setStretchFactor(1, 0);
    m_splitter->setCollapsible(0, false);
    m_stack->setAccessibleName(tr("Sandboxes"));
    m_stack->addWidget(m_splitter);
    m_stack->addWidget(m_empty);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(m_messages);
    layout->addLayout(top);
    layout->addWidget(m_stack, 1);
}

std::optional<ManagedSandbox> SandboxesPage::selectedSandbox() const
{
    const QModelIndexList rows = m_view->selectionModel()->selectedRows();
    if (rows.isEmpty())
        return std::nullopt;
    return rows.first().data(SandboxListModel::SandboxRole).value<ManagedSandbox>();
}

void SandboxesPage::select(const Target &target, const QString &id)
{
    const QModelIndex index = m_proxy->mapFromSource(m_model->indexOf(target, id));
    if (index.isValid())
        m_view->setCurrentIndex(index);
}

void SandboxesPage::focusFilter()
{
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

void SandboxesPage::setFilterText(const QString &text)
{
    m_filter->setText(text);
    m_proxy->setFilterText(text);
    updateContent();
}

void SandboxesPage::setDemoOffered(bool offered)
{
    m_demoOffered = offered;
    m_content = Content::Unset;
    updateContent();
}

void SandboxesPage::setCapabilities(const Target &target, Capabilities capabilities)
{
    m_capabilities.insert(target.identity(), capabilities);
    updateSelection();
}

void SandboxesPage::setDiagnosis(const DoctorReport &report)
{
    if (m_content == Content::NotConnected)
        m_empty->setFindings(report.targets);
}

SandboxesPage::Content SandboxesPage::wantedContent() const
{
    using Kind = SandboxListModel::TargetStatus::Kind;
    if (m_proxy->rowCount() > 0)
        return Content::Rows;
    if (m_model->rowCount() > 0)
        return Content::FilteredOut;
    const QList<SandboxListModel::TargetStatus> targets = m_model->targetStatus();
    const auto any = [&](Kind kind) {
        return std::ranges::contains(targets, kind, &SandboxListModel::TargetStatus::kind);
    };
    if (any(Kind::Live))
        return Content::NothingYet;
    return any(Kind::Waiting) ? Content::Waiting : Content::NotConnected;
}

void SandboxesPage::updateContent()
{
    const int all = m_model->rowCount();
    const int shown = m_proxy->rowCount();
    m_count->setText(all == shown ? tr("%n sandbox(es)", nullptr, all)
                                  : tr("%n sandbox(es), %1 shown", nullptr, all).arg(shown));
    const Content content = wantedContent();
    if (content != m_content)
        presentContent(content);
    updateSelection();
}

void SandboxesPage::presentContent(Content content)
{
    m_content = content;
    m_stack->setCurrentIndex(content == Content::Rows ? 0 : 1);
    m_empty->clearFindings();
    switch (content) {
    case Content::Unset:
    case Content::Rows:
        break;
    case Content::Waiting:
        m_empty->present(themeIcon(u"view-refresh"_s, QStyle::SP_BrowserReload), tr("Looking for sandboxes…"),
                         {}, {});
        break;
    case Content::NothingYet:
        m_empty->present(applicationIcon(), tr("No sandboxes yet"),
                         tr("A sandbox runs code that you do not trust, without network unless you allow it."),
                         {tr("&New Sandbox…"), [this] {
                              m_actions.create->trigger();
                          }});
        break;
    case Content::FilteredOut:
        m_empty->present(themeIcon(u"view-filter"_s, QStyle::SP_FileDialogContentsView),
                         tr("No sandbox matches the filter"), tr("%n hidden", nullptr, m_model->rowCount()),
                         {tr("&Clear Filter"), [this] {
                              setFilterText({});
                          }});
        break;
    case Content::NotConnected:
        m_empty->present(themeIcon(u"network-disconnect"_s, QStyle::SP_MessageBoxWarning),
                         tr("No backend answers"),
                         tr("This is what was looked at. The list appears by itself as soon as one answers."),
                         {tr("&Look Again"),
                          [this] {
                              m_actions.refresh->trigger();
                          }},
                         m_demoOffered ? EmptyState::Button{tr("Try the built-in &demo backend"),
                                                            [this] {
                                                                Q_EMIT demoRequested();
                                                            }}
                                       : EmptyState::Button{});
        Q_EMIT diagnosisWanted();
        break;
    }
}

void SandboxesPage::updateSelection()
{
    const std::optional<ManagedSandbox> sandbox = selectedSandbox();
    m_actions.setSelected(sandbox, sandbox ? m_capabilities.value(sandbox->target.identity()) : Capabilities());
    if (sandbox)
        m_details->present(*sandbox, m_observer);
    else
        m_details->clear();
}

void SandboxesPage::updateTimes()
{
    // Only the rows on screen; the model repaints nobody else.
    const QModelIndex first = m_view->indexAt({0, 0});
    for (QModelIndex index = first; index.isValid(); index = m_view->indexBelow(index)) {
        if (m_view->visualRect(index).top() > m_view->viewport()->height())
            break;
        const int row = m_proxy->mapToSource(index).row();
        m_model->refreshTimes(row, row);
    }
}

void SandboxesPage::showContextMenu(const QPoint &position)
{
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addActions({m_actions.open, m_actions.pause, m_actions.resume, m_actions.kill, m_actions.copyId});
    menu->addSeparator();
    menu->addActions({m_actions.create, m_actions.refresh});
    menu->popup(m_view->viewport()->mapToGlobal(position));
}

void SandboxesPage::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    m_clock->start();
}

void SandboxesPage::hideEvent(QHideEvent *event)
{
    QWidget::hideEvent(event);
    m_clock->stop();
}

void SandboxesPage::saveState(QSettings &settings) const
{
    settings.setValue(u"sandboxes/header"_s, m_view->header()->saveState());
    settings.setValue(u"sandboxes/splitter"_s, m_splitter->saveState());
}

void SandboxesPage::restoreState(const QSettings &settings)
{
    m_view->header()->restoreState(settings.value(u"sandboxes/header"_s).toByteArray());
    m_splitter->restoreState(settings.value(u"sandboxes/splitter"_s).toByteArray());
}

} // namespace Sandboxio::Desktop
