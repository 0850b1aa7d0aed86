// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "archivefiles.h"

#include "archiveentries.h"
#include "bodystream.h"
#include "fileerror.h"
#include "guestfiles.h"
#include "reaper.h"
#include "sandboxloss.h"
#include "steps.h"
#include "texts.h"

#include <sandboxio/core/path.h>

#include <cerrno>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

/*! One stopped container. */
struct Container
{
    std::shared_ptr<Api> api;
    EngineContext *engine;
    ManagedSandbox managed;
    QByteArray workingDirectory;
};
using ContainerPtr = std::shared_ptr<const Container>;

/*! What one operation does to which path; for errors, and to be told when somebody cancels it. */
struct Errand
{
    QString what;
    QString shown; //!< the path as asked for
    CancelSource cancel;
};

Purpose purposeOf(const Errand &errand)
{
    return {ErrorKind::FileSystemError, Text::tr("%1 '%2'").arg(errand.what, displayPath(errand.shown))};
}

[[noreturn]] void raise(const Errand &errand, int errorNumber)
{
    fileError(errorNumber, errand.what, errand.shown).raise();
}

/*! An archive that is being received and taken apart. */
struct Archive
{
    ContainerPtr container;
    std::shared_ptr<BodyStream> body;
    TarDecoder decoder = {};
    QByteArray piece = {};
    QByteArrayView rest = {}; //!< of the piece, not decoded yet
};
using ArchivePtr = std::shared_ptr<Archive>;

/*! Why the archive broke off with \a error. */
QCoro::Task<ErrorInfo> lossOf(ContainerPtr container, ErrorInfo error, Purpose purpose)
{
    purpose.kind = error.kind = ErrorKind::ConnectError;
    if (!co_await inspectContainer(container->api, container->managed.id, purpose))
        co_return sandboxGone({}, container->managed, {}, container->engine->clock->wallTime());
    co_return ErrorInfo(error);
}

QCoro::Task<ArchivePtr> openArchive(ContainerPtr container, QByteArray path, Errand errand)
{
    const Purpose purpose = purposeOf(errand);
    const QString place = u"/containers/%1/archive"_s.arg(container->managed.id);
    const QByteArray query = "path=" + path.toPercentEncoding();
    std::optional<ErrorInfo> failure;
    try {
        const auto body = co_await cancellable(
            errand.cancel, BodyStream::get(container->api, place, query, {.purpose = purpose}));
        co_return std::make_shared<Archive>(container, body);
    } catch (const SandboxError &error) {
        failure = error.info();
    }
    if (const auto errorNumber = errorNumberOf(*failure))
        raise(errand, *errorNumber);
    if (!failure->cause || !failure->cause->status) // no answer at all
        failure->kind = ErrorKind::ConnectError;
    failure->raise();
}

QCoro::Task<> receive(ArchivePtr archive, Errand errand)
{
    std::optional<ErrorInfo> failure;
    try {
        archive->piece = co_await cancellable(errand.cancel, archive->body->read());
        archive->rest = archive->piece;
        if (!archive->piece.isEmpty())
            co_return;
    } catch (const SandboxError &error) {
        failure = error.info();
    }
    const Purpose purpose = purposeOf(errand);
    if (!failure)
        malformedAnswer(archive->decoder.finish().error_or(DecodeError{}).text, purpose).raise();
    (co_await lossOf(archive->container, *failure, purpose)).raise();
}

/*! The next step of the archive that is none of wanting more. */
QCoro::Task<TarDecoder::Step> nextStep(ArchivePtr archive, Errand errand)
{
    while (true) {
        const auto step = archive->decoder.decode(archive->rest);
        if (!step)
            malformedAnswer(step.error().text, purposeOf(errand)).raise();
        archive->rest = archive->rest.sliced(step->consumed);
        if (step->kind != TarDecoder::Step::Kind::NeedMore)
            co_return TarDecoder::Step(*step);
        co_await receive(archive, errand);
    }
}

/*! Goes to the next entry; false when there is none. */
QCoro::Task<bool> nextEntry(ArchivePtr archive, Errand errand)
{
    while (true) {
        const TarDecoder::Step step = co_await nextStep(archive, errand);
        if (step.kind != TarDecoder::Step::Kind::Data)
            co_return step.kind == TarDecoder::Step::Kind::Entry;
    }
}

