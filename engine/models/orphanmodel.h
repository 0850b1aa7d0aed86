// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/managedsandbox.h>
#include <sandboxio/models/export.h>

#include <QAbstractTableModel>

namespace Sandboxio {

/*! A sandbox that may be nobody's, with why one thinks so. */
struct OrphanCandidate
{
    ManagedSandbox sandbox;
    Ownership ownership;
    bool operator==(const OrphanCandidate &) const = default;
};

/*! Candidates for reaping, with check boxes. Those in use are left out. Only those proved to be orphans or to
    have ended start checked; one about which the evidence is not certain never does, a likely orphan included.

    \code
    model.setCandidates(listing.rows, [&](const ManagedSandbox &s) { return engine.ownershipOf(s); });
    \endcode */
class SANDBOXIO_MODELS_EXPORT OrphanModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Name, Verdict, Evidence, Backend, State, Age, Labels, ColumnCount };
    Q_ENUM(Column)
    enum Role {
        SandboxRole = Qt::UserRole + 1, //!< ManagedSandbox
        VerdictRole,                    //!< stable name
        EvidenceRole,                   //!< QStringList
        CheckedRole,                    //!< bool
        ConfidenceRole,                 //!< stable name
    };
    Q_ENUM(Role)

    explicit OrphanModel(QObject *parent = nullptr);

    /*! Shows those of \a sandboxes that nobody proves to use. \a ownershipOf is called once for each. Rows that
       were shown before keep their check mark unless their verdict changed. */
    void setCandidates(const QList<ManagedSandbox> &sandboxes,
                       const std::function<Ownership(const ManagedSandbox &)> &ownershipOf);
    /*! Takes out a sandbox that is gone. */
    void removeCandidate(const Target &target, const QString &id);
    QList<OrphanCandidate> candidates() const;
    QList<OrphanCandidate> checkedCandidates() const;
    void setAllChecked(bool checked);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role = Qt::EditRole) override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    QHash<int, QByteArray> roleNames() const override;

Q_SIGNALS:
    void checkedChanged();

private:
    struct Row
    {
        OrphanCandidate candidate;
        bool checked = false;
    };
    QString displayText(const OrphanCandidate &candidate, int column) const;

    QList<Row> m_rows;
};

} // namespace Sandboxio
