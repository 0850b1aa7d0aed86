// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "dockerdaemon.h"
#include "lifetimetable.h"
#include "support/testprogram.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

// The program is killed by SIGKILL at every point of creating and running. A proxy between it and the daemon
// holds the traffic at the chosen point, so that it dies exactly there.
class TestKilledClient : public QObject
{
    Q_OBJECT
    static constexpr auto lifetime = 10s;

    struct Client
    {
        std::unique_ptr<QProcess> proxy;
        std::unique_ptr<QProcess> program;
        bool died = false;
    };

    static QStringList points()
    {
        const QStringList requests{u"POST /containers/create"_s, u"POST /attach"_s,
                                   u"POST /containers/[0-9a-f]+/start"_s, u"POST /containers/[0-9a-f]+/exec"_s,
                                   u"POST /exec/[0-9a-f]+/start"_s};
        QStringList rules;
        for (const QString &request : requests) {
            for (const char *phase : {"before-request", "after-request", "before-reply", "after-reply"})
                rules.append(request + u":1:"_s + QLatin1StringView(phase) + u":stop"_s);
        }
        return rules;
    }

    static QByteArray lineFrom(QProcess &process, const QByteArray &start)
    {
        QElapsedTimer timer;
        timer.start();
        while (timer.elapsed() < 60'000) {
            while (process.canReadLine()) {
                const QByteArray line = process.readLine();
                if (line.startsWith(start))
                    return line;
            }
            process.waitForReadyRead(100);
        }
        return {};
    }

    static QByteArray run(const QStringList &arguments)
    {
        QProcess process;
        process.start(QStringLiteral(SANDBOXIO_PROGRAM), arguments);
        process.waitForFinished(60'000);
        return process.readAllStandardOutput();
    }

    static Client killAt(const QString &rule, const QString &socket)
    {
        Client client{std::make_unique<QProcess>(), std::make_unique<QProcess>()};
        client.proxy->start(QStringLiteral(SANDBOXIO_FAULT_PROXY),
                            {u"--listen"_s, socket, u"--target"_s, Live::daemonSocket(), u"--rule"_s, rule});
        if (lineFrom(*client.proxy, "listening").isEmpty())
            return client;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"DOCKER_HOST"_s, u"unix://"_s + socket);
        client.program->setProcessEnvironment(environment);
        client.program->start(QStringLiteral(SANDBOXIO_PROGRAM),
                              {u"run"_s, u"--lifetime"_s, QString::number(lifetime.count()), u"--image"_s,
                               Live::testImage(), u"--label"_s, u"test_run="_s + Live::testRun(), u"--label"_s,
                               u"subject=killed"_s, u"--"_s, u"sleep"_s, u"600"_s});
        if (!client.program->waitForStarted() || lineFrom(*client.proxy, "hit").isEmpty())
            return client;
        ::kill(static_cast<pid_t>(client.program->processId()), SIGKILL);
        client.died = client.program->waitForFinished(5000);
        // Held bytes must not reach the daemon after the client's death.
        ::kill(static_cast<pid_t>(client.proxy->processId()), SIGKILL);
        client.proxy->waitForFinished(5000);
        return client;
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (const QString why = Live::missingDaemon(); !why.isEmpty())
            QSKIP(qPrintable(why));
        if (!Live::daemonSocket().startsWith(u'/'))
            QSKIP("the daemon is not on a local socket");
    }

    void everyLeftoverEndsInTimeAndIsReaped()
    {
        QTemporaryDir folder(u"/tmp/sbx-XXXXXX"_s);
        int number = 0;
        const QStringList rules = points();
        QCOMPARE(rules.size(), 20);
        for (const QString &rule : rules) {
            const Client client = killAt(rule, folder.filePath(QString::number(++number)));
            QVERIFY2(client.died,
                     qPrintable(rule + u' ' + QString::fromUtf8(client.program->readAllStandardError())));
        }
        // The last one started before its client died; the lifetime and two seconds later nothing may run.
        QTest::qWait(std::chrono::milliseconds(lifetime + 2s));
        const QStringList left = Live::containersWith(u"subject"_s, u"killed"_s);
        QVERIFY2(left.size() >= 12, qPrintable(QString::number(left.size())));
        qint64 longest = 0;
        for (const QString &id : left) {
            const QByteArrayList state =
                Live::docker({u"inspect"_s, u"--format"_s,
                              u"{{.State.Running}} {{.State.StartedAt}} {{.State.FinishedAt}}"_s, id})
                    .simplified()
                    .split(' ');
            QCOMPARE(state.first(), "false"_ba);
            const QDateTime began = QDateTime::fromString(QString::fromLatin1(state.at(1)), Qt::ISODateWithMs);
            const QDateTime ended = QDateTime::fromString(QString::fromLatin1(state.at(2)), Qt::ISODateWithMs);
            QVERIFY(began.isValid() && ended.isValid());
            longest = std::max(longest, began.msecsTo(ended)); // one that never ran has the year 1 twice
        }
        Live::addToLifetimeTable(
            {.attack = u"its program is killed (SIGKILL), at 20 points of creating and running"_s,
             .answers = u"%1 left to end by themselves"_s.arg(left.size()),
             .lifetimeMs = std::chrono::milliseconds(lifetime).count(),
             .endedMs = longest});

        const QStringList filter{u"--label"_s, u"test_run="_s + Live::testRun(), u"--label"_s,
                                 u"subject=killed"_s};
        const QByteArray listed = run(QStringList{u"reap"_s, u"--json"_s} + filter);
        for (const QString &id : left)
            QVERIFY2(listed.contains(id.toLatin1()), qPrintable(id));
        run(QStringList{u"reap"_s, u"--kill"_s} + filter);
        QCOMPARE(Live::containersWith(u"subject"_s, u"killed"_s), QStringList());
    }
};

SANDBOXIO_TEST(TestKilledClient)
#include "tst_killedclient.moc"
