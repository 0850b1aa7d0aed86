// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fileservice.h"

#include "connection.h"
#include "server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>

namespace Sandboxio::Guest {

namespace {

constexpr std::size_t maximumHandles = 128;
constexpr std::size_t entriesPerPage = 512;
constexpr std::size_t pageBytes = 256 << 10;
/// Smaller parts are read and sent like everything else; files that the kernel makes up say a size that is not theirs.
constexpr std::size_t sentFrom = 64 << 10;

template <typename Message, typename Function>
bool with(const Frame &frame, Function function)
{
    const std::optional<Message> message = decode<Message>(frame.payload);
    if (message)
        function(*message);
    return message.has_value();
}

std::size_t sizeOf(const FileInfo &info)
{
    constexpr std::size_t fixed = 64;
    return fixed + info.name.size() + info.owner.size() + info.group.size() + info.linkTarget.size();
}

} // namespace

FileService::FileService(Connection &connection, Server &server)
    : m_connection(connection)
    , m_server(server)
    , m_watches(connection, server.loop())
{}

bool FileService::handle(const Frame &frame)
{
    switch (frame.type) {
    case FrameType::FileStat:
    case FrameType::FileList:
    case FrameType::FileListNext:
    case FrameType::FileOpenRead:
    case FrameType::FileRead:
        return handleRead(frame);
    case FrameType::FileOpenWrite:
    case FrameType::FileWrite:
    case FrameType::FileCommit:
    case FrameType::FileClose:
        return handleWrite(frame);
    case FrameType::FileWatch:
    case FrameType::FileWatchNext:
        return handleWatch(frame);
    default:
        return handleChange(frame);
    }
}

bool FileService::handleRead(const Frame &frame)
{
    const std::uint32_t request = frame.channel;
    switch (frame.type) {
    case FrameType::FileStat:
        return with<FileStat>(frame, [&](const FileStat &message) {
            FileInfo info;
            const int error = m_describer.describe(AT_FDCWD, message.path, message.follow, info);
            error ? m_connection.sendResult(request, error) : m_connection.send(request, info);
        });
    case FrameType::FileList:
        return with<FileList>(frame, [&](const FileList &message) { openFolder(request, message.path); });
    case FrameType::FileListNext:
        return with<FileListNext>(frame,
                                  [&](const FileListNext &message) { sendPage(request, message.handle); });
    case FrameType::FileOpenRead:
        return with<FileOpenRead>(frame, [&](const FileOpenRead &message) { openRead(request, message.path); });
    default:
        return with<FileRead>(frame, [&](const FileRead &message) { read(request, message); });
    }
}

bool FileService::handleWrite(const Frame &frame)
{
    const std::uint32_t request = frame.channel;
    switch (frame.type) {
    case FrameType::FileOpenWrite:
        return with<FileOpenWrite>(frame, [&](const FileOpenWrite &message) { openWrite(request, message); });
    case FrameType::FileWrite:
        return with<FileWrite>(frame, [&](const FileWrite &message) {
            Handle *handle = find(message.handle);
            const bool open = handle && handle->upload;
            m_connection.sendResult(request,
                                    open ? handle->upload->write(message.offset, message.data) : EBADF);
        });
    case FrameType::FileCommit:
        return with<FileCommit>(frame, [&](const FileCommit &message) { commit(request, message); });
    default:
        return with<FileClose>(frame, [&](const FileClose &message) {
            m_watches.close(message.handle);
            m_connection.sendResult(request, m_handles.erase(message.handle) ? 0 : EBADF);
        });
    }
}

bool FileService::handleChange(const Frame &frame)
{
    const std::uint32_t request = frame.channel;
    switch (frame.type) {
    case FrameType::FileMakeDirectory:
        return with<FileMakeDirectory>(frame, [&](const FileMakeDirectory &message) {
            m_connection.sendResult(request, makeDirectory(message.path, message.makeParents));
        });
    case FrameType::FileRemove:
        return with<FileRemove>(frame, [&](const FileRemove &message) { remove(request, message); });
    case FrameType::FileMove:
        return with<FileMove>(frame, [&](const FileMove &message) {
            m_connection.sendResult(request, moveFile(message.from, message.to, message.overwrite));
        });
    case FrameType::FileMakeLink:
        return with<FileMakeLink>(frame, [&](const FileMakeLink &message) {
            const bool made = ::symlink(message.target.c_str(), message.path.c_str()) == 0;
            m_connection.sendResult(request, made ? 0 : errno);
        });
    case FrameType::FileChangeMode:
        return with<FileChangeMode>(frame, [&](const FileChangeMode &message) {
            const bool changed = ::chmod(message.path.c_str(), message.mode & 07777) == 0;
            m_connection.sendResult(request, changed ? 0 : errno);
        });
    default:
        return false;
    }
}

bool FileService::handleWatch(const Frame &frame)
{
    const std::uint32_t request = frame.channel;
    if (frame.type == FrameType::FileWatch)
        return with<FileWatch>(frame, [&](const FileWatch &message) { watch(request, message); });
    return with<FileWatchNext>(frame,
                               [&](const FileWatchNext &message) { m_watches.next(request, message.handle); });
}

void FileService::openFolder(std::uint32_t request, const std::string &path)
{
    Handle handle;
    const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0)
        handle.folder.reset(::fdopendir(fd));
    if (!handle.folder) {
        const int error = errno;
        if (fd >= 0)
            ::close(fd);
        return m_connection.sendResult(request, error);
    }
    const std::uint32_t number = add(std::move(handle));
    number ? sendPage(request, number) : m_connection.sendResult(request, EMFILE);
}

