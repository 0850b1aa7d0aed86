// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "filetransfer_p.h"
#include "taskhelpers_p.h"

#include <sandboxio/core/error.h>
#include <sandboxio/core/path.h>

#include <QFile>
#include <QRandomGenerator>

#include <filesystem>
#include <fstream>
#include <ranges>

namespace Sandboxio::Detail {

// Names are bytes on both sides, which paths of the standard library keep and those of Qt do not.
namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace {

// Small files are all waiting for answers: several of them wait at once.
constexpr int filesAtOnce = 8;
constexpr quint32 permissionBits = 0777;
constexpr quint32 usualDirectoryMode = 0755;

fs::path localPath(const QString &path)
{
    return fs::path(QFile::encodeName(path).toStdString());
}

QString textOf(const fs::path &path)
{
    return displayPath(decodePath(QByteArray::fromStdString(path.native())));
}

[[noreturn]] void raiseLocalPath(const fs::path &path, const std::error_code &error)
{
    raiseLocal(textOf(path), QString::fromStdString(error.message()));
}

std::error_code lastError()
{
    return {errno, std::generic_category()};
}

[[noreturn]] void raiseExists(const QString &path)
{
    makeError(ErrorKind::FileSystemError, FileText::tr("'%1' exists already.").arg(path),
              FileText::tr("A folder is copied to a new place only: name another one, or remove that."))
        .raise();
}

[[noreturn]] void raiseUncopyable(const QString &path)
{
    makeError(ErrorKind::FileSystemError,
              FileText::tr("'%1' is neither a file nor a directory nor a link.").arg(path),
              FileText::tr("Remove it from the folder, or copy what is beside it by itself."))
        .raise();
}

[[noreturn]] void raiseNoName(const QString &path)
{
    makeError(ErrorKind::FileSystemError,
              FileText::tr("The sandbox names '%1', which no entry of a directory can be called.").arg(path),
              FileText::tr("Do not trust what this sandbox tells; copy single files out of it by their paths."))
        .raise();
}

using Work = std::function<QCoro::Task<void>(std::size_t number)>;

/*! The work that is left of \a count, and what ended it early. */
struct WorkList
{
    std::size_t count = 0;
    Work work;
    std::size_t next = 0;
    std::exception_ptr failure{};
};

QCoro::Task<void> workOff(WorkList *list)
{
    while (list->next < list->count && !list->failure) {
        try {
            co_await list->work(list->next++);
        } catch (...) { // the others still use the list, whatever it is
            if (!list->failure)
                list->failure = std::current_exception();
        }
    }
}

/*! Does \a work with each number below \a count, several at once; throws the first failure when all have ended. */
QCoro::Task<void> each(std::size_t count, Work work)
{
    WorkList list{count, std::move(work)};
    std::vector<QCoro::Task<void>> workers;
    workers.reserve(filesAtOnce);
    for (int i = 0; i < filesAtOnce; ++i)
        workers.push_back(workOff(&list));
    for (const QCoro::Task<void> &worker : workers)
        co_await worker;
    if (list.failure)
        std::rethrow_exception(list.failure);
}

QString stagingName()
{
    return u".sandboxio-%1"_s.arg(QRandomGenerator::system()->generate64(), 16, 16, '0'_L1);
}

/*! Where a folder is made before it is called \a path. */
QString stagingBeside(const QString &path)
{
    const qsizetype slash = path.lastIndexOf(u'/');
    return path.left(slash + 1) + stagingName();
}

/*! One thing in a folder of this computer. */
struct LocalEntry
{
    fs::path path;
    QString relative; //!< to the folder, as a path in the sandbox
    fs::file_type type = fs::file_type::none;
    quint32 mode = 0;
    qint64 size = 0;
    QString linkTarget;
};

LocalEntry localEntry(const fs::directory_entry &found, const fs::path &folder)
{
    std::error_code error;
    const fs::file_status status = found.symlink_status(error);
    LocalEntry entry{found.path(), {}, status.type(), quint32(status.permissions()) & permissionBits, 0, {}};
    entry.relative = decodePath(QByteArray::fromStdString(found.path().lexically_relative(folder).native()));
    if (!error && entry.type == fs::file_type::regular)
        entry.size = qint64(found.file_size(error));
    else if (!error && entry.type == fs::file_type::symlink)
        entry.linkTarget =
            decodePath(QByteArray::fromStdString(fs::read_symlink(found.path(), error).native()));
    else if (!error && entry.type != fs::file_type::directory)
        raiseUncopyable(textOf(found.path()));
    if (error)
        raiseLocalPath(found.path(), error);
    return entry;
}

/*! All below \a folder, each directory before what is in it. */
std::vector<LocalEntry> localEntries(const TransferJob &job, const fs::path &folder)
{
    std::vector<LocalEntry> entries;
    std::error_code error;
    fs::recursive_directory_iterator next(folder, error);
    while (!error && next != fs::recursive_directory_iterator()) {
        job.throwIfCancelled();
        entries.push_back(localEntry(*next, folder));
        next.increment(error);
    }
    if (error)
        raiseLocalPath(entries.empty() ? folder : entries.back().path, error);
    return entries;
}

QCoro::Task<void> uploadFile(TransferJobPtr job, LocalEntry entry, QString remote)
{
    std::ifstream file(entry.path, std::ios::binary);
    if (!file)
        raiseLocalPath(entry.path, lastError());
    const auto next = [&] {
        QByteArray piece(filePieceSize, Qt::Uninitialized);
        file.read(piece.data(), piece.size());
        if (file.bad())
            raiseLocalPath(entry.path, lastError());
        piece.truncate(file.gcount());
        return piece;
    };
    co_await copyIn(job, remote, entry.mode, next);
}

QCoro::Task<void> uploadEntry(TransferJobPtr job, LocalEntry entry, QString path)
{
    job->throwIfCancelled();
    job->progress.step = displayPath(entry.relative);
    if (entry.type == fs::file_type::symlink)
        co_await job->port->files()->makeLink(entry.linkTarget, path);
    else
        co_await uploadFile(job, entry, path);
}

QCoro::Task<void> uploadEntries(TransferJobPtr job, std::vector<LocalEntry> entries, QString remote)
{
    FileSystemPort *files = job->port->files();
    const auto directories = std::ranges::stable_partition(
        entries, [](const LocalEntry &entry) { return entry.type != fs::file_type::directory; });
    const auto placeOf = [&](const LocalEntry &entry) {
        return remote + u'/' + entry.relative;
    };
    for (const LocalEntry &directory : directories) {
        job->throwIfCancelled();
        co_await files->makeDirectory(placeOf(directory), false);
    }
    co_await each(entries.size() - directories.size(), [&](std::size_t number) {
        return uploadEntry(job, entries[number], placeOf(entries[number]));
    });
    // Last, as a directory that may not be written into could not be filled.
    for (const LocalEntry &directory : std::views::reverse(directories)) {
        if (directory.mode != usualDirectoryMode)
            co_await files->changeMode(placeOf(directory), directory.mode);
    }
}

QCoro::Task<bool> isThere(TransferJobPtr job, QString remote)
{
    try {
        co_await cancellable(job->promise, job->port->files()->stat(remote));
        co_return true;
    } catch (const PathNotFound &) {
        co_return false;
    }
}

/*! A directory of the sandbox and where it goes. */
struct RemoteDirectory
{
    QString path;
    fs::path local;
    std::optional<quint32> mode;
};

// A sandbox may tell anything; a name is one only when it leads to an entry of its directory.
bool isName(const QByteArray &name)
{
    return !name.isEmpty() && name != "." && name != ".." && !name.contains('/') && !name.contains('\0');
}

void setLocalMode(const fs::path &path, std::optional<quint32> mode, quint32 atLeast)
{
    std::error_code error;
    if (mode)
        fs::permissions(path, fs::perms((*mode & permissionBits) | atLeast), error);
    if (error)
        raiseLocalPath(path, error);
}

// Everything is made new, so nothing that was made before, such as a link, leads elsewhere.
QCoro::Task<void> downloadNewFile(TransferJobPtr job, FileInfo info, fs::path local)
{
    std::ofstream file(local, std::ios::binary | std::ios::noreplace);
    if (!file)
        raiseLocalPath(local, lastError());
    co_await copyOut(job, info.path, [&](const QByteArray &piece) {
        if (!file.write(piece.constData(), piece.size()))
            raiseLocalPath(local, lastError());
    });
    file.close();
    if (!file)
        raiseLocalPath(local, lastError());
    setLocalMode(local, info.mode, 0);
}

void makeLocalFolder(const fs::path &path)
{
    std::error_code error;
    if (!fs::create_directory(path, error))
        raiseLocalPath(path, error ? error : std::make_error_code(std::errc::file_exists));
}

/*! Makes what \a entry says, at \a local; a directory stays empty. */
QCoro::Task<void> downloadEntry(TransferJobPtr job, FileInfo entry, fs::path local)
{
    job->throwIfCancelled();
    job->progress.step = displayPath(entry.path);
    switch (entry.type) {
    case FileInfo::Type::Directory:
        makeLocalFolder(local);
        co_return;
    case FileInfo::Type::SymbolicLink: {
        std::error_code error;
        fs::create_symlink(encodePath(entry.linkTarget.value_or(QString())).toStdString(), local, error);
        if (error)
            raiseLocalPath(local, error);
        co_return;
    }
    case FileInfo::Type::File:
        co_await downloadNewFile(job, entry, local);
        co_return;
    case FileInfo::Type::Other:
        break;
    }
    raiseUncopyable(displayPath(entry.path));
}

/*! Copies what is in \a from; the directories in it, which are empty yet, are added to \a rest. */
QCoro::Task<void> downloadEntries(TransferJobPtr job, RemoteDirectory from, std::vector<RemoteDirectory> *rest)
{
    QList<FileInfo> entries = co_await cancellable(job->promise, job->port->files()->list(from.path));
    std::vector<fs::path> places;
    for (FileInfo &entry : entries) {
        const QByteArray name = encodePath(entry.name);
        entry.path = from.path + u'/' + entry.name;
        if (!isName(name))
            raiseNoName(displayPath(entry.path));
        places.push_back(from.local / name.toStdString());
        if (entry.type == FileInfo::Type::Directory)
            rest->push_back({entry.path, places.back(), entry.mode});
    }
    co_await each(places.size(), [&](std::size_t number) {
        return downloadEntry(job, entries.at(qsizetype(number)), places[number]);
    });
}

QCoro::Task<void> downloadAll(TransferJobPtr job, QString remote, fs::path staging)
{
    const FileInfo top = co_await cancellable(job->promise, job->port->files()->stat(remote));
    std::vector<RemoteDirectory> all{{remote, staging, top.mode}};
    for (std::size_t i = 0; i < all.size(); ++i)
        co_await downloadEntries(job, RemoteDirectory(all[i]), &all);
    // Last, as a folder that may not be written into could not be filled; its owner can always remove it.
    for (const RemoteDirectory &directory : std::views::reverse(all))
        setLocalMode(directory.local, directory.mode, quint32(fs::perms::owner_all));
}

} // namespace

QCoro::Task<void> uploadFolder(TransferJobPtr job, QString local, QString remote)
{
    const fs::path folder = localPath(local);
    const QString place = withoutTrailingSlashes(remote);
    const QString staging = stagingBeside(place);
    const std::vector<LocalEntry> entries = localEntries(*job, folder);
    job->progress.total = 0;
    for (const LocalEntry &entry : entries)
        job->progress.total = *job->progress.total + entry.size;
    if (co_await isThere(job, place))
        raiseExists(displayPath(place));
    FileSystemPort *files = job->port->files();
    co_await files->makeDirectory(staging, false);
    std::exception_ptr failure;
    try {
        co_await uploadEntries(job, entries, staging);
        std::error_code error;
        const quint32 mode = quint32(fs::status(folder, error).permissions()) & permissionBits;
        if (!error && mode != usualDirectoryMode)
            co_await files->changeMode(staging, mode);
        job->throwIfCancelled();
        co_await files->move(staging, place);
    } catch (const QException &) {
        failure = std::current_exception();
    }
    if (!failure)
        co_return;
    try {
        co_await files->remove(staging, true);
    } catch (const QException &) {
        // The first failure is the one to report.
    }
    std::rethrow_exception(failure);
}

QCoro::Task<void> downloadFolder(TransferJobPtr job, QString remote, QString local)
{
    const fs::path place = localPath(withoutTrailingSlashes(local));
    job->isFolder = true;
    std::error_code error;
    if (fs::exists(fs::symlink_status(place, error)))
        raiseExists(textOf(place));
    const fs::path staging = place.parent_path() / stagingName().toStdString();
    makeLocalFolder(staging);
    std::exception_ptr failure;
    try {
        co_await downloadAll(job, withoutTrailingSlashes(remote), staging);
        job->throwIfCancelled();
        fs::rename(staging, place, error);
        if (error)
            raiseLocalPath(place, error);
    } catch (const QException &) {
        failure = std::current_exception();
    }
    if (!failure)
        co_return;
    fs::remove_all(staging, error);
    std::rethrow_exception(failure);
}

} // namespace Sandboxio::Detail
