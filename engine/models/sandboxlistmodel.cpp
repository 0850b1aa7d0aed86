// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "sandboxlistmodel.h"

#include "sandboxtexts.h"

#include <sandboxio/runtime/sandboxwatcher.h>

#include <QLocale>
#include <QSet>

namespace Sandboxio {

using namespace Qt::StringLiterals;

SandboxListModel::SandboxListModel(Options options, QObject *parent)
    : QAbstractTableModel(parent)
    , m_options(std::move(options))
{}

void SandboxListModel::follow(SandboxWatcher *watcher)
{
    connect(watcher, &SandboxWatcher::reset, this, &SandboxListModel::resetTarget);
    connect(watcher, &SandboxWatcher::changed, this, &SandboxListModel::updateSandbox);
    connect(watcher, &SandboxWatcher::removed, this, &SandboxListModel::removeSandbox);
    connect(watcher, &SandboxWatcher::lost, this, &SandboxListModel::loseTarget);
}

void SandboxListModel::expectTarget(const Target &target)
{
    status(target);
    Q_EMIT targetStatusChanged();
}

QList<SandboxListModel::TargetStatus> SandboxListModel::targetStatus() const
{
    return m_targets.values();
}

void SandboxListModel::forgetTarget(const Target &target)
{
    removeAllBut(target.identity(), {});
    m_targets.remove(target.identity());
    Q_EMIT targetStatusChanged();
}

QModelIndex SandboxListModel::indexOf(const Target &target, const QString &id) const
{
    const int row = find(target.identity(), id);
    return row < 0 ? QModelIndex() : index(row, 0);
}

void SandboxListModel::refreshTimes(int first, int last)
{
    const int end = last < 0 ? int(m_rows.size()) - 1 : std::min(last, int(m_rows.size()) - 1);
    if (first >= 0 && first <= end)
        Q_EMIT dataChanged(index(first, Age), index(end, TimeLeft), {Qt::DisplayRole, AgeRole, TimeLeftRole});
}

int SandboxListModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int SandboxListModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QHash<int, QByteArray> SandboxListModel::roleNames() const
{
    return {{Qt::DisplayRole, "display"_ba},
            {IdRole, "sandboxId"_ba},
            {NameRole, "name"_ba},
            {TargetRole, "target"_ba},
            {SandboxRole, "sandbox"_ba},
            {StateRole, "state"_ba},
            {BackendRole, "backend"_ba},
            {TierRole, "tier"_ba},
            {TemplateRole, "templateId"_ba},
            {CreatedAtRole, "createdAt"_ba},
            {AgeRole, "age"_ba},
            {ExpiresAtRole, "expiresAt"_ba},
            {TimeLeftRole, "timeLeft"_ba},
            {EgressRole, "egress"_ba},
            {LabelsRole, "labels"_ba},
            {OwnerRole, "owner"_ba},
            {ConfirmedRole, "confirmed"_ba},
            {LastSeenRole, "lastSeen"_ba},
            {SortRole, "sortValue"_ba}};
}

QVariant SandboxListModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name:
        return tr("Name");
    case State:
        return tr("State");
    case Backend:
        return tr("Backend");
    case Tier:
        return tr("Isolation");
    case Template:
        return tr("Template");
    case Age:
        return tr("Age");
    case TimeLeft:
        return tr("Time left");
    case Policy:
        return tr("Network");
    case Labels:
        return tr("Labels");
    case OwnerColumn:
        return tr("Owner");
    default:
        return {};
    }
}

std::optional<qint64> SandboxListModel::secondsLeft(const ManagedSandbox &sandbox) const
{
    if (!sandbox.expiresAt.isValid())
        return std::nullopt;
    return std::max<qint64>(m_options.now().secsTo(sandbox.expiresAt), 0);
}

