// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "memoryfiles.h"

#include <sandboxio/core/clock.h>
#include <sandboxio/core/createoptions.h>
#include <sandboxio/core/managedsandbox.h>

#include <QMap>
#include <QObject>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace Sandboxio::Fake {

class Machine;

/*! One sandbox as the provider holds it. Secrets are not in it, as they are not in a container's configuration.
 */
struct Record
{
    ManagedSandbox managed;
    bool isManaged = true;
    Resources resources;
    QMap<QString, QString> env;
    bool hasSecrets = false;
    std::chrono::milliseconds lifetime{0};
    std::optional<std::chrono::nanoseconds> end; //!< on the clock of the store
    MemoryFiles files;
    QMap<qint64, QString> processes; //!< command lines of the running ones by number
    qint64 nextPid = 2;
};

/*! What the provider knows: all sandboxes. Used from the I/O threads of all engines that share it, hence the
 * lock. */
class Store final : public QObject
{
    Q_OBJECT
public:
    Store();
    ~Store() override;

    /*! The clock of the first engine that uses the store. */
    void setClock(const std::shared_ptr<Clock> &clock);

    /*! Adds \a record under a new id, which is returned. */
    QString insert(Record record);
    /*! Adds \a record under its own id. */
    void insertAs(const Record &record);
    /*! Runs \a function on the sandbox \a id; false when there is none. */
    bool with(const QString &id, const std::function<void(Record &)> &function);
    std::optional<Record> find(const QString &id);
    QList<Record> all();
    /*! Removes the sandbox; false when there was none. */
    bool remove(const QString &id);
    void setState(const QString &id, SandboxState state);
    /*! Ends the sandboxes whose lifetime is over. */
    void expire();
    /*! Where background runs are; made at the first use. */
    Machine &machine();
    /*! Ends it with all that runs there; to be called before what it uses goes. */
    void stopMachine();

Q_SIGNALS:
    void changed(const QString &id);
    void removed(const QString &id);

private:
    void announce(void (Store::*signal)(const QString &), const QString &id);

    std::mutex m_mutex;
    std::shared_ptr<Clock> m_clock;
    QMap<QString, Record> m_records;
    int m_serial = 0;
    std::mutex m_machineMutex;
    std::unique_ptr<Machine> m_machine;
};

} // namespace Sandboxio::Fake
