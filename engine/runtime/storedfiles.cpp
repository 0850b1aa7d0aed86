// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "storedfiles.h"

#include "enginecore_p.h"
#include "filetransfer_p.h"

namespace Sandboxio {

using Detail::cancellable;
using Detail::EngineCore;
using Detail::EngineLink;
using Detail::recordOf;

struct StoredFiles::Place
{
    std::shared_ptr<EngineLink> link;
    Target target;
    QString id;

    /*! What is done with the files once they were opened. */
    template <typename T>
    using Body = std::function<QCoro::Task<T>(std::shared_ptr<StoredFilesPort>, OperationPromise<T>,
                                              Detail::RecordDraftPtr)>;
    template <typename T>
    Operation<T> submit(const OperationRecord &record, Body<T> body) const;
};

namespace {

template <typename T>
QCoro::Task<T> openSteps(EngineCore &core, Target target, QString id, OperationPromise<T> promise,
                         Detail::RecordDraftPtr draft,
                         std::function<QCoro::Task<T>(std::shared_ptr<StoredFilesPort>)> body)
{
    const std::shared_ptr<StoredFilesPort> port =
        co_await cancellable(promise, core.fileStore(target).open(id));
    const ManagedSandbox managed = port->managed();
    draft->record.sandboxId = managed.id;
    draft->record.tier = managed.tier;
    draft->record.metadata = managed.metadata;
    co_return co_await body(port);
}

} // namespace

template <typename T>
Operation<T> StoredFiles::Place::submit(const OperationRecord &record, Body<T> body) const
{
    const OperationPromise<T> promise;
    Operation<T> operation = promise.operation();
    link->post(promise, [target = target, id = id, record, promise, body = std::move(body)](EngineCore &core) {
        ManagedSandbox asked;
        asked.target = target;
        asked.id = id;
        const Detail::RecordDraftPtr draft = core.recorder().begin(asked, record);
        const auto opened = [promise, draft, body](std::shared_ptr<StoredFilesPort> port) {
            return body(std::move(port), promise, draft);
        };
        core.run(promise, [&] { return openSteps<T>(core, target, id, promise, draft, opened); }, draft);
    });
    return operation;
}

StoredFiles::StoredFiles(const std::shared_ptr<EngineLink> &link, const Target &target, const QString &id)
    : m_place(std::make_shared<const Place>(link, target, id))
{}
StoredFiles::~StoredFiles() = default;
StoredFiles::StoredFiles(const StoredFiles &) = default;
StoredFiles &StoredFiles::operator=(const StoredFiles &) = default;

QString StoredFiles::id() const
{
    return m_place->id;
}

Target StoredFiles::target() const
{
    return m_place->target;
}

Operation<QByteArray> StoredFiles::read(const QString &path, qint64 limit) const
{
    return m_place->submit<QByteArray>(
        recordOf(RecordEvent::ReadFile, {path}), [path, limit](const auto &port, auto promise, auto draft) {
            return Detail::readWhole(port->openRead(path), promise, draft, path, limit);
        });
}

Operation<void> StoredFiles::download(const QString &remote, const QString &local,
                                      const TransferOptions &options) const
{
    return m_place->submit<void>(
        recordOf(RecordEvent::Download, {remote, local}),
        [remote, local, options](const auto &port, auto promise, auto draft) {
            const auto open = [port](const QString &path) {
                return port->openRead(path);
            };
            return Detail::downloadFile(
                std::make_shared<Detail::TransferJob>(open, nullptr, promise, draft, options.verification),
                remote, local);
        });
}

Operation<QList<FileInfo>> StoredFiles::ls(const QString &path) const
{
    return m_place->submit<QList<FileInfo>>(recordOf(RecordEvent::ListDirectory, {path}),
                                            [path](const auto &port, auto promise, const auto &) {
                                                return Detail::sortedEntries(port->list(path), promise);
                                            });
}

Operation<FileInfo> StoredFiles::stat(const QString &path) const
{
    return m_place->submit<FileInfo>(recordOf(RecordEvent::StatFile, {path}),
                                     [path](const auto &port, auto promise, const auto &) {
                                         return cancellable(promise, port->stat(path));
                                     });
}

} // namespace Sandboxio
