// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sandboxactions.h"

#include <sandboxio/models/sandboxlistmodel.h>
#include <sandboxio/runtime/doctorreport.h>

#include <QWidget>

class QLabel;
class QLineEdit;
class QSettings;
class QSplitter;
class QStackedWidget;
class QTimer;
class QTreeView;

namespace Sandboxio::Desktop {

class DetailsPane;
class EmptyState;
class MessageArea;
class SandboxFilterProxy;

/*! The list of sandboxes with filter, details and what to show when there is nothing to list. */
class SandboxesPage : public QWidget
{
    Q_OBJECT
public:
    SandboxesPage(SandboxListModel *model, const SandboxActions &actions, const Owner &observer,
                  QWidget *parent = nullptr);

    MessageArea *messages() const { return m_messages; }
    /*! The selected sandbox; absent when none is. */
    std::optional<ManagedSandbox> selectedSandbox() const;
    void select(const Target &target, const QString &id);
    void focusFilter();
    void setFilterText(const QString &text);
    /*! Whether the demo is offered while no backend answers. */
    void setDemoOffered(bool offered);
    /*! What sandboxes of \a target can do. */
    void setCapabilities(const Target &target, Capabilities capabilities);
    void setDiagnosis(const DoctorReport &report);
    void saveState(QSettings &settings) const;
    void restoreState(const QSettings &settings);

Q_SIGNALS:
    void openRequested(const Sandboxio::ManagedSandbox &sandbox);
    /*! The reader should know why no backend answers. */
    void diagnosisWanted();
    void demoRequested();

protected:
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    enum class Content { Unset, Rows, Waiting, NotConnected, NothingYet, FilteredOut };
    void createView();
    void createLayout();
    void updateContent();
    void presentContent(Content content);
    void updateSelection();
    void updateTimes();
    void showContextMenu(const QPoint &position);
    Content wantedContent() const;

    SandboxListModel *m_model;
    SandboxActions m_actions;
    Owner m_observer;
    SandboxFilterProxy *m_proxy;
    MessageArea *m_messages;
    QLineEdit *m_filter;
    QLabel *m_count;
    QTreeView *m_view;
    QSplitter *m_splitter;
    DetailsPane *m_details;
    EmptyState *m_empty;
    QStackedWidget *m_stack;
    QTimer *m_clock;
    QHash<QString, Capabilities> m_capabilities; // by target
    Content m_content = Content::Unset;
    bool m_demoOffered = false;
};

} // namespace Sandboxio::Desktop
