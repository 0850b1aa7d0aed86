// SPDX-FileCopyrightText: 2026 The sandboxio authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sandboxio/core/errorinfo.h>
#include <sandboxio/core/execresult.h>
#include <sandboxio/core/fileinfo.h>
#include <sandboxio/core/managedsandbox.h>

#include <QJsonObject>

#include <chrono>

namespace Sandboxio {
struct SandboxDetails;
struct EngineWarning;
} // namespace Sandboxio

namespace Sandboxio::Cli {

// The payloads of --json. Keys are stable, in camelCase; durations are milliseconds and say so in their name;
// times are ISO 8601 in UTC; what is absent is null.

/*! UTC with milliseconds; null when \a time is not known. */
QJsonValue timeJson(const QDateTime &time);
/*! `code`, `kind`, `message`, `hint`, `url`, `cause` and what the kind adds. */
QJsonObject errorJson(const ErrorInfo &error);
/*! One row of a listing, seen at \a now. */
QJsonObject managedJson(const ManagedSandbox &sandbox, const QDateTime &now);
/*! The row of a sandbox that is connected, with capabilities, caps and lifetime. */
QJsonObject detailsJson(const SandboxDetails &details, const QDateTime &now);
QJsonObject ownershipJson(const Ownership &ownership);
/*! Program output under `stdout` and `stderr`, with `…IsBase64` telling how. */
QJsonObject execResultJson(const ExecResult &result);
QJsonObject fileJson(const FileInfo &file);
QJsonObject warningJson(const EngineWarning &warning);

/*! Adds \a bytes as \a name: text when they are UTF-8, else Base64, and `<name>IsBase64` says which. */
void insertBytes(QJsonObject &object, const QString &name, const QByteArray &bytes);
/*! Milliseconds with three decimals. */
double toMilliseconds(std::chrono::nanoseconds duration);

} // namespace Sandboxio::Cli