QVariant SandboxListModel::displayText(const Row &row, int column) const
{
    const ManagedSandbox &sandbox = row.sandbox;
    switch (column) {
    case Name:
        return sandboxTitle(sandbox);
    case State:
        return row.confirmed ? stateLabel(sandbox.state)
                             : tr("%1 (unconfirmed)").arg(stateLabel(sandbox.state));
    case Backend:
        return sandbox.target.backend;
    case Tier:
        return isolationTierName(sandbox.tier);
    case Template:
        return sandbox.templateId;
    case Age:
        return sandbox.createdAt.isValid()
                   ? durationText(std::chrono::seconds(sandbox.createdAt.secsTo(m_options.now())))
                   : QString();
    case TimeLeft:
        if (const std::optional<qint64> left = secondsLeft(sandbox))
            return *left > 0 ? durationText(std::chrono::seconds(*left)) : tr("over");
        return tr("not known");
    case Policy:
        return sandbox.egress ? egressLabel(*sandbox.egress) : tr("not known");
    case Labels:
        return labelsText(sandbox.metadata);
    case OwnerColumn:
        return ownerText(sandbox.owner, m_options.observer);
    default:
        return {};
    }
}

QVariant SandboxListModel::sortValue(const Row &row, int column) const
{
    switch (column) {
    case State:
        return int(row.sandbox.state);
    case Tier:
        return int(row.sandbox.tier);
    case Age: // the youngest is the smallest
        return -row.sandbox.createdAt.toMSecsSinceEpoch();
    case TimeLeft:
        return row.sandbox.expiresAt.isValid() ? row.sandbox.expiresAt.toMSecsSinceEpoch()
                                               : std::numeric_limits<qint64>::max();
    default:
        return displayText(row, column);
    }
}

QString SandboxListModel::toolTip(const Row &row, int column) const
{
    const QLocale locale;
    const ManagedSandbox &sandbox = row.sandbox;
    if (!row.confirmed) {
        const QString seen = locale.toString(sandbox.lastSeen.toLocalTime(), QLocale::ShortFormat);
        return tr("As last seen at %1; %2").arg(seen, m_targets.value(row.place).error.message);
    }
    switch (column) {
    case Name:
        return tr("Id %1").arg(sandbox.id);
    case Backend:
        return sandbox.target.toDsn();
    case Age:
        return tr("Created %1").arg(locale.toString(sandbox.createdAt.toLocalTime(), QLocale::LongFormat));
    case TimeLeft:
        if (!sandbox.expiresAt.isValid())
            return tr("The provider does not tell when this sandbox ends.");
        return (sandbox.expiryIsAsked ? tr("Ends %1, as asked for at creation")
                                      : tr("Ends %1, as the provider says"))
            .arg(locale.toString(sandbox.expiresAt.toLocalTime(), QLocale::LongFormat));
    case Policy:
        return tr("Declared at creation; not verified");
    default:
        return {};
    }
}

QVariant SandboxListModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Row &row = m_rows.at(index.row());
    const ManagedSandbox &sandbox = row.sandbox;
    switch (role) {
    case Qt::DisplayRole:
        return displayText(row, index.column());
    case Qt::ToolTipRole:
        return toolTip(row, index.column());
    case SortRole:
        return sortValue(row, index.column());
    case IdRole:
        return sandbox.id;
    case NameRole:
        return sandboxTitle(sandbox);
    case TargetRole:
        return QVariant::fromValue(sandbox.target);
    case SandboxRole:
        return QVariant::fromValue(sandbox);
    case StateRole:
        return sandboxStateName(sandbox.state);
    case BackendRole:
        return sandbox.target.backend;
    case TierRole:
        return isolationTierName(sandbox.tier);
    case TemplateRole:
        return sandbox.templateId;
    case CreatedAtRole:
        return sandbox.createdAt;
    case AgeRole:
        return sandbox.createdAt.secsTo(m_options.now());
    case ExpiresAtRole:
        return sandbox.expiresAt;
    case TimeLeftRole: {
        const std::optional<qint64> left = secondsLeft(sandbox);
        return left ? QVariant(*left) : QVariant();
    }
    case EgressRole:
        return sandbox.egress ? egressName(*sandbox.egress) : QString();
    case LabelsRole: {
        QVariantMap labels;
        for (const auto &[name, value] : sandbox.metadata.asKeyValueRange())
            labels.insert(name, value);
        return labels;
    }
    case OwnerRole:
        return ownerText(sandbox.owner, m_options.observer);
    case ConfirmedRole:
        return row.confirmed;
    case LastSeenRole:
        return sandbox.lastSeen;
    default:
        return {};
    }
}

