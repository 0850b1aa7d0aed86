// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "execfiles.h"

#include "dockersandbox.h"
#include "execfilescripts.h"
#include "execfilestreams.h"
#include "fileerror.h"
#include "guestfiles.h"
#include "texts.h"

#include <sandboxio/core/path.h>

#include <cerrno>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

QCoro::Task<void> silently(ExecFile file, QStringList script)
{
    co_await runFileScript(file, script);
}

QCoro::Task<QList<FileInfo>> entriesSteps(ExecFile file, QStringList script)
{
    const auto entries = FileScript::readEntries(co_await runFileScript(file, script));
    if (!entries)
        fileError(EIO, file.what, file.shown).raise();
    co_return *entries;
}

QCoro::Task<FileInfo> statSteps(ExecFile file)
{
    const QList<FileInfo> entries = co_await entriesSteps(file, FileScript::stat(file.path));
    if (entries.size() != 1)
        fileError(EIO, file.what, file.shown).raise();
    FileInfo info = entries.first();
    info.path = file.shown;
    if (file.path == "/")
        info.name = u"/"_s;
    co_return info;
}

QCoro::Task<QList<FileInfo>> listSteps(ExecFile file)
{
    QList<FileInfo> entries = co_await entriesSteps(file, FileScript::list(file.path));
    for (FileInfo &info : entries)
        info.path = joined(file.shown, info.name);
    co_return entries;
}

} // namespace

ExecFiles::ExecFiles(DockerSandbox &sandbox)
    : m_sandbox(sandbox)
{}

QByteArray ExecFiles::absolute(const QString &path) const
{
    QByteArray bytes = encodePath(path);
    if (!bytes.startsWith('/'))
        bytes.prepend(encodePath(m_sandbox.details().workingDirectory) + '/');
    // A slash at the end is taken as not there: the scripts add names to it.
    while (bytes.size() > 1 && bytes.endsWith('/'))
        bytes.chop(1);
    return bytes;
}

template <typename T>
Operation<T> ExecFiles::onFile(const QString &path, const QString &what,
                               const std::function<Operation<T>(const ExecFile &)> &start) const
{
    if (path.isEmpty() || path.contains(QChar(u'\0')))
        return failedOperation<T>(fileError(path.isEmpty() ? ENOENT : EINVAL, what, path));
    return start({m_sandbox.shared_from_this(), absolute(path), path, what});
}

Operation<FileInfo> ExecFiles::stat(const QString &path)
{
    return onFile<FileInfo>(path, Text::tr("look at"),
                            [](const ExecFile &file) { return operationOf(statSteps(file)); });
}

Operation<QList<FileInfo>> ExecFiles::list(const QString &path)
{
    return onFile<QList<FileInfo>>(path, Text::tr("list"),
                                   [](const ExecFile &file) { return operationOf(listSteps(file)); });
}

Operation<std::shared_ptr<FileReaderPort>> ExecFiles::openRead(const QString &path)
{
    return onFile<std::shared_ptr<FileReaderPort>>(path, Text::tr("read"), readByExec);
}

Operation<std::shared_ptr<FileWriterPort>> ExecFiles::openWrite(const QString &path,
                                                                std::optional<quint32> mode)
{
    return onFile<std::shared_ptr<FileWriterPort>>(
        path, Text::tr("write"), [mode](const ExecFile &file) { return writeByExec(file, mode); });
}

Operation<void> ExecFiles::makeDirectory(const QString &path, bool parents)
{
    return onFile<void>(path, Text::tr("create the directory"), [parents](const ExecFile &file) {
        return operationOf(silently(file, FileScript::makeDirectory(file.path, parents)));
    });
}

Operation<void> ExecFiles::remove(const QString &path, bool recursive)
{
    return onFile<void>(path, Text::tr("remove"), [recursive](const ExecFile &file) {
        return operationOf(silently(file, FileScript::remove(file.path, recursive)));
    });
}

Operation<void> ExecFiles::move(const QString &from, const QString &to)
{
    return onFile<void>(from, Text::tr("move"), [this, to](const ExecFile &file) {
        if (to.isEmpty() || to.contains(QChar(u'\0')))
            return failedOperation<void>(fileError(to.isEmpty() ? ENOENT : EINVAL, file.what, to));
        return operationOf(silently(file, FileScript::move(file.path, absolute(to))));
    });
}

Operation<void> ExecFiles::makeLink(const QString &target, const QString &path)
{
    return onFile<void>(path, Text::tr("create the link"), [target](const ExecFile &file) {
        if (target.isEmpty() || target.contains(QChar(u'\0')))
            return failedOperation<void>(fileError(target.isEmpty() ? ENOENT : EINVAL, file.what, target));
        return operationOf(silently(file, FileScript::makeLink(encodePath(target), file.path)));
    });
}

Operation<void> ExecFiles::changeMode(const QString &path, quint32 mode)
{
    return onFile<void>(path, Text::tr("change the mode of"), [mode](const ExecFile &file) {
        return operationOf(silently(file, FileScript::changeMode(file.path, mode)));
    });
}

} // namespace Sandboxio::Docker
