// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/managedsandbox.h>
#include <sandboxio/models/export.h>

#include <QAbstractTableModel>
#include <QHash>

#include <functional>

namespace Sandboxio {

class SandboxWatcher;

/*! The sandboxes of any number of targets, live. Feed it with follow(); the slots are what a watcher calls. A
    row is identified by target and id; updates are incremental, so selections and sort orders survive. When a
    target is lost its rows stay as they were last seen and are marked unconfirmed. Lives in the thread of its
    watchers.

    \code
    SandboxListModel model({.observer = engine.owner()});
    model.follow(engine.watch({}, &model));
    \endcode */
class SANDBOXIO_MODELS_EXPORT SandboxListModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column {
        Name,
        State,
        Backend,
        Tier,
        Template,
        Age,
        TimeLeft,
        Policy,
        Labels,
        OwnerColumn,
        ColumnCount
    };
    Q_ENUM(Column)
    enum Role {
        IdRole = Qt::UserRole + 1,
        NameRole,
        TargetRole,  //!< Target
        SandboxRole, //!< ManagedSandbox
        StateRole,   //!< stable name
        BackendRole,
        TierRole, //!< stable name
        TemplateRole,
        CreatedAtRole, //!< QDateTime, UTC
        AgeRole,       //!< seconds
        ExpiresAtRole, //!< QDateTime, UTC, invalid when unknown
        TimeLeftRole,  //!< seconds; invalid when unknown
        EgressRole,    //!< stable name, empty when unknown
        LabelsRole,    //!< QVariantMap
        OwnerRole,     //!< text
        ConfirmedRole, //!< false while the row's target is lost
        LastSeenRole,  //!< QDateTime, UTC
        SortRole,      //!< what to compare a cell by
    };
    Q_ENUM(Role)

    struct Options
    {
        Owner observer;                                                  //!< Engine::owner()
        std::function<QDateTime()> now = &QDateTime::currentDateTimeUtc; //!< the time of day, UTC
    };

    /*! Whether a followed target answers. */
    struct TargetStatus
    {
        enum class Kind { Waiting, Live, Lost };
        Target target;
        Kind kind = Kind::Waiting;
        ErrorInfo error; //!< meaningful when Lost
        qsizetype rows = 0;
    };

    explicit SandboxListModel(Options options, QObject *parent = nullptr);

    /*! Takes the changes of \a watcher, which stays the caller's. */
    void follow(SandboxWatcher *watcher);
    /*! Announces that \a target will be followed, for targetStatus(). */
    void expectTarget(const Target &target);
    /*! The targets known so far. */
    QList<TargetStatus> targetStatus() const;
    /*! Forgets \a target and its rows. */
    void forgetTarget(const Target &target);
    /*! The row of \a id at \a target; invalid when there is none. */
    QModelIndex indexOf(const Target &target, const QString &id) const;
    ManagedSandbox sandbox(int row) const { return m_rows.at(row).sandbox; }
    /*! Makes views read ages and times left of the rows \a first to \a last again (-1: the last row). A view
       calls it once a second for the rows that it shows; without views nothing ticks. */
    void refreshTimes(int first = 0, int last = -1);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    QHash<int, QByteArray> roleNames() const override;

public Q_SLOTS:
    /*! The sandboxes of \a target are exactly \a rows. */
    void resetTarget(const Sandboxio::Target &target, const QList<Sandboxio::ManagedSandbox> &rows);
    /*! \a sandbox is new or has changed. */
    void updateSandbox(const Sandboxio::ManagedSandbox &sandbox);
    void removeSandbox(const Sandboxio::Target &target, const QString &id);
    /*! \a target does not answer: its rows become unconfirmed. */
    void loseTarget(const Sandboxio::Target &target, const Sandboxio::ErrorInfo &error);

Q_SIGNALS:
    /*! A target was found, lost or has another number of rows. */
    void targetStatusChanged();

private:
    struct Key
    {
        QString place;
        QString id;
        bool operator==(const Key &) const = default;
        friend size_t qHash(const Key &key, size_t seed = 0) { return qHashMulti(seed, key.place, key.id); }
    };
    struct Row
    {
        ManagedSandbox sandbox;
        QString place; // identity of the target, which is dear to compute
        bool confirmed = true;
    };

    TargetStatus &status(const Target &target);
    int find(const QString &place, const QString &id) const;
    void removeRange(int first, int last);
    void removeAllBut(const QString &place, const QSet<QString> &ids);
    void replaceRow(int row, const ManagedSandbox &sandbox);
    void appendRows(const QString &place, const QList<ManagedSandbox> &sandboxes);
    QVariant displayText(const Row &row, int column) const;
    QVariant sortValue(const Row &row, int column) const;
    QString toolTip(const Row &row, int column) const;
    std::optional<qint64> secondsLeft(const ManagedSandbox &sandbox) const;

    Options m_options;
    QList<Row> m_rows;
    QHash<Key, int> m_index;
    QMap<QString, TargetStatus> m_targets;
};

} // namespace Sandboxio
