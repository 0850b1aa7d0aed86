// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "guestfiles.h"

#include <QTimeZone>

#include "fileerror.h"
#include "guestfilestreams.h"
#include "guestfilewatch.h"
#include "guestrequest.h"
#include "texts.h"

#include <sandboxio/core/path.h>

namespace Sandboxio::Docker {

using namespace Qt::StringLiterals;

namespace {

constexpr quint32 privateMode = 0600;

std::string guestPath(const QString &path)
{
    return encodePath(path).toStdString();
}

QString enginePath(const std::string &path)
{
    return decodePath(QByteArray::fromStdString(path));
}

FileInfo::Type typeOf(Guest::FileType type)
{
    switch (type) {
    case Guest::FileType::Regular:
        return FileInfo::Type::File;
    case Guest::FileType::Directory:
        return FileInfo::Type::Directory;
    case Guest::FileType::SymbolicLink:
        return FileInfo::Type::SymbolicLink;
    default:
        return FileInfo::Type::Other;
    }
}

std::function<ErrorInfo(int)> errorOf(const QString &what, const QString &path)
{
    return [what, path](int errorNumber) {
        return fileError(errorNumber, what, path);
    };
}

Operation<void> simple(DockerSandbox &sandbox, const QString &what, const QString &path,
                       std::function<void(Guest::Client &, Guest::Reply<void>)> make)
{
    return sendToGuest<void>({sandbox.shared_from_this(), std::move(make), errorOf(what, path)});
}

QCoro::Task<QString> writeNew(std::shared_ptr<DockerSandbox> sandbox, QString path, QByteArray data)
{
    const auto writer = co_await sandbox->files()->openWrite(path, privateMode);
    co_await writer->write(data);
    co_await writer->commit();
    co_return path;
}

QCoro::Task<QString> writePrivateSteps(std::shared_ptr<DockerSandbox> sandbox, QString name, QByteArray data)
{
    try {
        co_return co_await writeNew(sandbox, u"/tmp/"_s + name, data);
    } catch (const FileSystemError &) {
        // No /tmp, or a read-only one.
    }
    co_return co_await writeNew(sandbox, joined(sandbox->details().workingDirectory, name), data);
}

} // namespace

QString joined(const QString &directory, const QString &name)
{
    return directory.isEmpty() || directory.endsWith(u'/') ? directory + name : directory + u'/' + name;
}

FileInfo fileInfo(const Guest::FileInfo &info, const QString &path)
{
    FileInfo result;
    result.path = path;
    result.name = enginePath(info.name);
    result.type = typeOf(info.fileType);
    result.size = static_cast<qint64>(info.size);
    result.mode = info.mode;
    result.owner = info.owner.empty() ? QString::number(info.uid) : QString::fromStdString(info.owner);
    result.modifiedAt = QDateTime::fromMSecsSinceEpoch(info.modifiedNs / 1'000'000, QTimeZone::UTC);
    if (result.type == FileInfo::Type::SymbolicLink)
        result.linkTarget = enginePath(info.linkTarget);
    return result;
}

GuestFiles::GuestFiles(DockerSandbox &sandbox)
    : m_sandbox(sandbox)
{}

Operation<FileInfo> GuestFiles::stat(const QString &path)
{
    const auto make = [path](Guest::Client &guest, const Guest::Reply<FileInfo> &reply) {
        guest.stat(
            guestPath(path), false,
            [path, reply](const std::expected<Guest::FileInfo, Guest::FileError> &info) {
                reply(info.transform([&path](const Guest::FileInfo &found) { return fileInfo(found, path); }));
            });
    };
    return sendToGuest<FileInfo>({m_sandbox.shared_from_this(), make, errorOf(Text::tr("look at"), path)});
}

Operation<QList<FileInfo>> GuestFiles::list(const QString &path)
{
    const auto make = [path](Guest::Client &guest, const Guest::Reply<QList<FileInfo>> &reply) {
        const auto entries = std::make_shared<QList<FileInfo>>();
        const auto page = [path, entries](const std::vector<Guest::FileInfo> &found) {
            for (const Guest::FileInfo &info : found)
                entries->append(fileInfo(info, joined(path, enginePath(info.name))));
        };
        guest.list(guestPath(path), page, [entries, reply](const std::expected<void, Guest::FileError> &end) {
            reply(end.transform([&entries] { return *entries; }));
        });
    };
    return sendToGuest<QList<FileInfo>>({m_sandbox.shared_from_this(), make, errorOf(Text::tr("list"), path)});
}

Operation<std::shared_ptr<FileReaderPort>> GuestFiles::openRead(const QString &path)
{
    const auto sandbox = m_sandbox.shared_from_this();
    const auto make = [path, sandbox](Guest::Client &guest,
                                      const Guest::Reply<std::shared_ptr<FileReaderPort>> &reply) {
        guest.openRead(guestPath(path), [=, client = QPointer(&guest)](
                                            const std::expected<Guest::FileOpened, Guest::FileError> &opened) {
            reply(opened.transform([&](const Guest::FileOpened &file) -> std::shared_ptr<FileReaderPort> {
                return std::make_shared<GuestFileReader>(GuestFile{sandbox, client, file.handle, path},
                                                         static_cast<qint64>(file.info.size));
            }));
        });
    };
    return sendToGuest<std::shared_ptr<FileReaderPort>>({sandbox, make, errorOf(Text::tr("read"), path)});
}

Operation<std::shared_ptr<FileWriterPort>> GuestFiles::openWrite(const QString &path,
                                                                 std::optional<quint32> mode)
{
    const auto sandbox = m_sandbox.shared_from_this();
    const Guest::FileOpenWrite request{
        .path = guestPath(path), .mode = mode.value_or(Guest::modeUnset), .makeParents = false};
    const auto make = [=](Guest::Client &guest, const Guest::Reply<std::shared_ptr<FileWriterPort>> &reply) {
        guest.openWrite(request, [=, client = QPointer(&guest)](
                                     const std::expected<Guest::FileOpened, Guest::FileError> &opened) {
            reply(opened.transform([&](const Guest::FileOpened &file) -> std::shared_ptr<FileWriterPort> {
                return std::make_shared<GuestFileWriter>(GuestFile{sandbox, client, file.handle, path});
            }));
        });
    };
    return sendToGuest<std::shared_ptr<FileWriterPort>>({sandbox, make, errorOf(Text::tr("write"), path)});
}

Operation<void> GuestFiles::makeDirectory(const QString &path, bool parents)
{
    return simple(m_sandbox, Text::tr("create the directory"), path,
                  [path, parents](Guest::Client &guest, const Guest::Reply<void> &reply) {
                      guest.makeDirectory(guestPath(path), parents, reply);
                  });
}

Operation<void> GuestFiles::remove(const QString &path, bool recursive)
{
    return simple(m_sandbox, Text::tr("remove"), path,
                  [path, recursive](Guest::Client &guest, const Guest::Reply<void> &reply) {
                      guest.remove(guestPath(path), recursive, reply);
                  });
}

Operation<void> GuestFiles::move(const QString &from, const QString &to)
{
    return simple(m_sandbox, Text::tr("move"), from,
                  [from, to](Guest::Client &guest, const Guest::Reply<void> &reply) {
                      guest.move(guestPath(from), guestPath(to), false, reply);
                  });
}

Operation<void> GuestFiles::makeLink(const QString &target, const QString &path)
{
    return simple(m_sandbox, Text::tr("create the link"), path,
                  [target, path](Guest::Client &guest, const Guest::Reply<void> &reply) {
                      guest.makeLink(guestPath(target), guestPath(path), reply);
                  });
}

Operation<void> GuestFiles::changeMode(const QString &path, quint32 mode)
{
    return simple(m_sandbox, Text::tr("change the mode of"), path,
                  [path, mode](Guest::Client &guest, const Guest::Reply<void> &reply) {
                      guest.changeMode(guestPath(path), mode, reply);
                  });
}

Operation<std::shared_ptr<FileWatchPort>> GuestFiles::watch(const QString &path, bool recursive)
{
    return watchByGuest(m_sandbox.shared_from_this(), path, recursive);
}

Operation<QString> GuestFiles::writePrivate(const QString &name, const QByteArray &data)
{
    return operationOf(writePrivateSteps(m_sandbox.shared_from_this(), name, data));
}

void GuestFiles::removeQuietly(const QString &path)
{
    if (Guest::Client *guest = m_sandbox.guest())
        guest->remove(guestPath(path), false, {});
}

} // namespace Sandboxio::Docker
