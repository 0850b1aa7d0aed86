// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>

#include <span>

namespace Sandboxio {

/*! One row of the one table of errors. The help pages and `sandboxio explain` are generated from it. */
struct ErrorTableRow
{
    ErrorKind kind;
    const char *className;     //!< name of the exception class and of the kind
    const char *code;          //!< "SBX_E1000"; empty for bases without a code
    const char *hint;          //!< default hint, source text for translation (context "Sandboxio::Error")
    const char *documentation; //!< what it means and what to do, source text for translation
};

/*! All rows, in the order of the error tree. */
SANDBOXIO_CORE_EXPORT std::span<const ErrorTableRow> errorTable();
/*! The row of \a kind. */
SANDBOXIO_CORE_EXPORT const ErrorTableRow &errorTableRow(ErrorKind kind);
/*! The row with \a code ("SBX_E1302", any case), or nullptr. */
SANDBOXIO_CORE_EXPORT const ErrorTableRow *errorTableRow(const QString &code);

} // namespace Sandboxio
