// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "measure.h"
#include "support/processmemory.h"

#include "dockerdaemon.h"

#include <sandboxio/runtime/scopedsandbox.h>

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QTemporaryDir>

#include <cstdio>
#include <thread>

using namespace Sandboxio;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr qint64 streamBytes = 1'000'000'000;
constexpr double mebibyte = 1024 * 1024;

void docker(const QStringList &arguments)
{
    QProcess process;
    process.setStandardOutputFile(QProcess::nullDevice());
    process.start(u"docker"_s, arguments);
    if (!process.waitForFinished(600'000) || process.exitCode() != 0)
        qFatal("docker %s failed", qPrintable(arguments.join(u' ')));
}

qint64 streamAll(const Sandbox &sandbox, qint64 bytes, double bytesPerSecond = 0)
{
    const auto process = sandbox.stream({u"head"_s, u"-c"_s, QString::number(bytes), u"/dev/zero"_s});
    process->start(Process::ConsumerMode::Pull).result();
    qint64 received = 0;
    while (const auto chunk = process->nextChunk().result()) {
        received += chunk->data.size();
        if (bytesPerSecond > 0)
            std::this_thread::sleep_for(
                std::chrono::duration<double>(static_cast<double>(chunk->data.size()) / bytesPerSecond));
    }
    if (received != bytes || process->wait().result().exitCode != 0)
        qFatal("the stream carried %lld of %lld bytes", received, bytes);
    return received;
}

// Growth of resident memory while \a action runs, MiB.
double growth(const std::function<void()> &action)
{
    const qint64 before = residentMemory();
    std::ignore = forgetPeakMemory();
    action();
    return static_cast<double>(peakMemory() - before) / mebibyte;
}

class Benchmarks
{
public:
    Benchmarks()
        : m_sandbox(m_engine.create(Live::target(), options()).result())
        , m_id(m_sandbox->id())
    {}

    Bench::Row runTrue(int rounds)
    {
        Bench::Row row = Bench::interleaved(
            u"run true"_s, u"ms"_s, rounds,
            [this] { return 1000 * Bench::seconds([this] { m_sandbox->run({u"true"_s}).result(); }); },
            [this] { return 1000 * Bench::seconds([this] { docker({u"exec"_s, m_id, u"true"_s}); }); });
        row.how = u"peer: docker exec ID true"_s;
        return row;
    }

    Bench::Row stream(int rounds)
    {
        double grown = 0;
        Bench::Row row = Bench::interleaved(
            u"stream 1 GB"_s, u"s"_s, rounds,
            [&] {
                return Bench::seconds(
                    [&] { grown = std::max(grown, growth([this] { streamAll(*m_sandbox, streamBytes); })); });
            },
            [this] {
                return Bench::seconds([this] {
                    docker({u"exec"_s, m_id, u"head"_s, u"-c"_s, QString::number(streamBytes), u"/dev/zero"_s});
                });
            });
        row.how = u"peer: docker exec to /dev/null; memory growth %1 MiB"_s.arg(grown, 0, 'f', 1);
        return row;
    }

    Bench::Row slowConsumer()
    {
        constexpr qint64 bytes = 256 * 1024 * 1024;
        Bench::Row row{u"slow consumer growth"_s,
                       u"MiB"_s,
                       {},
                       {},
                       u"256 MiB at 50 MB/s; peer column: the bound of 32 MiB"_s};
        row.ours.append(growth([this] { streamAll(*m_sandbox, bytes, 50e6); }));
        row.peer.append(32);
        return row;
    }

    Bench::Row create(int rounds)
    {
        Bench::Row row = Bench::interleaved(
            u"create to first byte"_s, u"ms"_s, rounds,
            [this] {
                SandboxPtr sandbox;
                const double time = Bench::seconds([&] {
                    sandbox = m_engine.create(Live::target(), options()).result();
                    sandbox->run({u"echo"_s, u"x"_s}).result();
                });
                sandbox->kill().result();
                return 1000 * time;
            },
            [] {
                return 1000 * Bench::seconds([] {
                           docker({u"run"_s, u"--rm"_s, u"--network"_s, u"none"_s, Live::testImage(), u"echo"_s,
                                   u"x"_s});
                       });
            });
        row.how = u"peer: docker run --rm --network none, whole command"_s;
        return row;
    }

    Bench::Row transfer(bool upload, int rounds)
    {
        QTemporaryDir folder;
        const QString local = folder.filePath(u"data"_s);
        QFile file(local);
        if (!file.open(QIODevice::WriteOnly))
            qFatal("no temporary file");
        file.resize(1024 * 1024 * 1024);
        file.close();
        const QString remote = u"/work/data"_s;
        if (!upload)
            m_sandbox->files().upload(local, remote).result();
        double grown = 0;
        const auto ours = [&] {
            const auto copy = [&] {
                (upload ? m_sandbox->files().upload(local, remote)
                        : m_sandbox->files().download(remote, local + u".back"_s))
                    .result();
            };
            return Bench::seconds([&] { grown = std::max(grown, growth(copy)); });
        };
        const auto peer = [&] {
            const QString inside = m_id + u':' + remote;
            return Bench::seconds([&] {
                docker(upload ? QStringList{u"cp"_s, local, inside}
                              : QStringList{u"cp"_s, inside, local + u".peer"_s});
            });
        };
        Bench::Row row =
            Bench::interleaved(upload ? u"upload 1 GiB"_s : u"download 1 GiB"_s, u"s"_s, rounds, ours, peer);
        row.how = u"peer: docker cp; memory growth %1 MiB"_s.arg(grown, 0, 'f', 1);
        m_sandbox->files().remove(remote).result();
        return row;
    }

    void end() { m_sandbox->kill().result(); }

private:
    static CreateOptions options()
    {
        CreateOptions options = Live::createOptions(u"bench"_s);
        options.timeout = 30min;
        options.resources.cpu = 2;
        return options;
    }
    Engine m_engine{EngineOptions{.stateDirectory = QString()}};
    SandboxPtr m_sandbox;
    QString m_id;
};

} // namespace

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    QCommandLineParser parser;
    parser.addHelpOption();
    parser.addOptions({{u"only"_s, u"Only rows whose name contains this."_s, u"name"_s},
                       {u"rounds"_s, u"Rounds of the quick rows."_s, u"count"_s, u"30"_s},
                       {u"json"_s, u"Write JSON."_s}});
    parser.process(application);
    if (const QString why = Live::missingDaemon(); !why.isEmpty())
        qFatal("%s", qPrintable(why));
    const int rounds = parser.value(u"rounds"_s).toInt();
    Benchmarks benchmarks;
    const QList<std::pair<QString, std::function<Bench::Row()>>> all{
        {u"run true"_s,
         [&] {
             return benchmarks.runTrue(rounds);
         }},
        {u"stream 1 GB"_s,
         [&] {
             return benchmarks.stream(5);
         }},
        {u"slow consumer growth"_s,
         [&] {
             return benchmarks.slowConsumer();
         }},
        {u"create to first byte"_s,
         [&] {
             return benchmarks.create(10);
         }},
        {u"upload 1 GiB"_s,
         [&] {
             return benchmarks.transfer(true, 3);
         }},
        {u"download 1 GiB"_s,
         [&] {
             return benchmarks.transfer(false, 3);
         }},
    };
    QJsonArray rows;
    for (const auto &[name, measure] : all) {
        if (!name.contains(parser.value(u"only"_s)))
            continue;
        const Bench::Row row = measure();
        rows.append(row.toJson());
        if (!parser.isSet(u"json"_s)) {
            std::puts(qPrintable(row.toText()));
            std::fflush(stdout);
        }
    }
    benchmarks.end();
    if (parser.isSet(u"json"_s))
        std::puts(QJsonDocument(rows).toJson().constData());
    return 0;
}
