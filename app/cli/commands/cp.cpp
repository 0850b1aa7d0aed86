// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cp.h"

#include "../exitcode.h"
#include "../format.h"
#include "../json.h"
#include "../sandboxchoice.h"
#include "../translation.h"

#include <sandboxio/core/path.h>

#include <QElapsedTimer>
#include <QFileInfo>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

CommandSyntax cpSyntax()
{
    return {u"cp"_s,
            Text::tr("Copy a file into a sandbox or out of it. A local name with a colon needs ./ before it."),
            u"[options] LOCAL ID:PATH | ID:PATH LOCAL"_s,
            {u"cp model.pkl 4f2a:model.pkl"_s, u"cp 4f2a:/tmp/report.html ."_s},
            {}};
}

QCoro::Task<bool> isRemoteDirectory(Session &session, FileSystem files, QString path)
{
    try {
        const FileInfo info = co_await session.interruptible(files.stat(path));
        co_return info.type == FileInfo::Type::Directory;
    } catch (const PathNotFound &) {
        co_return false;
    }
}

QCoro::Task<> transfer(Session &session, Operation<void> operation, QString name)
{
    QObject guard;
    operation.onProgress(&guard, [&session, name](const OperationProgress &progress) {
        const QString total = progress.total ? u" / "_s + formatBytes(double(*progress.total)) : QString();
        session.console().showProgress(displayPath(name) + u"  "_s + formatBytes(double(progress.done)) +
                                       total);
    });
    co_await session.interruptible(operation);
    session.console().showProgress({});
}

void requireLocalFile(const QString &path)
{
    const QFileInfo info(path);
    if (info.isFile())
        return;
    makeError(ErrorKind::ConfigurationError,
              info.isDir() ? Text::tr("'%1' is a directory.").arg(path)
                           : Text::tr("There is no file '%1'.").arg(path),
              info.isDir() ? Text::tr("Pack it first: tar -cf dir.tar '%1'").arg(path)
                           : Text::tr("Check the path."))
        .raise();
}

QString renderCp(const QJsonObject &payload, const Style &style)
{
    Q_UNUSED(style)
    return Text::tr("%1 in %2")
               .arg(formatBytes(payload.value("sizeBytes"_L1).toDouble()),
                    formatDuration(payload.value("durationMs"_L1).toDouble())) +
           u'\n';
}

} // namespace

Parsed<CpArguments> parseCp(const QStringList &arguments)
{
    ArgumentParser parser(cpSyntax());
    addTargets(parser);
    CpArguments result;
    if (!parser.parse(arguments))
        return parser.finish(result);
    parser.expectPositional(2, 2);
    const QString from = parser.positional().value(0);
    const QString to = parser.positional().value(1);
    const std::optional<RemotePath> remoteFrom = parseRemotePath(from);
    const std::optional<RemotePath> remoteTo = parseRemotePath(to);
    if (remoteFrom.has_value() == remoteTo.has_value())
        parser.reject(Text::tr("Exactly one of the two must be inside a sandbox, written ID:PATH."));
    result.direction = remoteFrom ? CpArguments::Direction::Download : CpArguments::Direction::Upload;
    result.local = remoteFrom ? to : from;
    result.remote = remoteFrom ? *remoteFrom : remoteTo.value_or(RemotePath());
    if (remoteFrom && remoteFrom->path.isEmpty())
        parser.reject(Text::tr("The path of the file in the sandbox is missing."));
    if (result.local.isEmpty())
        parser.reject(Text::tr("The local path is empty."));
    result.targets = parser.targets(u"target"_s);
    return parser.finish(result);
}

QString destinationPath(const QString &destination, bool isDirectory, const QString &fileName)
{
    if (destination.isEmpty())
        return fileName;
    if (destination.endsWith(u'/'))
        return destination + fileName;
    return isDirectory ? destination + u'/' + fileName : destination;
}

QCoro::Task<int> executeCp(Session &session, QStringList arguments)
{
    const Parsed<CpArguments> parsed = parseCp(arguments);
    if (!parsed)
        co_return session.stop(parsed.error());
    const bool upload = parsed->direction == CpArguments::Direction::Upload;
    QString local = parsed->local;
    QString remote = parsed->remote.path;
    if (upload)
        requireLocalFile(local);
    else
        local = destinationPath(local, QFileInfo(local).isDir(), remote.section(u'/', -1));
    const SandboxPtr sandbox = co_await connectSandbox(session, parsed->remote.sandbox, parsed->targets);
    if (upload && !remote.isEmpty()) {
        const bool isDirectory = co_await isRemoteDirectory(session, sandbox->files(), remote);
        remote = destinationPath(remote, isDirectory, QFileInfo(local).fileName());
    } else if (upload) {
        remote = QFileInfo(local).fileName();
    }
    QElapsedTimer timer;
    timer.start();
    const Operation<void> operation =
        upload ? sandbox->files().upload(local, remote) : sandbox->files().download(remote, local);
    co_await transfer(session, operation, upload ? local : remote);
    QJsonObject payload{{u"sandbox"_s, sandbox->id()},
                        {u"target"_s, sandbox->target().identity()},
                        {u"direction"_s, upload ? u"upload"_s : u"download"_s},
                        {u"local"_s, local},
                        {u"sizeBytes"_s, QFileInfo(local).size()},
                        {u"durationMs"_s, double(timer.elapsed())}};
    insertBytes(payload, u"path"_s, encodePath(remote));
    session.console().show(payload, renderCp);
    co_return ExitCode::success;
}

} // namespace Sandboxio::Cli
