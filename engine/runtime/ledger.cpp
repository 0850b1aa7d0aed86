// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "ledger_p.h"

#include "writerthread_p.h"

#include <sandboxio/core/handover.h>

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QSqlRecord>
#include <QUuid>

#include <mutex>

namespace Sandboxio::Detail {

using namespace Qt::StringLiterals;

class Ledger::Writer final : public QObject
{
public:
    explicit Writer(QString path)
        : m_path(std::move(path))
    {}
    ~Writer() override
    {
        if (m_connection.isEmpty())
            return;
        QSqlDatabase::database(m_connection, false).close();
        QSqlDatabase::removeDatabase(m_connection);
    }

    void write(const QString &statement, const QVariantList &values)
    {
        if (!open())
            return;
        QSqlQuery query(QSqlDatabase::database(m_connection));
        query.prepare(statement);
        for (const QVariant &value : values)
            query.addBindValue(value);
        if (!query.exec())
            setProblem(query.lastError().text());
    }
    QList<LedgerLine> read()
    {
        QList<LedgerLine> lines;
        if (!QFileInfo::exists(m_path) || !open())
            return lines;
        QSqlQuery query(QSqlDatabase::database(m_connection));
        if (!query.exec(u"SELECT name, id, host, boot, pid_namespace, pid, start_time, session FROM sandboxes "
                        "WHERE removed_at IS NULL"_s))
            setProblem(query.lastError().text());
        while (query.next())
            lines.append(lineOf(query));
        return lines;
    }
    QString problem() const
    {
        const std::lock_guard lock(m_mutex);
        return m_problem;
    }

private:
    static LedgerLine lineOf(const QSqlQuery &query)
    {
        const auto number = [&](int column) {
            return query.isNull(column) ? std::optional<qint64>() : query.value(column).toLongLong();
        };
        LedgerLine line{.name = query.value(0).toString(), .id = query.value(1).toString(), .owner = {}};
        line.owner.hostId = query.value(2).toString();
        line.owner.bootId = query.value(3).toString();
        line.owner.pidNamespace = query.value(4).toString();
        line.owner.pid = number(5);
        line.owner.startTime = number(6);
        line.owner.session = query.value(7).toString();
        line.owner.fromLedger = true;
        return line;
    }
    // Ledgers of earlier versions lack the owner. Two programs may add a column at the same time: one fails.
    void addColumns(const QSqlDatabase &database)
    {
        const QSqlRecord present = database.record(u"sandboxes"_s);
        for (const QString &column : {u"host TEXT"_s, u"boot TEXT"_s, u"pid_namespace TEXT"_s, u"pid INTEGER"_s,
                                      u"start_time INTEGER"_s, u"session TEXT"_s}) {
            const QString name = column.section(u' ', 0, 0);
            QSqlQuery query(database);
            if (!present.contains(name) && !query.exec(u"ALTER TABLE sandboxes ADD COLUMN "_s + column) &&
                !database.record(u"sandboxes"_s).contains(name))
                setProblem(query.lastError().text());
        }
    }
    bool open()
    {
        if (!m_connection.isEmpty())
            return QSqlDatabase::database(m_connection, false).isOpen();
        m_connection = u"sandboxio-ledger-"_s + QUuid::createUuid().toString(QUuid::Id128);
        const QString folder = QFileInfo(m_path).absolutePath();
        QDir().mkpath(folder);
        QFile::setPermissions(folder, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        QSqlDatabase database = QSqlDatabase::addDatabase(u"QSQLITE"_s, m_connection);
        database.setDatabaseName(m_path);
        database.setConnectOptions(u"QSQLITE_BUSY_TIMEOUT=3000"_s);
        if (!database.open()) {
            setProblem(database.lastError().text());
            return false;
        }
        QFile::setPermissions(m_path, QFile::ReadOwner | QFile::WriteOwner);
        QSqlQuery query(database);
        for (
            const QString &statement :
            {u"PRAGMA journal_mode=WAL"_s, u"PRAGMA synchronous=FULL"_s,
             u"CREATE TABLE IF NOT EXISTS sandboxes (name TEXT PRIMARY KEY, target TEXT NOT NULL, id TEXT, "
             "planned_at TEXT NOT NULL, created_at TEXT, removed_at TEXT)"_s,
             u"DELETE FROM sandboxes WHERE removed_at < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-30 days')"_s}) {
            if (!query.exec(statement))
                setProblem(query.lastError().text());
        }
        addColumns(database);
        return true;
    }
    void setProblem(const QString &problem)
    {
        const std::lock_guard lock(m_mutex);
        m_problem = problem;
    }

    QString m_path;
    QString m_connection;
    mutable std::mutex m_mutex;
    QString m_problem;
};

namespace {
QString now()
{
    return QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs);
}
} // namespace

void addLedgerFacts(QList<ManagedSandbox> &rows, const QList<LedgerLine> &lines)
{
    QHash<QString, const LedgerLine *> known; // names are unique; ids where backends keep more than one process
    for (const LedgerLine &line : lines) {
        known.insert(line.name, &line);
        if (!line.id.isEmpty())
            known.insert(line.id, &line);
    }
    for (ManagedSandbox &row : rows) {
        const LedgerLine *line = row.name.isEmpty() ? nullptr : known.value(row.name);
        if (!line)
            line = known.value(row.id);
        if (!line)
            continue;
        row.inLedger = true;
        const Owner &said = row.owner;
        const bool saysNothing = !said.pid && said.hostId.isEmpty() && said.bootId.isEmpty();
        if (saysNothing && line->owner.pid)
            row.owner = line->owner;
    }
}

Ledger::Ledger(const QString &stateDirectory, const Owner &owner, const std::shared_ptr<WriterThread> &thread)
    : m_owner(owner)
    , m_thread(thread)
{
    if (stateDirectory.isEmpty())
        return;
    m_path = stateDirectory + u"/ledger.sqlite"_s;
    m_writer = new Writer(m_path);
    m_thread->adopt(m_writer);
}

Ledger::~Ledger() = default;

Operation<void> Ledger::planned(const QString &name, const Target &target)
{
    if (!m_writer)
        return finishedOperation();
    const OperationPromise<void> promise;
    const auto number = [](std::optional<qint64> value) {
        return value ? QVariant(*value) : QVariant();
    };
    const QVariantList values{name,
                              target.identity(),
                              now(),
                              m_owner.hostId,
                              m_owner.bootId,
                              m_owner.pidNamespace,
                              number(m_owner.pid),
                              number(m_owner.startTime),
                              m_owner.session};
    postCall(m_writer, [writer = m_writer, promise, values] {
        writer->write(
            u"INSERT OR REPLACE INTO sandboxes (name, target, planned_at, host, boot, pid_namespace, pid, "
            "start_time, session) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"_s,
            values);
        promise.finish();
    });
    return promise.operation();
}

void Ledger::post(const QString &statement, const QVariantList &values)
{
    if (m_writer)
        postCall(m_writer, [writer = m_writer, statement, values] { writer->write(statement, values); });
}

void Ledger::created(const QString &name, const QString &id)
{
    post(u"UPDATE sandboxes SET id = ?, created_at = ? WHERE name = ?"_s, {id, now(), name});
}

void Ledger::removed(const QString &id)
{
    post(u"UPDATE sandboxes SET removed_at = ? WHERE id = ?"_s, {now(), id});
}

void Ledger::abandoned(const QString &name)
{
    post(u"UPDATE sandboxes SET removed_at = ? WHERE name = ?"_s, {now(), name});
}

Operation<QList<LedgerLine>> Ledger::lines()
{
    if (!m_writer)
        return finishedOperation(QList<LedgerLine>());
    const OperationPromise<QList<LedgerLine>> promise;
    postCall(m_writer, [writer = m_writer, promise] { promise.finish(writer->read()); });
    return promise.operation();
}

Diagnosis Ledger::diagnosis() const
{
    const auto line = [](Diagnosis::Status status, const QString &finding, const QString &fix) {
        return Diagnosis{status, u"ledger"_s, finding, fix};
    };
    if (!m_writer)
        return line(Diagnosis::Status::Good, QCoreApplication::translate("Sandboxio::Engine", "not kept"), {});
    const QString problem = m_writer->problem();
    if (problem.isEmpty())
        return line(Diagnosis::Status::Good, m_path, {});
    return line(Diagnosis::Status::Warning, m_path + u": "_s + problem,
                QCoreApplication::translate("Sandboxio::Engine",
                                            "Make the folder writable, or choose another state folder."));
}

} // namespace Sandboxio::Detail