SandboxListModel::TargetStatus &SandboxListModel::status(const Target &target)
{
    TargetStatus &status = m_targets[target.identity()];
    if (status.target.backend.isEmpty())
        status.target = target;
    return status;
}

int SandboxListModel::find(const QString &place, const QString &id) const
{
    return m_index.value({place, id}, -1);
}

void SandboxListModel::replaceRow(int row, const ManagedSandbox &sandbox)
{
    Row &current = m_rows[row];
    ManagedSandbox same = sandbox;
    same.lastSeen = current.sandbox.lastSeen;
    const bool changed = !current.confirmed || same != current.sandbox;
    current.sandbox = sandbox;
    current.confirmed = true;
    if (changed)
        Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

void SandboxListModel::appendRows(const QString &place, const QList<ManagedSandbox> &sandboxes)
{
    if (sandboxes.isEmpty())
        return;
    beginInsertRows({}, int(m_rows.size()), int(m_rows.size() + sandboxes.size()) - 1);
    m_rows.reserve(m_rows.size() + sandboxes.size());
    for (const ManagedSandbox &sandbox : sandboxes) {
        m_index.insert({place, sandbox.id}, int(m_rows.size()));
        m_rows.append({sandbox, place, true});
    }
    endInsertRows();
}

void SandboxListModel::removeRange(int first, int last)
{
    beginRemoveRows({}, first, last);
    for (int row = first; row <= last; ++row)
        m_index.remove({m_rows.at(row).place, m_rows.at(row).sandbox.id});
    m_rows.remove(first, last - first + 1);
    for (int row = first; row < m_rows.size(); ++row)
        m_index.insert({m_rows.at(row).place, m_rows.at(row).sandbox.id}, row);
    endRemoveRows();
}

void SandboxListModel::removeAllBut(const QString &place, const QSet<QString> &ids)
{
    const auto goes = [&](int row) {
        return m_rows.at(row).place == place && !ids.contains(m_rows.at(row).sandbox.id);
    };
    for (int last = int(m_rows.size()) - 1; last >= 0; --last) {
        if (!goes(last))
            continue;
        int first = last;
        while (first > 0 && goes(first - 1))
            --first;
        removeRange(first, last);
        last = first;
    }
}

void SandboxListModel::resetTarget(const Target &target, const QList<ManagedSandbox> &rows)
{
    const QString place = target.identity();
    QSet<QString> ids;
    for (const ManagedSandbox &sandbox : rows)
        ids.insert(sandbox.id);
    removeAllBut(place, ids);

    QList<ManagedSandbox> added;
    for (const ManagedSandbox &sandbox : rows) {
        const int row = find(place, sandbox.id);
        if (row >= 0)
            replaceRow(row, sandbox);
        else if (ids.remove(sandbox.id)) // a listing that names one id twice makes one row
            added.append(sandbox);
    }
    appendRows(place, added);

    TargetStatus &state = status(target);
    state.kind = TargetStatus::Kind::Live;
    state.error = {};
    state.rows = std::ranges::count(m_rows, place, &Row::place);
    Q_EMIT targetStatusChanged();
}

void SandboxListModel::updateSandbox(const ManagedSandbox &sandbox)
{
    const QString place = sandbox.target.identity();
    const int row = find(place, sandbox.id);
    if (row >= 0) {
        replaceRow(row, sandbox);
        return;
    }
    appendRows(place, {sandbox});
    ++status(sandbox.target).rows;
    Q_EMIT targetStatusChanged();
}

void SandboxListModel::removeSandbox(const Target &target, const QString &id)
{
    const int row = find(target.identity(), id);
    if (row < 0)
        return;
    removeRange(row, row);
    --status(target).rows;
    Q_EMIT targetStatusChanged();
}

void SandboxListModel::loseTarget(const Target &target, const ErrorInfo &error)
{
    const QString place = target.identity();
    TargetStatus &state = status(target);
    state.kind = TargetStatus::Kind::Lost;
    state.error = error;
    for (int row = 0; row < m_rows.size(); ++row) {
        if (m_rows.at(row).place == place && std::exchange(m_rows[row].confirmed, false))
            Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
    }
    Q_EMIT targetStatusChanged();
}

} // namespace Sandboxio
