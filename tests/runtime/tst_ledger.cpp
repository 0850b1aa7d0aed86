// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "support/testprogram.h"

#include <sandboxio/fake/fakescript.h>
#include <sandboxio/runtime/engine.h>

#include <QProcess>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

const auto target = [] {
    return Target::fromDsn(u"fake://base"_s);
};

/*! One program of the user: creates \a count sandboxes, ends every other one, and hangs in the next when told. */
int actAsProgram(const QString &state, int count, bool hang)
{
    Engine engine({.stateDirectory = state});
    const auto script = std::make_shared<Fake::Script>();
    engine.registerBackend(u"fake"_s, Fake::factory(script));
    for (int i = 0; i < count; ++i) {
        const SandboxPtr sandbox = engine.create(target()).result();
        if (i % 2)
            sandbox->kill().result();
    }
    if (hang) {
        script->setFaults({.createStep = 50s});
        engine.create(target()).waitFor(100s);
    }
    return 0;
}

struct Row
{
    QString name;
    QString target;
    QString id;
    bool created = false;
    bool removed = false;
};

/*! The ledger as another program reads it. */
class Reader
{
public:
    explicit Reader(const QString &state)
    {
        m_database = QSqlDatabase::addDatabase(u"QSQLITE"_s, u"reader"_s);
        m_database.setDatabaseName(state + u"/ledger.sqlite"_s);
        m_database.setConnectOptions(u"QSQLITE_OPEN_READONLY;QSQLITE_BUSY_TIMEOUT=5000"_s);
        m_database.open();
    }
    ~Reader()
    {
        m_database.close();
        m_database = {};
        QSqlDatabase::removeDatabase(u"reader"_s);
    }
    QList<Row> rows() const
    {
        QList<Row> rows;
        QSqlQuery query(m_database);
        query.exec(u"SELECT name, target, id, created_at, removed_at FROM sandboxes ORDER BY planned_at"_s);
        while (query.next())
            rows.append({query.value(0).toString(), query.value(1).toString(), query.value(2).toString(),
                         !query.isNull(3), !query.isNull(4)});
        return rows;
    }
    QString integrity() const
    {
        QSqlQuery query(m_database);
        return query.exec(u"PRAGMA integrity_check"_s) && query.next() ? query.value(0).toString() : QString();
    }

private:
    QSqlDatabase m_database;
};

std::unique_ptr<QProcess> startProgram(const QStringList &arguments)
{
    auto process = std::make_unique<QProcess>();
    process->setProcessChannelMode(QProcess::ForwardedChannels);
    process->start(QCoreApplication::applicationFilePath(),
                   QStringList{u"tst_ledger"_s, u"--act"_s} + arguments);
    return process;
}

} // namespace

