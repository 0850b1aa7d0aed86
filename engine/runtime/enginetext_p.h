// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>

#include <QCoreApplication>

namespace Sandboxio::Detail {

inline QString engineText(const char *text)
{
    return QCoreApplication::translate("Sandboxio::Engine", text);
}

[[noreturn]] inline void refuse(const QString &message, const QString &hint)
{
    makeError(ErrorKind::ConfigurationError, message, hint).raise();
}

[[noreturn]] inline void refuse(const QString &message, const char *hint)
{
    refuse(message, engineText(hint));
}

} // namespace Sandboxio::Detail
