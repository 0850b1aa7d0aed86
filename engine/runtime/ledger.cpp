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
    QString problem() const
    {
        const std::lock_guard lock(m_mutex);
        return m_problem;
    }

private:
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

Ledger::Ledger(const QString &stateDirectory, const std::shared_ptr<WriterThread> &thread)
    : m_thread(thread)
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
    postCall(m_writer, [writer = m_writer, promise, name, dsn = target.identity()] {
        writer->write(u"INSERT OR REPLACE INTO sandboxes (name, target, planned_at) VALUES (?, ?, ?)"_s,
                      {name, dsn, now()});
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
