// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#include "fileops.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <dirent.h>
#include <string_view>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace Sandboxio::Guest {

namespace {

constexpr int maximumLinks = 40;
constexpr std::uint32_t permissionBits = 07777;

int result(int returned)
{
    return returned == 0 ? 0 : errno;
}

FileType typeOf(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return FileType::Regular;
    case S_IFDIR:
        return FileType::Directory;
    case S_IFLNK:
        return FileType::SymbolicLink;
    case S_IFIFO:
        return FileType::Fifo;
    case S_IFSOCK:
        return FileType::Socket;
    case S_IFCHR:
        return FileType::CharacterDevice;
    case S_IFBLK:
        return FileType::BlockDevice;
    default:
        return FileType::Unknown;
    }
}

std::string lastComponent(std::string path)
{
    while (path.size() > 1 && path.back() == '/')
        path.pop_back();
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos || path.size() == 1 ? path : path.substr(slash + 1);
}

/// With the slash at its end; empty for a bare name.
std::string folderOf(const std::string &path)
{
    return path.substr(0, path.rfind('/') + 1);
}

int readLink(int folder, const std::string &path, std::string &target)
{
    std::array<char, PATH_MAX> bytes;
    const ssize_t size = ::readlinkat(folder, path.c_str(), bytes.data(), bytes.size());
    if (size < 0)
        return errno;
    target.assign(bytes.data(), std::size_t(size));
    return 0;
}

int refuseUnlessRegular(mode_t mode)
{
    return S_ISREG(mode) ? 0 : S_ISDIR(mode) ? EISDIR : EOPNOTSUPP;
}

/// Where writing to \a path would write: the end of its symbolic links, existing or not.
int followLinks(std::string &path)
{
    for (int links = 0; links < maximumLinks; ++links) {
        std::string target;
        const int error = readLink(AT_FDCWD, path, target);
        if (error == EINVAL || error == ENOENT)
            return 0;
        if (error)
            return error;
        path = target.front() == '/' ? target : folderOf(path).append(target);
    }
    return ELOOP;
}

int removeBelow(int parent, const char *name);

int emptyFolder(DIR *folder)
{
    int firstError = 0;
    while (const dirent *entry = ::readdir(folder)) {
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..")
            continue;
        const int error = removeBelow(::dirfd(folder), entry->d_name);
        firstError = firstError ? firstError : error;
    }
    return firstError;
}

/// One descriptor a level: a tree deeper than their limit is EMFILE. Links are never followed.
int removeBelow(int parent, const char *name)
{
    if (::unlinkat(parent, name, 0) == 0 || errno == ENOENT)
        return 0;
    const int unlinkError = errno;
    const int fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOTDIR || errno == ELOOP ? unlinkError : errno;
    DIR *folder = ::fdopendir(fd);
    if (!folder)
        return errno;
    const int error = emptyFolder(folder);
    ::closedir(folder);
    if (::unlinkat(parent, name, AT_REMOVEDIR) != 0 && errno != ENOENT)
        return error ? error : errno;
    return error;
}

} // namespace

int FileDescriber::describe(int folder, const std::string &path, bool follow, FileInfo &info)
{
    struct stat status{};
    if (::fstatat(folder, path.c_str(), &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
        return errno;
    info.name = lastComponent(path);
    info.fileType = typeOf(status.st_mode);
    info.size = std::uint64_t(status.st_size);
    info.mode = status.st_mode & permissionBits;
    info.uid = status.st_uid;
    info.gid = status.st_gid;
    info.owner = m_users.name(status.st_uid);
    info.group = m_groups.name(status.st_gid);
    info.modifiedNs = std::int64_t{status.st_mtim.tv_sec} * 1000000000 + status.st_mtim.tv_nsec;
    if (S_ISLNK(status.st_mode))
        readLink(folder, path, info.linkTarget);
    return 0;
}

/// Looks before it opens: opening a device may already do something.
int openRegularFile(const std::string &path, UniqueFd &file)
{
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0)
        return errno;
    if (const int error = refuseUnlessRegular(status.st_mode))
        return error;
    file.reset(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!file || ::fstat(file.get(), &status) != 0)
        return errno;
    return refuseUnlessRegular(status.st_mode);
}

int makeDirectories(const std::string &path)
{
    for (std::size_t end = path.find('/', 1); !path.empty(); end = path.find('/', end + 1)) {
        const std::string part = path.substr(0, end);
        struct stat status{};
        if (::mkdir(part.c_str(), 0777) != 0) {
            const int error = errno;
            if (::stat(part.c_str(), &status) != 0)
                return error;
            if (!S_ISDIR(status.st_mode))
                return ENOTDIR;
        }
        if (end == std::string::npos)
            break;
    }
    return path.empty() ? ENOENT : 0;
}

int makeDirectory(const std::string &path, bool makeParents)
{
    return makeParents ? makeDirectories(path) : result(::mkdir(path.c_str(), 0777));
}

int removeTree(const std::string &path)
{
    struct stat root{};
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0)
        return errno;
    if (::stat("/", &root) == 0 && root.st_dev == status.st_dev && root.st_ino == status.st_ino)
        return EBUSY;
    std::string name = path;
    while (name.size() > 1 && name.back() == '/')
        name.pop_back();
    return removeBelow(AT_FDCWD, name.c_str());
}

