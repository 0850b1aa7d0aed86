// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "benchmarks.h"

#include "memorygrowth.h"
#include "peers.h"
#include "timed.h"

#include "../format.h"
#include "../translation.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QThread>

#include <algorithm>
#include <deque>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 streamBytes = 1'000'000'000;
constexpr qint64 fileBytes = qint64(1) << 30;
constexpr int runsAtOnce = 200;

constexpr auto runTrueName = "run true"_L1;
constexpr auto dockerPyName = "run true, docker-py"_L1;
constexpr auto manyRunsName = "200 runs at once"_L1;
constexpr auto createName = "create to first byte"_L1;
constexpr auto streamName = "stream 1 GB"_L1;
constexpr auto uploadName = "upload 1 GiB"_L1;
constexpr auto downloadName = "download 1 GiB"_L1;

// More need more memory and processes inside than a sandbox may have, and are no faster.
int programsAtOnce()
{
    return 4 * QThread::idealThreadCount();
}

Measurement row(QLatin1StringView name, const QString &unit, const QString &peer, double goal,
                const QString &how)
{
    return {.name = name,
            .unit = unit,
            .peerName = peer,
            .goal = goal,
            .how = how,
            .skipped = {},
            .ours = {},
            .peer = {}};
}

[[noreturn]] void raiseLocal(const QString &why)
{
    makeError(ErrorKind::FileSystemError, Text::tr("A file for the measurement cannot be made: %1").arg(why),
              Text::tr("Set TMPDIR to a folder with 3 GiB of free space."))
        .raise();
}

} // namespace

Benchmarks::Benchmarks(Session &session, SandboxPtr sandbox, CreateArguments create, std::optional<int> rounds)
    : m_session(session)
    , m_sandbox(std::move(sandbox))
    , m_create(std::move(create))
    , m_rounds(rounds)
{}

const std::array<Benchmarks::Row, 7> &Benchmarks::rows()
{
    static constexpr std::array<Row, 7> all{{{runTrueName, &Benchmarks::runTrue},
                                             {dockerPyName, &Benchmarks::runTrueWithDockerPy},
                                             {manyRunsName, &Benchmarks::manyRuns},
                                             {createName, &Benchmarks::create},
                                             {streamName, &Benchmarks::stream},
                                             {uploadName, &Benchmarks::upload},
                                             {downloadName, &Benchmarks::download}}};
    return all;
}

QStringList Benchmarks::names()
{
    QStringList names;
    for (const Row &row : rows())
        names.append(row.name);
    return names;
}

QCoro::Task<Measurement> Benchmarks::measure(const QString &name)
{
    const auto row = std::ranges::find(rows(), name, &Row::name);
    Q_ASSERT(row != rows().end());
    return (this->*row->measure)();
}

QString Benchmarks::dockerHost() const
{
    return m_sandbox->target().parameters.value(u"host"_s);
}

Operation<void> Benchmarks::docker(const QStringList &arguments) const
{
    const QString host = dockerHost();
    return runPeer(u"docker"_s, host.isEmpty() ? arguments : QStringList{u"--host"_s, host} + arguments);
}

QString Benchmarks::withGrowth(const QString &how) const
{
    if (!m_growth)
        return how;
    return Text::tr("%1; our memory grew by %2 at most").arg(how, formatBytes(double(*m_growth)));
}

// Both once without measuring, then by turns, so that what changes on the machine changes both.
QCoro::Task<Measurement> Benchmarks::compare(Contest contest)
{
    const double scale = contest.row.unit == "ms"_L1 ? 1000 : 1;
    m_growth.reset();
    co_await contest.ours();
    co_await contest.peer();
    const int rounds = m_rounds.value_or(contest.rounds);
    for (int i = 0; i < rounds; ++i) {
        contest.row.ours.append(scale * co_await contest.ours());
        contest.row.peer.append(scale * co_await contest.peer());
        m_session.console().showProgress(u"%1 %2/%3"_s.arg(contest.row.name).arg(i + 1).arg(rounds));
    }
    m_session.console().showProgress({});
    co_return contest.row;
}

QCoro::Task<double> Benchmarks::timedRun()
{
    return timed([this] { return m_session.interruptible(m_sandbox->run({u"true"_s})); });
}

QCoro::Task<double> Benchmarks::timedDocker(const QStringList &arguments)
{
    return timed([this, arguments] { return m_session.interruptible(docker(arguments)); });
}

QCoro::Task<Measurement> Benchmarks::runTrue()
{
    co_return co_await compare(
        {row(runTrueName, u"ms"_s, u"docker exec"_s, 1.0 / 30, Text::tr("`true` in a running sandbox")), 30,
         [this] { return timedRun(); },
         [this] {
             return timedDocker({u"exec"_s, m_sandbox->id(), u"true"_s});
         }});
}

QCoro::Task<Measurement> Benchmarks::runTrueWithDockerPy()
{
    Measurement measurement = row(dockerPyName, u"ms"_s, u"docker-py"_s, 1.0 / 20,
                                  Text::tr("`true` in a running sandbox; one Python process for all rounds"));
    DockerPy dockerPy;
    measurement.skipped = co_await m_session.interruptible(dockerPy.start(dockerHost(), m_sandbox->id()));
    if (!measurement.skipped.isEmpty())
        co_return measurement;
    co_return co_await compare(
        {measurement, 30, [this] { return timedRun(); },
         [this, &dockerPy] {
             return timed([this, &dockerPy] { return m_session.interruptible(dockerPy.runTrue()); });
         }});
}

