// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "guestharness.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTest>
#include <QUuid>

#include <unistd.h>

using namespace Qt::StringLiterals;

namespace Sandboxio::Guest::Test {

QStringList helperCommand()
{
    const QString emulated = qEnvironmentVariable("SANDBOXIO_TEST_GUEST_COMMAND");
    return emulated.isEmpty() ? QStringList{QStringLiteral(SANDBOXIO_GUEST_BINARY)} : emulated.split(u'|');
}

bool isEmulated()
{
    return helperCommand().size() > 1;
}

QString noStartErrors()
{
    return isEmulated() ? u"the emulator runs vfork as fork, so the error of a start is not told"_s : QString();
}

bool canUnshare()
{
    return ::geteuid() == 0;
}

Peer::Peer(const QString &program, const QStringList &arguments, const QString &mark)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"SANDBOXIO_TEST_MARK"_s, mark);
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    client = new Client({.write = [this](const QByteArray &bytes) { process.write(bytes); },
                         .bytesToWrite =
                             [this] {
                                 return process.bytesToWrite();
                             }},
                        {.ready = {},
                         .failed =
                             [this](const QString &reason) {
                                 failure = reason;
                             }},
                        this);
    connect(&process, &QProcess::readyReadStandardOutput, this, [this] {
        const QByteArray bytes = process.readAllStandardOutput();
        if (client)
            client->feed(bytes);
    });
    connect(&process, &QProcess::bytesWritten, this, [this] {
        if (client)
            client->outputDrained();
    });
    connect(&process, &QProcess::finished, this, [this] {
        if (client)
            client->connectionLost();
    });
    process.start(program, arguments);
    client->start();
}

Peer::~Peer()
{
    process.disconnect(this);
    process.closeWriteChannel();
    if (process.state() != QProcess::NotRunning && !process.waitForFinished(5000)) {
        process.kill();
        process.waitForFinished();
    }
}

RunHandlers Peer::handlersOf(const RunRecordPtr &record, Crediting crediting)
{
    RunHandlers handlers;
    handlers.spawned = [record](qint64 pid) {
        record->pid = pid;
    };
    handlers.failed = [record](int errorNumber, SpawnStage stage) {
        record->failedWith = errorNumber;
        record->failedStage = stage;
    };
    handlers.attached = [record](const Attached &attached) {
        record->attached = attached;
    };
    handlers.outputLost = [record](StreamId stream, quint64 bytes) {
        record->gaps.append({stream, bytes});
    };
    handlers.output = [this, record, crediting](StreamId stream, quint64 offset, const QByteArray &data) {
        if (record->out.isEmpty() && record->err.isEmpty())
            record->firstOffset = offset;
        if (stream == StreamId::Control && record->control.isEmpty())
            record->outAtControl = record->out.size();
        (stream == StreamId::Stdout   ? record->out
         : stream == StreamId::Stderr ? record->err
                                      : record->control) += data;
        if (crediting == Crediting::Automatic)
            client->credit(record->id, stream, data.size());
    };
    handlers.eof = [record](StreamId stream) {
        if (stream == StreamId::Control)
            return;
        (stream == StreamId::Stdin    ? record->stdinEof
         : stream == StreamId::Stdout ? record->outEof
                                      : record->errEof) = true;
    };
    handlers.exited = [record](const ExitStatus &status) {
        record->exit = status;
        record->outAtExit = record->out.size();
    };
    handlers.stdinCredit = [record](qint64 space) {
        record->stdinOffered = space;
    };
    handlers.lost = [record] {
        ++record->lostCount;
    };
    return handlers;
}

RunRecordPtr Peer::run(const Spawn &spawn, Crediting crediting)
{
    auto record = std::make_shared<RunRecord>();
    record->id = client->spawn(spawn, handlersOf(record, crediting));
    return record;
}

RunRecordPtr Peer::attach(const Attach &request, Crediting crediting)
{
    auto record = std::make_shared<RunRecord>();
    record->id = client->attach(request, handlersOf(record, crediting));
    return record;
}

Spawn command(std::vector<std::string> argv)
{
    Spawn spawn;
    spawn.argv = std::move(argv);
    return spawn;
}

