// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/fileinfo.h>
#include <sandboxio/transport/tardecoder.h>

#include <optional>

namespace Sandboxio::Docker {

/*! What the header X-Docker-Container-Path-Stat says of the path that was asked for. Its names went through JSON, so
    bytes that are no UTF-8 are lost. */
struct PathStat
{
    qint64 size = 0;
    quint32 mode = 0;           //!< permission bits, suid, sgid and sticky
    QDateTime modifiedAt = {};  //!< UTC
    QByteArray linkTarget = {}; //!< of a link, with every link on the way resolved inside the container
    bool operator==(const PathStat &) const = default;
};
/*! Reads that header; absent when it is not understood. */
std::optional<PathStat> pathStat(const QByteArray &header);

/*! \a path as the archive endpoint wants it: absolute, and without a slash at its end, which would change what is
    archived. */
QByteArray archivePath(const QByteArray &path, const QByteArray &workingDirectory);
/*! What \a header says of an entry, without path and name. */
FileInfo entryInfo(const TarHeader &header);
/*! The name of \a entry when it stands directly below the directory whose own entry is \a directory; absent for all
    others. */
std::optional<QByteArray> nameBelow(const QByteArray &directory, const QByteArray &entry);
/*! The Linux errno that the daemon's refusal of a path stands for; absent when it was about something else. */
std::optional<int> errorNumberOf(const ErrorInfo &error);

} // namespace Sandboxio::Docker
