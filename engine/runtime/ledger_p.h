// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/operation.h>
#include <sandboxio/core/target.h>
#include <sandboxio/ports/backendport.h>

namespace Sandboxio::Detail {

class WriterThread;

/*! What the ledger says about a sandbox that was not removed. */
struct LedgerLine
{
    QString name;
    QString id;  //!< empty: planned, and nobody wrote whether it was created
    Owner owner; //!< the engine that planned it, fromLedger
};
/*! Puts what \a lines know into the rows: that they are there, and the owner where the provider names none. */
void addLedgerFacts(QList<ManagedSandbox> &rows, const QList<LedgerLine> &lines);

/*! What this user's programs created, in SQLite, shared by all of them: the planned name before the provider is
    asked, the id after it. Writes happen in the writer thread; only planned() is waited for. */
class Ledger
{
public:
    /*! Keeps nothing when \a stateDirectory is empty. */
    Ledger(const QString &stateDirectory, const Owner &owner, const std::shared_ptr<WriterThread> &thread);
    ~Ledger();
    Q_DISABLE_COPY_MOVE(Ledger)

    /*! Ends once \a name is durably written. A ledger that cannot be written is reported in diagnosis() and
       never stops a creation: labels at the provider carry the same facts. */
    Operation<void> planned(const QString &name, const Target &target);
    void created(const QString &name, const QString &id);
    void removed(const QString &id);
    /*! Nothing came of the plan \a name, and nothing is left. */
    void abandoned(const QString &name);
    /*! All lines of what was not removed; none when there is no ledger or it cannot be read. */
    Operation<QList<LedgerLine>> lines();
    /*! Where it is, or why it does not work. */
    Diagnosis diagnosis() const;

private:
    class Writer;
    void post(const QString &statement, const QVariantList &values);

    QString m_path;
    Owner m_owner;
    std::shared_ptr<WriterThread> m_thread;
    Writer *m_writer = nullptr; // in the thread, which deletes it
};

} // namespace Sandboxio::Detail
