// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fakesandbox_p.h"
#include "fakewatch_p.h"
#include "texts_p.h"

#include <sandboxio/core/path.h>

namespace Sandboxio::Fake {

using namespace Qt::StringLiterals;

namespace {

template <typename T>
Operation<T> ended(const std::expected<T, ErrorInfo> &result)
{
    if (!result)
        return failedOperation<T>(result.error());
    if constexpr (std::is_void_v<T>)
        return finishedOperation();
    else
        return finishedOperation(*result);
}

// What stops a transfer that has moved \a bytes.
std::optional<ErrorInfo> brokenAt(const Provider &provider, qint64 bytes)
{
    const std::optional<qint64> end = provider.script->faults().transferBreaksAtByte;
    if (!end || bytes < *end)
        return std::nullopt;
    return makeError(ErrorKind::FileSystemError, Text::tr("The connection of the transfer broke."),
                     Text::tr("Start the transfer again."),
                     {std::nullopt, u"disconnected after %1 bytes"_s.arg(*end)});
}

class Reader final : public FileReaderPort
{
public:
    Reader(std::shared_ptr<Provider> provider, QByteArray data)
        : m_provider(std::move(provider))
        , m_data(std::move(data))
    {}
    std::optional<qint64> size() const override { return m_data.size(); }
    Operation<QByteArray> read(qint64 maximum) override
    {
        const QByteArray piece = m_data.mid(m_position, maximum);
        m_position += piece.size();
        if (const std::optional<ErrorInfo> broken = brokenAt(*m_provider, m_position))
            return failedOperation<QByteArray>(*broken);
        return finishedOperation(piece);
    }

private:
    std::shared_ptr<Provider> m_provider;
    QByteArray m_data;
    qint64 m_position = 0;
};

class Writer final : public FileWriterPort
{
public:
    Writer(std::shared_ptr<Provider> provider, const QString &id, const QByteArray &path,
           std::optional<quint32> mode)
        : m_provider(std::move(provider))
        , m_id(id)
        , m_path(path)
        , m_mode(mode)
    {}
    Operation<void> write(const QByteArray &data) override
    {
        if (const std::optional<ErrorInfo> error = notUsable(*m_provider, m_id))
            return failedOperation<void>(*error);
        m_data += data;
        if (const std::optional<ErrorInfo> broken = brokenAt(*m_provider, m_data.size()))
            return failedOperation<void>(*broken);
        return finishedOperation();
    }
    Operation<void> commit() override
    {
        if (const std::optional<ErrorInfo> error = notUsable(*m_provider, m_id))
            return failedOperation<void>(*error);
        std::expected<void, ErrorInfo> result;
        m_provider->store->with(m_id, [&](Record &record) {
            result = record.files.write(m_path, m_data, m_mode, m_provider->clock->wallTime());
        });
        if (result)
            m_provider->script->record(
                {.kind = Call::Kind::WriteFile, .sandboxId = m_id, .text = decodePath(m_path)});
        return ended(result);
    }
    Operation<void> abort() override
    {
        m_data.clear();
        return finishedOperation();
    }

private:
    std::shared_ptr<Provider> m_provider;
    QString m_id;
    QByteArray m_path;
    std::optional<quint32> m_mode;
    QByteArray m_data;
};

class FileSystem final : public FileSystemPort
{
public:
    /*! Of a sandbox that must be usable, or of what one left behind, where only the provider must answer. */
    enum class Access { Running, Stored };

    FileSystem(std::shared_ptr<Provider> provider, const QString &id, Access access)
        : m_provider(std::move(provider))
        , m_id(id)
        , m_access(access)
    {}