std::optional<PathStat> statOf(const Archive &archive)
{
    return pathStat(archive.body->head().headers.value("X-Docker-Container-Path-Stat"_L1).toByteArray());
}

/*! Where the link at \a path leads, whose entry \a archive is at. */
QByteArray targetOf(const Archive &archive, const QByteArray &path)
{
    const auto stat = statOf(archive);
    const QByteArray written = archive.decoder.header().linkTarget;
    if (stat && !stat->linkTarget.isEmpty() &&
        !stat->linkTarget.contains("\xef\xbf\xbd")) // bytes that were lost
        return stat->linkTarget;
    return archivePath(written, path.first(path.lastIndexOf('/')));
}

/*! The archive of what \a path leads to, at its first entry. */
QCoro::Task<ArchivePtr> openFollowed(ContainerPtr container, QByteArray path, Errand errand)
{
    ArchivePtr archive = co_await openArchive(container, path, errand);
    bool hasEntry = co_await nextEntry(archive, errand);
    if (hasEntry && archive->decoder.header().type == TarEntry::Type::SymbolicLink) {
        archive = co_await openArchive(container, targetOf(*archive, path), errand);
        hasEntry = co_await nextEntry(archive, errand);
        if (hasEntry && archive->decoder.header().type == TarEntry::Type::SymbolicLink)
            raise(errand, ELOOP); // the daemon resolves all links at once
    }
    if (!hasEntry) // a socket, which no archive can hold
        raise(errand, EOPNOTSUPP);
    co_return archive;
}

QCoro::Task<FileInfo> statSteps(ContainerPtr container, QByteArray path, Errand errand)
{
    const ArchivePtr archive = co_await openArchive(container, path, errand);
    FileInfo info;
    if (co_await nextEntry(archive, errand)) {
        info = entryInfo(archive->decoder.header());
    } else if (const auto stat = statOf(*archive)) {
        info.mode = stat->mode;
        info.modifiedAt = stat->modifiedAt;
    }
    info.path = errand.shown;
    info.name = pathName(errand.shown);
    co_return info;
}

QCoro::Task<QList<FileInfo>> listSteps(ContainerPtr container, QByteArray path, Errand errand)
{
    const ArchivePtr archive = co_await openFollowed(container, path, errand);
    const TarHeader directory = archive->decoder.header();
    if (directory.type != TarEntry::Type::Directory)
        raise(errand, ENOTDIR);
    QList<FileInfo> entries;
    QList<qsizetype> secondNames;
    while (co_await nextEntry(archive, errand)) {
        const TarHeader &header = archive->decoder.header();
        const auto name = nameBelow(directory.path, header.path);
        if (!name)
            continue;
        FileInfo info = entryInfo(header);
        info.name = decodePath(*name);
        info.path = joined(errand.shown, info.name);
        if (header.type == TarEntry::Type::HardLink)
            secondNames.append(entries.size());
        entries.append(info);
    }
    for (const qsizetype index : std::as_const(secondNames)) { // their own entries tell neither type nor size
        const FileInfo named = entries.at(index);
        const Errand look{errand.what, named.path, errand.cancel};
        FileInfo found = co_await statSteps(container, path + '/' + encodePath(named.name), look);
        found.name = named.name;
        entries[index] = found;
    }
    co_return entries;
}

QCoro::Task<QByteArray> readSteps(ArchivePtr archive, std::shared_ptr<QByteArrayView> ready, qint64 maximum,
                                  Errand errand)
{
    if (ready->isEmpty()) {
        const TarDecoder::Step step = co_await nextStep(archive, errand);
        if (step.kind == TarDecoder::Step::Kind::Data)
            *ready = step.data;
    }
    const QByteArrayView piece = ready->first(std::min<qint64>(maximum, ready->size()));
    *ready = ready->sliced(piece.size());
    co_return piece.toByteArray();
}

class ArchiveReader final : public FileReaderPort
{
public:
    ArchiveReader(ArchivePtr archive, QString path)
        : m_archive(std::move(archive))
        , m_path(std::move(path))
        , m_size(m_archive->decoder.header().size)
    {}
    std::optional<qint64> size() const override { return m_size; }
    Operation<QByteArray> read(qint64 maximum) override
    {
        const OperationPromise<QByteArray> promise;
        const Operation<QByteArray> operation = promise.operation();
        completeFrom(promise,
                     readSteps(m_archive, m_ready, maximum, {Text::tr("read"), m_path, cancelSource(promise)}));
        return operation;
    }

private:
    ArchivePtr m_archive;
    QString m_path;
    const qint64 m_size;
    std::shared_ptr<QByteArrayView> m_ready = std::make_shared<QByteArrayView>(); //!< of the archive's piece
};

