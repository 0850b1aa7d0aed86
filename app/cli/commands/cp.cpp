// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cp.h"

#include "../exitcode.h"
#include "../format.h"
#include "../json.h"
#include "../sandboxchoice.h"
#include "../translation.h"

#include <sandboxio/core/path.h>

#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>

namespace Sandboxio::Cli {

using namespace Qt::StringLiterals;

namespace {

CommandSyntax cpSyntax()
{
    return {
        u"cp"_s,
        Text::tr(
            "Copy a file or a folder into a sandbox or out of it; files also out of one that has ended and was "
            "not removed yet. A local name with a colon needs ./ before it."),
        u"[options] LOCAL ID:PATH | ID:PATH LOCAL"_s,
        {u"cp model.pkl 4f2a:model.pkl"_s, u"cp --verify project 4f2a:"_s, u"cp 4f2a:/tmp/report.html ."_s},
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

void requireLocal(const QString &path)
{
    const QFileInfo info(path);
    if (!info.isFile() && !info.isDir())
        makeError(ErrorKind::ConfigurationError, Text::tr("There is no file or folder '%1'.").arg(path),
                  Text::tr("Check the path."))
            .raise();
}

QString nameOf(const QString &local)
{
    return QFileInfo(QDir::cleanPath(QFileInfo(local).absoluteFilePath())).fileName();
}

[[noreturn]] void refuseUpload(const ManagedSandbox &row)
{
    makeError(
        ErrorKind::ConnectError,
        Text::tr("The sandbox '%1' has ended: files can be copied out of it, but not into it.").arg(row.id),
        Text::tr("Create a new sandbox for it: sandboxio create"))
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
    parser.addFlag({u"verify"_s}, Text::tr("Read each file once more in the sandbox and compare its SHA-256."));
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
        parser.reject(Text::tr("The path in the sandbox is missing."));
    if (result.local.isEmpty())
        parser.reject(Text::tr("The local path is empty."));
    result.targets = parser.targets(u"target"_s);
    result.verify = parser.isSet(u"verify"_s);
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
        requireLocal(local);
    else
        local = destinationPath(local, QFileInfo(local).isDir(), pathName(remote));
    const ManagedSandbox row = co_await findSandbox(session, parsed->remote.sandbox, parsed->targets);
    if (hasEnded(row.state) && upload)
        refuseUpload(row);
    SandboxPtr sandbox; // none where it has ended
    if (!hasEnded(row.state))
        sandbox = co_await connectSandbox(session, row);
    if (upload && !remote.isEmpty()) {
        const bool isDirectory = co_await isRemoteDirectory(session, sandbox->files(), remote);
        remote = destinationPath(remote, isDirectory, nameOf(local));
    } else if (upload) {
        remote = nameOf(local);
    }
    QElapsedTimer timer;
    timer.start();
    TransferOptions options;
    if (parsed->verify)
        options.verification = TransferVerification::Content;
    const Operation<void> operation =
        upload    ? sandbox->files().upload(local, remote, options)
        : sandbox ? sandbox->files().download(remote, local, options)
                  : session.engine().storedFiles(row.target, row.id).download(remote, local, options);
    co_await transfer(session, operation, upload ? local : remote);
    QJsonObject payload{{u"sandbox"_s, row.id},
                        {u"target"_s, row.target.identity()},
                        {u"direction"_s, upload ? u"upload"_s : u"download"_s},
                        {u"local"_s, local},
                        {u"sizeBytes"_s, operation.progress().done},
                        {u"verified"_s, parsed->verify},
                        {u"durationMs"_s, double(timer.elapsed())}};
    insertBytes(payload, u"path"_s, encodePath(remote));
    session.console().show(payload, renderCp);
    co_return ExitCode::success;
}

} // namespace Sandboxio::Cli
