// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/export.h>

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <string>
#include <vector>

namespace Sandboxio::Guest {

/*! How the persistent interpreter of a language is started. A plain value. */
struct InterpreterProgram
{
    std::vector<std::string>
        argv; //!< reads its source from descriptor 3: a line with the length, then the bytes
    QByteArray source;
    /*! An interrupt may get lost while a shell starts a command: it is sent again until the cell has ended. */
    bool repeatsInterrupts = false;
    /*! It cannot tell an interrupt by the signal alone: a message goes with it. */
    bool hearsInterrupts = false;
    bool isKnown() const { return !argv.empty(); }
};

/*! Languages that have one, the names of runCode(). */
SANDBOXIO_CORE_EXPORT QStringList interpreterLanguages();
/*! That of \a language; not isKnown() for any other. */
SANDBOXIO_CORE_EXPORT InterpreterProgram interpreterProgram(const QString &language);

} // namespace Sandboxio::Guest
