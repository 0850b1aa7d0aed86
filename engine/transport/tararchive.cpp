// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#include "tararchive.h"

#include <array>
#include <memory>

#include <archive.h>
#include <archive_entry.h>

using namespace Qt::StringLiterals;

namespace Sandboxio {

namespace {

constexpr int permissionBits = 07777;

struct ArchiveFree
{
    void operator()(archive *handle) const { archive_free(handle); }
    void operator()(archive_entry *handle) const { archive_entry_free(handle); }
};
using ArchivePtr = std::unique_ptr<archive, ArchiveFree>;
using EntryPtr = std::unique_ptr<archive_entry, ArchiveFree>;

std::unexpected<DecodeError> failure(DecodeError::Kind kind, const QString &text)
{
    return std::unexpected(DecodeError{kind, text});
}

/// libarchive's own words; it says "Truncated" for archives that end early.
std::unexpected<DecodeError> failureOf(archive *handle)
{
    const char *words = archive_error_string(handle);
    const QString text = words ? QString::fromUtf8(words) : u"The archive cannot be processed."_s;
    const bool truncated = text.contains("truncated"_L1, Qt::CaseInsensitive);
    return failure(truncated ? DecodeError::Kind::Truncated : DecodeError::Kind::Malformed, text);
}

unsigned int fileTypeOf(TarEntry::Type type)
{
    switch (type) {
    case TarEntry::Type::Directory:
        return AE_IFDIR;
    case TarEntry::Type::SymbolicLink:
        return AE_IFLNK;
    case TarEntry::Type::File:
    case TarEntry::Type::HardLink:
    case TarEntry::Type::Other:
        break;
    }
    return AE_IFREG;
}

la_ssize_t appendBytes(archive *, void *target, const void *bytes, size_t size)
{
    static_cast<QByteArray *>(target)->append(static_cast<const char *>(bytes), static_cast<qsizetype>(size));
    return static_cast<la_ssize_t>(size);
}

bool isRepresentable(const TarEntry &entry)
{
    const bool isLink = entry.type == TarEntry::Type::SymbolicLink || entry.type == TarEntry::Type::HardLink;
    return !entry.path.isEmpty() && !entry.path.contains('\0') && !entry.linkTarget.contains('\0') &&
           entry.type != TarEntry::Type::Other && isLink != entry.linkTarget.isEmpty() &&
           (entry.type == TarEntry::Type::File || entry.data.isEmpty());
}

int writeEntry(archive *writer, const TarEntry &entry)
{
    const EntryPtr header(archive_entry_new());
    archive_entry_set_pathname(header.get(), entry.path.constData());
    archive_entry_set_filetype(header.get(), fileTypeOf(entry.type));
    archive_entry_set_perm(header.get(), static_cast<__LA_MODE_T>(entry.mode & permissionBits));
    archive_entry_set_uid(header.get(), entry.userId);
    archive_entry_set_gid(header.get(), entry.groupId);
    archive_entry_set_mtime(header.get(), static_cast<time_t>(entry.modifiedSeconds), 0);
    archive_entry_set_size(header.get(), entry.data.size());
    if (entry.type == TarEntry::Type::SymbolicLink)
        archive_entry_set_symlink(header.get(), entry.linkTarget.constData());
    if (entry.type == TarEntry::Type::HardLink)
        archive_entry_set_hardlink(header.get(), entry.linkTarget.constData());
    const int result = archive_write_header(writer, header.get());
    if (result != ARCHIVE_OK || entry.data.isEmpty())
        return result;
    const auto size = static_cast<size_t>(entry.data.size());
    const la_ssize_t written = archive_write_data(writer, entry.data.constData(), size);
    return written == static_cast<la_ssize_t>(size) ? ARCHIVE_OK : ARCHIVE_FATAL;
}

/// Names from pax headers are UTF-8 and not convertible in every locale; all others are bytes as they stand.
QByteArray nameOf(const char *bytes, const char *utf8)
{
    return QByteArray(bytes ? bytes : utf8);
}

TarEntry entryOf(archive_entry *header)
{
    TarEntry entry{.path = nameOf(archive_entry_pathname(header), archive_entry_pathname_utf8(header)),
                   .type = TarEntry::Type::Other,
                   .mode = static_cast<int>(archive_entry_perm(header)) & permissionBits,
                   .userId = archive_entry_uid(header),
                   .groupId = archive_entry_gid(header),
                   .modifiedSeconds = archive_entry_mtime(header)};
    const QByteArray hardLink = nameOf(archive_entry_hardlink(header), archive_entry_hardlink_utf8(header));
    if (!hardLink.isEmpty()) {
        entry.type = TarEntry::Type::HardLink;
        entry.linkTarget = hardLink;
    } else if (archive_entry_filetype(header) == AE_IFLNK) {
        entry.type = TarEntry::Type::SymbolicLink;
        entry.linkTarget = nameOf(archive_entry_symlink(header), archive_entry_symlink_utf8(header));
    } else if (archive_entry_filetype(header) == AE_IFDIR) {
        entry.type = TarEntry::Type::Directory;
    } else if (archive_entry_filetype(header) == AE_IFREG) {
        entry.type = TarEntry::Type::File;
    }
    return entry;
}

std::expected<QByteArray, DecodeError> readData(archive *reader, qint64 limit)
{
    std::array<char, 64 * 1024> piece;
    QByteArray data;
    while (true) {
        const la_ssize_t size = archive_read_data(reader, piece.data(), piece.size());
        if (size == 0)
            return data;
        if (size < 0)
            return failureOf(reader);
        if (data.size() + size > limit)
            return failure(DecodeError::Kind::TooLarge,
                           u"The archive holds more data than the limit allows."_s);
        data.append(piece.data(), size);
    }
}

} // namespace

std::expected<QByteArray, DecodeError> tarOf(const QList<TarEntry> &entries)
{
    QByteArray bytes;
    const ArchivePtr writer(archive_write_new());
    archive_write_set_format_gnutar(writer.get());
    archive_write_add_filter_none(writer.get());
    archive_write_set_bytes_in_last_block(writer.get(), 1);
    if (archive_write_open(writer.get(), &bytes, nullptr, &appendBytes, nullptr) != ARCHIVE_OK)
        return failureOf(writer.get());
    for (const TarEntry &entry : entries) {
        if (!isRepresentable(entry))
            return failure(DecodeError::Kind::Malformed, u"An entry cannot be written to a tar archive."_s);
        if (writeEntry(writer.get(), entry) != ARCHIVE_OK)
            return failureOf(writer.get());
    }
    if (archive_write_close(writer.get()) != ARCHIVE_OK)
        return failureOf(writer.get());
    return bytes;
}

std::expected<QList<TarEntry>, DecodeError> tarEntries(const QByteArray &archive, const TarLimits &limits)
{
    const ArchivePtr reader(archive_read_new());
    archive_read_support_format_tar(reader.get());
    archive_read_support_filter_none(reader.get());
    if (archive_read_open_memory(reader.get(), archive.constData(), static_cast<size_t>(archive.size())) !=
        ARCHIVE_OK)
        return failureOf(reader.get());
    QList<TarEntry> entries;
    qint64 remaining = limits.bytes;
    while (true) {
        archive_entry *header = nullptr;
        const int result = archive_read_next_header(reader.get(), &header);
        if (result == ARCHIVE_EOF)
            return entries;
        if (result != ARCHIVE_OK && result != ARCHIVE_WARN)
            return failureOf(reader.get());
        if (entries.size() == limits.entries)
            return failure(DecodeError::Kind::TooLarge,
                           u"The archive has more entries than the limit allows."_s);
        TarEntry entry = entryOf(header);
        if (entry.type == TarEntry::Type::File) {
            auto data = readData(reader.get(), remaining);
            if (!data)
                return std::unexpected(data.error());
            entry.data = *std::move(data);
            remaining -= entry.data.size();
        }
        entries.append(std::move(entry));
    }
}

} // namespace Sandboxio