int removeOne(const std::string &path)
{
    return result(::remove(path.c_str()));
}

int moveFile(const std::string &from, const std::string &to, bool overwrite)
{
    if (overwrite)
        return result(::rename(from.c_str(), to.c_str()));
    constexpr unsigned noReplace = 1;
    if (::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), noReplace) == 0)
        return 0;
    if (errno != ENOSYS && errno != EINVAL)
        return errno;
    struct stat status{};
    if (::lstat(to.c_str(), &status) == 0)
        return EEXIST;
    return result(::rename(from.c_str(), to.c_str()));
}

int Upload::open(const FileOpenWrite &request)
{
    m_target = request.path;
    if (m_target.empty())
        return ENOENT;
    const std::string folder = folderOf(m_target);
    if (request.makeParents && !folder.empty()) {
        if (const int error = makeDirectories(folder))
            return error;
    }
    if (const int error = followLinks(m_target))
        return error;
    struct stat status{};
    if (::stat(m_target.c_str(), &status) == 0) {
        if (const int error = refuseUnlessRegular(status.st_mode))
            return error;
        if (::access(m_target.c_str(), W_OK) != 0)
            return errno;
        m_mode = status.st_mode & permissionBits;
        m_uid = status.st_uid;
        m_gid = status.st_gid;
        m_keepOwner = true;
    } else if (errno != ENOENT) {
        return errno;
    } else {
        const mode_t mask = ::umask(0);
        ::umask(mask);
        m_mode = 0666 & ~mask;
    }
    if (request.mode != modeUnset)
        m_mode = request.mode & permissionBits;
    return createTemporary();
}

int Upload::createTemporary()
{
    for (int attempt = 0; attempt < 16; ++attempt) {
        std::uint64_t random = 0;
        ::getrandom(&random, sizeof random, 0);
        char name[40];
        std::snprintf(name, sizeof name, ".sandboxio-%016llx", static_cast<unsigned long long>(random));
        const std::string path = folderOf(m_target) + name;
        const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file >= 0) {
            m_file.reset(file);
            m_temporary = path;
            return 0;
        }
        if (errno != EEXIST)
            return errno;
    }
    return EEXIST;
}

int Upload::write(std::uint64_t offset, std::string_view data)
{
    while (!data.empty()) {
        const ssize_t count = ::pwrite(m_file.get(), data.data(), data.size(), off_t(offset));
        if (count < 0 && errno != EINTR)
            return errno;
        if (count <= 0)
            continue;
        data.remove_prefix(std::size_t(count));
        offset += std::uint64_t(count);
    }
    return 0;
}

int Upload::commit(std::uint64_t size)
{
    struct stat status{};
    int error = size == sizeUnset ? 0 : result(::ftruncate(m_file.get(), off_t(size)));
    if (!error)
        error = result(::fstat(m_file.get(), &status));
    if (!error && m_keepOwner && (status.st_uid != m_uid || status.st_gid != m_gid))
        error = result(::fchown(m_file.get(), m_uid, m_gid));
    if (!error)
        error = result(::fchmod(m_file.get(), m_mode));
    if (!error)
        error = result(::rename(m_temporary.c_str(), m_target.c_str()));
    if (!error)
        m_temporary.clear();
    abort();
    return error;
}

void Upload::abort()
{
    if (!m_temporary.empty())
        ::unlink(m_temporary.c_str());
    m_temporary.clear();
    m_file.reset();
}

} // namespace Sandboxio::Guest
