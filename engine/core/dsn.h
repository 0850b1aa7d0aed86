// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/target.h>

#include <optional>
#include <variant>

namespace Sandboxio {

/*! Parses `<backend>://[<template>][?name=value&…]`. A pure function: bytes in, value or error (SBX_E1000) out.
 */
SANDBOXIO_CORE_EXPORT std::variant<Target, ErrorInfo> parseDsn(const QString &dsn);

/*! Parses a DSN's duration: a number of seconds ("600", "1.5"). Absent when it is none. */
SANDBOXIO_CORE_EXPORT std::optional<qint64> parseSecondsAsMilliseconds(const QString &text);

} // namespace Sandboxio