QCoro::Task<double> Benchmarks::timedRuns()
{
    QElapsedTimer timer;
    timer.start();
    std::vector<Operation<ExecResult>> runs;
    runs.reserve(runsAtOnce);
    for (int i = 0; i < runsAtOnce; ++i)
        runs.push_back(m_sandbox->run({u"true"_s}));
    for (const Operation<ExecResult> &run : runs)
        co_await m_session.interruptible(run);
    co_return secondsOf(timer);
}

QCoro::Task<double> Benchmarks::timedPrograms()
{
    QElapsedTimer timer;
    timer.start();
    std::deque<Operation<void>> programs;
    for (int i = 0; i < runsAtOnce; ++i) {
        if (std::ssize(programs) >= programsAtOnce()) {
            const Operation<void> oldest = programs.front();
            programs.pop_front();
            co_await m_session.interruptible(oldest);
        }
        programs.push_back(docker({u"exec"_s, m_sandbox->id(), u"true"_s}));
    }
    for (const Operation<void> &program : std::as_const(programs))
        co_await m_session.interruptible(program);
    co_return secondsOf(timer);
}

QCoro::Task<Measurement> Benchmarks::manyRuns()
{
    co_return co_await compare(
        {row(manyRunsName, u"ms"_s, u"docker exec x 200"_s, 1.0 / 5,
             Text::tr("ours all at once in one sandbox, the peer %1 at a time").arg(programsAtOnce())),
         3, [this] { return timedRuns(); },
         [this] {
             return timedPrograms();
         }});
}

QCoro::Task<double> Benchmarks::timedCreate()
{
    QElapsedTimer timer;
    timer.start();
    const SandboxPtr sandbox =
        co_await m_session.interruptible(m_session.engine().create(m_sandbox->target(), m_create.options));
    co_await sandbox->run({u"echo"_s, u"x"_s});
    const double time = secondsOf(timer);
    co_await sandbox->kill();
    co_return time;
}

QCoro::Task<Measurement> Benchmarks::create()
{
    const QString image = m_sandbox->details().managed.templateId;
    co_return co_await compare(
        {row(createName, u"ms"_s, u"docker run --rm"_s, 0.95,
             Text::tr("until the output of `echo` is here; the peer without network, whole command")),
         10, [this] { return timedCreate(); },
         [this, image] {
             return timedDocker({u"run"_s, u"--rm"_s, u"--network"_s, u"none"_s, image, u"echo"_s, u"x"_s});
         }});
}

QCoro::Task<double> Benchmarks::timedStream()
{
    const MemoryGrowth growth;
    QElapsedTimer timer;
    timer.start();
    const std::shared_ptr<Process> process =
        m_sandbox->stream({u"head"_s, u"-c"_s, QString::number(streamBytes), u"/dev/zero"_s});
    co_await m_session.interruptible(process->start(Process::ConsumerMode::Pull));
    qint64 received = 0;
    while (true) {
        const std::optional<OutputChunk> chunk = co_await process->nextChunk();
        if (!chunk || m_session.interruption().signal())
            break;
        received += chunk->data.size();
    }
    if (m_session.interruption().signal())
        throw OperationCancelled();
    const ExecResult result = co_await process->wait();
    if (received != streamBytes || !result.succeeded())
        makeError(ErrorKind::ExecutionError,
                  Text::tr("The stream carried %1 of %2 bytes.").arg(received).arg(streamBytes))
            .raise();
    const double time = secondsOf(timer);
    noteGrowth(growth.bytes());
    co_return time;
}

QCoro::Task<Measurement> Benchmarks::stream()
{
    const QStringList peer{u"exec"_s,     m_sandbox->id(), u"head"_s, u"-c"_s, QString::number(streamBytes),
                           u"/dev/zero"_s};
    Measurement measured = co_await compare({row(streamName, u"s"_s, u"docker exec > /dev/null"_s, 1.03, {}), 5,
                                             [this] { return timedStream(); },
                                             [this, peer] {
                                                 return timedDocker(peer);
                                             }});
    measured.how = withGrowth(Text::tr("`head -c 1000000000 /dev/zero`, pulled chunk by chunk"));
    co_return measured;
}

QCoro::Task<Measurement> Benchmarks::transfer(bool isUpload)
{
    const QTemporaryDir folder;
    const QString local = folder.filePath(u"data"_s);
    QFile file(local);
    if (!file.open(QIODevice::WriteOnly) || !file.resize(fileBytes))
        raiseLocal(file.errorString());
    file.close();
    const QString remote = m_sandbox->details().workingDirectory + u"/sandboxio-bench"_s;
    const FileSystem files = m_sandbox->files();
    if (!isUpload)
        co_await m_session.interruptible(files.upload(local, remote));
    const auto copy = [this, files, isUpload, local, remote]() -> QCoro::Task<double> {
        const MemoryGrowth growth;
        const double time = co_await timed([this, files, isUpload, local, remote] {
            return m_session.interruptible(isUpload ? files.upload(local, remote)
                                                    : files.download(remote, local + u".ours"_s));
        });
        noteGrowth(growth.bytes());
        co_return time;
    };
    const QString inside = m_sandbox->id() + u':' + remote;
    const QStringList peer =
        isUpload ? QStringList{u"cp"_s, local, inside} : QStringList{u"cp"_s, inside, local + u".peer"_s};
    Measurement measured = co_await compare(
        {row(isUpload ? uploadName : downloadName, u"s"_s, u"docker cp"_s, 1, {}), 3, copy, [this, peer] {
             return timedDocker(peer);
         }});
    measured.how = withGrowth(Text::tr("one file of zeros"));
    co_await files.remove(remote);
    co_return measured;
}

} // namespace Sandboxio::Cli
