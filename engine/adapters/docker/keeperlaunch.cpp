// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "keeperlaunch.h"

#include "guestbinary.h"
#include "texts.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>
#include <QTimer>

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::seconds startLimit(20);

ErrorInfo keeperError(const QString &reason)
{
    return makeError(
        ErrorKind::ConnectError,
        Text::tr(
            "No keeper has come up, and nothing else would end the sandbox when its lifetime is over (%1).")
            .arg(reason),
        Text::tr("Run `sandboxio doctor`; it says what the keeper of sandboxes lacks."));
}

// Where every program of this user looks, whatever its engine's state directory is: any may extend a lifetime.
QString postOf(const QString &containerId)
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericStateLocation) + u"/sandboxio/keepers/"_s +
           containerId;
}

QString reasonOf(QProcess &process)
{
    const QString said = QString::fromLocal8Bit(process.readAllStandardError()).trimmed();
    return said.isEmpty() ? process.errorString() : said;
}

} // namespace

QString keeperProgram()
{
    const QString named = qEnvironmentVariable(keeperVariable);
    const QStringList candidates =
        named.isEmpty() ? helperCandidates(adapterPath(), u"sandboxio-keeper"_s) : QStringList{named};
    for (const QString &path : candidates) {
        if (const QFileInfo file(path); file.isFile() && file.isExecutable())
            return path;
    }
    return {};
}

std::optional<ErrorInfo> keeperObstacle(const std::expected<Endpoint, ErrorInfo> &endpoint,
                                        const QString &keeper)
{
    if (!endpoint)
        return endpoint.error();
    if (!endpoint->isLocal()) {
        return makeError(
            ErrorKind::CapabilityNotSupported,
            Text::tr("No keeper can end sandboxes of a daemon on another host, so they cannot be paused."),
            Text::tr("Use a daemon on this host, by its local socket."));
    }
    if (keeper.isEmpty()) {
        return makeError(ErrorKind::CapabilityNotSupported,
                         Text::tr("The program sandboxio-keeper is missing, so sandboxes cannot be paused."),
                         Text::tr("Install it in libexec/sandboxio, or set %1 to its path.")
                             .arg(QLatin1StringView(keeperVariable)));
    }
    return std::nullopt;
}

bool canBeKept(const std::expected<Endpoint, ErrorInfo> &endpoint)
{
    return !keeperObstacle(endpoint, keeperProgram());
}

bool keeperStands(const QString &containerId)
{
    // A keeper that was killed leaves its file, but not the lock on it.
    const int post = ::open(QFile::encodeName(postOf(containerId)).constData(), O_RDONLY | O_CLOEXEC);
    if (post < 0)
        return false;
    const bool stands = ::flock(post, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    ::close(post);
    return stands;
}

bool needsKeeper(IsolationTier tier)
{
    return tier == IsolationTier::GVisor || tier == IsolationTier::Unknown;
}

QString lifetimeText(IsolationTier tier, bool hasKeeper)
{
    const QString guest = Text::tr("The first process of the container ends the sandbox.");
    if (!needsKeeper(tier))
        return hasKeeper ? Text::tr("%1 While it is paused, a keeper process on this host does.").arg(guest)
                         : guest;
    return hasKeeper
               ? Text::tr("%1 Where a program inside stops that process, or while the sandbox is paused, a "
                          "keeper process on this host does.")
                     .arg(guest)
               : Text::tr("%1 A program inside may be able to stop that process, and then nothing does.")
                     .arg(guest);
}

Operation<void> startKeeper(QObject *context, const KeeperPost &post)
{
    const OperationPromise<void> promise;
    auto *process = new QProcess(context);
    process->setProcessEnvironment(QProcessEnvironment()); // it needs none, and ours may hold secrets
    process->setStandardInputFile(QProcess::nullDevice());
    QObject::connect(process, &QProcess::finished, process,
                     [promise, process](int code, QProcess::ExitStatus how) {
                         if (how == QProcess::NormalExit && code == 0)
                             promise.finish();
                         else
                             promise.fail(keeperError(reasonOf(*process)));
                         process->deleteLater();
                     });
    QObject::connect(process, &QProcess::errorOccurred, process,
                     [promise, process](QProcess::ProcessError error) {
                         if (error != QProcess::FailedToStart)
                             return; // finished() follows
                         promise.fail(keeperError(reasonOf(*process)));
                         process->deleteLater();
                     });
    QTimer::singleShot(startLimit, process, &QProcess::kill);
    QStringList arguments{u"--socket"_s,    post.socketPath,    u"--container"_s,
                          post.containerId, u"--lifetime-ms"_s, QString::number(post.lifetimeLeft.count())};
    if (post.untilGone) {
        const QFileInfo file(postOf(post.containerId));
        file.dir().mkpath(u"."_s); // where that fails the keeper says so
        arguments += {u"--post"_s, file.filePath()};
    }
    process->start(post.program, arguments);
    return promise.operation();
}

} // namespace Sandboxio::Docker
