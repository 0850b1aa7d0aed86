// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "smalldaemon.h"

#include "dockerdaemon.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>
#include <QTest>

#include <csignal>
#include <unistd.h>

namespace Sandboxio::Live {

using namespace Qt::StringLiterals;

namespace {
constexpr auto imageName = "empty:1"_L1;
constexpr int startLimitMs = 30'000;
constexpr int answerLimitMs = 2'000; // of one question

// The mount dies with the namespace, and so with the script. A network namespace of its own, since a daemon without
// a bridge removes the docker0 of whoever has one. A daemon that ends has a successor where the file "again" is.
constexpr const char *startScript = R"(
mount -t tmpfs -o size="$2m" none "$1/data" || exit
trap 'kill $daemon' TERM
while :; do
    dockerd --host="unix://$1/socket" --data-root="$1/data" --exec-root="$1/exec" --pidfile="$1/pid" \
        --storage-driver=overlay2 --group=root --log-level=warn --shutdown-timeout=3 \
        --bridge=none --iptables=false --ip6tables=false &
    daemon=$!
    wait $daemon
    wait $daemon # the first wait ends with the trap
    rm "$1/again" || exit
done
)";
} // namespace

SmallDaemon::SmallDaemon(int mebibytes)
{
    if (::geteuid() != 0 || QStandardPaths::findExecutable(u"dockerd"_s).isEmpty()) {
        m_problem = u"a daemon of its own needs root and dockerd"_s;
        return;
    }
    QDir(m_folder.path()).mkdir(u"data"_s);
    m_process.setProcessChannelMode(QProcess::MergedChannels);
    m_process.setStandardOutputFile(m_folder.filePath(u"log"_s));
    m_process.start(u"unshare"_s,
                    {u"--mount"_s, u"--net"_s, u"--propagation"_s, u"slave"_s, u"sh"_s, u"-c"_s,
                     QString::fromLatin1(startScript), u"sh"_s, m_folder.path(), QString::number(mebibytes)});
    const bool ready = QTest::qWaitFor(
        [this] { return m_process.state() == QProcess::NotRunning || answers(); }, startLimitMs);
    if (!ready || m_process.state() == QProcess::NotRunning) {
        QFile log(m_folder.filePath(u"log"_s));
        std::ignore = log.open(QIODevice::ReadOnly);
        m_problem = u"the daemon did not start: "_s + QString::fromUtf8(log.readAll()).right(2000);
        return;
    }
    importImage();
}

SmallDaemon::~SmallDaemon()
{
    if (m_process.state() == QProcess::NotRunning)
        return;
    m_process.terminate();
    if (!m_process.waitForFinished(startLimitMs))
        QTest::qFail("the small daemon does not end", __FILE__, __LINE__);
}

Target SmallDaemon::target() const
{
    return {.backend = u"docker"_s, .templateId = imageName, .parameters = {{u"host"_s, hostAddress()}}};
}

QByteArray SmallDaemon::docker(QStringList arguments) const
{
    return Live::docker(QStringList{u"--host"_s, hostAddress()} + arguments);
}

void SmallDaemon::loadImage(const QString &image)
{
    const QString tar = m_folder.filePath(u"image.tar"_s);
    Live::docker({u"save"_s, u"--output"_s, tar, image});
    docker({u"load"_s, u"--input"_s, tar});
    QFile::remove(tar);
}

bool SmallDaemon::restart(int signal)
{
    QFile again(m_folder.filePath(u"again"_s));
    const qint64 before = daemonPid();
    if (!again.open(QIODevice::WriteOnly) || before <= 0 || ::kill(static_cast<pid_t>(before), signal) != 0)
        return false;
    return QTest::qWaitFor(
        [this, before] {
            const qint64 now = daemonPid();
            return now > 0 && now != before && answers();
        },
        startLimitMs);
}

QStringList SmallDaemon::helpers() const
{
    QStringList lines;
    for (const QString &pid : QDir(u"/proc"_s).entryList({u"[0-9]*"_s}, QDir::Dirs)) {
        QFile file(u"/proc/"_s + pid + u"/cmdline"_s);
        if (!file.open(QIODevice::ReadOnly))
            continue;
        const QString line = QString::fromUtf8(file.readAll().replace('\0', ' ')).trimmed();
        const QString program = line.section(u' ', 0, 0).section(u'/', -1);
        if (line.contains(m_folder.path()) &&
            (program.contains("shim"_L1) || program.contains("keeper"_L1) || program.contains("runc"_L1)))
            lines.append(pid + u' ' + line);
    }
    return lines;
}

QStringList SmallDaemon::mounts() const
{
    QFile file(u"/proc/%1/mountinfo"_s.arg(m_process.processId()));
    std::ignore = file.open(QIODevice::ReadOnly);
    QStringList points;
    for (const QByteArray &line : file.readAll().split('\n'))
        points.append(QString::fromUtf8(line.split(' ').value(4)));
    points.sort();
    return points;
}

qint64 SmallDaemon::daemonPid() const
{
    QFile file(m_folder.filePath(u"pid"_s));
    return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed().toLongLong() : 0;
}

void SmallDaemon::fillDisk()
{
    QFile filler(fillerPath());
    QVERIFY(filler.open(QIODevice::WriteOnly | QIODevice::Unbuffered));
    const QByteArray page(4096, 'x');
    while (filler.write(page) == page.size()) {
    }
}

void SmallDaemon::freeDisk()
{
    QVERIFY(QFile::remove(fillerPath()));
}

QString SmallDaemon::hostAddress() const
{
    return u"unix://"_s + m_folder.filePath(u"socket"_s);
}

QString SmallDaemon::fillerPath() const
{
    return u"/proc/%1/root%2/data/filler"_s.arg(QString::number(m_process.processId()), m_folder.path());
}

bool SmallDaemon::answers() const
{
    if (!QFile::exists(m_folder.filePath(u"socket"_s)))
        return false;
    QProcess client;
    client.start(u"docker"_s, {u"--host"_s, hostAddress(), u"version"_s});
    return client.waitForFinished(answerLimitMs) && client.exitCode() == 0;
}

void SmallDaemon::importImage()
{
    const QString tar = m_folder.filePath(u"empty.tar"_s);
    QFile file(tar);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(10'240, '\0')); // an archive without entries
    file.close();
    docker({u"import"_s, tar, imageName});
}

} // namespace Sandboxio::Live
