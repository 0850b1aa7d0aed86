// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSortFilterProxyModel>

namespace Sandboxio::Desktop {

/*! Sorts and filters the sandboxes and adds what only a screen needs: icons, alignment, dimmed unconfirmed
    rows. Every word of the filter must occur in some column. */
class SandboxFilterProxy : public QSortFilterProxyModel
{
    Q_OBJECT
public:
    explicit SandboxFilterProxy(QObject *parent = nullptr);

    void setFilterText(const QString &text);
    QString filterText() const { return m_words.join(u' '); }
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override;

private:
    QStringList m_words;
};

} // namespace Sandboxio::Desktop
