// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandboxfilterproxy.h"

#include "shell/icons.h"

#include <sandboxio/models/sandboxlistmodel.h>

#include <QApplication>
#include <QFont>
#include <QPalette>

namespace Sandboxio::Desktop {

using namespace Qt::StringLiterals;

namespace {

QIcon stateIcon(SandboxState state)
{
    switch (state) {
    case SandboxState::Creating:
        return themeIcon(u"view-refresh"_s, QStyle::SP_BrowserReload);
    case SandboxState::Running:
        return themeIcon(u"media-playback-start"_s, QStyle::SP_MediaPlay);
    case SandboxState::Paused:
        return themeIcon(u"media-playback-pause"_s, QStyle::SP_MediaPause);
    case SandboxState::Stopped:
        return themeIcon(u"media-playback-stop"_s, QStyle::SP_MediaStop);
    case SandboxState::Failed:
        return themeIcon(u"dialog-error"_s, QStyle::SP_MessageBoxCritical);
    case SandboxState::Unknown:
        break;
    }
    return themeIcon(u"dialog-question"_s, QStyle::SP_MessageBoxQuestion);
}

} // namespace

SandboxFilterProxy::SandboxFilterProxy(QObject *parent)
    : QSortFilterProxyModel(parent)
{
    setSortRole(SandboxListModel::SortRole);
    setSortLocaleAware(true);
    setSortCaseSensitivity(Qt::CaseInsensitive);
}

void SandboxFilterProxy::setFilterText(const QString &text)
{
    m_words = text.split(u' ', Qt::SkipEmptyParts);
    invalidateRowsFilter();
}

bool SandboxFilterProxy::filterAcceptsRow(int row, const QModelIndex &parent) const
{
    if (m_words.isEmpty())
        return true;
    QString all = sourceModel()->index(row, 0, parent).data(SandboxListModel::IdRole).toString();
    for (int column = 0; column < sourceModel()->columnCount(); ++column) {
        if (column != SandboxListModel::Age && column != SandboxListModel::TimeLeft)
            all += u'\n' + sourceModel()->index(row, column, parent).data().toString();
    }
    return std::ranges::all_of(m_words,
                               [&](const QString &word) { return all.contains(word, Qt::CaseInsensitive); });
}

QVariant SandboxFilterProxy::data(const QModelIndex &index, int role) const
{
    const auto value = [&](int wanted) {
        return QSortFilterProxyModel::data(index, wanted);
    };
    switch (role) {
    case Qt::DecorationRole:
        if (index.column() == SandboxListModel::State)
            return stateIcon(value(SandboxListModel::SandboxRole).value<ManagedSandbox>().state);
        return {};
    case Qt::ForegroundRole:
        if (!value(SandboxListModel::ConfirmedRole).toBool())
            return QApplication::palette().brush(QPalette::PlaceholderText);
        return {};
    case Qt::FontRole:
        if (!value(SandboxListModel::ConfirmedRole).toBool()) {
            QFont font = QApplication::font();
            font.setItalic(true);
            return font;
        }
        return {};
    case Qt::TextAlignmentRole:
        if (index.column() == SandboxListModel::Age || index.column() == SandboxListModel::TimeLeft)
            return int(Qt::AlignRight | Qt::AlignVCenter);
        return {};
    default:
        return value(role);
    }
}

} // namespace Sandboxio::Desktop
