// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "guestfilewatch.h"

#include "fileerror.h"
#include "guestrequest.h"
#include "texts.h"

#include <sandboxio/core/path.h>

#include <cerrno>

namespace Sandboxio::Docker {

namespace {

using Changes = QList<FileChange>;

FileChange::Kind kindOf(Guest::FileChangeKind kind)
{
    switch (kind) {
    case Guest::FileChangeKind::Created:
        return FileChange::Kind::Created;
    case Guest::FileChangeKind::Modified:
        return FileChange::Kind::Modified;
    case Guest::FileChangeKind::AttributesChanged:
        return FileChange::Kind::AttributesChanged;
    case Guest::FileChangeKind::Removed:
        return FileChange::Kind::Removed;
    case Guest::FileChangeKind::Renamed:
        return FileChange::Kind::Renamed;
    case Guest::FileChangeKind::Overflow:
        break;
    }
    return FileChange::Kind::Overflow;
}

Changes changesOf(const std::vector<Guest::FileChange> &changes)
{
    Changes result;
    for (const Guest::FileChange &change : changes) {
        FileChange told{kindOf(change.kind), decodePath(QByteArray::fromStdString(change.path)), {}};
        if (!change.newPath.empty())
            told.newPath = decodePath(QByteArray::fromStdString(change.newPath));
        result.append(told);
    }
    return result;
}

ErrorInfo watchError(int errorNumber, const QString &path)
{
    ErrorInfo error = fileError(errorNumber, Text::tr("watch"), path);
    if (errorNumber == ENOSPC)
        error.hint =
            Text::tr("Too many directories are watched: watch fewer, or raise fs.inotify.max_user_watches "
                     "on the host.");
    else if (errorNumber == EMFILE)
        error.hint = Text::tr("End other watches first, or raise fs.inotify.max_user_instances on the host.");
    return error;
}

QCoro::Task<std::shared_ptr<FileWatchPort>> watchSteps(std::shared_ptr<DockerSandbox> sandbox, QString path,
                                                       bool recursive)
{
    using Opened = std::shared_ptr<GuestFileWatch>;
    const auto make = [=](Guest::Client &guest, const Guest::Reply<Opened> &reply) {
        guest.watch(
            encodePath(path).toStdString(), recursive,
            [=, client = QPointer(&guest)](const std::expected<Guest::FileOpened, Guest::FileError> &opened) {
                reply(opened.transform([&](const Guest::FileOpened &file) {
                    return std::make_shared<GuestFileWatch>(GuestFile{sandbox, client, file.handle, path});
                }));
            });
    };
    const GuestRequest<Opened> request{sandbox, make, [path](int errorNumber) {
                                           return watchError(errorNumber, path);
                                       }};
    const Opened watch = co_await sendToGuest<Opened>(request);
    co_await watch->next();
    co_return std::shared_ptr<FileWatchPort>(watch);
}

} // namespace

GuestFileWatch::GuestFileWatch(GuestFile file)
    : m_file(std::move(file))
{}

GuestFileWatch::~GuestFileWatch()
{
    if (m_waiting)
        m_waiting->cancelled();
    if (m_file.client && m_file.client->isUsable())
        m_file.client->close(m_file.handle);
}

Operation<QList<FileChange>> GuestFileWatch::next()
{
    const OperationPromise<Changes> promise;
    const Operation<Changes> operation = promise.operation();
    if (!m_file.client) {
        failAsLost(promise, m_file.sandbox);
        return operation;
    }
    m_waiting = promise;
    m_file.client->watchNext(m_file.handle,
                             [self = weak_from_this()](
                                 const std::expected<std::vector<Guest::FileChange>, Guest::FileError> &reply) {
                                 const auto watch = self.lock();
                                 if (!watch || !watch->m_waiting)
                                     return;
                                 const OperationPromise<Changes> waiting = *std::exchange(watch->m_waiting, {});
                                 if (reply)
                                     waiting.finish(changesOf(*reply));
                                 else if (reply.error().connectionLost)
                                     failAsLost(waiting, watch->m_file.sandbox);
                                 else
                                     waiting.fail(watchError(reply.error().errorNumber, watch->m_file.path));
                             });
    return operation;
}

Operation<std::shared_ptr<FileWatchPort>> watchByGuest(const std::shared_ptr<DockerSandbox> &sandbox,
                                                       const QString &path, bool recursive)
{
    return operationOf(watchSteps(sandbox, path, recursive));
}

} // namespace Sandboxio::Docker