void FileService::sendPage(std::uint32_t request, std::uint32_t number)
{
    Handle *handle = find(number);
    if (!handle || !handle->folder)
        return m_connection.sendResult(request, EBADF);
    FileListPage page;
    page.handle = number;
    std::size_t bytes = 0;
    while (page.entries.size() < entriesPerPage) {
        if (!handle->hasNextEntry && !readEntry(*handle)) {
            page.last = true;
            break;
        }
        bytes += sizeOf(handle->nextEntry);
        if (bytes > pageBytes && !page.entries.empty())
            break;
        page.entries.push_back(std::move(handle->nextEntry));
        handle->hasNextEntry = false;
    }
    if (page.last)
        m_handles.erase(number);
    m_connection.send(request, page);
}

/// False at the end. Entries that vanish meanwhile are left out.
bool FileService::readEntry(Handle &handle)
{
    while (const dirent *entry = ::readdir(handle.folder.get())) {
        const std::string name = entry->d_name;
        if (name == "." || name == "..")
            continue;
        handle.nextEntry = {};
        const int error = m_describer.describe(::dirfd(handle.folder.get()), name, false, handle.nextEntry);
        if (error == ENOENT)
            continue;
        // A folder may be readable but not searchable: its names are all there is to tell.
        handle.nextEntry.name = name;
        handle.hasNextEntry = true;
        return true;
    }
    return false;
}

void FileService::openRead(std::uint32_t request, const std::string &path)
{
    Handle handle;
    FileOpened opened;
    handle.file = std::make_shared<SentFile>();
    int error = openRegularFile(path, handle.file->fd);
    if (!error)
        error = m_describer.describe(AT_FDCWD, path, true, opened.info);
    if (error)
        return m_connection.sendResult(request, error);
    opened.handle = add(std::move(handle));
    opened.handle ? m_connection.send(request, opened) : m_connection.sendResult(request, EMFILE);
}

void FileService::read(std::uint32_t request, const FileRead &message)
{
    static std::array<char, maximumChunk> scratch;
    const Handle *handle = find(message.handle);
    if (!handle || !handle->file)
        return m_connection.sendResult(request, EBADF);
    if (message.length > scratch.size())
        return m_connection.sendResult(request, EINVAL);
    SentFile &file = *handle->file;
    struct stat status{};
    const bool isKnown = ::fstat(file.fd.get(), &status) == 0;
    // A part that has gone out, or that waits to, is not there any more.
    if (file.shrank || (isKnown && status.st_size < file.announced))
        return m_connection.sendResult(request, EIO);
    const std::uint64_t size = isKnown ? std::uint64_t(status.st_size) : 0;
    if (message.length >= sentFrom && message.offset <= size && message.length <= size - message.offset) {
        file.announced = std::max(file.announced, off_t(message.offset + message.length));
        return m_connection.sendFileData(request, handle->file, off_t(message.offset), message.length);
    }
    const ssize_t count = ::pread(file.fd.get(), scratch.data(), message.length, off_t(message.offset));
    if (count < 0)
        return m_connection.sendResult(request, errno);
    m_connection.send(request, FileData{{scratch.data(), std::size_t(count)}});
}

void FileService::openWrite(std::uint32_t request, const FileOpenWrite &message)
{
    Handle handle;
    handle.upload = std::make_unique<Upload>();
    if (const int error = handle.upload->open(message))
        return m_connection.sendResult(request, error);
    FileOpened opened;
    opened.handle = add(std::move(handle));
    opened.handle ? m_connection.send(request, opened) : m_connection.sendResult(request, EMFILE);
}

void FileService::commit(std::uint32_t request, const FileCommit &message)
{
    Handle *handle = find(message.handle);
    if (!handle || !handle->upload)
        return m_connection.sendResult(request, EBADF);
    const int error = handle->upload->commit(message.size);
    m_handles.erase(message.handle);
    m_connection.sendResult(request, error);
}

void FileService::remove(std::uint32_t request, const FileRemove &message)
{
    if (!message.recursive)
        return m_connection.sendResult(request, removeOne(message.path));
    const int error = m_server.workers().start(m_connection.number(), request, [path = message.path, request] {
        const int failure = removeTree(path);
        return failure ? encode(request, Error{failure}) : encode(request, Done{});
    });
    if (error)
        m_connection.sendResult(request, error);
}

void FileService::watch(std::uint32_t request, const FileWatch &message)
{
    FileOpened opened;
    opened.handle = add({});
    int error = opened.handle ? m_watches.open(opened.handle, message) : EMFILE;
    if (!error)
        error = m_describer.describe(AT_FDCWD, message.path, false, opened.info);
    if (!error)
        return m_connection.send(request, opened);
    m_watches.close(opened.handle);
    m_handles.erase(opened.handle);
    m_connection.sendResult(request, error);
}

FileService::Handle *FileService::find(std::uint32_t number)
{
    const auto found = m_handles.find(number);
    return found == m_handles.end() ? nullptr : &found->second;
}

std::uint32_t FileService::add(Handle handle)
{
    if (m_handles.size() >= maximumHandles)
        return 0;
    m_handles.emplace(++m_lastHandle, std::move(handle));
    return m_lastHandle;
}

} // namespace Sandboxio::Guest
