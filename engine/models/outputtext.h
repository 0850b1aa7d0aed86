// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/models/export.h>

#include <QByteArray>
#include <QString>

namespace Sandboxio {

/*! One line of a program's output for the eyes: UTF-8 with U+FFFD for what is none, of text overwritten by
    carriage returns only the last, terminal escape sequences left out, tabs as spaces up to the next eighth
    column, other control characters as their pictures (U+2400…). The bytes themselves are kept elsewhere. A pure
    function. */
SANDBOXIO_MODELS_EXPORT QString displayLine(const QByteArray &line);

/*! Length of the longest start of \a data, at most \a limit bytes, that cuts no UTF-8 sequence. A pure
 * function. */
SANDBOXIO_MODELS_EXPORT qsizetype foldLength(QByteArrayView data, qsizetype limit);

} // namespace Sandboxio