    Operation<FileInfo> stat(const QString &path) override
    {
        return ended(perform<FileInfo>(Call::Kind::StatFile, path, [&](MemoryFiles &files) {
            return files.stat(encodePath(path)).transform([&](FileInfo info) {
                info.path = path;
                return info;
            });
        }));
    }
    Operation<QList<FileInfo>> list(const QString &path) override
    {
        return ended(perform<QList<FileInfo>>(
            Call::Kind::ListFiles, path, [&](MemoryFiles &files) { return files.list(encodePath(path)); }));
    }
    Operation<std::shared_ptr<FileReaderPort>> openRead(const QString &path) override
    {
        const auto data = perform<QByteArray>(Call::Kind::ReadFile, path,
                                              [&](MemoryFiles &files) { return files.read(encodePath(path)); });
        if (!data)
            return failedOperation<std::shared_ptr<FileReaderPort>>(data.error());
        return finishedOperation<std::shared_ptr<FileReaderPort>>(std::make_shared<Reader>(m_provider, *data));
    }
    Operation<std::shared_ptr<FileWriterPort>> openWrite(const QString &path,
                                                         std::optional<quint32> mode) override
    {
        const QByteArray bytes = encodePath(path);
        const auto possible =
            perform<void>(std::nullopt, path, [&](MemoryFiles &files) { return files.checkWrite(bytes); });
        if (!possible)
            return failedOperation<std::shared_ptr<FileWriterPort>>(possible.error());
        return finishedOperation<std::shared_ptr<FileWriterPort>>(
            std::make_shared<Writer>(m_provider, m_id, bytes, mode));
    }
    Operation<void> makeDirectory(const QString &path, bool parents) override
    {
        return ended(perform<void>(Call::Kind::MakeDirectory, path, [&](MemoryFiles &files) {
            return files.makeDirectory(encodePath(path), parents, m_provider->clock->wallTime());
        }));
    }
    Operation<void> remove(const QString &path, bool recursive) override
    {
        return ended(perform<void>(Call::Kind::RemoveFile, path, [&](MemoryFiles &files) {
            return files.remove(encodePath(path), recursive);
        }));
    }
    Operation<void> move(const QString &from, const QString &to) override
    {
        return ended(perform<void>(Call::Kind::MoveFile, from + u" -> "_s + to, [&](MemoryFiles &files) {
            return files.move(encodePath(from), encodePath(to));
        }));
    }
    Operation<void> changeMode(const QString &path, quint32 mode) override
    {
        return ended(perform<void>(Call::Kind::ChangeMode, path, [&](MemoryFiles &files) {
            return files.changeMode(encodePath(path), mode);
        }));
    }

    Operation<std::shared_ptr<FileWatchPort>> watch(const QString &path, bool recursive) override
    {
        const auto watch = std::make_shared<FileWatch>(m_provider, m_id, path, recursive);
        const auto watched = perform<void>(std::nullopt, path, [&](MemoryFiles &files) {
            return files.watch(encodePath(path), watch->watch());
        });
        if (!watched)
            return failedOperation<std::shared_ptr<FileWatchPort>>(watched.error());
        return finishedOperation<std::shared_ptr<FileWatchPort>>(watch);
    }

private:
    template <typename T>
    std::expected<T, ErrorInfo> perform(std::optional<Call::Kind> kind, const QString &text,
                                        const std::function<std::expected<T, ErrorInfo>(MemoryFiles &)> &action)
    {
        if (kind)
            m_provider->script->record({.kind = *kind, .sandboxId = m_id, .text = text});
        if (const std::optional<ErrorInfo> broken = m_provider->script->faults().files)
            return std::unexpected(*broken);
        if (const std::optional<ErrorInfo> error = notAccessible())
            return std::unexpected(*error);
        std::expected<T, ErrorInfo> result = std::unexpected(goneError(std::nullopt));
        m_provider->store->with(m_id, [&](Record &record) { result = action(record.files); });
        return result;
    }

    std::optional<ErrorInfo> notAccessible() const
    {
        return m_access == Access::Running ? notUsable(*m_provider, m_id)
                                           : m_provider->script->faults().provider;
    }

    std::shared_ptr<Provider> m_provider;
    QString m_id;
    Access m_access;
};

/*! What a sandbox that has ended left behind. */
class StoredFiles final : public StoredFilesPort
{
public:
    StoredFiles(const std::shared_ptr<Provider> &provider, ManagedSandbox managed)
        : m_managed(std::move(managed))
        , m_files(provider, m_managed.id, FileSystem::Access::Stored)
    {}
    ManagedSandbox managed() const override { return m_managed; }
    Operation<FileInfo> stat(const QString &path) override { return m_files.stat(path); }
    Operation<QList<FileInfo>> list(const QString &path) override { return m_files.list(path); }
    Operation<std::shared_ptr<FileReaderPort>> openRead(const QString &path) override
    {
        return m_files.openRead(path);
    }

private:
    ManagedSandbox m_managed;
    FileSystem m_files;
};

} // namespace

std::shared_ptr<StoredFilesPort> makeStoredFiles(const std::shared_ptr<Provider> &provider,
                                                 const ManagedSandbox &managed)
{
    return std::make_shared<StoredFiles>(provider, managed);
}

std::unique_ptr<FileSystemPort> makeFileSystem(std::shared_ptr<Provider> provider, const QString &id)
{
    return std::make_unique<FileSystem>(std::move(provider), id, FileSystem::Access::Running);
}

} // namespace Sandboxio::Fake