Spawn shell(std::string script)
{
    return command({"sh", "-c", std::move(script)});
}

Harness::Harness(Place place, qint64 lifetimeMs, const QStringList &options)
    : mark(QUuid::createUuid().toString(QUuid::WithoutBraces))
    , socketName(u"sandboxio-test-"_s + mark)
    , m_place(place)
{
    const QStringList serve =
        helperCommand() +
        QStringList{u"serve"_s, u"--lifetime-ms"_s, QString::number(lifetimeMs), u"--socket"_s, socketName} +
        options;
    QStringList whole = serve;
    // As a container has it: no capabilities, also for root.
    if (place == Place::PidNamespace)
        whole = QStringList{u"unshare"_s,
                            u"--pid"_s,
                            u"--fork"_s,
                            u"--mount-proc"_s,
                            u"--kill-child"_s,
                            u"setpriv"_s,
                            u"--bounding-set=-all"_s,
                            u"--inh-caps=-all"_s,
                            u"--no-new-privs"_s} +
                serve;
    creator = std::make_unique<Peer>(whole.takeFirst(), whole, mark);
}

Harness::~Harness()
{
    if (creator)
        shutDown();
}

bool Harness::waitReady()
{
    return QTest::qWaitFor([this] { return creator->isReady(); }, 5000);
}

RunRecordPtr Harness::finish(const Spawn &spawn)
{
    const RunRecordPtr record = run(spawn);
    if (!QTest::qWaitFor([&] { return record->isFinished(); }, 20000))
        qWarning("the run did not finish");
    return record;
}

qint64 Harness::initPid() const
{
    for (const qint64 pid : processes("serve")) {
        QFile status(u"/proc/%1/status"_s.arg(pid));
        if (!status.open(QIODevice::ReadOnly))
            continue;
        for (const QByteArray &line : status.readAll().split('\n')) {
            if (line.startsWith("NSpid:") && line.endsWith("\t1"))
                return pid;
        }
    }
    return -1;
}

QStringList Harness::inside(const QStringList &helperArguments) const
{
    QStringList whole = helperCommand() + helperArguments + QStringList{u"--socket"_s, socketName};
    if (m_place == Place::PidNamespace)
        whole =
            QStringList{u"nsenter"_s, u"-t"_s, QString::number(initPid()), u"-p"_s, u"-m"_s, u"--"_s} + whole;
    return whole;
}

std::unique_ptr<Peer> Harness::relay()
{
    QStringList whole = inside({u"relay"_s});
    const QString program = whole.takeFirst();
    return std::make_unique<Peer>(program, whole, mark);
}

std::unique_ptr<QProcess> Harness::start(const QStringList &helperArguments)
{
    QStringList whole = inside(helperArguments);
    const QString program = whole.takeFirst();
    auto process = std::make_unique<QProcess>();
    process->start(program, whole);
    return process;
}

QList<qint64> Harness::processes(const QByteArray &text) const
{
    QList<qint64> found;
    const QByteArray wanted = "SANDBOXIO_TEST_MARK=" + mark.toLatin1();
    for (const QString &name : QDir(u"/proc"_s).entryList(QDir::Dirs)) {
        bool isNumber = false;
        const qint64 pid = name.toLongLong(&isNumber);
        QFile environment(u"/proc/%1/environ"_s.arg(name));
        QFile commandLine(u"/proc/%1/cmdline"_s.arg(name));
        if (isNumber && environment.open(QIODevice::ReadOnly) && environment.readAll().contains(wanted) &&
            commandLine.open(QIODevice::ReadOnly) && commandLine.readAll().contains(text))
            found.append(pid);
    }
    return found;
}

bool Harness::shutDown()
{
    if (client() && client()->isUsable())
        client()->shutdown({});
    const bool ended = QTest::qWaitFor(
        [this] { return creator->process.state() == QProcess::NotRunning && processes().isEmpty(); }, 5000);
    if (!ended)
        qWarning() << "left behind:" << processes();
    return ended;
}

} // namespace Sandboxio::Guest::Test