QCoro::Task<std::shared_ptr<FileReaderPort>> openSteps(ContainerPtr container, QByteArray path, Errand errand)
{
    const ArchivePtr archive = co_await openFollowed(container, path, errand);
    const TarEntry::Type type = archive->decoder.header().type;
    if (type != TarEntry::Type::File)
        raise(errand, type == TarEntry::Type::Directory ? EISDIR : EOPNOTSUPP);
    co_return std::make_shared<ArchiveReader>(archive, errand.shown);
}

class ArchiveFiles final : public StoredFilesPort
{
public:
    explicit ArchiveFiles(Container container)
        : m_container(std::make_shared<const Container>(std::move(container)))
    {}
    ManagedSandbox managed() const override { return m_container->managed; }
    Operation<FileInfo> stat(const QString &path) override
    {
        return start<FileInfo>(path, Text::tr("look at"), statSteps);
    }
    Operation<QList<FileInfo>> list(const QString &path) override
    {
        return start<QList<FileInfo>>(path, Text::tr("list"), listSteps);
    }
    Operation<std::shared_ptr<FileReaderPort>> openRead(const QString &path) override
    {
        return start<std::shared_ptr<FileReaderPort>>(path, Text::tr("read"), openSteps);
    }

private:
    template <typename T>
    Operation<T> start(const QString &path, const QString &what,
                       QCoro::Task<T> (*steps)(ContainerPtr, QByteArray, Errand)) const
    {
        if (path.isEmpty() || path.contains(QChar(u'\0')))
            return failedOperation<T>(fileError(path.isEmpty() ? ENOENT : EINVAL, what, path));
        const OperationPromise<T> promise;
        const Operation<T> operation = promise.operation();
        completeFrom(promise, steps(m_container, archivePath(encodePath(path), m_container->workingDirectory),
                                    {what, path, cancelSource(promise)}));
        return operation;
    }

    ContainerPtr m_container;
};

std::optional<ErrorInfo> findObstacle(const std::optional<ContainerFacts> &facts, const QString &id)
{
    const auto error = [](const QString &message, const QString &hint = {}) {
        return makeError(ErrorKind::ConnectError, message, hint);
    };
    if (!facts)
        return error(Text::tr("There is no sandbox '%1' on the Docker host.").arg(id));
    if (!facts->labels.managed)
        return error(Text::tr("The container '%1' is not a sandbox of ours.").arg(id),
                     Text::tr("Use `docker cp`, if that is what you want."));
    if (!hasEnded(facts->state))
        return error(Text::tr("The sandbox '%1' is %2; this way is for those that have ended.")
                         .arg(id, sandboxStateName(facts->state)),
                     Text::tr("Connect to it and use its files while it runs."));
    return std::nullopt;
}

QCoro::Task<std::shared_ptr<StoredFilesPort>> openStoreSteps(std::shared_ptr<Api> api, EngineContext *engine,
                                                             Target target, QString id)
{
    const Purpose purpose{ErrorKind::ConnectError, Text::tr("look at the sandbox '%1'").arg(id)};
    const auto facts = co_await inspectContainer(api, id, purpose);
    if (const auto obstacle = findObstacle(facts, id))
        obstacle->raise();
    co_return std::make_shared<ArchiveFiles>(
        Container{.api = api,
                  .engine = engine,
                  .managed = managedSandbox(*facts, target, engine->clock->wallTime()),
                  .workingDirectory = encodePath(facts->workingDirectory)});
}

} // namespace

ArchiveStore::ArchiveStore(std::shared_ptr<Api> api, EngineContext *engine, Target target)
    : m_api(std::move(api))
    , m_engine(engine)
    , m_target(std::move(target))
{}

Operation<std::shared_ptr<StoredFilesPort>> ArchiveStore::open(const QString &id)
{
    return operationOf(openStoreSteps(m_api, m_engine, m_target, id));
}

} // namespace Sandboxio::Docker
