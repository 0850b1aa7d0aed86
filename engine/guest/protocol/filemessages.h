// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include "messages.h"

/// The file messages. Relative paths start at the guest's working directory.
namespace Sandboxio::Guest {

/// In place of a mode: keep that of an existing file, otherwise 0666 less the umask.
inline constexpr std::uint32_t modeUnset = 0xffffffff;
/// In place of a size: as much as was written.
inline constexpr std::uint64_t sizeUnset = 0xffffffffffffffff;

struct FileInfo
{
    static constexpr FrameType type = FrameType::FileStatReply;
    std::string name; ///< last component
    FileType fileType = FileType::Unknown;
    std::uint64_t size = 0;
    std::uint32_t mode = 0; ///< permission bits, 07777
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    std::string owner; ///< empty when /etc/passwd has no name for uid
    std::string group;
    std::int64_t modifiedNs = 0; ///< since the epoch
    std::string linkTarget;
    bool operator==(const FileInfo &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.name);
        archive.enumeration(self.fileType, FileType::Unknown);
        archive.field(self.size);
        archive.field(self.mode);
        archive.field(self.uid);
        archive.field(self.gid);
        archive.field(self.owner);
        archive.field(self.group);
        archive.field(self.modifiedNs);
        archive.field(self.linkTarget);
    }
};

struct FileStat
{
    static constexpr FrameType type = FrameType::FileStat;
    std::string path;
    bool follow = false; ///< describe what a symbolic link points to
    bool operator==(const FileStat &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.path);
        archive.field(self.follow);
    }
};

template <FrameType Type>
struct PathMessage
{
    static constexpr FrameType type = Type;
    std::string path;
    bool operator==(const PathMessage &) const = default;
    static void fields(auto &self, auto &archive) { archive.field(self.path); }
};
using FileList = PathMessage<FrameType::FileList>;
using FileOpenRead = PathMessage<FrameType::FileOpenRead>;

template <FrameType Type>
struct HandleMessage
{
    static constexpr FrameType type = Type;
    std::uint32_t handle = 0;
    bool operator==(const HandleMessage &) const = default;
    static void fields(auto &self, auto &archive) { archive.field(self.handle); }
};
using FileListNext = HandleMessage<FrameType::FileListNext>;
using FileClose = HandleMessage<FrameType::FileClose>;

struct FileListPage
{
    static constexpr FrameType type = FrameType::FileListPage;
    std::uint32_t handle = 0; ///< for FileListNext; already closed when last is set
    bool last = false;
    std::vector<FileInfo> entries;
    bool operator==(const FileListPage &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.handle);
        archive.field(self.last);
        archive.field(self.entries);
    }
};

struct FileOpened
{
    static constexpr FrameType type = FrameType::FileOpened;
    std::uint32_t handle = 0;
    FileInfo info;
    bool operator==(const FileOpened &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.handle);
        archive.field(self.info);
    }
};

struct FileRead
{
    static constexpr FrameType type = FrameType::FileRead;
    std::uint32_t handle = 0;
    std::uint64_t offset = 0;
    std::uint32_t length = 0; ///< at most maximumChunk
    bool operator==(const FileRead &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.handle);
        archive.field(self.offset);
        archive.field(self.length);
    }
};

/// Borrowed. Empty at the end of the file.
struct FileData
{
    static constexpr FrameType type = FrameType::FileData;
    std::string_view data;
    bool operator==(const FileData &) const = default;
    static void fields(auto &self, auto &archive) { archive.rest(self.data); }
};

struct FileOpenWrite
{
    static constexpr FrameType type = FrameType::FileOpenWrite;
    std::string path;
    std::uint32_t mode = modeUnset;
    bool makeParents = false;
    bool operator==(const FileOpenWrite &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.path);
        archive.field(self.mode);
        archive.field(self.makeParents);
    }
};

/// Borrowed.
struct FileWrite
{
    static constexpr FrameType type = FrameType::FileWrite;
    std::uint32_t handle = 0;
    std::uint64_t offset = 0;
    std::string_view data;
    bool operator==(const FileWrite &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.handle);
        archive.field(self.offset);
        archive.rest(self.data);
    }
};

struct FileCommit
{
    static constexpr FrameType type = FrameType::FileCommit;
    std::uint32_t handle = 0;
    std::uint64_t size = sizeUnset; ///< for a file that ends in a hole
    bool operator==(const FileCommit &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.handle);
        archive.field(self.size);
    }
};

struct FileMakeDirectory
{
    static constexpr FrameType type = FrameType::FileMakeDirectory;
    std::string path;
    bool makeParents = false; ///< an existing directory is no error then
    bool operator==(const FileMakeDirectory &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.path);
        archive.field(self.makeParents);
    }
};

struct FileRemove
{
    static constexpr FrameType type = FrameType::FileRemove;
    std::string path;
    bool recursive = false;
    bool operator==(const FileRemove &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.path);
        archive.field(self.recursive);
    }
};

struct FileMove
{
    static constexpr FrameType type = FrameType::FileMove;
    std::string from;
    std::string to;
    bool overwrite = false;
    bool operator==(const FileMove &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.from);
        archive.field(self.to);
        archive.field(self.overwrite);
    }
};

/// Makes a symbolic link; EEXIST when there is something at its path.
struct FileMakeLink
{
    static constexpr FrameType type = FrameType::FileMakeLink;
    std::string target; ///< as it is, not looked up
    std::string path;
    bool operator==(const FileMakeLink &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.target);
        archive.field(self.path);
    }
};

struct FileChangeMode
{
    static constexpr FrameType type = FrameType::FileChangeMode;
    std::string path;
    std::uint32_t mode = 0;
    bool operator==(const FileChangeMode &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.path);
        archive.field(self.mode);
    }
};

/// Starts a watch; the answer is FileOpened. A directory is watched with its entries, or with all below it.
struct FileWatch
{
    static constexpr FrameType type = FrameType::FileWatch;
    std::string path;
    bool recursive = false;
    bool operator==(const FileWatch &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.field(self.path);
        archive.field(self.recursive);
    }
};
using FileWatchNext = HandleMessage<FrameType::FileWatchNext>;

enum class FileChangeKind : std::uint8_t {
    Created,
    Modified,
    AttributesChanged,
    Removed,
    Renamed,
    Overflow ///< changes were missed: look at all of the path again
};

struct FileChange
{
    FileChangeKind kind = FileChangeKind::Modified;
    std::string path;    ///< the watched path as asked for, or that joined with what is below
    std::string newPath; ///< Renamed: the new one if that is watched as well, otherwise empty
    bool operator==(const FileChange &) const = default;
    static void fields(auto &self, auto &archive)
    {
        archive.enumeration(self.kind, FileChangeKind::Overflow);
        archive.field(self.path);
        archive.field(self.newPath);
    }
};

struct FileChanges
{
    static constexpr FrameType type = FrameType::FileChanges;
    std::vector<FileChange> changes; ///< empty in the first answer of a watch: it is in force
    bool operator==(const FileChanges &) const = default;
    static void fields(auto &self, auto &archive) { archive.field(self.changes); }
};

} // namespace Sandboxio::Guest
