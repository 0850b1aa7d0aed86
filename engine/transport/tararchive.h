// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT

#pragma once

#include <expected>

#include <QByteArray>
#include <QList>

#include <sandboxio/core/export.h>

#include "transporterror.h"

namespace Sandboxio {

/// One entry of a tar archive, held in memory. Names are bytes and are never resolved on this host.
struct TarEntry
{
    enum class Type { File, Directory, SymbolicLink, HardLink, Other };

    QByteArray path = {};
    Type type = Type::File;
    int mode = 0644; ///< Permission bits, suid, sgid and sticky included.
    qint64 userId = 0;
    qint64 groupId = 0;
    qint64 modifiedSeconds = 0; ///< Since 1970 in UTC.
    QByteArray linkTarget = {}; ///< For links.
    QByteArray data = {};       ///< For files.

    bool operator==(const TarEntry &) const = default;
};

/// What tarEntries() accepts at most.
struct TarLimits
{
    qsizetype entries = 10'000;
    qint64 bytes = 64 * 1024 * 1024; ///< Sum of the data of all files.
};

/// The archive of @p entries in GNU format, uncompressed, in memory. Errors: Malformed where an entry cannot be
/// represented (empty path, NUL in a name). Pure, any thread.
///
/// This and tarEntries() hold everything in memory and are meant for small archives. An archive of any size is read
/// by TarDecoder.
SANDBOXIO_CORE_EXPORT std::expected<QByteArray, DecodeError> tarOf(const QList<TarEntry> &entries);

/// The entries of the uncompressed archive @p archive (ustar, pax, GNU, v7), sparse files expanded.
/// Errors: Malformed, Truncated, TooLarge. Pure, any thread.
SANDBOXIO_CORE_EXPORT std::expected<QList<TarEntry>, DecodeError> tarEntries(const QByteArray &archive,
                                                                             const TarLimits &limits = {});

} // namespace Sandboxio
