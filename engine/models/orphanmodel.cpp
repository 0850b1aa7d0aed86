// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "orphanmodel.h"

#include "sandboxtexts.h"

namespace Sandboxio {

using namespace Qt::StringLiterals;

namespace {

bool isProved(const Ownership &ownership)
{
    const bool isNobodys =
        ownership.verdict == Ownership::Verdict::Orphan || ownership.verdict == Ownership::Verdict::Ended;
    return isNobodys && ownership.confidence == Ownership::Confidence::Certain;
}

bool isSame(const ManagedSandbox &left, const ManagedSandbox &right)
{
    return left.id == right.id && left.target.identity() == right.target.identity();
}

} // namespace

OrphanModel::OrphanModel(QObject *parent)
    : QAbstractTableModel(parent)
{}

void OrphanModel::setCandidates(const QList<ManagedSandbox> &sandboxes,
                                const std::function<Ownership(const ManagedSandbox &)> &ownershipOf)
{
    QList<Row> rows;
    for (const ManagedSandbox &sandbox : sandboxes) {
        const Ownership ownership = ownershipOf(sandbox);
        if (ownership.verdict == Ownership::Verdict::InUse)
            continue;
        Row row{{sandbox, ownership}, isProved(ownership)};
        for (const Row &before : std::as_const(m_rows)) {
            if (isSame(before.candidate.sandbox, sandbox) &&
                before.candidate.ownership.verdict == ownership.verdict &&
                before.candidate.ownership.confidence == ownership.confidence)
                row.checked = before.checked;
        }
        rows.append(row);
    }
    std::ranges::stable_sort(rows, std::greater(),
                             [](const Row &row) { return isProved(row.candidate.ownership); });
    beginResetModel();
    m_rows = rows;
    endResetModel();
    Q_EMIT checkedChanged();
}

void OrphanModel::removeCandidate(const Target &target, const QString &id)
{
    for (int row = int(m_rows.size()) - 1; row >= 0; --row) {
        const ManagedSandbox &sandbox = m_rows.at(row).candidate.sandbox;
        if (sandbox.id != id || sandbox.target.identity() != target.identity())
            continue;
        beginRemoveRows({}, row, row);
        m_rows.removeAt(row);
        endRemoveRows();
    }
    Q_EMIT checkedChanged();
}

QList<OrphanCandidate> OrphanModel::candidates() const
{
    QList<OrphanCandidate> all;
    for (const Row &row : m_rows)
        all.append(row.candidate);
    return all;
}

QList<OrphanCandidate> OrphanModel::checkedCandidates() const
{
    QList<OrphanCandidate> checked;
    for (const Row &row : m_rows) {
        if (row.checked)
            checked.append(row.candidate);
    }
    return checked;
}

void OrphanModel::setAllChecked(bool checked)
{
    if (m_rows.isEmpty())
        return;
    for (Row &row : m_rows)
        row.checked = checked;
    Q_EMIT dataChanged(index(0, Name), index(int(m_rows.size()) - 1, Name), {Qt::CheckStateRole, CheckedRole});
    Q_EMIT checkedChanged();
}

int OrphanModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int OrphanModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString OrphanModel::displayText(const OrphanCandidate &candidate, int column) const
{
    const ManagedSandbox &sandbox = candidate.sandbox;
    switch (column) {
    case Name:
        return sandboxTitle(sandbox);
    case Verdict:
        return ownershipLabel(candidate.ownership);
    case Evidence:
        return candidate.ownership.evidence.join(u' ');
    case Backend:
        return sandbox.target.backend;
    case State:
        return stateLabel(sandbox.state);
    case Age:
        return sandbox.createdAt.isValid() ? durationText(std::chrono::seconds(
                                                 sandbox.createdAt.secsTo(QDateTime::currentDateTimeUtc())))
                                           : QString();
    case Labels:
        return labelsText(sandbox.metadata);
    default:
        return {};
    }
}

QVariant OrphanModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Row &row = m_rows.at(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return displayText(row.candidate, index.column());
    case Qt::ToolTipRole:
        return index.column() == Evidence ? row.candidate.ownership.evidence.join(u'\n')
                                          : displayText(row.candidate, index.column());
    case Qt::CheckStateRole:
        return index.column() == Name ? QVariant(int(row.checked ? Qt::Checked : Qt::Unchecked)) : QVariant();
    case SandboxRole:
        return QVariant::fromValue(row.candidate.sandbox);
    case VerdictRole:
        return verdictName(row.candidate.ownership.verdict);
    case ConfidenceRole:
        return confidenceName(row.candidate.ownership.confidence);
    case EvidenceRole:
        return row.candidate.ownership.evidence;
    case CheckedRole:
        return row.checked;
    default:
        return {};
    }
}

bool OrphanModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    const bool valid = checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid);
    if (!valid || (role != CheckedRole && (role != Qt::CheckStateRole || index.column() != Name)))
        return false;
    m_rows[index.row()].checked = role == CheckedRole ? value.toBool() : value.toInt() == Qt::Checked;
    const QModelIndex cell = index.siblingAtColumn(Name);
    Q_EMIT dataChanged(cell, cell, {Qt::CheckStateRole, CheckedRole});
    Q_EMIT checkedChanged();
    return true;
}

Qt::ItemFlags OrphanModel::flags(const QModelIndex &index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.column() == Name ? flags | Qt::ItemIsUserCheckable : flags;
}

QVariant OrphanModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name:
        return tr("Name");
    case Verdict:
        return tr("Verdict");
    case Evidence:
        return tr("Evidence");
    case Backend:
        return tr("Backend");
    case State:
        return tr("State");
    case Age:
        return tr("Age");
    case Labels:
        return tr("Labels");
    default:
        return {};
    }
}

QHash<int, QByteArray> OrphanModel::roleNames() const
{
    QHash<int, QByteArray> names = QAbstractTableModel::roleNames();
    names.insert({{SandboxRole, "sandbox"_ba},
                  {VerdictRole, "verdict"_ba},
                  {ConfidenceRole, "confidence"_ba},
                  {EvidenceRole, "evidence"_ba},
                  {CheckedRole, "checked"_ba}});
    return names;
}

} // namespace Sandboxio
