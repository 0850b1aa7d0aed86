// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>

#include <QString>

namespace Sandboxio::Docker {

/*! The error of a file operation on \a path that the sandbox answered with \a errorNumber (Linux errno):
    PathNotFound for a missing path, otherwise FileSystemError. \a what is translated, infinitive: "read". The
    cause holds the errno. */
ErrorInfo fileError(int errorNumber, const QString &what, const QString &path);

/*! The text of a Linux errno, in English as Linux has it, whatever the locale. */
QString errorNumberText(int errorNumber);

} // namespace Sandboxio::Docker
