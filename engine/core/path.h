// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/export.h>

#include <QByteArray>
#include <QString>

namespace Sandboxio {

/*! Paths inside a sandbox are bytes. As QString they are decoded as UTF-8, and each byte that is not valid
    UTF-8 becomes a lone surrogate U+DC80…U+DCFF, so that every path survives the way there and back. */
SANDBOXIO_CORE_EXPORT QString decodePath(const QByteArray &path);
/*! The inverse of decodePath(). */
SANDBOXIO_CORE_EXPORT QByteArray encodePath(const QString &path);
/*! \a path without the slashes at its end; the root stays "/". */
SANDBOXIO_CORE_EXPORT QString withoutTrailingSlashes(const QString &path);
/*! The last component of \a path, whatever slashes follow it; the root is "/". */
SANDBOXIO_CORE_EXPORT QString pathName(const QString &path);
/*! \a path for the eyes: control characters and undecodable bytes as \xNN. */
SANDBOXIO_CORE_EXPORT QString displayPath(const QString &path);

} // namespace Sandboxio