class TestLedger : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void programsWriteAtTheSameTime()
    {
        const QTemporaryDir folder;
        constexpr int programs = 3;
        constexpr int each = 20;
        std::vector<std::unique_ptr<QProcess>> running;
        for (int i = 0; i < programs; ++i)
            running.push_back(startProgram({folder.path(), QString::number(each)}));
        for (const auto &process : running) {
            QVERIFY(process->waitForFinished(60'000));
            QCOMPARE(process->exitCode(), 0);
        }
        const Reader reader(folder.path());
        const QList<Row> rows = reader.rows();
        QCOMPARE(rows.size(), programs * each);
        QSet<QString> names;
        qsizetype removed = 0;
        for (const Row &row : rows) {
            names.insert(row.name);
            QVERIFY2(row.created && !row.id.isEmpty(), qPrintable(row.name));
            QCOMPARE(row.target, target().identity());
            removed += row.removed ? 1 : 0;
        }
        QCOMPARE(names.size(), rows.size());
        QCOMPARE(removed, programs * each / 2);
        QCOMPARE(reader.integrity(), u"ok"_s);
    }

    void thePlannedNameSurvivesTheWorstMoment()
    {
        const QTemporaryDir folder;
        const auto process = startProgram({folder.path(), u"1"_s, u"hang"_s});
        QVERIFY(process->waitForStarted());
        const auto planned = [&folder]() -> QList<Row> {
            return QFile::exists(folder.filePath(u"ledger.sqlite"_s)) ? Reader(folder.path()).rows()
                                                                      : QList<Row>();
        };
        QTRY_COMPARE_WITH_TIMEOUT(planned().size(), 2, 20'000);
        ::kill(static_cast<pid_t>(process->processId()), SIGKILL);
        QVERIFY(process->waitForFinished());
        const QList<Row> rows = planned();
        QCOMPARE(rows.size(), 2);
        QVERIFY(rows.last().name.startsWith(u"sandboxio-"_s));
        QVERIFY(!rows.last().created && !rows.last().removed);
    }

    void whatCameToNothingIsClosed()
    {
        const QTemporaryDir folder;
        const auto script = std::make_shared<Fake::Script>();
        {
            Engine engine({.stateDirectory = folder.path()});
            engine.registerBackend(u"fake"_s, Fake::factory(script));
            script->setFaults({.create = makeError(ErrorKind::CreationError, u"no"_s)});
            QVERIFY_THROWS_EXCEPTION(CreationError, engine.create(target()).result());
            script->setFaults({.createStep = 20ms});
            const auto creation = engine.create(target());
            QVERIFY(!creation.waitFor(5ms));
            creation.cancel();
            QVERIFY_THROWS_EXCEPTION(OperationCancelled, creation.result());
        }
        const QList<Row> rows = Reader(folder.path()).rows();
        QVERIFY(!rows.isEmpty()); // a cancel that came before the plan leaves none
        for (const Row &row : rows)
            QVERIFY2(row.removed && !row.created, qPrintable(row.name));
    }

    void anOrphanStaysOpen()
    {
        const QTemporaryDir folder;
        const auto script = std::make_shared<Fake::Script>();
        {
            Engine engine({.stateDirectory = folder.path(), .teardownGrace = 50ms});
            engine.registerBackend(u"fake"_s, Fake::factory(script));
            const SandboxPtr sandbox = engine.create(target()).result();
            script->setFaults({.killHangs = true});
            QVERIFY_THROWS_EXCEPTION(ConnectError, sandbox->kill().result());
        }
        const QList<Row> rows = Reader(folder.path()).rows();
        QCOMPARE(rows.size(), 1);
        QVERIFY(rows.first().created && !rows.first().removed);
    }

    void theLedgerNamesOwnersThatTheProviderDoesNot()
    {
        const QTemporaryDir folder;
        const auto process = startProgram({folder.path(), u"1"_s, u"hang"_s});
        QVERIFY(process->waitForStarted());
        const auto known = [&folder]() -> QList<Row> {
            return QFile::exists(folder.filePath(u"ledger.sqlite"_s)) ? Reader(folder.path()).rows()
                                                                      : QList<Row>();
        };
        QTRY_COMPARE_WITH_TIMEOUT(known().size(), 2, 20'000);
        const QList<Row> rows = known();
        const auto script = std::make_shared<Fake::Script>();
        Engine engine({.stateDirectory = folder.path()});
        engine.registerBackend(u"fake"_s, Fake::factory(script));
        ManagedSandbox created; // what the provider says of it: nothing about an owner
        created.id = rows.first().id;
        created.state = SandboxState::Running;
        created.createdAt = QDateTime::currentDateTimeUtc();
        script->addManaged(created);
        ManagedSandbox planned = created; // its program was killed before it wrote the id
        planned.id = u"unwritten"_s;
        planned.name = rows.last().name;
        script->addManaged(planned);
        ManagedSandbox stranger = created;
        stranger.id = stranger.name = u"stranger"_s;
        stranger.owner.foreign = true;
        script->addManaged(stranger);
        const auto verdicts = [&] {
            QMap<QString, QString> found;
            const ManagedListing listing = engine.listManaged({.targets = {target()}, .metadata = {}}).result();
            for (const ManagedSandbox &row : listing.rows()) {
                const Ownership ownership = engine.ownershipOf(row);
                found[row.id] = verdictName(ownership.verdict) + u' ' + confidenceName(ownership.confidence);
            }
            return found;
        };
        const QMap<QString, QString> whileItRuns{{created.id, u"in use certain"_s},
                                                 {planned.id, u"in use certain"_s},
                                                 {stranger.id, u"unknown none"_s}};
        QCOMPARE(verdicts(), whileItRuns);
        ::kill(static_cast<pid_t>(process->processId()), SIGKILL);
        QVERIFY(process->waitForFinished());
        const QMap<QString, QString> afterwards{{created.id, u"orphan certain"_s},
                                                {planned.id, u"orphan certain"_s},
                                                {stranger.id, u"unknown none"_s}};
        QCOMPARE(verdicts(), afterwards);
    }

    void aLedgerOfAnEarlierVersionIsReadAndWritten()
    {
        const QTemporaryDir folder;
        {
            QSqlDatabase old = QSqlDatabase::addDatabase(u"QSQLITE"_s, u"old"_s);
            old.setDatabaseName(folder.filePath(u"ledger.sqlite"_s));
            QVERIFY(old.open());
            QSqlQuery query(old);
            QVERIFY(query.exec(u"CREATE TABLE sandboxes (name TEXT PRIMARY KEY, target TEXT NOT NULL, id TEXT, "
                               "planned_at TEXT NOT NULL, created_at TEXT, removed_at TEXT)"_s));
            QVERIFY(
                query.exec(u"INSERT INTO sandboxes VALUES ('old', 'fake://base', 'old-id', 'x', 'x', NULL)"_s));
        }
        QSqlDatabase::removeDatabase(u"old"_s);
        const auto script = std::make_shared<Fake::Script>();
        ManagedSandbox old;
        old.id = u"old-id"_s;
        old.owner.foreign = true;
        script->addManaged(old);
        Engine engine({.stateDirectory = folder.path()});
        engine.registerBackend(u"fake"_s, Fake::factory(script));
        const SandboxPtr fresh = engine.create(target()).result();
        const QList<ManagedSandbox> rows =
            engine.listManaged({.targets = {target()}, .metadata = {}}).result().rows();
        QCOMPARE(rows.size(), 2);
        for (const ManagedSandbox &row : rows) {
            QVERIFY(row.inLedger);
            QCOMPARE(row.owner.foreign, row.id == old.id); // a line that names nobody hides nothing
            const auto expected = row.id == old.id ? Ownership::Verdict::Unknown : Ownership::Verdict::InUse;
            QCOMPARE(engine.ownershipOf(row).verdict, expected);
        }
        const auto ledger = engine.doctor({target()}).result().engine;
        const auto line =
            std::ranges::find(ledger, u"ledger"_s, [](const Diagnosis &one) { return one.subject; });
        QCOMPARE(line->status, Diagnosis::Status::Good);
    }

    void listingMakesNoLedger()
    {
        const QTemporaryDir folder;
        Engine engine({.stateDirectory = folder.filePath(u"state"_s)});
        engine.registerBackend(u"fake"_s, Fake::factory(std::make_shared<Fake::Script>()));
        engine.listManaged({.targets = {target()}, .metadata = {}}).result();
        QVERIFY(!QFile::exists(folder.filePath(u"state"_s)));
    }

    void aLedgerThatCannotBeWrittenStopsNothing()
    {
        Engine engine({.stateDirectory = u"/proc/nowhere"_s});
        engine.registerBackend(u"fake"_s, Fake::factory(std::make_shared<Fake::Script>()));
        engine.create(target()).result()->kill().result();
        const DoctorReport report = engine.doctor({target()}).result();
        const auto line =
            std::ranges::find(report.engine, u"ledger"_s, [](const Diagnosis &one) { return one.subject; });
        QVERIFY(line != report.engine.end());
        QCOMPARE(line->status, Diagnosis::Status::Warning);
        QVERIFY(!line->fix.isEmpty());
    }
};

static int runLedgerTest(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    const QStringList arguments = application.arguments();
    if (arguments.value(1) == "--act"_L1)
        return actAsProgram(arguments.value(2), arguments.value(3).toInt(), arguments.size() > 4);
    TestLedger test;
    return QTest::qExec(&test, argc, argv);
}

SANDBOXIO_TEST_FUNCTION(runLedgerTest)
#include "tst_ledger.moc"
