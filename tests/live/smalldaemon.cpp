// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "smalldaemon.h"

#include "dockerdaemon.h"

#include <QFile>
#include <QStandardPaths>
#include <QTest>

#include <unistd.h>

namespace Sandboxio::Live {

using namespace Qt::StringLiterals;

namespace {
constexpr auto imageName = "empty:1"_L1;
constexpr int startLimitMs = 30'000;

// The mount dies with the namespace, and so with the daemon. A network namespace of its own, since a daemon without
// a bridge removes the docker0 of whoever has one.
constexpr const char *startScript = R"(
mount -t tmpfs -o size=64m none "$1/data" &&
exec dockerd --host="unix://$1/socket" --data-root="$1/data" --exec-root="$1/exec" --pidfile="$1/pid" \
    --storage-driver=overlay2 --group=root --log-level=warn --shutdown-timeout=3 \
    --bridge=none --iptables=false --ip6tables=false
)";
} // namespace

SmallDaemon::SmallDaemon()
{
    if (::geteuid() != 0 || QStandardPaths::findExecutable(u"dockerd"_s).isEmpty()) {
        m_problem = u"a daemon of its own needs root and dockerd"_s;
        return;
    }
    QDir(m_folder.path()).mkdir(u"data"_s);
    m_process.setProcessChannelMode(QProcess::MergedChannels);
    m_process.setStandardOutputFile(m_folder.filePath(u"log"_s));
    m_process.start(u"unshare"_s, {u"--mount"_s, u"--net"_s, u"--propagation"_s, u"slave"_s, u"sh"_s, u"-c"_s,
                                   QString::fromLatin1(startScript), u"sh"_s, m_folder.path()});
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
    return client.waitForFinished(startLimitMs) && client.exitCode() == 0;
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
